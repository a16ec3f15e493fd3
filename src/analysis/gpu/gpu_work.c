/* Which GPU ops is the question about, and which part of each? */
#include "analysis/gpu/gpu_work.h"

#include "analysis/analysis.h"
#include "analysis/gpu/process_gpus.h"
#include "base/buf.h"
#include "text/units.h"

static int load_kind(struct gpu_work *w, enum trace_kind kind, struct err *e)
{
	uint32_t columns = COLS_TIMES;
	struct trace *t = w->trace;

	if (w->p->has_device)
		columns |= COLS_PROCESS_DEVICE;
	if (w->p->has_pid)
		columns |= COL_BIT(COL_PROCESS);
	if (process_gpus_load(t, kind, columns, w->p, e) < 0)
		return -1;
	w->any |= t->events[kind].count > 0;
	return 0;
}

int gpu_work_open(struct gpu_work *w, struct trace *t, unsigned kinds, const struct scope *p,
		  struct err *e)
{
	*w = (struct gpu_work){.trace = t, .p = p};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (kinds & NEEDS(kind) && load_kind(w, (enum trace_kind)kind, e) < 0)
			return -1;
	}
	return device_map_read(t, &w->devices, e);
}

void gpu_work_close(struct gpu_work *w)
{
	device_map_free(&w->devices);
}

bool gpu_work_passes(const struct gpu_work *w, enum trace_kind kind, uint64_t op)
{
	const struct events *ev = &w->trace->events[kind];

	if (w->p->has_device && device_map_of(&w->devices, ev, op) != w->p->device)
		return false;
	return scope_has_process(w->p, w->trace, event_process(ev, op));
}

void gpu_work_warn(const struct gpu_work *w, unsigned kinds, struct report *r)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &w->trace->events[kind];
		uint64_t without = 0;

		for (uint64_t i = 0; kinds & NEEDS(kind) && i < ev->count; i++)
			without += ev->duration_ns[i] == DURATION_NONE;
		if (without)
			report_warning(r, "%llu %s have no valid start or end and are left out",
				       (unsigned long long)without,
				       trace_kind_title((enum trace_kind)kind));
	}
}

int warn_of_hidden_graphs(struct trace *t, struct report *r, struct err *e)
{
	const struct events *ev = &t->events[TRACE_GRAPHS];
	double total_ns = 0;
	struct buf time = {0};

	if (trace_load(t, TRACE_GRAPHS, COL_BIT(COL_DURATION), e) < 0)
		return -1;
	if (!ev->count || !ev->duration_ns)
		return 0;
	for (uint64_t i = 0; i < ev->count; i++)
		total_ns += ev->duration_ns[i] == DURATION_NONE ? 0 : (double)ev->duration_ns[i];
	units_add_ns(&time, total_ns);
	report_warning(r,
		       "%llu whole-graph launches took %s; the kernels inside them were not "
		       "recorded and are not in this table: capture with --cuda-graph-trace=node",
		       (unsigned long long)ev->count, time.s);
	buf_free(&time);
	return 0;
}
