/*
 * How much speaks for each topic: by the words of a question (route_words.c) and by what grammar
 * has found in it (route_grammar.c). Scores add up; what they mean together route.c decides.
 */
#ifndef ASK_ROUTE_ROUTE_SCORES_H
#define ASK_ROUTE_ROUTE_SCORES_H

#include "ask/route/route.h"

/* What a kernel that is named adds to those topics that list kernels. */
enum { NAMED_HEAD = 3 };

/* By document, of BM25, where the caller frees them; how much of what was said is known, NAN where
 * there is no word of substance. */
double *route_score_words(const struct corpus *c, const struct question *q, is_name_fn *is_name,
			  void *ctx, double *ret_known);
/* How much of a question another one has, and how little besides: 1 is the same. */
double route_likeness(const struct corpus *c, const struct question *q, const struct example *x);
/* By document, that of the example which is most like the question; returns the most of all. */
double route_add_likeness(const struct corpus *c, const struct question *q, double *scores);
/* "flash kernels", "sample ranges": what a name of the trace stands before says what has it. */
void route_add_named_head(const struct corpus *c, const struct question *q, is_name_fn *is_name,
			  void *ctx, double *scores);
/* Words that say what a topic is about count, however many other topics have them. */
double route_subject_score(const struct document *d, const struct question *q);
/* Whether a topic is about what "which" or "how many" are asked of. */
bool route_is_head(const struct document *d, const struct question *q);
/* How much of what was said the document is about. */
double route_cover_of(const struct corpus *c, const struct question *q, size_t document,
		      is_name_fn *is_name, void *ctx);
/* What the words say, `words`, with what grammar adds or takes. */
double route_grammar_score(const struct document *d, const struct question *q, double words);

#endif
