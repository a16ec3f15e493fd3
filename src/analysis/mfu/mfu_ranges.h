/*
 * For those who make parts of ranges: which ranges are a part's instances, and which of them was
 * open on the host at a moment.
 */
#ifndef ANALYSIS_MFU_RANGES_H
#define ANALYSIS_MFU_RANGES_H

#include "analysis/mfu/mfu_part.h"
#include "trace/ranges/innermost.h"

/* The instances of one part as ranges, whose row is an instance's number. */
struct part_ranges {
	struct mfu_part *out;
	struct range_forest of_thread, of_process;
	struct range_forest inside; /* ranges next inside those, by thread and start */
	struct innermost in_thread, in_process;
	bool *has_own;		      /* by thread: it has instances */
	struct mfu_gpu_times devices; /* after mfu_walk(): all of its work, of one owner */
};

/* Who made a call, and when. */
struct part_call {
	uint32_t thread, process;
	int64_t at_ns;
};

/* Where the calls before were found: begins with zeros. */
struct part_cursor {
	struct innermost_cursor in_thread, in_process;
};

/*
 * The instance in which a call was made, or RANGE_NONE; a thread without instances of its own works
 * for those of its process. `ret_at` says from when to when that is the answer for the thread.
 */
static inline uint32_t part_ranges_find(const struct part_ranges *r, const struct part_call *c,
					struct part_cursor *cursor,
					const struct innermost_cursor **ret_at)
{
	const bool own = r->has_own[c->thread];
	const uint32_t range =
		own ? innermost_follow(&r->in_thread, c->thread, c->at_ns, &cursor->in_thread)
		    : innermost_follow(&r->in_process, c->process, c->at_ns, &cursor->in_process);

	*ret_at = own ? &cursor->in_thread : &cursor->in_process;
	if (range == RANGE_NONE)
		return RANGE_NONE;
	return (own ? &r->of_thread : &r->of_process)->ranges[range].row;
}

/*
 * The GPU's work and the calls behind it. To be opened before instances are indexed by thread:
 * threads that have no range are first heard of here. ERR_INPUT when the export does not say what
 * launched the work.
 */
struct mfu_walk;
int mfu_walk_open(struct mfu_walk **ret, struct trace *t, const struct scope *p, struct err *e);
/*
 * Finds what the instances of all parts launched, in one walk over the GPU's work: their ends,
 * what each kept busy, and each part's devices without the instances that are left out. May be
 * repeated.
 */
void mfu_walk(struct mfu_walk *w, struct part_ranges *parts, size_t count);
void mfu_walk_close(struct mfu_walk *w);

#endif
