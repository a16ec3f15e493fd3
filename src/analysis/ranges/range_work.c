/* How long did each range last, and what did it launch on the GPU? */
#include "analysis/ranges/range_work.h"

#include "analysis/kept_answers.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

static void add_to_range(struct range_sum *to, const struct span *part, bool is_kernel)
{
	int64_t ns = sat_sub(part->end_ns, part->start_ns);

	span_widen(&to->span, *part);
	to->ns = sat_add(to->ns, ns);
	to->ops++;
	if (is_kernel) {
		to->kernel_ns = sat_add(to->kernel_ns, ns);
		to->kernels++;
	}
}

static void add_outside(struct gpu_sum *to, const struct span *part, bool is_kernel)
{
	int64_t ns = sat_sub(part->end_ns, part->start_ns);

	to->ns = sat_add(to->ns, ns);
	to->ops++;
	if (is_kernel) {
		to->kernel_ns = sat_add(to->kernel_ns, ns);
		to->kernels++;
	}
}

/* Where the work of an op counts that no range launched. */
static struct gpu_sum *find_sum(struct range_work *w, const struct attribution *a,
				const struct events *ev, enum trace_kind kind, uint64_t op)
{
	uint32_t process = event_process(ev, op);
	struct api_call call;

	if (attribution_call(a, kind, op, &call))
		return &w->outside[launches_origin(&a->launches, &call).thread];
	return &w->no_call[process == ID_NONE ? w->process_count : process];
}

static void add_kind(struct range_work *w, const struct attribution *a, const struct gpu_work *g,
		     enum trace_kind kind)
{
	const struct events *ev = &g->trace->events[kind];

	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t range = attribution_range(a, kind, i);
		struct span part;

		if (!gpu_work_part(g, kind, i, &part))
			continue;
		if (range != RANGE_NONE)
			add_to_range(&w->of_range[range], &part, kind == TRACE_KERNELS);
		else
			add_outside(find_sum(w, a, ev, kind, i), &part, kind == TRACE_KERNELS);
	}
}

static void begin_sums(struct range_work *w, const struct trace *t, const struct attribution *a)
{
	const struct range_sum nothing = {.span = SPAN_NONE};

	*w = (struct range_work){
		.thread_count = t->thread_keys.count,
		.process_count = t->process_keys.count,
	};
	w->outside = mem_zalloc(w->thread_count, sizeof(*w->outside));
	w->no_call = mem_zalloc(w->process_count + 1, sizeof(*w->no_call));
	w->of_range = mem_alloc(a->forest.count, sizeof(*w->of_range));
	for (size_t i = 0; i < a->forest.count; i++)
		w->of_range[i] = nothing;
}

static int sum_up(struct trace *t, const struct attribution *a, const struct scope *p,
		  struct range_work *ret, struct err *e)
{
	struct gpu_work g;
	int result = gpu_work_open(&g, t, ALL_GPU_KINDS, p, e);

	/* Whose an op without a call is, only it can say. */
	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++)
		result = trace_load(t, (enum trace_kind)kind, COL_BIT(COL_PROCESS), e);
	if (result == 0) {
		begin_sums(ret, t, a);
		for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
			add_kind(ret, a, &g, (enum trace_kind)kind);
	}
	gpu_work_close(&g);
	return result;
}

static void free_answer(void *work)
{
	range_work_free(work);
}

static const struct kept_answers kept = {sizeof(struct range_work), NULL, free_answer};

static int make_or_share(struct trace *t, const struct attribution *a, const struct scope *p,
			 struct range_work *ret, struct err *e)
{
	*ret = (struct range_work){0};
	ret->shared = kept_answers_find(&kept, t, p, ret);
	if (ret->shared)
		return 0;
	if (sum_up(t, a, p, ret, e) < 0)
		return -1;
	ret->shared = kept_answers_add(&kept, t, p, ret);
	return 0;
}

int range_work_make(struct trace *t, const struct attribution *a, const struct scope *p,
		    struct range_work *ret, struct err *e)
{
	/* Ranges launch work of their own process: what others did is told apart by the ranges. */
	struct scope of_all = *p;
	int result;

	of_all.has_pid = false;
	trace_cache_begin(t, &kept);
	result = make_or_share(t, a, &of_all, ret, e);
	trace_cache_end(t, &kept);
	return result;
}

void range_work_free(struct range_work *w)
{
	if (!w->shared) {
		free(w->of_range);
		free(w->outside);
		free(w->no_call);
	}
	*w = (struct range_work){0};
}

/*
 * Children come in order of their start: how far the earlier ones reach tells what of the next is
 * new, so that children which overlap are taken off once.
 */
static void take_off(int64_t *self_ns, int64_t *covered_ns, const struct span *child)
{
	int64_t fresh = child->start_ns > *covered_ns ? child->start_ns : *covered_ns;

	if (child->end_ns <= fresh)
		return;
	*self_ns = sat_sub(*self_ns, sat_sub(child->end_ns, fresh));
	*covered_ns = child->end_ns;
}

void range_walls_make(const struct range_forest *f, const struct scope *p, struct range_walls *ret)
{
	int64_t *covered = mem_alloc(f->count, sizeof(*covered));

	ret->wall_ns = mem_alloc(f->count, sizeof(*ret->wall_ns));
	ret->self_ns = mem_alloc(f->count, sizeof(*ret->self_ns));
	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		struct span wall;

		covered[i] = INT64_MIN;
		ret->self_ns[i] = 0;
		ret->wall_ns[i] = DURATION_NONE;
		if (!window_part(p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &wall))
			continue;
		ret->wall_ns[i] = sat_sub(wall.end_ns, wall.start_ns);
		ret->self_ns[i] = ret->wall_ns[i];
		if (r->parent != RANGE_NONE)
			take_off(&ret->self_ns[r->parent], &covered[r->parent], &wall);
	}
	free(covered);
}

void range_walls_free(struct range_walls *w)
{
	free(w->wall_ns);
	free(w->self_ns);
	*w = (struct range_walls){0};
}
