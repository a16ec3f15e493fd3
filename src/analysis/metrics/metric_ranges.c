/* Ranges and phases: when was their work on a GPU? */
#include "analysis/metrics/metric_gathering.h"

#include "analysis/steps/op_phases.h"
#include "base/mem.h"

#include <stdlib.h>

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
	const size_t gpu = metric_gpu_of_op(g, kind, i);
	const struct span span = metric_op_span(&g->trace->events[kind], i);

	for (uint32_t r = attribution_range(a, kind, i); r != RANGE_NONE; r = f->ranges[r].parent) {
		const uint32_t name = range_name(g, &f->ranges[r]);

		launches[r] = true;
		if (gpu != SIZE_MAX && name != NAME_NONE)
			metric_add_piece(g, metric_group_of(g, gpu, name), span);
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
			uint32_t group;

			if (!metric_wants_gpu(g, k))
				continue;
			group = metric_group_of(g, k, name);
			/* Some of that name launch: then those are what it is. */
			if (group < gpu_groups)
				continue;
			g->to->all[group].on_host = true;
			(g->q->p->chosen ? metric_keep_piece : metric_add_piece)(
				g, group, (struct span){r->start_ns, r->end_ns});
		}
	}
}

int metric_add_ranges(struct gathering *g, struct err *e)
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

/* What no phase took has a row, too. */
static void add_phase_ops(struct gathering *g, const struct op_phases *o, enum trace_kind kind)
{
	const struct events *ev = &g->trace->events[kind];
	struct phase_cursor cursor = {0};

	for (uint64_t i = 0; ev->start_ns && ev->duration_ns && i < ev->count; i++) {
		const size_t gpu = metric_gpu_of_op(g, kind, i);
		uint32_t phase;

		if (gpu == SIZE_MAX)
			continue;
		phase = op_phase(o, kind, i, &cursor);
		metric_add_piece(
			g,
			metric_group_of(g, gpu,
					strtab_keep(&g->to->names, g->q->arena,
						    phase == PHASE_NONE ? STR_LIT("unmapped")
									: o->map.names[phase])),
			metric_op_span(ev, i));
	}
}

int metric_add_phases(struct gathering *g, struct err *e)
{
	struct op_phases o;
	int result = op_phases_make(g->trace, g->q->p->phase_map, &o, e);

	if (result == 0 && !o.found)
		result = err_set(e, ERR_INPUT,
				 "no range of this trace has a name of a phase: --phase-map FILE "
				 "says which do");
	for (int kind = 0; result == 0 && kind < TRACE_GPU_KINDS; kind++) {
		if (o.calls.at.launches.kinds & 1u << kind)
			add_phase_ops(g, &o, kind);
	}
	op_phases_free(&o);
	return result;
}
