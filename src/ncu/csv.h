/*
 * Records of a CSV, one after another, without keeping them. Quotes may hold delimiters, newlines
 * and doubled quotes; records may be of any length.
 */
#ifndef NCU_CSV_H
#define NCU_CSV_H

#include "base/buf.h"

enum { CSV_MOST_FIELDS = 1 << 16 }; /* what is beyond is dropped */

struct csv {
	struct str text;
	size_t at; /* where the next record begins */
	char delimiter;
	size_t line;	    /* of the file, where the record begins, from 1 */
	size_t next_line;   /* 0 before the first record: from line 1 */
	struct str *fields; /* of the record; views that live until the next one */
	size_t count, cap;
	bool cut; /* the text ends inside the record: in quotes, or without a newline */
	bool in_quotes;
	struct buf unquoted;
};

/* The next record; false at the end. Empty lines and those that begin with == are left out. */
bool csv_next(struct csv *c);
void csv_free(struct csv *c);

/* The line that begins at `at`, without its end, and where the next one begins. */
struct str csv_line(struct str text, size_t at, size_t *ret_next);
/* What the fields of a heading are apart by: the most frequent of , ; and tab outside quotes. */
char csv_delimiter(struct str line);

#endif
