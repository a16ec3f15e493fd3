/*
 * Answers to questions in words, without a model: which analyses are meant, what they say, in
 * sentences made of their own cells, with the evidence and the commands that give it again.
 */
#ifndef ASK_ASK_H
#define ASK_ASK_H

#include "analysis/analysis.h"
#include "ask/question/question.h"

/* What was asked before, in a conversation: "and on GPU 1?" goes on from there. Zeroed at first. */
struct ask_memory {
	char *question;	       /* NULL: nothing was asked yet */
	struct question slots; /* where and when it was last asked about; it has no words */
	struct arena arena;    /* of names in these */
	bool is_refused;       /* what the question says of where and when is not in the capture */
};
void ask_forget(struct ask_memory *m);

/*
 * Into the report: sentences, evidence, what cannot be told. -1: the trace cannot be read. `memory`
 * may be NULL; `more` are asked besides all analyses, up to a NULL, and may be NULL.
 */
int ask_answer(struct trace *t, const char *question, struct ask_memory *memory,
	       const struct analysis *const *more, struct report *r, struct err *e);

#endif
