/*
 * All topics of all analyses as documents, and how well a question fits each: BM25. Made once, of
 * constants alone; nothing of a trace is in it.
 */
#ifndef ASK_ROUTE_CORPUS_H
#define ASK_ROUTE_CORPUS_H

#include "analysis/analysis.h"
#include "ask/words/words.h"
#include "text/strtab.h"

#include <string.h>

struct document {
	const struct analysis *analysis;
	const struct topic *topic;
	size_t length; /* in words */
};

/* A question that a topic answers. */
struct example {
	size_t document;
	struct str text;
	struct words words;
};

struct corpus {
	struct document *documents;
	size_t count, cap;
	struct example *examples;
	size_t example_count, example_cap;
	struct strtab terms; /* the vocabulary */
	struct strtab forms; /* words of topics as they stand there, with their endings */
	float *weights;	     /* by term and document: what the term adds where it is asked for */
	bool *is_said;	     /* by term: people say it; others are in titles and templates alone */
	float *rarity;	     /* by term: that of one in few documents is high */
	struct arena arena;
};

/* `more` are asked besides all analyses, up to a NULL; NULL: none are. */
void corpus_make(struct corpus *c, const struct analysis *const *more);
void corpus_free(struct corpus *c);

/* The first topic of an analysis whose rows are the table's; table NULL: its first that has none.
 * NULL: there is no such topic. */
const struct document *corpus_find(const struct corpus *c, const char *analysis, const char *table);

/* Whether it is a topic of the analysis, and of its table; table NULL: of any. */
static inline bool document_is_about(const struct document *d, const char *analysis,
				     const char *table)
{
	return strcmp(d->analysis->name, analysis) == 0 &&
	       (!table || (d->topic->table && strcmp(d->topic->table, table) == 0));
}

enum { TERM_NONE = -1 };

/* The number of a stem in the vocabulary, or TERM_NONE. */
int64_t corpus_term(const struct corpus *c, const char *stem);

static inline float corpus_weight(const struct corpus *c, int64_t term, size_t document)
{
	return c->weights[(size_t)term * c->count + document];
}

#endif
