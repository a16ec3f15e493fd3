/* How do the parts of each device's time stand beside each other? */
#include "analysis/gpu/partition.h"

#include "analysis/cell_values.h"
#include "base/mem.h"
#include "report/chart.h"
#include "trace/system/machine.h"

static const struct column device_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"gpu", "GPU", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"window_ns", "Window", UNIT_NS, 0, NULL, SHOW},
	{"compute_ns", "Compute", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"compute_pct", "Compute %", UNIT_PERCENT, 0, NULL, SHOW},
	{"exposed_comm_ns", "Exposed comm", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"exposed_comm_pct", "Comm %", UNIT_PERCENT, 0, NULL, SHOW},
	{"exposed_copy_ns", "Exposed copy", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"exposed_copy_pct", "Copy %", UNIT_PERCENT, 0, NULL, SHOW},
	{"idle_ns", "Idle", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"idle_pct", "Idle %", UNIT_PERCENT, 0, NULL, SHOW},
	{"busy_ns", "Busy", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"busy_pct", "Busy %", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"kernel_busy_ns", "Kernel busy", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"kernel_idle_ns", "Kernel idle", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"comm_ns", "Total comm", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"copy_ns", "Total copies", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"ops", "Ops", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
};

static void add_part(struct rows *rows, int64_t ns, int64_t window_ns)
{
	rows_add(rows, cell_int(ns));
	rows_add(rows, pct_cell(ns, window_ns));
}

/* The name of a device where the export numbers it as we do. */
static struct cell gpu_cell(const struct machine *m, uint32_t device)
{
	const struct gpu *gpu = machine_gpu(m, 0, device);

	return gpu ? cell_str(gpu->name) : cell_null();
}

/* Sets are copies to who looks at where time goes, unless there is nothing but sets. */
static const struct chart_part chart_parts[][4] = {
	{{"compute", HUE_COMPUTE},
	 {"exposed comm", HUE_COMM},
	 {"exposed copy", HUE_COPY},
	 {"idle", HUE_IDLE}},
	{{"compute", HUE_COMPUTE},
	 {"exposed comm", HUE_COMM},
	 {"exposed memset", HUE_COPY},
	 {"idle", HUE_IDLE}},
};

static void add_chart(struct report *r, const struct trace *t, const struct timeline *l)
{
	const bool only_sets =
		!t->events[TRACE_MEMCPYS].count && t->events[TRACE_MEMSETS].count > 0;
	struct chart *c = report_new_chart(r, CHART_STACK, "Each GPU's time", UNIT_NS, l->count,
					   chart_parts[only_sets], ARRAY_LEN(chart_parts[0]));

	for (size_t i = 0; i < l->count; i++) {
		const struct device_time *d = &l->devices[i];
		double *parts = chart_item(c, i);

		c->labels[i] = str_of(device_label(&r->arena, d));
		*parts++ = (double)device_compute_ns(d);
		*parts++ = (double)d->ns[SLICE_COMM];
		*parts++ = (double)d->ns[SLICE_COPY];
		*parts++ = (double)d->ns[SLICE_IDLE];
	}
}

int partition_report(struct report *r, struct trace *t, const struct timeline *l, struct err *e)
{
	int64_t window_ns = l->to_ns - l->from_ns;
	struct machine machine;
	struct rows *rows;

	add_chart(r, t, l);
	rows = report_new_rows(r, "gpu_partition", "Devices", device_columns,
			       ARRAY_LEN(device_columns));
	rows->table.kind = "device";
	if (machine_read(t, &machine, e) < 0)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		const struct device_time *d = &l->devices[i];

		rows_add(rows, id_cell(d->device));
		rows_add(rows, gpu_cell(&machine, d->device));
		rows_add(rows, cell_int(window_ns));
		add_part(rows, device_compute_ns(d), window_ns);
		add_part(rows, d->ns[SLICE_COMM], window_ns);
		add_part(rows, d->ns[SLICE_COPY], window_ns);
		add_part(rows, d->ns[SLICE_IDLE], window_ns);
		add_part(rows, device_busy_ns(l, d), window_ns);
		rows_add(rows, cell_int(d->kernel_busy_ns));
		rows_add(rows, cell_int(window_ns - d->kernel_busy_ns));
		rows_add(rows, cell_int(d->comm_ns));
		rows_add(rows, cell_int(d->copy_ns));
		rows_add(rows, cell_int((int64_t)d->ops));
	}
	return 0;
}
