/* Which topics does a question fit, best first, and how sure is that? */
#ifndef ASK_ROUTE_ROUTE_H
#define ASK_ROUTE_ROUTE_H

#include "ask/question/question.h"
#include "ask/route/corpus.h"

struct candidate {
	const struct document *document;
	double score;
	double cover; /* share of what was said that it is about, 0 to 1 */
};

enum { CANDIDATES = 8, NEAREST_QUESTIONS = 3 };

struct route {
	struct candidate all[CANDIDATES];
	size_t count;
	double known;	 /* share of what was said that means something here, 0 to 1 */
	bool is_foreign; /* it is about something else than a trace of GPU work */
	double lead;	 /* its score by that of the best one of another analysis */
	bool is_head;	 /* the first one is about what is asked of */
	bool is_sure;	 /* the first one is far ahead */
};

/* Whether a word is (part of) a name in the trace. */
typedef bool is_name_fn(void *ctx, const char *word);

/* How well each document fits, by what topics say of themselves; without what is learned. Returns
 * the share of what was said that is known. */
double route_score(double *ret, const struct corpus *c, const struct question *q,
		   is_name_fn *is_name, void *ctx);
/* Candidates by their scores, best first, and how sure that is. */
void route_rank(struct route *ret, const struct corpus *c, const struct question *q,
		const double *scores, is_name_fn *is_name, void *ctx);
/* Whether the first one would be sure if it had to lead by that. */
bool route_is_sure(const struct route *r, double lead);
void route_make(struct route *ret, const struct corpus *c, const struct question *q,
		is_name_fn *is_name, void *ctx);
/* Of the i-th candidate, the question that is most like what was asked; its length is ret.len. */
struct str route_nearest_question(const struct route *r, const struct corpus *c,
				  const struct question *q, size_t i);

#endif
