/* Numbers that sort as the values of a column do, so that rows of millions are sorted by numbers.
 */
#ifndef CLI_QUERY_KEYS_H
#define CLI_QUERY_KEYS_H

#include "base/arena.h"
#include "report/report.h"
#include "text/strtab.h"
#include "trace/trace.h"

/* Of a number; NULL sorts first. */
int64_t cell_key(struct cell c);

/* Of text: distinct ones are few, and sorted once. A zeroed struct is to be begun. */
struct text_keys {
	struct arena arena;
	struct strtab texts;
	struct idmap known; /* kind and number → text + 1 */
	int64_t *keys;	    /* texts by row; -1: NULL */
	uint64_t rows;
};

void text_keys_begin(struct text_keys *k, uint64_t rows);
/* Takes the key of an earlier row whose text had this number; false: there is none. */
bool text_keys_repeat(struct text_keys *k, uint64_t row, enum trace_kind kind, uint32_t number);
void text_keys_add(struct text_keys *k, uint64_t row, struct cell text);
void text_keys_remember(struct text_keys *k, uint64_t row, enum trace_kind kind, uint32_t number);
/* The keys, for the caller to free; all else is freed. */
int64_t *text_keys_end(struct text_keys *k);

#endif
