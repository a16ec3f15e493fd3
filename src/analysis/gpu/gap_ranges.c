/* In which range is a thread, or else whoever waits for it? */
#include "analysis/gpu/gaps.h"
#include "base/mem.h"

#include <stdlib.h>

/* A thread that hardly ever asks for GPU work, such as one that writes a log, waits for none. */
enum { CALLS_SHARE = 20 };

static bool makes_calls(const struct gap_judge *j, uint32_t thread, uint32_t process)
{
	const size_t *begin = j->threads.begin;
	const uint32_t main = j->main_thread[process];

	return main != ID_NONE && thread < j->threads.threads &&
	       (begin[thread + 1] - begin[thread]) * CALLS_SHARE >= begin[main + 1] - begin[main];
}

void gap_ranges_make(struct gap_judge *j)
{
	const struct range_forest *f = &j->attribution.forest;
	const struct trace *t = j->trace;
	int64_t *in_ranges = mem_zalloc(t->thread_keys.count, sizeof(*in_ranges));

	j->ranging_thread = mem_alloc(t->process_keys.count, sizeof(*j->ranging_thread));
	for (size_t i = 0; i < t->process_keys.count; i++)
		j->ranging_thread[i] = ID_NONE;
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];

		if (r->parent == RANGE_NONE && r->thread < t->thread_keys.count)
			in_ranges[r->thread] =
				sat_add(in_ranges[r->thread], sat_sub(r->end_ns, r->start_ns));
	}
	for (uint32_t i = 0; i < t->thread_keys.count; i++) {
		const uint32_t process = in_ranges[i] > 0 ? trace_thread_process(t, i) : ID_NONE;
		uint32_t *most = process == ID_NONE || !makes_calls(j, i, process)
					 ? NULL
					 : &j->ranging_thread[process];

		if (most && (*most == ID_NONE || in_ranges[i] > in_ranges[*most]))
			*most = i;
	}
	free(in_ranges);
}

uint32_t gap_range_at(const struct gap_judge *j, uint32_t thread, int64_t at_ns,
		      struct range_cursor *c)
{
	uint32_t range = innermost_follow(&j->innermost, thread, at_ns, &c->own), process, other;

	c->to_ns = c->own.to_ns;
	if (range != RANGE_NONE || thread >= j->trace->thread_keys.count)
		return range;
	process = trace_thread_process(j->trace, thread);
	other = process == ID_NONE ? ID_NONE : j->ranging_thread[process];
	if (other == ID_NONE || other == thread)
		return range;
	range = innermost_follow(&j->innermost, other, at_ns, &c->beside);
	c->to_ns = c->beside.to_ns < c->to_ns ? c->beside.to_ns : c->to_ns;
	return range;
}
