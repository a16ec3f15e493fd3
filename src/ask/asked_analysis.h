/* An analysis asked as a question says: with its GPU, step or window, and the command for that. */
#ifndef ASK_ASKED_ANALYSIS_H
#define ASK_ASKED_ANALYSIS_H

#include "analysis/analysis.h"
#include "ask/question/question.h"

struct asked_analysis {
	const struct analysis *analysis;
	const struct topic *topic;
	void *args; /* which the report refers to */
	struct report report;
	struct buf command;
	struct err failure;
	bool failed;
	const char
		*ignores; /* what the question says of a place, and it cannot tell apart; or NULL */
};

/* Whether its rows can be told apart by their stream. */
bool asked_knows_streams(const struct analysis *a, const struct topic *topic);
/*
 * `step` is which of the steps of the question, where it compares some. For asked_free() whatever
 * became of it; `failed` says whether there is an answer. -1: reading was given up.
 */
int asked_run(struct asked_analysis *ret, struct trace *t, const struct analysis *a,
	      const struct topic *topic, const struct question *q, size_t step, struct err *e);
void asked_free(struct asked_analysis *a);

#endif
