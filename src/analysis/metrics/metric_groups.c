/* When was each kernel, range or step on a GPU? */
#include "analysis/metrics/metric_gathering.h"

#include "analysis/metrics/metric_sums.h"
#include "base/mem.h"
#include "trace/system/labels.h"

#include <stdlib.h>

uint32_t metric_group_of(struct gathering *g, size_t gpu, uint32_t name)
{
	struct metric_groups *to = g->to;
	const uint32_t number = idmap_number_pair(&g->numbers, (uint32_t)gpu, name);

	if (number == to->count) {
		MEM_GROW(to->all, g->group_cap, to->count + 1);
		to->all[to->count++] = (struct metric_group){
			.gpu = gpu,
			.device = g->device_of[gpu],
			.name = name == NAME_NONE ? (struct str){NULL, 0} : to->names.items[name]};
	}
	return number;
}

void metric_keep_piece(struct gathering *g, uint32_t group, struct span s)
{
	if (s.end_ns <= s.start_ns)
		return;
	MEM_GROW(g->pieces, g->cap, g->count + 1);
	g->pieces[g->count++] = (struct piece){group, s};
}

void metric_add_piece(struct gathering *g, uint32_t group, struct span s)
{
	s.start_ns = s.start_ns > g->q->window.start_ns ? s.start_ns : g->q->window.start_ns;
	s.end_ns = s.end_ns < g->q->window.end_ns ? s.end_ns : g->q->window.end_ns;
	metric_keep_piece(g, group, s);
}

size_t metric_gpu_of_op(const struct gathering *g, enum trace_kind kind, uint64_t i)
{
	uint32_t process, device;

	ops_place(&g->ops, kind, i, &process, &device);
	if (!scope_has_place(g->q->p, g->trace, process, device))
		return SIZE_MAX;
	for (size_t k = 0; k < g->metrics->count; k++) {
		if (g->device_of[k] == device)
			return k;
	}
	return SIZE_MAX;
}

bool metric_wants_gpu(const struct gathering *g, size_t gpu)
{
	return g->metrics->gpus[gpu].samples &&
	       (!g->q->p->has_device || g->q->p->device == g->device_of[gpu]);
}

struct span metric_op_span(const struct events *ev, uint64_t i)
{
	const int64_t ns = ev->duration_ns[i] > 0 ? ev->duration_ns[i] : 0;

	return (struct span){ev->start_ns[i], sat_add(ev->start_ns[i], ns)};
}

static void add_gpus(struct gathering *g)
{
	for (size_t i = 0; i < g->metrics->count; i++) {
		if (metric_wants_gpu(g, i))
			metric_add_piece(g, metric_group_of(g, i, NAME_NONE), g->q->window);
	}
}

static void add_kernels(struct gathering *g)
{
	const struct events *ev = &g->trace->events[TRACE_KERNELS];

	for (uint64_t i = 0; ev->name && ev->start_ns && ev->duration_ns && i < ev->count; i++) {
		const size_t gpu = metric_gpu_of_op(g, TRACE_KERNELS, i);

		if (gpu == SIZE_MAX || ev->name[i] == NAME_NONE)
			continue;
		metric_add_piece(g,
				 metric_group_of(g, gpu,
						 strtab_add(&g->to->names,
							    trace_name(g->trace, ev->name[i]))),
				 metric_op_span(ev, i));
	}
}

void metric_add_copy_name(struct buf *b, const struct copy_sort *c)
{
	buf_addstr(b, label_memcpy(c->kind));
	if (c->from == ID_NONE || c->to == ID_NONE)
		return;
	buf_addc(b, ' ');
	buf_addstr(b, label_memory_kind(c->from));
	buf_adds(b, " to ");
	buf_addstr(b, label_memory_kind(c->to));
}

static struct copy_sort sort_of(const struct events *ev, uint64_t i)
{
	return (struct copy_sort){ev->copy_kind ? ev->copy_kind[i] : ID_NONE,
				  ev->src_kind ? ev->src_kind[i] : ID_NONE,
				  ev->dst_kind ? ev->dst_kind[i] : ID_NONE};
}

/* Most copies are as the one before: `last`, whose name is known. */
static uint32_t copy_name(struct gathering *g, struct copy_sort sort, struct copy_sort *last,
			  uint32_t known)
{
	SCOPED_BUF name = {0};

	if (known != NAME_NONE && sort.kind == last->kind && sort.from == last->from &&
	    sort.to == last->to)
		return known;
	*last = sort;
	metric_add_copy_name(&name, &sort);
	return strtab_keep(&g->to->names, g->q->arena, buf_str(&name));
}

static int add_copies(struct gathering *g, struct err *e)
{
	const uint32_t columns = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_COPY_KIND) |
				 COL_BIT(COL_SRC_KIND) | COL_BIT(COL_DST_KIND);
	const struct events *ev = &g->trace->events[TRACE_MEMCPYS];
	struct copy_sort last = {0};
	uint32_t name = NAME_NONE;

	if (trace_load(g->trace, TRACE_MEMCPYS, columns, e) < 0)
		return -1;
	for (uint64_t i = 0; ev->start_ns && ev->duration_ns && i < ev->count; i++) {
		const size_t gpu = metric_gpu_of_op(g, TRACE_MEMCPYS, i);

		if (gpu == SIZE_MAX)
			continue;
		name = copy_name(g, sort_of(ev, i), &last, name);
		metric_add_piece(g, metric_group_of(g, gpu, name), metric_op_span(ev, i));
	}
	return 0;
}

static void add_steps(struct gathering *g)
{
	const struct warm_steps *w = &g->q->p->warm;

	for (size_t i = 0; i < w->count; i++) {
		const uint32_t name =
			strtab_add(&g->to->names, str_of(arena_printf(g->q->arena, "%zu", i + 1)));

		for (size_t k = 0; k < g->metrics->count; k++) {
			if (metric_wants_gpu(g, k))
				metric_add_piece(g, metric_group_of(g, k, name), w->all[i]);
		}
	}
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
		return metric_add_ranges(g, e);
	case METRICS_BY_PHASE:
		return metric_add_phases(g, e);
	case METRICS_BY_COPY:
		return add_copies(g, e);
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
	g.device_of = mem_alloc(q->metrics->count, sizeof(*g.device_of));
	for (size_t i = 0; i < q->metrics->count; i++)
		g.device_of[i] =
			gpu_metrics_device(&g.machine, &g.devices, q->metrics->gpus[i].gpu);
	result = ops_open(&g.ops, t, e);
	if (result == 0)
		result = gather(&g, e);
	if (result == 0)
		settle(&g);
	ops_close(&g.ops);
	device_map_free(&g.devices);
	idmap_free(&g.numbers);
	free(g.device_of);
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
