/*
 * A number that changes over time: its samples are the events of a lane, and each has a value. The
 * mean of any window, weighted by time, is found in a time that grows with the logarithm of how
 * many samples there are.
 */
#ifndef TIMELINE_VALUES_H
#define TIMELINE_VALUES_H

#include "timeline/cells.h"

enum value_unit { VALUE_PERCENT, VALUE_MHZ, VALUE_BYTES };

/* Where samples come from, and what they are. */
struct value_source {
	struct lane_source base;
	double (*value)(const struct value_source *self, uint32_t id);
	enum value_unit unit;
	double full;	/* what fills a cell: 100 %, or the most that was seen */
	double *before; /* by block of the lane: value · ns of all samples before it */
};

/* Sums up the samples of a lane, of which it is the only one. */
void values_sum_up(struct value_source *s, const struct lane *l);
void values_free(struct value_source *s);
/* NAN: no sample lies in the window. */
double values_mean(const struct value_source *s, const struct lane *l, struct span window);
/* As cells_read(); eighths are those of `full` that the mean reaches, at least 1 where it is above
 * 0. */
void value_cells_read(const struct value_source *s, const struct lane *l, struct span window,
		      size_t width, struct cell_time *ret);

#endif
