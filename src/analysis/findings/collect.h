/*
 * The walk over the window, for findings: pieces of the timeline are walked side by side, each with
 * a collector; what they collected is put together in order of time.
 */
#ifndef ANALYSIS_COLLECT_H
#define ANALYSIS_COLLECT_H

#include "analysis/findings/explain.h"

/* By memcpy; known once all pieces are walked, each of which has copies of its own. */
struct copy_facts {
	int64_t *exposed_ns;
	uint32_t *device;
};

/* The ranges that the thread was in during one gap. */
struct charge {
	uint32_t range; /* folded */
	uint32_t row;	/* of the sums; ID_NONE: it is not charged */
	int64_t ns;
};

/* When it was in which of them. */
struct charged_time {
	uint32_t charge; /* its number */
	struct span time;
};

struct charges {
	struct charge *all;
	size_t count, cap;
	uint32_t *at; /* by folded name, the last that of no range: its number; ID_NONE: none */
	struct charged_time *times; /* in order of time */
	size_t time_count, time_cap;
};

/*
 * A host that waits for the GPU loses its lead: without the wait it would be ahead by as long as it
 * waited, until gaps have used that up.
 */
struct lead {
	int64_t ns;	  /* that is left */
	int64_t since_ns; /* of gaps the one before the first op is met last */
	uint32_t thread;
	uint32_t range; /* of the wait, folded */
	uint32_t stack; /* … and who made the call */
};

/* Collects while a piece of the timeline is walked; attribution to ranges comes after. */
struct collector {
	MEM_APART const struct explain *x;
	struct gap_cursor *cursor;
	struct time_sums sums[EXPLAIN_SUMS]; /* as those of struct explain; enders by whole name */
	int64_t beside_ns;		     /* as that of struct explain */
	struct module_loads loads;
	struct stalls stalls, managed;		  /* so are these */
	struct charges charges;			  /* of the gap at hand */
	struct lead *leads;			  /* by device */
	struct code_sums code, calls, slow_calls; /* and these */
	struct thread_samples samples; /* of a thread by its key; see collect_samples() */
	uint64_t samples_of;
	bool has_samples, has_range;
	uint32_t range, range_name; /* of the gap before, and how that is called */
	const struct copy_facts *copies;
};

/* NAME_NONE: it is no kernel, or has no name. */
uint32_t collect_kernel_name(const struct trace *t, enum trace_kind kind, uint64_t row);

/* What costs nothing is nowhere. */
static inline void collect_add_gap(struct collector *c, int to, uint32_t group, uint32_t name,
				   const struct gap *gap, int64_t ns)
{
	const uint32_t row = time_sums_add(&c->sums[to], group, name, gap->device, ns);

	if (ns > 0)
		time_sums_add_place(&c->sums[to], row, gap->device,
				    time_part_all((struct span){gap->start_ns, gap->end_ns}));
}

/* An idle slice: its gap, judged, goes to the sums of its cause. */
void collect_take_gap(struct collector *c, const struct slice *s);

/* Whether what a gap costs is charged to all ranges its thread was in. */
static inline bool collect_is_charged(enum gap_cause cause)
{
	return cause == CAUSE_STALL || cause == CAUSE_MANAGED || cause == CAUSE_ALLOC ||
	       cause == CAUSE_CALLS;
}

/* The folded name of the range that host code in a range of the judge's forest is charged to. */
uint32_t collect_charged_range(const struct explain *x, uint32_t range);
void collect_charge_ranges(struct collector *c, const struct gap *gap, int64_t cost_ns);
void charges_free(struct charges *c);

/* Of the thread that launches what ends the gap at hand. */
struct thread_samples *collect_samples(struct collector *c);
/* Who makes a call of that thread, and the one that the gap is blamed on; STACK_NONE. */
uint32_t collect_stack_in_call(struct collector *c, struct span call);
uint32_t collect_blamed_stack(struct collector *c, enum gap_cause cause);
void collect_add_code(struct collector *c, const struct gap *gap, uint32_t range);
bool collect_is_sampled_host(struct collector *c, const struct gap *gap);

/* Before the walk; after it what each copy had nothing beside for. */
void copies_sort(struct explain *x);
void copies_add_exposed(struct explain *x, const struct copy_facts *c);

#endif
