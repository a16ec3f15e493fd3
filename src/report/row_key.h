/*
 * What identifies a row, so that the rows of two runs can be joined: "kernel|NAME|dev:0", or the
 * row's number where no column says who it is. A key that comes again in its table gets "#2", "#3";
 * in a table of more than 100,000 rows, whose keys are not remembered, it may repeat.
 */
#ifndef REPORT_ROW_KEY_H
#define REPORT_ROW_KEY_H

#include "base/buf.h"
#include "base/idmap.h"
#include "report/report.h"

struct row_key {
	const struct table *table;
	bool by_index; /* no column says who the row is */
	bool unique;   /* repeats are told apart */
	struct idmap seen;
	uint32_t *times; /* by the number that `seen` gives a key */
	size_t count, cap;
};

void row_key_begin(struct row_key *k, const struct table *t);
/* Appends the key of row i; rows come in order, each once. */
void row_key_add(struct row_key *k, struct buf *b, uint64_t i, const struct cell *cells);
void row_key_end(struct row_key *k);

#endif
