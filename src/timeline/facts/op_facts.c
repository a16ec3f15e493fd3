/* How was an op launched, what sort of work is it, and what did the GPU measure meanwhile? */
#include "timeline/facts/facts.h"

#include "base/mem.h"
#include "trace/event_row.h"

static int read_shape(struct trace *t, uint32_t row, struct launch_shape *ret, struct err *e)
{
	static const enum trace_column columns[] = {
		COL_GRID_X,  COL_GRID_Y,    COL_GRID_Z,	     COL_BLOCK_X,     COL_BLOCK_Y,
		COL_BLOCK_Z, COL_REGISTERS, COL_STATIC_SMEM, COL_DYNAMIC_SMEM};
	int64_t values[ARRAY_LEN(columns)];

	if (event_row_read(t, TRACE_KERNELS, row, columns, ARRAY_LEN(columns), values, e) < 0)
		return -1;
	*ret = (struct launch_shape){{values[0], values[1], values[2]},
				     {values[3], values[4], values[5]},
				     values[6],
				     values[7],
				     values[8]};
	return 0;
}

static int read_bytes(struct trace *t, enum trace_kind kind, uint32_t row, int64_t *ret,
		      struct err *e)
{
	static const enum trace_column column = COL_BYTES;

	return event_row_read(t, kind, row, &column, 1, ret, e);
}

/* What the counters measured on the op's GPU; NULL: nothing. */
static const struct measured_gpu *gpu_of(const struct track_part *r, uint32_t device)
{
	for (size_t i = 0; i < r->set->count; i++) {
		if (r->set->all[i].part == r && r->set->all[i].kind == TRACK_COUNTER &&
		    r->set->all[i].device == device)
			return r->counters.all[r->set->all[i].source].gpu;
	}
	return NULL;
}

static int find_counters(struct facts *f, struct event_facts *x, struct err *e)
{
	const uint32_t device = x->track->device;
	const struct measured_gpu *gpu = gpu_of(f->part, device);
	const struct span own = {x->event.start_ns, x->event.end_ns};

	if (!gpu)
		return 0;
	x->counters.own = metric_average(gpu, &own, 1);
	if (!f->has_metrics &&
	    kernel_metrics_read(f->part->trace, &f->part->scope,
				span_shift(f->part->set->limits, -f->part->shift_ns), &f->metrics,
				e) < 0)
		return err_forgive_absent(e);
	f->has_metrics = x->counters.has_all = true;
	kernel_metrics_cells(&f->metrics, x->name, device, x->counters.all);
	return 0;
}

static const struct gpu *gpu_of_kernel(const struct facts *f, uint32_t row)
{
	const struct trace *t = f->part->trace;
	const struct events *ev = &t->events[TRACE_KERNELS];
	const uint32_t process = event_process(ev, row);

	if (!ev->device || ev->device[row] == ID_NONE)
		return NULL;
	return machine_gpu(&f->machine,
			   process < t->process_keys.count ? t->process_keys.keys[process] : 0,
			   ev->device[row]);
}

int facts_find_op(struct facts *f, struct event_facts *x, struct err *e)
{
	const enum trace_kind kind = op_id_kind(x->event.id);
	const uint32_t row = op_id_row(x->event.id);
	struct trace *t = f->part->trace;

	if (kind == TRACE_GRAPHS)
		return 0;
	if (categories_find(&f->categories, x->name, kind != TRACE_KERNELS, &x->category, e) < 0)
		return -1;
	if (kind != TRACE_KERNELS)
		return read_bytes(t, kind, row, &x->bytes, e);
	if (read_shape(t, row, &x->shape, e) < 0)
		return -1;
	occupancy_find(gpu_of_kernel(f, row), &x->shape, &x->occupancy);
	x->ncu = ncu_study_find(&f->ncu, x->name);
	return find_counters(f, x, e);
}
