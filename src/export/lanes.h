/*
 * Where on a track with several lanes a slice fits. Viewers draw what overlaps on one track as if
 * one were inside the other, or drop it: what is not so gets a lane of its own.
 */
#ifndef EXPORT_LANES_H
#define EXPORT_LANES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Lanes on which nothing overlaps: the first that is free. A tree of the earliest end among many
 * lanes finds it however many a hostile trace has. A zeroed one is empty and valid.
 */
struct flat_lanes {
	int64_t *earliest; /* node i has the children 2i and 2i + 1; lanes are the leaves */
	size_t leaves, count;
};

/* The lane of a slice; they come by start. */
size_t flat_lanes_take(struct flat_lanes *l, int64_t start_ns, int64_t end_ns);
void flat_lanes_free(struct flat_lanes *l);

/* Lanes on which slices nest: the first few are tried in turn, then they are flat. */
enum { NESTED_LANES = 8 };

struct nested_lanes {
	struct nested_lane {
		int64_t *open; /* ends of what is open, outermost first */
		size_t depth, cap;
	} * lanes;
	size_t count;
	struct flat_lanes more;
};

/* The same; of two with one start the longer comes first. */
size_t nested_lanes_take(struct nested_lanes *l, int64_t start_ns, int64_t end_ns);
void nested_lanes_free(struct nested_lanes *l);

#endif
