/*
 * Gaps: the idle stretches of each device, and whose fault they are. A gap is ended by an op; the
 * thread that launched it did something meanwhile. That is the gap's blame, by time.
 */
#ifndef ANALYSIS_GAPS_H
#define ANALYSIS_GAPS_H

#include "analysis/timeline.h"
#include "trace/attribution.h"

/* What the launching thread did during a gap. */
enum blame {
	BLAME_SYNC,    /* waited for the GPU: cuda*Synchronize */
	BLAME_COPY,    /* was in a copy call */
	BLAME_ALLOC,   /* allocated, freed, or loaded code */
	BLAME_LAUNCH,  /* was in a launch call */
	BLAME_CUDA,    /* was in another CUDA call */
	BLAME_HOST,    /* ran host code outside CUDA */
	BLAME_QUEUED,  /* had launched already: the device or a dependency held the op back */
	BLAME_UNKNOWN, /* the trace does not have the launch */
	BLAME_END,     /* nothing more was launched before the window ended */
	BLAMES,
};

enum { GAP_CALLS = BLAME_CUDA + 1 }; /* blames that are calls: looked up in the API table */

/*
 * Why a gap is there, told from its pieces: the time would not come back if only the largest piece
 * went away. See gap_cause().
 */
enum gap_cause {
	CAUSE_SYNC, /* the host waited until the GPU had run dry */
	CAUSE_COPY, /* a copy that blocks the host */
	CAUSE_ALLOC,
	CAUSE_STALL,	    /* host code, long at a time */
	CAUSE_LAUNCH_BOUND, /* the host launches, but more slowly than the GPU executes */
	CAUSE_QUEUED,
	CAUSE_UNKNOWN,
	CAUSE_END,
	GAP_CAUSES,
};

struct gap {
	int64_t start_ns, end_ns;
	uint32_t device;     /* index into timeline.devices */
	uint32_t row;	     /* of the op that ends it */
	uint32_t before_row; /* of the op before it */
	uint32_t range;	     /* the innermost one, where it is most telling; RANGE_NONE */
	uint32_t waited; /* see gap_waited_ns(): how long a wait that ends in the gap had lasted */
	/* Time in calls, before the launch, by blame; `long_gaps` holds it where it may not fit. */
	uint32_t call_ns[GAP_CALLS];
	uint16_t calls;		   /* how many, at most 65535 */
	uint8_t kind, before_kind; /* of those ops; TRACE_KINDS: there is none */
	uint8_t copy;  /* copyKind of a copy right before it, or else of what ends it; 0: none */
	uint8_t cause; /* enum gap_cause, once blamed */
};

/* A wait in one number, so that the longest of several is the largest: its last bit tells a copy.
 */
static inline uint32_t gap_wait(uint32_t ns, bool is_copy)
{
	return (ns & ~UINT32_C(1)) | is_copy;
}

/* At most 2³²−2. */
static inline int64_t gap_waited_ns(const struct gap *g)
{
	return g->waited & ~UINT32_C(1);
}

static inline bool gap_waited_for_copy(const struct gap *g)
{
	return g->waited & 1;
}

struct gaps {
	struct trace *trace;
	struct gap *all; /* as timeline_walk() met them */
	size_t count, cap;
	struct attribution attribution;
	bool joined;		/* the attribution is known */
	int64_t from_ns, to_ns; /* the window */
	int64_t *thread_ns;	/* by thread · GAP_CALLS + blame: time in calls, in the window */
	size_t threads;
	struct idmap long_gaps; /* gap → index into long_ns / GAP_CALLS */
	int64_t *long_ns;
	size_t long_count;
};

/* Joins GPU work with launches and ranges, where the trace has them. */
int gaps_begin(struct gaps *g, struct trace *t, struct err *e);
/* Takes an idle slice; others are ignored. */
void gaps_take(struct gaps *g, const struct slice *s);
/* Finds out whose fault they are: reads the calls once. */
int gaps_blame(struct gaps *g, const struct timeline *l, struct err *e);
/* Forgets all gaps but these, which are numbered anew in this order. */
void gaps_keep(struct gaps *g, const uint32_t *which, size_t count);
void gaps_free(struct gaps *g);

/* Where a gap's time in calls is in long_ns; IDMAP_NONE: it fits into the gap. */
static inline uint32_t gap_long(const struct gaps *g, size_t gap)
{
	return g->all[gap].end_ns - g->all[gap].start_ns > UINT32_MAX
		       ? idmap_get(&g->long_gaps, gap)
		       : IDMAP_NONE;
}

/* Nanoseconds by enum blame; they sum up to the gap. */
void gap_blames(const struct gaps *g, size_t gap, int64_t ns[BLAMES]);
enum gap_cause gap_cause(const struct gaps *g, size_t gap);
/* The call that launched what ends the gap; false: there is none. */
bool gap_call(const struct gaps *g, const struct gap *gap, struct api_call *ret);

/* Steps of gaps_blame(). */
int gaps_add_calls(struct gaps *g, struct err *e);
void gaps_find_ranges(struct gaps *g);
/* Until when the thread could still have launched in time: the gap's part before the launch. */
int64_t gap_launch_ns(const struct gaps *g, const struct gap *gap);
/* Gaps by (thread, device), in order of time; those that no known thread ended are left out. */
struct gap_lanes {
	uint32_t *order;   /* gaps, lane after lane */
	size_t *begin;	   /* of each lane in order; one more than lanes */
	uint32_t *threads; /* by lane */
	size_t count;	   /* of lanes */
};
void gap_lanes_make(const struct gaps *g, struct gap_lanes *ret);
void gap_lanes_free(struct gap_lanes *l);

#endif
