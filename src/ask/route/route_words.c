/* How much do the words of a question speak for a topic? */
#include "ask/route/route_scores.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was found by trying on questions of tests/ask that may be tuned on. */
static const double PLACE = 0.3, SAME = 5, ALMOST = 0.9, UNKNOWN_RARITY = 3.2, STOP_RARITY = 0.35,
		    HEAD = 2.5, NAMED = 2, LIKE = 4, SUBJECT = 1.5;

static double weight_of(const struct corpus *c, const struct word *w)
{
	const int64_t term = w->is_stop ? TERM_NONE : corpus_term(c, w->stem);

	return w->is_stop ? STOP_RARITY : term == TERM_NONE ? UNKNOWN_RARITY : c->rarity[term];
}

static double weight_of_all(const struct corpus *c, const struct words *w)
{
	double sum = 0;

	for (size_t i = 0; i < w->count; i++)
		sum += weight_of(c, &w->all[i]);
	return sum;
}

double route_likeness(const struct corpus *c, const struct question *q, const struct example *x)
{
	const double all = weight_of_all(c, &q->words) + weight_of_all(c, &x->words);
	double shared = 0;

	for (size_t i = 0; i < x->words.count; i++) {
		size_t j = 0;

		while (j < q->words.count &&
		       (q->is_used[j] || strcmp(q->words.all[j].stem, x->words.all[i].stem) != 0))
			j++;
		if (j < q->words.count)
			shared += 2 * weight_of(c, &x->words.all[i]);
	}
	return all > 0 ? shared / all : 0;
}

double route_add_likeness(const struct corpus *c, const struct question *q, double *scores)
{
	double *best = mem_zalloc(c->count, sizeof(*best)), most = 0;

	for (size_t x = 0; x < c->example_count; x++) {
		const double like = route_likeness(c, q, &c->examples[x]);

		if (like > best[c->examples[x].document])
			best[c->examples[x].document] = like;
	}
	for (size_t d = 0; d < c->count; d++) {
		scores[d] += LIKE * best[d] + (best[d] > ALMOST ? SAME : 0);
		most = best[d] > most ? best[d] : most;
	}
	free(best);
	return most;
}

bool route_is_head(const struct document *d, const struct question *q)
{
	const char *list = d->topic->subject;

	for (struct str next; list && q->head && (next = str_next_word(&list)).len;) {
		char subject[WORD_LONGEST] = "";

		memcpy(subject, next.s, next.len < WORD_LONGEST ? next.len : WORD_LONGEST - 1);
		word_stem(subject);
		/* "GPUs" are none to the stemmer: "status" is no plural, either. */
		if (strcmp(subject, q->head) == 0 ||
		    (str_ends(str_of(subject), "s") &&
		     str_eq(str_of(q->head), (struct str){subject, strlen(subject) - 1})))
			return true;
	}
	return false;
}

double route_subject_score(const struct document *d, const struct question *q)
{
	size_t said = 0;

	for (size_t i = 0; d->topic->subject && i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		said += !w->is_quoted && !q->is_place[i] &&
			(str_is_listed(str_of(w->text), d->topic->subject) ||
			 str_is_listed(str_of(w->stem), d->topic->subject));
	}
	return SUBJECT * (double)(said < 2 ? said : 2) + (route_is_head(d, q) ? HEAD : 0);
}

/* Words that say what is asked about; grammar has taken the others. */
static bool is_subject(const struct question *q, size_t i)
{
	const struct word *w = &q->words.all[i];

	return !w->is_stop && !q->is_used[i] && !w->is_quoted &&
	       !isdigit((unsigned char)w->text[0]);
}

/* A word that is a name of the trace and nothing else: of a kernel or range, most likely. */
static void add_named(const struct corpus *c, double *scores)
{
	for (size_t d = 0; d < c->count; d++) {
		const struct document *doc = &c->documents[d];

		scores[d] += document_is_about(doc, "kernels", NULL)  ? NAMED
			     : document_is_about(doc, "nvtx", "nvtx") ? NAMED * 0.7
			     : document_is_about(doc, "ranges", NULL) ? NAMED * 0.6
								      : 0;
	}
}

