/*
 * Example queries for a trace: SQL in which everything that is named is in this trace, under the
 * name that it has there.
 */
#ifndef CLI_SCHEMA_QUERIES_H
#define CLI_SCHEMA_QUERIES_H

#include "base/buf.h"
#include "commands/schema/schema_map.h"

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

#endif
