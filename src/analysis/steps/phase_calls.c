/* In which phase was a call made? */
#include "analysis/steps/phase_calls.h"

#include "base/mem.h"

#include <stdlib.h>

/* Open ranges of a thread, by start. */
struct opened {
	uint32_t *ranges;
	size_t count, cap;
};

/*
 * Inside a range without a phase that of the one around it holds, if that reaches to its end: what
 * began in between has ended before. Where ranges overlap, it depends on the moment.
 */
static uint32_t inherit(const struct phase_calls *c, const struct opened *o, const struct range *r)
{
	uint32_t around;

	if (!o->count)
		return PHASE_NONE;
	around = o->ranges[o->count - 1];
	return c->at.forest.ranges[around].end_ns < r->end_ns ? PHASE_UNSURE : c->of_range[around];
}

/* Returns whether some phases have to be searched for. */
static bool find_range_phases(struct phase_calls *c)
{
	const struct range_forest *f = &c->at.forest;
	struct opened o = {0};
	bool unsure = false;

	c->of_range = mem_alloc(f->count, sizeof(*c->of_range));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];

		if (i && r[-1].thread != r->thread)
			o.count = 0;
		while (o.count && f->ranges[o.ranges[o.count - 1]].end_ns < r->start_ns)
			o.count--;
		c->of_range[i] = range_phase(c->phases, r);
		if (c->of_range[i] == PHASE_NONE)
			c->of_range[i] = inherit(c, &o, r);
		else if (r->thread != ID_NONE)
			c->has_phases[r->thread] = true;
		unsure |= c->of_range[i] == PHASE_UNSURE;
		MEM_GROW(o.ranges, o.cap, o.count + 1);
		o.ranges[o.count++] = (uint32_t)i;
	}
	free(o.ranges);
	return unsure;
}

/* The ranges of a forest that have a phase and a thread, in the same order. */
static void pick_ranges(const struct range_phases *p, const struct range_forest *from,
			struct range_forest *ret)
{
	ret->ranges = mem_alloc(from->count, sizeof(*ret->ranges));
	for (size_t i = 0; i < from->count; i++) {
		const struct range *r = &from->ranges[i];

		if (r->thread != ID_NONE && range_phase(p, r) != PHASE_NONE)
			ret->ranges[ret->count++] = *r;
	}
}

/* Start/end ranges hold for all threads of their process. */
static void pick_process_ranges(struct phase_calls *c, const struct trace *t)
{
	size_t threads = t->thread_keys.count;

	c->process_of_thread = mem_alloc(threads, sizeof(*c->process_of_thread));
	for (size_t i = 0; i < threads; i++)
		c->process_of_thread[i] = trace_thread_process(t, (uint32_t)i);
	pick_ranges(c->phases, &c->started, &c->process);
	for (size_t i = 0; i < c->process.count; i++)
		c->process.ranges[i].thread = c->process_of_thread[c->process.ranges[i].thread];
	range_forest_sort(&c->process);
}

int phase_calls_make(struct trace *t, const struct range_phases *phases, struct phase_calls *ret,
		     struct err *e)
{
	const unsigned all_kinds = (1u << TRACE_GPU_KINDS) - 1;
	bool unsure;

	*ret = (struct phase_calls){.phases = phases};
	if (attribution_make(t, all_kinds, &ret->at, e) < 0 ||
	    range_forest_build(t, FOREST_START_END, &ret->started, e) < 0)
		return -1;
	ret->has_phases = mem_zalloc(t->thread_keys.count, sizeof(*ret->has_phases));
	unsure = find_range_phases(ret);
	pick_process_ranges(ret, t);
	if (unsure || ret->process.count) {
		pick_ranges(phases, &ret->at.forest, &ret->stack);
		innermost_make(&ret->stack, t->thread_keys.count, &ret->in_stack);
		innermost_make(&ret->process, t->process_keys.count, &ret->in_process);
	}
	return 0;
}

void phase_calls_free(struct phase_calls *c)
{
	innermost_free(&c->in_stack);
	innermost_free(&c->in_process);
	range_forest_free(&c->started);
	range_forest_free(&c->stack);
	range_forest_free(&c->process);
	attribution_free(&c->at);
	free(c->of_range);
	free(c->has_phases);
	free(c->process_of_thread);
}

static uint32_t search(const struct phase_calls *c, const struct api_call *call,
		       struct phase_cursor *cursor)
{
	uint32_t thread = launches_origin(&c->at.launches, call).thread;
	uint32_t a = innermost_follow(&c->in_stack, thread, call->start_ns, &cursor->in_stack);
	uint32_t b = innermost_follow(&c->in_process, c->process_of_thread[thread], call->start_ns,
				      &cursor->in_process);
	const struct range *in_stack = a == RANGE_NONE ? NULL : &c->stack.ranges[a];
	const struct range *in_process = b == RANGE_NONE ? NULL : &c->process.ranges[b];

	if (in_process && (!in_stack || in_process->start_ns > in_stack->start_ns))
		return range_phase(c->phases, in_process);
	return in_stack ? range_phase(c->phases, in_stack) : PHASE_NONE;
}

uint32_t phase_calls_search(const struct phase_calls *c, uint32_t launch,
			    struct phase_cursor *cursor)
{
	struct api_call call;

	if (launch == LAUNCH_NONE || !launches_earliest_call(&c->at.launches, launch, &call))
		return PHASE_NONE;
	return search(c, &call, cursor);
}

bool phase_calls_is_elsewhere(const struct phase_calls *c, uint32_t launch)
{
	const struct launches *l = &c->at.launches;
	struct api_call call;

	return launch != LAUNCH_NONE && launches_earliest_call(l, launch, &call) &&
	       !c->has_phases[launches_origin(l, &call).thread];
}
