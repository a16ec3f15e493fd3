/* In which range is a thread, or else whoever waits for it? */
#include "analysis/gpu/gaps.h"
#include "base/mem.h"

#include <stdlib.h>

/* Of the time that the process's threads are in ranges: who is in them for less is not asked. */
static const double least_share = 0.05;

static size_t count_calls(const struct gap_judge *j, uint32_t thread)
{
	return thread < j->threads.threads ? j->threads.begin[thread + 1] - j->threads.begin[thread]
					   : 0;
}

/* By thread, and by process the most of any thread. */
static void sum_ranges(const struct gap_judge *j, int64_t *in_ranges, int64_t *most)
{
	const struct range_forest *f = &j->attribution.forest;
	const struct trace *t = j->trace;

	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];

		if (r->parent == RANGE_NONE && r->thread < t->thread_keys.count)
			in_ranges[r->thread] =
				sat_add(in_ranges[r->thread], sat_sub(r->end_ns, r->start_ns));
	}
	for (uint32_t i = 0; i < t->thread_keys.count; i++) {
		const uint32_t process = trace_thread_process(t, i);

		if (process != ID_NONE && in_ranges[i] > most[process])
			most[process] = in_ranges[i];
	}
}

/* Loggers and loaders have ranges, too: it is the program's loop that launches most. */
void gap_ranges_make(struct gap_judge *j)
{
	const struct trace *t = j->trace;
	int64_t *in_ranges = mem_zalloc(t->thread_keys.count, sizeof(*in_ranges));
	int64_t *most = mem_zalloc(t->process_keys.count, sizeof(*most));

	sum_ranges(j, in_ranges, most);
	j->ranging_thread = mem_alloc(t->process_keys.count, sizeof(*j->ranging_thread));
	for (size_t i = 0; i < t->process_keys.count; i++)
		j->ranging_thread[i] = ID_NONE;
	for (uint32_t i = 0; i < t->thread_keys.count; i++) {
		const uint32_t process = count_calls(j, i) ? trace_thread_process(t, i) : ID_NONE;
		uint32_t *best = process == ID_NONE ? NULL : &j->ranging_thread[process];

		if (!best || in_ranges[i] <= 0 ||
		    (double)in_ranges[i] < least_share * (double)most[process])
			continue;
		if (*best == ID_NONE || count_calls(j, i) > count_calls(j, *best))
			*best = i;
	}
	free(most);
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
