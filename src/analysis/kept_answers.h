/*
 * Answers that analyses of one trace share: the trace keeps one with the question that it is the
 * answer to, for whoever asks the same (trace/trace_cache.h).
 */
#ifndef ANALYSIS_KEPT_ANSWERS_H
#define ANALYSIS_KEPT_ANSWERS_H

#include "analysis/analysis.h"

/* Answers of one kind; the address of the constant is the key that they are kept under. */
struct kept_answers {
	size_t size;
	/* Those of the scope that it depends on; NULL: window, device and process. */
	const struct option_group *options;
	void (*free_answer)(void *answer); /* what it holds, not itself */
};

/* Whether there is an answer to p: then it is copied to `ret`; what it holds is the trace's. */
bool kept_answers_find(const struct kept_answers *k, struct trace *t, const struct scope *p,
		       void *ret);
/* Whether there is one, whatever it answers. */
bool kept_answers_any(const struct kept_answers *k, struct trace *t);
/*
 * Keeps a copy of the answer to p, and says so: then what it holds is the trace's from here on. It
 * keeps the first one, and only where several analyses ask.
 */
bool kept_answers_add(const struct kept_answers *k, struct trace *t, const struct scope *p,
		      const void *answer);

#endif
