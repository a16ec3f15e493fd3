/* A conversation with a model, whatever format it travels in. */
#ifndef LLM_CONVERSATION_H
#define LLM_CONVERSATION_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

/* A tool that the model is told of. */
struct model_tool {
	const char *name, *description;
	const char *schema; /* of its arguments, as JSON */
};

/* A call of the model's, and what it was answered. */
struct called {
	const char *id, *name;
	const char *arguments; /* a JSON object */
	const char *result;
	bool is_error;
};

/* What the user says; or what the model says, with the calls that it makes. */
struct turn {
	bool is_model;
	const char *text;
	struct called *calls;
	size_t call_count;
};

enum { CONVERSATION_MOST_TURNS = 64 };

struct conversation {
	struct arena arena; /* all that it says */
	const char *model, *system;
	const struct model_tool *tools;
	size_t tool_count;
	bool may_call; /* else it is to answer now */
	uint64_t max_tokens;
	bool limits_completion; /* as OpenAI's own server calls that limit now */
	struct turn turns[CONVERSATION_MOST_TURNS];
	size_t turn_count;
};

/* The turn, which the caller may give calls; a copy of the text is kept. */
struct turn *conversation_add(struct conversation *c, bool is_model, struct str text);
void conversation_free(struct conversation *c);

#endif
