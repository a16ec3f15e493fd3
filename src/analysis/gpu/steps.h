/* Equal steps of time for tables of something over time. */
#ifndef ANALYSIS_STEPS_H
#define ANALYSIS_STEPS_H

#include "analysis/analysis.h"

enum {
	STEPS_MOST = 50,
	STEPS_ROWS = 100000, /* of all series together: no trace makes a table without end */
};

struct steps {
	int64_t from_ns, to_ns;
	size_t count;
};

/* How many steps a table with that many series has: its rows are within the limit where they can.
 */
static inline size_t steps_count(const struct row_choice *c, size_t series)
{
	uint64_t rows = c->limit && c->limit < STEPS_ROWS ? c->limit : STEPS_ROWS;
	uint64_t steps = series ? rows / series : STEPS_MOST;

	return steps < 1 ? 1 : steps < STEPS_MOST ? steps : STEPS_MOST;
}

/* The start of step i; of step `count`: the end of the last. */
static inline int64_t steps_edge(const struct steps *s, size_t i)
{
	unsigned __int128 length = (unsigned __int128)((__int128)s->to_ns - s->from_ns);

	return (int64_t)(s->from_ns + (__int128)(length * i / s->count));
}

#endif
