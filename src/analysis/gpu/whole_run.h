/*
 * What the GPUs did in the window that was asked for: the time of each by kind, how busy they were
 * as it went on, and their gaps. Where several analyses ask, the trace keeps it.
 */
#ifndef ANALYSIS_WHOLE_RUN_H
#define ANALYSIS_WHOLE_RUN_H

#include "analysis/gpu/gaps.h"

/* How busy each device was as time went on: shares of equal stretches of the window. */
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

/* The longest of many gaps: there may be millions, of which a handful is shown. */
struct longest_gaps {
	uint64_t limit;		/* 0: keeps all */
	_Atomic int64_t *floor; /* shorter gaps are not among them, as any piece has found out */
	struct gap *gaps;
	size_t count, cap;
	struct gap least; /* those that come after it are not among them */
	bool has_least;
};

enum { GAP_CLASSES = 11 }; /* of lengths */

/* Upper ends of the classes; the last has none. */
extern const int64_t gap_class_limits_ns[GAP_CLASSES];

struct device_gaps {
	uint64_t count, in_class[GAP_CLASSES];
	int64_t longest_ns, total_ns[BLAMES], class_ns[GAP_CLASSES];
};

struct gap_study {
	struct device_gaps *devices; /* by index in the timeline */
	uint64_t count;
	struct longest_gaps longest;
	uint32_t *range_names; /* of these: numbers in trace->names, or NAME_NONE */
};

enum { WHOLE_RUN_GAPS = 1000 }; /* the longest ones that a trace keeps */

struct whole_run {
	struct timeline timeline;
	struct utilisation utilisation;
	struct gap_study gaps;
	struct op_faults faults; /* of the ops */
};

/*
 * The run that the trace keeps, or one that is made now; `gap_limit` of the gaps are kept, 0: all.
 * Either way it lives until the report is freed, or the trace is closed.
 */
int whole_run_read(struct trace *t, const struct scope *p, bool with_gaps, uint64_t gap_limit,
		   struct report *r, const struct whole_run **ret, struct err *e);

/*
 * For one who walks anyway: a run that the trace will keep, for others to ask about. Whoever walks
 * has a cursor for each piece. NULL: the trace keeps one already.
 */
struct whole_walk *whole_walk_begin(struct trace *t, const struct ops *o, const struct scope *p,
				    const struct gap_judge *judge, struct gap_cursor *cursors,
				    size_t pieces);
struct timeline_view whole_walk_view(struct whole_walk *w);
void whole_walk_keep(struct whole_walk *w);

/* A chart of how busy each device was. */
void utilisation_report(const struct utilisation *u, struct report *r);

#endif
