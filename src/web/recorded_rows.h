/* The rows of a page that nobody serves: from afar, and with all events as long as there is room.
 */
#ifndef WEB_RECORDED_ROWS_H
#define WEB_RECORDED_ROWS_H

#include "web/routes.h"

struct recorded_row {
	struct buf text; /* what is written of it; empty: it is left out, or nothing is in it */
	uint64_t events;
	bool is_coarse;	  /* not all of its events of the part are there */
	bool is_at_end;	  /* none is missing at any time */
	bool is_left_out; /* nothing of it is, though there is something */
	unsigned round;	  /* that it has come through */
};

struct recorded_rows {
	struct recorded_row *all; /* by track of the set */
	size_t count;
	unsigned round; /* while they are made */
};

/* Those of all tracks, in at most so many bytes, commas between them included. */
void recorded_rows_make(struct recorded_rows *r, struct site *s, struct span part, size_t most);
void recorded_rows_free(struct recorded_rows *r);

#endif
