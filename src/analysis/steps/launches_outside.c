/* How much was launched by threads that have no such range? */
#include "analysis/steps/launches_outside.h"

#include "analysis/events/paths_under.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/ranges/phase_map.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

struct thread_search {
	struct trace *trace;
	struct event_joins joins;
	struct gpu_work work;
	struct paths_under under;
	bool *has; /* by thread */
};

/* Ranges of any phase are meant. */
static int mean_phases(struct thread_search *f, const char *path, struct err *e)
{
	const size_t count = f->joins.paths.count;
	struct phase_map map;
	int result = phase_map_read(&map, path, e);

	if (result < 0)
		return -1;
	f->under.meant = mem_zalloc(count, sizeof(*f->under.meant));
	for (size_t i = 0; i < count && result == 0; i++) {
		struct str name = event_joins_range_name(&f->joins, (uint32_t)i);
		uint32_t phase;

		result = phase_map_find(&map, name, &phase, e);
		f->under.meant[i] = result == 0 && phase != PHASE_NONE;
	}
	phase_map_free(&map);
	return result;
}

/* Whether there are any. */
static bool find_threads(struct thread_search *f)
{
	const struct range_forest *forest =
		f->joins.at.forest.count ? &f->joins.at.forest : &f->joins.forest;
	bool any = false;

	f->has = mem_zalloc(f->trace->thread_keys.count, sizeof(*f->has));
	for (size_t i = 0; i < forest->count; i++) {
		const uint32_t thread = forest->ranges[i].thread;

		if (thread != ID_NONE && f->under.meant[f->joins.paths.of_range[i]])
			any = f->has[thread] = true;
	}
	return any;
}

/* What nobody is known to have launched is not elsewhere. */
static void sum_up(const struct thread_search *f, enum trace_kind kind,
		   struct launches_outside *ret)
{
	for (uint64_t i = 0; i < f->trace->events[kind].count; i++) {
		uint32_t thread;
		struct span s;

		if (!gpu_work_part(&f->work, kind, i, &s))
			continue;
		ret->of_ns = sat_add(ret->of_ns, sat_sub(s.end_ns, s.start_ns));
		thread = event_joins_thread(&f->joins, kind, (uint32_t)i);
		if (thread != ID_NONE && !f->has[thread])
			ret->ns = sat_add(ret->ns, sat_sub(s.end_ns, s.start_ns));
	}
}

static int find(struct thread_search *f, const struct scope *p, const char *range,
		struct launches_outside *ret, struct err *e)
{
	if (event_joins_make(&f->joins, f->trace, ALL_GPU_KINDS, JOIN_CALLS | JOIN_RANGES, e) < 0 ||
	    gpu_work_open(&f->work, f->trace, ALL_GPU_KINDS, p, e) < 0)
		return -1;
	if ((range ? paths_under_range(&f->under, &f->joins, range, e)
		   : mean_phases(f, p->phase_map, e)) < 0)
		return -1;
	if (!find_threads(f))
		return 0;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		sum_up(f, (enum trace_kind)kind, ret);
	return 0;
}

int launches_outside_find(struct launches_outside *ret, struct trace *t, const struct scope *p,
			  const char *range, struct err *e)
{
	struct thread_search f = {.trace = t};
	int result;

	*ret = (struct launches_outside){0};
	result = find(&f, p, range, ret, e);
	event_joins_free(&f.joins);
	gpu_work_close(&f.work);
	paths_under_free(&f.under);
	free(f.has);
	return result;
}

bool launches_outside_matters(const struct launches_outside *x)
{
	return x->ns > x->of_ns / 100;
}

void launches_outside_add(struct buf *b, const struct launches_outside *x, const char *ranges,
			  const char *so)
{
	buf_addf(b,
		 "%.1f%% of GPU time comes from threads without %s and is %s: PyTorch's backward "
		 "pass launches from its own thread",
		 x->of_ns > 0 ? (double)x->ns * 100 / (double)x->of_ns : 0, ranges, so);
}

void launches_outside_note(struct report *r, const struct launches_outside *x, const char *ranges,
			   const char *so)
{
	struct buf b = {0};

	if (!launches_outside_matters(x))
		return;
	launches_outside_add(&b, x, ranges, so);
	report_note(r, "%s", b.s);
	buf_free(&b);
}
