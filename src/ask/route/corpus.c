/* How well does each topic fit a word? */
#include "ask/route/corpus.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/*
 * How much a word counts by where it stands: what the topic's author says that people call it
 * counts most, titles of columns least. More of the same adds ever less (SATURATION).
 */
enum { IN_WORDS = 3, IN_QUESTIONS = 2, IN_NAME = 3, IN_SUMMARY = 1 };
static const double SATURATION = 1.6, LENGTH_SHARE = 0.35;

/* How often each term is in each document: by term, then document. */
struct counts {
	float *all;
	bool *is_said;
	size_t cap; /* in terms */
};

static void count_term(struct corpus *c, struct counts *n, size_t document, const char *stem,
		       int weight)
{
	const size_t term = strtab_keep(&c->terms, &c->arena, str_of(stem));

	if (term >= n->cap) {
		const size_t cap = mem_next_cap(n->cap, term + 1);

		n->all = mem_resize(n->all, cap * c->count, sizeof(*n->all));
		memset(n->all + n->cap * c->count, 0, (cap - n->cap) * c->count * sizeof(*n->all));
		n->is_said = mem_resize(n->is_said, cap, sizeof(*n->is_said));
		memset(n->is_said + n->cap, 0, (cap - n->cap) * sizeof(*n->is_said));
		n->cap = cap;
	}
	n->all[term * c->count + document] += (float)weight;
	n->is_said[term] |= weight > IN_SUMMARY;
	c->documents[document].length += (size_t)weight;
}

static void count_words(struct corpus *c, struct counts *n, size_t document, const struct words *w,
			int weight)
{
	for (size_t i = 0; i < w->count; i++) {
		if (w->all[i].is_stop || isdigit((unsigned char)w->all[i].text[0]))
			continue;
		count_term(c, n, document, w->all[i].stem, weight);
		strtab_keep(&c->forms, &c->arena, str_of(w->all[i].text));
	}
}

static void count_text(struct corpus *c, struct counts *n, size_t document, const char *text,
		       int weight)
{
	struct words w;

	words_read(&w, str_of(text));
	count_words(c, n, document, &w, weight);
	words_free(&w);
}

static void add_examples(struct corpus *c, struct counts *n, size_t document)
{
	const char *line = c->documents[document].topic->questions;

	while (*line) {
		const struct str text = {line, strcspn(line, "\n")};
		struct example *x;

		MEM_GROW(c->examples, c->example_cap, c->example_count + 1);
		x = &c->examples[c->example_count++];
		*x = (struct example){.document = document, .text = text};
		words_read(&x->words, text);
		count_words(c, n, document, &x->words, IN_QUESTIONS);
		line += text.len + (line[text.len] == '\n');
	}
}

static void count_document(struct corpus *c, struct counts *n, size_t i)
{
	const struct document *d = &c->documents[i];

	count_text(c, n, i, d->analysis->name, IN_NAME);
	count_text(c, n, i, d->analysis->summary, IN_SUMMARY);
	count_text(c, n, i, d->topic->words, IN_WORDS);
	add_examples(c, n, i);
	if (d->topic->row)
		count_text(c, n, i, d->topic->row, IN_SUMMARY);
}

static void weigh(struct corpus *c, const struct counts *n)
{
	double mean = 0;

	for (size_t d = 0; d < c->count; d++)
		mean += (double)c->documents[d].length / (double)c->count;
	c->weights = mem_zalloc(c->terms.count * c->count, sizeof(*c->weights));
	c->rarity = mem_zalloc(c->terms.count, sizeof(*c->rarity));
	for (size_t t = 0; t < c->terms.count; t++) {
		size_t having = 0;

		for (size_t d = 0; d < c->count; d++)
			having += n->all[t * c->count + d] > 0;
		c->rarity[t] = (float)log(1 + ((double)(c->count - having) + 0.5) /
						      ((double)having + 0.5));
		for (size_t d = 0; d < c->count; d++) {
			const double f = n->all[t * c->count + d];
			const double length = 1 - LENGTH_SHARE +
					      LENGTH_SHARE * (double)c->documents[d].length / mean;

			c->weights[t * c->count + d] = (float)(c->rarity[t] * f * (SATURATION + 1) /
							       (f + SATURATION * length));
		}
	}
}

static void add_topics(struct corpus *c, const struct analysis *a)
{
	for (const struct topic *t = a->topics; t && t->questions; t++) {
		MEM_GROW(c->documents, c->cap, c->count + 1);
		c->documents[c->count++] = (struct document){a, t, 0};
	}
}

void corpus_make(struct corpus *c, const struct analysis *const *more)
{
	struct counts n = {0};

	*c = (struct corpus){0};
	for (size_t i = 0; analysis_at(i); i++)
		add_topics(c, analysis_at(i));
	for (; more && *more; more++)
		add_topics(c, *more);
	for (size_t i = 0; i < c->count; i++)
		count_document(c, &n, i);
	if (n.all)
		weigh(c, &n);
	c->is_said = n.is_said;
	free(n.all);
}

void corpus_free(struct corpus *c)
{
	for (size_t i = 0; i < c->example_count; i++)
		words_free(&c->examples[i].words);
	free(c->examples);
	free(c->documents);
	free(c->weights);
	free(c->is_said);
	free(c->rarity);
	strtab_free(&c->terms);
	strtab_free(&c->forms);
	arena_free(&c->arena);
	*c = (struct corpus){0};
}

int64_t corpus_term(const struct corpus *c, const char *stem)
{
	const uint32_t found = strtab_find(&c->terms, str_of(stem));

	return found == STRTAB_NONE ? TERM_NONE : (int64_t)found;
}

const struct document *corpus_find(const struct corpus *c, const char *analysis, const char *table)
{
	for (size_t d = 0; d < c->count; d++) {
		const char *its = c->documents[d].topic->table;

		if (strcmp(c->documents[d].analysis->name, analysis) == 0 &&
		    (table && its ? strcmp(table, its) == 0 : table == its))
			return &c->documents[d];
	}
	return NULL;
}
