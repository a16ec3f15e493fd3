/*
 * What words say of the analysis that is meant, learned from questions that people asked:
 * learned.def, which build/unit/learn writes from the tuned half of tests/ask. It adds to what the
 * topics say of themselves.
 */
#ifndef ASK_ROUTE_LEARNED_H
#define ASK_ROUTE_LEARNED_H

#include "ask/question/question.h"
#include "ask/route/corpus.h"

/* Whether something is learned from a word of a question: all but names and numbers. */
bool learned_counts(const struct question *q, size_t word);
/* Adds to the scores, by document. */
void learned_add(const struct corpus *c, const struct question *q, double *scores);

#endif
