/*
 * Tables under the names that scripts know: columns renamed and converted from ours. Written as CSV
 * or as JSON objects.
 */
#ifndef CLI_MAPPED_H
#define CLI_MAPPED_H

#include "base/buf.h"
#include "report/report.h"

enum convert { AS_IS, NS_TO_MS, NS_TO_US, NS_TO_PCT /* of whole_ns */, LEFT_OUT /* empty */ };

struct mapped_column {
	const char *to;	  /* their name */
	const char *from; /* ours; NULL: the extra value of that position */
	enum convert convert;
};

/* Values that are the same in every row, for columns without `from`, in their order. */
struct mapped {
	const struct mapped_column *columns;
	size_t count;
	const struct cell *extra;
	double whole_ns;
};

void mapped_add_csv_header(struct buf *b, const struct mapped *m);
/* All rows; a table that is NULL has none, a column that it lacks is empty. */
void mapped_add_csv(struct buf *b, const struct mapped *m, const struct table *t);
/* The rows as a JSON array; at most `limit` of them (0: all). */
void mapped_add_json(struct buf *b, const struct mapped *m, const struct table *t, uint64_t limit);

#endif
