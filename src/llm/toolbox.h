/*
 * What a model may call: the tools of the server for agents, about one trace and nothing else, and
 * a calculator. None can write, run or fetch anything. What they answer is made harmless, hidden
 * where that is asked for, and kept as evidence.
 */
#ifndef LLM_TOOLBOX_H
#define LLM_TOOLBOX_H

#include "llm/conversation.h"
#include "llm/evidence.h"
#include "llm/outgoing/aliases.h"
#include "mcp/mcp.h"

enum { TOOLBOX_MOST = 16 };

struct toolbox {
	struct arena arena;
	struct mcp mcp;
	struct mcp_worker worker; /* of that */
	const char *trace;	  /* its real path */
	bool hides;		  /* names */
	struct aliases *aliases;  /* NULL: names leave as they are */
	struct evidence_store evidence;
	struct model_tool tools[TOOLBOX_MOST];
	size_t count;
};

/* `hides`: no name is to leave; who opens it sets `aliases` then. */
int toolbox_open(struct toolbox *t, const char *path, bool hides, struct err *e);
void toolbox_close(struct toolbox *t);

/*
 * Appends what the model is told; false: the call failed, and the text says why and what to do.
 * `arguments` is a JSON object as text.
 */
bool toolbox_call(struct toolbox *t, struct str name, struct str arguments, struct buf *ret);

#endif
