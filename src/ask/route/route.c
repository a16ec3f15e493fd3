/* Which topics does a question fit? */
#include "ask/route/route.h"

#include "ask/route/learned.h"
#include "ask/route/route_scores.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * What was found by trying on questions of tests/ask that may be tuned on: below which score, or
 * share of words that are known, a question is about something else, and from where on the first
 * topic is sure.
 */
static const double LEAST_SCORE = 2.2, LEAST_KNOWN = 0.45, LEAST_KNOWN_WHY = 0.05,
		    LEAST_ANCHORED = 0.34, SURE_SCORE = 3.5, SURE_LEAD = 1.6, SURE_COVER = 0.7,
		    LIKE_ALONE = 0.5, HEAD_SHARE = 0.6;

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->document > y->document) - (x->document < y->document);
}

/* Whether a word is what some topic is about, or a place in a trace is named. */
static bool is_anchored(const struct corpus *c, const struct question *q)
{
	if (q->names.count || question_names_steps(q) || q->ranks.count || q->streams.count ||
	    q->devices.count || q->has_window)
		return true;
	for (size_t d = 0; d < c->count; d++) {
		if (route_subject_score(&c->documents[d], q) > 0)
			return true;
	}
	return false;
}

/* "how do I sort a list": who asks how, and not how to make the run faster, has to name what is
 * known here. */
static bool asks_how_elsewhere(const struct question *q)
{
	static const char better[] =
		"why faster speed improve reduce fix avoid optimize optimise cut "
		"shorten increase lower hide overlap save better less more";

	if (!question_asks_how(q))
		return false;
	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(q->words.all[i].text), better))
			return false;
	}
	return true;
}

/* How much of what was said has to be known here for a question to be about a trace. */
static double least_known(const struct corpus *c, const struct question *q)
{
	return asks_how_elsewhere(q)			  ? LEAST_KNOWN
	       : q->intent == ASKS_WHY || q->hints_at_why ? LEAST_KNOWN_WHY
	       : is_anchored(c, q)			  ? LEAST_ANCHORED
							  : LEAST_KNOWN;
}

/* "how much does an H200 cost": nothing but a name is known of it. */
static bool asks_price(const struct question *q, double known)
{
	const struct word *last = q->words.count ? &q->words.all[q->words.count - 1] : NULL;

	return last && known < 0.75 &&
	       (strcmp(last->stem, "cost") == 0 || strcmp(last->stem, "pric") == 0);
}

double route_score(double *ret, const struct corpus *c, const struct question *q,
		   is_name_fn *is_name, void *ctx)
{
	double known;
	double *scores = route_score_words(c, q, is_name, ctx, &known);
	const double like = route_add_likeness(c, q, scores);

	route_add_named_head(c, q, is_name, ctx, scores);

	for (size_t d = 0; d < c->count; d++)
		ret[d] = route_grammar_score(&c->documents[d], q,
					     scores[d] + route_subject_score(&c->documents[d], q));
	free(scores);
	/* There is no word of substance: what is asked as we would ask it is understood. */
	if (isnan(known))
		known = like >= LIKE_ALONE || q->intent == ASKS_WHY || q->hints_at_why ? 1 : 0;
	return known;
}

/*
 * Of an analysis's topics, the one that is about what is counted or asked for by itself, where it
 * is not far behind; of a share or a time the noun says less.
 */
static void prefer_head(struct candidate *all, size_t count, const struct question *q)
{
	if (q->measure != MEASURE_COUNT && q->measure != MEASURE_ANY)
		return;
	for (size_t i = 0; i < count && !route_is_head(all[0].document, q); i++) {
		const struct candidate found = all[i];

		if (found.document->analysis != all[0].document->analysis ||
		    found.score < all[0].score * HEAD_SHARE || !route_is_head(found.document, q))
			continue;
		memmove(all + 1, all, i * sizeof(*all));
		all[0] = found;
	}
}

/* Its score by that of the best one of another analysis. */
static double lead_of(const struct candidate *all, size_t count)
{
	size_t next = 1;

	while (next < count && all[next].document->analysis == all[0].document->analysis)
		next++;
	return next == count || all[next].score <= 0 ? INFINITY : all[0].score / all[next].score;
}

bool route_is_sure(const struct route *r, double lead)
{
	return r->all[0].score >= SURE_SCORE && r->lead >= lead && r->all[0].cover >= SURE_COVER;
}

void route_rank(struct route *ret, const struct corpus *c, const struct question *q,
		const double *scores, is_name_fn *is_name, void *ctx)
{
	struct candidate *all = mem_alloc(c->count, sizeof(*all));

	for (size_t d = 0; d < c->count; d++)
		all[d] = (struct candidate){&c->documents[d], scores[d], 0};
	qsort(all, c->count, sizeof(*all), by_score);
	prefer_head(all, c->count, q);
	ret->count = c->count < CANDIDATES ? c->count : CANDIDATES;
	memcpy(ret->all, all, ret->count * sizeof(*all));
	for (size_t i = 0; i < ret->count; i++)
		ret->all[i].cover = route_cover_of(
			c, q, (size_t)(ret->all[i].document - c->documents), is_name, ctx);
	ret->lead = lead_of(all, c->count);
	ret->is_head = route_is_head(all[0].document, q);
	ret->is_sure = q->about == ABOUT_CAPTURE_LENGTH || route_is_sure(ret, SURE_LEAD);
	free(all);
}

void route_make(struct route *ret, const struct corpus *c, const struct question *q,
		is_name_fn *is_name, void *ctx)
{
	double *scores = mem_alloc(c->count, sizeof(*scores));

	ret->known = route_score(scores, c, q, is_name, ctx);
	learned_add(c, q, scores);
	route_rank(ret, c, q, scores, is_name, ctx);
	/* What several words say together needs none that is known by itself. */
	ret->is_foreign = q->is_elsewhere || ret->all[0].score < LEAST_SCORE ||
			  (q->about == ABOUT_ANY && ret->known < least_known(c, q)) ||
			  asks_price(q, ret->known);
	free(scores);
}

struct str route_nearest_question(const struct route *r, const struct corpus *c,
				  const struct question *q, size_t i)
{
	const size_t document = (size_t)(r->all[i].document - c->documents);
	struct str best = {0};
	double most = -1;

	for (size_t x = 0; x < c->example_count; x++) {
		const double like = c->examples[x].document == document
					    ? route_likeness(c, q, &c->examples[x])
					    : -1;

		if (like > most) {
			most = like;
			best = c->examples[x].text;
		}
	}
	return best;
}
