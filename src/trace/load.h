/* Columns of one table while they are loaded: which, from what, and what each value becomes. */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include "trace/intern.h"
#include "trace/kinds.h"

#include <stdatomic.h>

enum { MAX_FIELDS = 24, MAX_HOOK_COLUMNS = 8 };

/* What else is done with the rows of a table while columns of it are loaded. */
struct load_hook {
	const int *columns; /* the numbers of the table's columns that it needs */
	size_t count;	    /* of these; at most MAX_HOOK_COLUMNS */
	size_t *at;	    /* told before all else: where each of them is in a batch */
	/* Everything starts anew, see struct sqlite_reader; then each batch. */
	void (*begin)(void *ctx);
	sqlite_batch_fn *batch;
	void *ctx;
};

/* trace_load(), and in the same pass over the table, which is made in any case, the hook. */
int trace_load_with(struct trace *t, enum trace_kind which, uint32_t columns,
		    const struct load_hook *hook, struct err *e);
/* A hook has seen that a column says nothing: from here on it is like one that is not there. */
void trace_note_empty(struct trace *t, enum trace_kind which, enum trace_column column);

struct loaded_field {
	const struct field *field;
	int value; /* which wanted SQL column feeds it */
	void *array;
	bool is_cleared; /* nobody else has written to it: where all is 0 nothing needs writing */
	struct intern *intern; /* FIELD_PROCESS, FIELD_THREAD */
	size_t interned_before;
	struct intern_cache *caches; /* one per worker */
	struct text_numbers *texts;  /* FIELD_TEXT */
};

struct load {
	struct trace *trace;
	const struct sqlite_table *table;
	const struct kind *kind;
	struct events *events;
	int start; /* which wanted SQL column is "start"; -1 */
	struct loaded_field fields[MAX_FIELDS];
	size_t field_count;
	const struct load_hook *hook; /* NULL: nothing else is done */
	int sql_columns[MAX_FIELDS + 1 + MAX_HOOK_COLUMNS];
	size_t sql_count;
	uint64_t rows;
	atomic_bool has_nodes; /* of graphs */
};

/* Puts the values of a batch into the field's array; many workers do so at once. */
int load_field(struct load *l, const struct loaded_field *lf, const struct sqlite_batch *b,
	       unsigned worker, struct err *e);

/*
 * Texts repeat: each worker numbers those it meets, and the trace's own numbers are given once, in
 * the order of rows, so that they do not depend on who met what.
 */
struct text_numbers *text_numbers_new(uint64_t rows);
/* Names of rows that have a text become that text's; the others stay as they are. */
void text_numbers_settle(struct text_numbers *n, struct trace *t, uint32_t *names);
void text_numbers_free(struct text_numbers *n);

#endif