double route_cover_of(const struct corpus *c, const struct question *q, size_t document,
		      is_name_fn *is_name, void *ctx)
{
	double covered = 0, all = 0;

	for (size_t i = 0; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];
		const int64_t term = is_subject(q, i) ? corpus_term(c, w->stem) : TERM_NONE;
		const double weight = term == TERM_NONE ? UNKNOWN_RARITY : c->rarity[term];

		if (!is_subject(q, i) || q->is_place[i])
			continue;
		all += weight;
		if (term != TERM_NONE ? corpus_weight(c, term, document) > 0
				      : is_name && is_name(ctx, w->text))
			covered += weight;
	}
	return all > 0 ? covered / all : 1;
}

/* Whether a name of the trace has the word, as it was said or as the dictionary has it. */
static bool is_said_name(const struct word *w, is_name_fn *is_name, void *ctx)
{
	char said[WORD_LONGEST + 1] = "";

	memcpy(said, w->said.s, w->said.len < WORD_LONGEST ? w->said.len : WORD_LONGEST);
	return is_name(ctx, w->text) || is_name(ctx, said);
}

void route_add_named_head(const struct corpus *c, const struct question *q, is_name_fn *is_name,
			  void *ctx, double *scores)
{
	for (size_t i = 0; is_name && i + 1 < q->words.count; i++) {
		const bool is_kernel = strcmp(q->words.all[i + 1].stem, "kernel") == 0,
			   is_range = strcmp(q->words.all[i + 1].stem, "rang") == 0;
		const char *analysis = is_range			      ? "ranges"
				       : q->measure == MEASURE_MOMENT ? "ops"
								      : "kernels";

		if ((!is_kernel && !is_range) || !is_subject(q, i) || q->is_place[i] ||
		    word_is_common(&q->words.all[i]) ||
		    !is_said_name(&q->words.all[i], is_name, ctx))
			continue;
		for (size_t d = 0; d < c->count; d++)
			scores[d] += document_is_about(&c->documents[d], analysis, NULL)
					     ? NAMED_HEAD
					     : 0;
		return;
	}
}

double *route_score_words(const struct corpus *c, const struct question *q, is_name_fn *is_name,
			  void *ctx, double *ret_known)
{
	/* A name is known, whoever has it. */
	const double names = (double)q->names.count * UNKNOWN_RARITY;
	double *scores = mem_zalloc(c->count, sizeof(*scores)), known = names, all = names;

	for (size_t i = 0; i < q->words.count; i++) {
		const int64_t term =
			is_subject(q, i) ? corpus_term(c, q->words.all[i].stem) : TERM_NONE;
		bool repeats = false;

		for (size_t j = 0; j < i; j++)
			repeats |= strcmp(q->words.all[j].stem, q->words.all[i].stem) == 0;
		if (!is_subject(q, i) || repeats || (term == TERM_NONE && q->is_place[i]))
			continue;
		if (term == TERM_NONE) {
			const bool named = is_name && is_name(ctx, q->words.all[i].text);

			all += UNKNOWN_RARITY;
			known += named ? UNKNOWN_RARITY : 0;
			if (named)
				add_named(c, scores);
			continue;
		}
		/* A word that many topics have is no less known here than one that few have. */
		all += UNKNOWN_RARITY;
		known += c->is_said[term] ? UNKNOWN_RARITY : 0;
		for (size_t d = 0; d < c->count; d++)
			scores[d] += corpus_weight(c, term, d) * (q->is_place[i] ? PLACE : 1);
	}
	*ret_known = all > 0 ? known / all : q->names.count || q->has_window ? 1 : NAN;
	return scores;
}
