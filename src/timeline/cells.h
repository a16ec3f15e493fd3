/*
 * What the cells of a line show of a lane, in a terminal as in a browser: how much of its time a
 * cell was busy, and with what. Cells that lie side by side share their edges, so that their times
 * sum up to the window's.
 */
#ifndef TIMELINE_CELLS_H
#define TIMELINE_CELLS_H

#include "timeline/lane.h"

struct cell_time {
	int64_t ns[LANE_CLASSES];
	size_t begun;		/* events that begin in it */
	uint8_t first;		/* class with the most time; LANE_CLASSES: nothing goes on in it */
	uint8_t second;		/* LANE_CLASSES: there is no other */
	uint8_t eighths;	/* of its time that is busy: at least 1 where anything goes on */
	uint8_t second_eighths; /* of what is busy, that the second class has: at most 4 */
};

/* Where cell i of `width` begins; i = width: where the window ends. */
int64_t cell_edge(struct span window, size_t width, size_t i);
/* The cell that holds a moment of the window. */
size_t cell_at(struct span window, size_t width, int64_t at_ns);
void cells_read(const struct lane *l, struct span window, size_t width, struct cell_time *ret);

#endif
