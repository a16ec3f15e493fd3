/* When was each kernel, range or step on a GPU? */
#include "analysis/metrics/metric_groups.h"

#include "analysis/metrics/metric_sums.h"
#include "base/mem.h"
#include "trace/ops/ops.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

/* A stretch of a group, as they are met. */
struct piece {
	uint32_t group;
	struct span span;
};

struct gathering {
	struct trace *trace;
	const struct metric_question *q;
	const struct gpu_metrics *metrics;
	struct machine machine;
	struct device_map devices;
	struct ops ops;
	struct metric_groups *to;
	struct idmap numbers; /* GPU and name → group */
	size_t group_cap, count, cap;
	struct piece *pieces;
};

static uint32_t group_of(struct gathering *g, size_t gpu, uint32_t name)
{
	struct metric_groups *to = g->to;
	const uint32_t number = idmap_number_pair(&g->numbers, (uint32_t)gpu, name);

	if (number == to->count) {
		MEM_GROW(to->all, g->group_cap, to->count + 1);
		to->all[to->count++] = (struct metric_group){
			.gpu = gpu,
			.device = gpu_metrics_device(&g->machine, &g->devices,
						     g->metrics->gpus[gpu].gpu),
			.name = name == NAME_NONE ? (struct str){NULL, 0} : to->names.items[name]};
	}
	return number;
}

static void keep_piece(struct gathering *g, uint32_t group, struct span s)
{
	if (s.end_ns <= s.start_ns)
		return;
	MEM_GROW(g->pieces, g->cap, g->count + 1);
	g->pieces[g->count++] = (struct piece){group, s};
}

static void add_piece(struct gathering *g, uint32_t group, struct span s)
{
	s.start_ns = s.start_ns > g->q->window.start_ns ? s.start_ns : g->q->window.start_ns;
	s.end_ns = s.end_ns < g->q->window.end_ns ? s.end_ns : g->q->window.end_ns;
	keep_piece(g, group, s);
}

/* The measured GPU that an op ran on, if it is asked about; SIZE_MAX: none. */
static size_t gpu_of_op(const struct gathering *g, enum trace_kind kind, uint64_t i)
{
	uint32_t process, device;

	ops_place(&g->ops, kind, i, &process, &device);
	if (!scope_has_place(g->q->p, g->trace, process, device))
		return SIZE_MAX;
	for (size_t k = 0; k < g->metrics->count; k++) {
		if (gpu_metrics_device(&g->machine, &g->devices, g->metrics->gpus[k].gpu) == device)
			return k;
	}
	return SIZE_MAX;
}

static struct span op_span(const struct events *ev, uint64_t i)
{
	const int64_t ns = ev->duration_ns[i] > 0 ? ev->duration_ns[i] : 0;

	return (struct span){ev->start_ns[i], sat_add(ev->start_ns[i], ns)};
}

static void add_gpus(struct gathering *g)
{
	for (size_t i = 0; i < g->metrics->count; i++) {
		const uint32_t device =
			gpu_metrics_device(&g->machine, &g->devices, g->metrics->gpus[i].gpu);

		if (!g->q->p->has_device || g->q->p->device == device)
			add_piece(g, group_of(g, i, NAME_NONE), g->q->window);
	}
}

static void add_kernels(struct gathering *g)
{
	const struct events *ev = &g->trace->events[TRACE_KERNELS];

	for (uint64_t i = 0; ev->name && ev->start_ns && ev->duration_ns && i < ev->count; i++) {
		const size_t gpu = gpu_of_op(g, TRACE_KERNELS, i);

		if (gpu == SIZE_MAX || ev->name[i] == NAME_NONE)
			continue;
		add_piece(g,
			  group_of(g, gpu,
				   strtab_add(&g->to->names, trace_name(g->trace, ev->name[i]))),
			  op_span(ev, i));
	}
}

static void add_steps(struct gathering *g)
{
	const struct warm_steps *w = &g->q->p->warm;

	for (size_t i = 0; i < w->count; i++) {
		const uint32_t name =
			strtab_add(&g->to->names, str_of(arena_printf(g->q->arena, "%zu", i + 1)));

		for (size_t k = 0; k < g->metrics->count; k++)
			add_piece(g, group_of(g, k, name), w->all[i]);
	}
}

static uint32_t range_name(struct gathering *g, const struct range *r)
{
	const uint32_t *names = g->trace->events[TRACE_NVTX].name;

	return names[r->row] == NAME_NONE
		       ? NAME_NONE
		       : strtab_add(&g->to->names, trace_name(g->trace, names[r->row]));
}

