/* What the strips of an answer are made from, and what is to be shown in each. */
#ifndef TIMELINE_STRIP_PLAN_H
#define TIMELINE_STRIP_PLAN_H

#include "report/report.h"
#include "report/strip.h"
#include "trace/calls/call_class.h"
#include "trace/calls/launch.h"
#include "trace/ops/ops.h"
#include "trace/ranges/ranges.h"

/* An event of a row: when it is, and what its kind knows it by. */
struct strip_item {
	int64_t start_ns, end_ns; /* end ≥ start */
	uint32_t of;		  /* a row of its table; of ops: op_id() */
	uint32_t thread;
};

struct strip_items {
	struct strip_item *all;
	size_t count, cap;
};

/* What is looked for around places. */
enum strip_near { NEAR_OPS, NEAR_CALLS, NEAR_OS_CALLS, NEARS };

/* One strip, before it is drawn. */
struct strip_plan {
	struct block *block; /* of the finding */
	struct span place, window;
	uint32_t device;  /* ID_NONE: the export does not say, or there is no GPU work */
	uint32_t process; /* whose streams come first; ID_NONE: nobody's */
	uint32_t waiting; /* a GPU that waits for this one; ID_NONE: none does */
	uint32_t thread;  /* ID_NONE: not known, or any */
	struct strip_items near[NEARS]; /* by enum strip_near; in order of time */
	struct strip *strip;
};

struct strip_maker {
	struct trace *trace;
	struct arena *arena;
	struct ops ops;
	struct launches launches; /* who launched what, where that is known: joined */
	bool joined;
	struct calls calls;
	struct call_classes classes;
	struct range_forest forest;
	struct strip_plan *plans;
	size_t count;
};

/* Where a place is: which GPU, which thread, and how much is shown around it. */
void strip_plan_find(const struct strip_maker *m, struct strip_plan *p);
/* Ops and calls near the places, of all plans in one pass over each table. */
void strip_plans_find_events(struct strip_maker *m);
/* Then: without what is empty at its ends. */
void strip_plan_trim(const struct strip_maker *m, struct strip_plan *p);
/* The thread with most ranges in the window, where no call says more; ID_NONE: none has any. */
uint32_t strip_find_ranges_thread(const struct strip_maker *m, const struct strip_plan *p);

/* Adds rows to the plan's strip. */
void strip_add_host(struct strip_maker *m, struct strip_plan *p);
void strip_add_gpu(struct strip_maker *m, struct strip_plan *p);

#endif
