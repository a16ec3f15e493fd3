/*
 * Tables whose rows add up: people see the first rows, those beyond as one row with their sum, and
 * the rows that close the table.
 */
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include "report/report.h"

/* Without those that close the table. */
static inline uint64_t table_body(const struct table *t)
{
	return t->rows - t->closing;
}

/* How many rows of a body stay where `keep` are asked for: one row alone is not worth a sum. */
static inline uint64_t table_kept(const struct table *t, uint64_t keep)
{
	const uint64_t body = table_body(t);

	return keep >= body || body - keep == 1 ? body : keep;
}

/* The table with that many rows of its body; itself where that is all. In the arena. */
const struct table *table_fold(const struct table *t, uint64_t keep, struct arena *arena);

#endif