/* An op is in all ranges around its launch. */
static void add_op(struct gathering *g, const struct attribution *a, bool *launches,
		   enum trace_kind kind, uint64_t i)
{
	const struct range_forest *f = &a->forest;
	const size_t gpu = gpu_of_op(g, kind, i);
	const struct span span = op_span(&g->trace->events[kind], i);

	for (uint32_t r = attribution_range(a, kind, i); r != RANGE_NONE; r = f->ranges[r].parent) {
		const uint32_t name = range_name(g, &f->ranges[r]);

		launches[r] = true;
		if (gpu != SIZE_MAX && name != NAME_NONE)
			add_piece(g, group_of(g, gpu, name), span);
	}
}

/*
 * A range that launches nothing has its time on the host, which may lie outside of a window that is
 * about GPU work.
 */
static void add_idle_ranges(struct gathering *g, const struct range_forest *f, const bool *launches)
{
	const size_t gpu_groups = g->to->count;

	for (size_t i = 0; i < f->count; i++) {
		const struct range *r = &f->ranges[i];
		const uint32_t name = launches[i] ? NAME_NONE : range_name(g, r);

		for (size_t k = 0; name != NAME_NONE && k < g->metrics->count; k++) {
			const uint32_t group = group_of(g, k, name);

			/* Some of that name launch: then those are what it is. */
			if (group < gpu_groups)
				continue;
			g->to->all[group].on_host = true;
			(g->q->p->chosen ? keep_piece : add_piece)(
				g, group, (struct span){r->start_ns, r->end_ns});
		}
	}
}

static int add_ranges(struct gathering *g, struct err *e)
{
	const unsigned kinds = joinable_kinds(g->trace);
	struct attribution a;
	bool *launches;

	if (trace_load(g->trace, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0 ||
	    attribution_make(g->trace, kinds, &a, e) < 0)
		return -1;
	launches = mem_zalloc(a.forest.count, sizeof(*launches));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &g->trace->events[kind];

		for (uint64_t i = 0; a.launches.kinds & 1u << kind && ev->start_ns && i < ev->count;
		     i++)
			add_op(g, &a, launches, kind, i);
	}
	add_idle_ranges(g, &a.forest, launches);
	free(launches);
	attribution_free(&a);
	return 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *p = a, *q = b;

	return (p->group > q->group) - (p->group < q->group);
}

/* Each group's stretches together, apart and in order. */
static void settle(struct gathering *g)
{
	struct metric_groups *to = g->to;

	if (g->count)
		qsort(g->pieces, g->count, sizeof(*g->pieces), compare_pieces);
	to->spans = mem_alloc(g->count, sizeof(*to->spans));
	for (size_t i = 0, end; i < g->count; i = end) {
		struct metric_group *group = &to->all[g->pieces[i].group];

		for (end = i; end < g->count && g->pieces[end].group == g->pieces[i].group; end++)
			to->spans[end] = g->pieces[end].span;
		group->begin = i;
		group->end = i + spans_join(&to->spans[i], end - i);
		for (size_t k = group->begin; k < group->end; k++)
			group->ns = sat_add(group->ns,
					    sat_sub(to->spans[k].end_ns, to->spans[k].start_ns));
	}
}

static int gather(struct gathering *g, struct err *e)
{
	switch (g->q->by) {
	case METRICS_BY_KERNEL:
		add_kernels(g);
		return 0;
	case METRICS_BY_RANGE:
		return add_ranges(g, e);
	case METRICS_BY_STEP:
		add_steps(g);
		return 0;
	default:
		add_gpus(g);
		return 0;
	}
}

int metric_groups_make(struct trace *t, const struct metric_question *q, struct metric_groups *ret,
		       struct err *e)
{
	struct gathering g = {.trace = t, .q = q, .metrics = q->metrics, .to = ret};
	int result;

	*ret = (struct metric_groups){.trace = t};
	if (machine_read(t, &g.machine, e) < 0 || device_map_read(t, &g.devices, e) < 0)
		return -1;
	result = ops_open(&g.ops, t, e);
	if (result == 0)
		result = gather(&g, e);
	if (result == 0)
		settle(&g);
	ops_close(&g.ops);
	device_map_free(&g.devices);
	idmap_free(&g.numbers);
	free(g.pieces);
	if (result < 0)
		metric_groups_free(ret);
	return result;
}

void metric_groups_free(struct metric_groups *g)
{
	free(g->spans);
	free(g->all);
	strtab_free(&g->names);
	*g = (struct metric_groups){0};
}
