/* Options of commands that may ask a model, and what they do with them. */
#ifndef COMMANDS_ASK_MODEL_H
#define COMMANDS_ASK_MODEL_H

#include "ask/ask.h"
#include "cli/command.h"
#include "llm/model_answer.h"

struct model_args {
	const char *llm; /* an address, or "config"; NULL: no model is asked */
	const char *model;
	bool dry_run, redacts;
};

extern const struct option_group model_options;

/* Answers without a model, `memory` is that of a conversation or NULL. */
typedef int plain_answer_fn(struct invocation *inv, const char *question, struct ask_memory *memory,
			    struct report *r, struct err *e);

/* A question, NULL: the whole diagnosis. */
struct model_question {
	const char *text;
	struct ask_memory *memory;
	struct model_talk **talk; /* of a conversation, or NULL */
	const char *window;	  /* as parameters of an analysis, or NULL */
	plain_answer_fn *plain;
};

/*
 * The model's answer; where it has none, what `plain` says, and why. -1: what is asked for cannot
 * be, or there is no answer either way.
 */
int model_ask(struct invocation *inv, const struct model_args *o, const struct model_question *q,
	      struct report *r, struct err *e);
/* Prints what would be sent. */
int model_show_request(struct invocation *inv, const struct model_args *o,
		       const struct model_question *q, struct err *e);

#endif
