/*
 * The tables of a trace as one explores them: in groups by what they are about, with their rows,
 * and with the keys between them, those that the export declares and those that are known. Nothing
 * of what the tables hold.
 */
#ifndef COMMANDS_SCHEMA_MAP_H
#define COMMANDS_SCHEMA_MAP_H

#include "base/arena.h"
#include "base/buf.h"
#include "trace/trace.h"

/* A column whose values are another column's. */
struct schema_key {
	uint32_t from, to; /* tables */
	int from_column, to_column;
	bool declared;	  /* by the export; else known */
	const char *note; /* what it takes beside equal values, or NULL */
};

struct schema_table {
	const struct sqlite_table *sql;
	const char *id; /* of its section in a page: the name where that is plain */
	uint64_t rows;	/* of a view: 0, and nobody knows */
	size_t group;
	size_t first_key, key_count;   /* its own, in the order of its columns */
	size_t first_user, user_count; /* in `users`: keys to it */
};

/* A zeroed struct schema_map is empty and valid. */
struct schema_map {
	struct schema_table *tables;
	size_t table_count; /* at most 300 */
	size_t left_out;    /* of tables that nobody knows */
	uint32_t *by_name;  /* tables in the order of their names */
	struct schema_key *keys;
	size_t key_count, key_cap;
	uint32_t *users; /* keys by the table they lead to */
	struct arena arena;
};

int schema_map_make(struct schema_map *m, struct trace *t, struct err *e);
void schema_map_free(struct schema_map *m);

/* The number of a table by its name, as SQL compares names; -1: there is none. */
int64_t schema_find_table(const struct schema_map *m, struct str name);
/* What the i-th group is about, NULL after the last. */
const char *schema_group_title(size_t group);

/*
 * schema_queries.c: example queries for a trace, SQL in which everything that is named is in this
 * trace, under the name that it has there.
 */
enum { QUERY_TABLES = 8 };

struct schema_query {
	const char *name; /* "kernels-by-time": unique among those of a trace */
	const char *title;
	const char *purpose;
	struct buf sql;
	uint32_t tables[QUERY_TABLES]; /* that it reads */
	size_t table_count;
};

/*
 * The i-th query that there is, or none of it where this trace lacks what it needs: then `sql` is
 * empty. false after the last. Free the sql.
 */
bool schema_query_at(const struct schema_map *m, size_t i, struct schema_query *ret);

/* A first look at any table; false where its name cannot be written on one line. */
bool schema_add_first_look(struct buf *b, const struct schema_table *t);

/* schema_concepts.c: what one must know to read the table, beside it; nothing where that is little.
 */
void schema_add_concepts(struct buf *b, const struct schema_table *t);

/* schema_drawing.c: the keys of a trace as pictures, tables as boxes that lead to the tables. */

/* One table between those that refer to it and those that it refers to; nothing without keys. */
void schema_draw_table(struct buf *b, const struct schema_map *m, size_t table);
/* All tables that have rows and keys, but for enumerations. */
void schema_draw_all(struct buf *b, const struct schema_map *m);

#endif
