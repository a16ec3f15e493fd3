/* How busy each device was as time went on: shares of equal stretches of the window. */
#ifndef ANALYSIS_UTILISATION_H
#define ANALYSIS_UTILISATION_H

#include "analysis/gpu/timeline.h"

enum { UTILISATION_BUCKETS = 200 };

struct bucket {
	size_t number;
	double from, to; /* nanoseconds from the window's beginning */
};

struct utilisation {
	const struct timeline *timeline;
	double width_ns;     /* of a bucket */
	double *busy_ns;     /* by device · UTILISATION_BUCKETS + bucket */
	struct bucket *last; /* by device: of the slice before */
};

void utilisation_begin(struct utilisation *u, const struct timeline *l);
/* Takes each slice of the walk in which the device is busy. */
void utilisation_take(struct utilisation *u, const struct slice *s);
/* What another has taken of the same timeline. */
void utilisation_add_all(struct utilisation *u, const struct utilisation *more);
void utilisation_report(const struct utilisation *u, struct report *r);
void utilisation_free(struct utilisation *u);

#endif
