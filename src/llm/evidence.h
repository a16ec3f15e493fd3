/*
 * What a model was told, as it was told: answers of tools, numbered E1, E2, …; the values in them,
 * found by references such as "E3.rows[0].total_ns".
 */
#ifndef LLM_EVIDENCE_H
#define LLM_EVIDENCE_H

#include "base/buf.h"
#include "report/report.h"
#include "text/json_read.h"

enum { EVIDENCE_MOST = 64 };

/* A row of a table that an answer has. */
struct evidence_row {
	const struct json *table;
	struct str name;  /* what it is called; empty: it has numbers alone */
	struct str brief; /* a kernel's short name; may be empty */
};

/* A number that an answer has. */
struct quantity {
	double value;
	enum unit unit;
	bool has_unit;
	size_t evidence;		/* counts from 1 */
	const struct evidence_row *row; /* NULL: it is in none */
};

struct evidence_item {
	const char *tool;    /* that answered */
	const char *command; /* that gives the same; NULL: none does */
	struct json *document;
	bool is_made; /* the model's own numbers may be in it: nothing in it proves anything */
};

struct evidence_store {
	struct arena arena;
	struct evidence_item items[EVIDENCE_MOST];
	size_t count;
	struct quantity *quantities;
	size_t quantity_count, quantity_cap;
};

/*
 * Keeps the document of the item, and all numbers in it. Its number, which counts from 1; 0: there
 * is no room, and the document is freed. Texts are copied.
 */
size_t evidence_add(struct evidence_store *s, struct evidence_item item);
void evidence_free(struct evidence_store *s);

/* What a reference leads to. */
struct referred {
	const struct json *value; /* a number, a text, or whether */
	enum unit unit;
	bool has_unit;
	size_t evidence;
	struct str table, column;	/* empty: it is in no table */
	const struct evidence_row *row; /* NULL: it is in none */
};

/* false: it leads to nothing, or to more than one value. `reference` without braces. */
bool evidence_find(struct evidence_store *s, struct str reference, struct referred *ret);
/* How long the reference is that the text begins with; 0: it begins with none. */
size_t evidence_reference_length(struct str text);

/* A value with its unit, as people read it. */
void referred_add_human(struct buf *b, const struct referred *r);

#endif
