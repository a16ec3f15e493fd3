/* What did the GPUs' counters show under the bars of their time? */
#include "analysis/gpu/whole_run.h"
#include "analysis/metrics/metric_bins.h"
#include "base/mem.h"
#include "commands/report/report_parts.h"
#include "report/chart.h"

#include <math.h>
#include <stdlib.h>

/* More GPUs than this are in the tables alone: a page stays small enough to be sent. */
enum { GPUS_DRAWN = 4, PARTS_MOST = METRIC_LANES + 1 };

static const struct {
	const char *name;
	struct chart_lane scale;
} lanes[METRIC_LANES] = {
	[LANE_SMS] = {"SMs active", {UNIT_PERCENT, 100}},
	[LANE_TENSOR] = {"Tensor", {UNIT_PERCENT, 100}},
	[LANE_DRAM] = {"DRAM", {UNIT_PERCENT, 100}},
	[LANE_PCIE_IN] = {"PCIe in", {UNIT_PERCENT, 100}},
	[LANE_PCIE_OUT] = {"PCIe out", {UNIT_PERCENT, 100}},
	[LANE_NVLINK_IN] = {"NVLink in", {UNIT_PERCENT, 100}},
	[LANE_NVLINK_OUT] = {"NVLink out", {UNIT_PERCENT, 100}},
	[LANE_CLOCK] = {"Clock MHz", {UNIT_COUNT, 0}},
};

#define BIN_COLUMNS(key, title)                                           \
	{key "_pct", title, UNIT_PERCENT, 0, NULL, SHOW},                 \
	{                                                                 \
		key "_max_pct", title " max", UNIT_PERCENT, 0, NULL, SHOW \
	}

static const struct column columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, "start:", SHOW},
	{"end_ns", "End", UNIT_TIME_NS, 0, NULL, SHOW},
	BIN_COLUMNS("sms_active", "SMs active"),
	BIN_COLUMNS("tensor", "Tensor"),
	BIN_COLUMNS("dram", "DRAM"),
	BIN_COLUMNS("pcie_in", "PCIe in"),
	BIN_COLUMNS("pcie_out", "PCIe out"),
	BIN_COLUMNS("nvlink_in", "NVLink in"),
	BIN_COLUMNS("nvlink_out", "NVLink out"),
	{"clock_mhz", "Clock MHz", UNIT_RATIO, 0, NULL, SHOW},
	{"clock_max_mhz", "Clock MHz max", UNIT_RATIO, 0, NULL, SHOW},
};

struct drawing {
	struct report *report;
	const struct whole_run *run;
	struct rows *rows;
	struct metric_bins *bins;
	size_t drawn, skipped; /* GPUs so far */
	size_t place;	       /* where the next chart belongs among the blocks */
};

static struct cell known(double value)
{
	return isnan(value) ? cell_null() : cell_real(value);
}

static void add_rows(const struct drawing *d, uint32_t device)
{
	for (size_t i = 0; i < METRIC_BINS; i++) {
		const struct span span = metric_bin_span(d->bins, i);

		ROWS_ADD(d->rows, cell_int(device), cell_int(span.start_ns), cell_int(span.end_ns));
		for (int lane = 0; lane < METRIC_LANES; lane++)
			ROWS_ADD(d->rows, known(metric_bin_mean(&d->bins->bins[lane][i])),
				 known(metric_bin_max(&d->bins->bins[lane][i])));
	}
}

/* Of the device's share of time in which it is busy, each bucket is as wide as some bins. */
static void fill_busy(const struct chart *c, const struct utilisation *u, size_t device)
{
	const double *busy_ns = u->busy_ns + device * UTILISATION_BUCKETS;

	for (size_t i = 0; i < METRIC_BINS; i++) {
		chart_item(c, i)[0] =
			100 * busy_ns[i * UTILISATION_BUCKETS / METRIC_BINS] / u->width_ns;
		c->peaks[i * c->part_count] = NAN;
	}
}

static void fill_lane(const struct chart *c, const struct metric_bins *b, enum metric_lane lane,
		      size_t part)
{
	for (size_t i = 0; i < METRIC_BINS; i++) {
		chart_item(c, i)[part] = metric_bin_mean(&b->bins[lane][i]);
		c->peaks[i * c->part_count + part] = metric_bin_max(&b->bins[lane][i]);
	}
}

/* The lanes that have something to show, below how busy the GPU was. */
static void add_chart(struct drawing *d, size_t device)
{
	struct arena *a = &d->report->arena;
	struct chart_part *parts = arena_zalloc(a, PARTS_MOST, sizeof(*parts));
	struct chart_lane *scales = arena_zalloc(a, PARTS_MOST, sizeof(*scales));
	enum metric_lane of_part[PARTS_MOST];
	size_t count = 1;
	struct chart *c;

	parts[0].name = "GPU busy";
	scales[0] = (struct chart_lane){UNIT_PERCENT, 100};
	for (int lane = 0; lane < METRIC_LANES; lane++) {
		if (!metric_lane_is_shown(d->bins, lane))
			continue;
		parts[count].name = lanes[lane].name;
		scales[count] = lanes[lane].scale;
		of_part[count++] = lane;
	}
	if (count == 1)
		return;
	c = report_new_chart(d->report, CHART_SERIES,
			     arena_printf(a, "Counters of %s over time",
					  device_label(a, &d->run->timeline.devices[device])),
			     UNIT_PERCENT, METRIC_BINS, parts, count);
	c->lanes = scales;
	c->peaks = arena_zalloc(a, METRIC_BINS * count, sizeof(*c->peaks));
	c->from = (double)d->bins->window.start_ns;
	c->to = (double)d->bins->window.end_ns;
	fill_busy(c, &d->run->utilisation, device);
	for (size_t part = 1; part < count; part++)
		fill_lane(c, d->bins, of_part[part], part);
	report_move_last(d->report, d->place++);
}

/* A GPU that ran nothing has no bars to be under. */
static void add_gpu(struct drawing *d, const struct measured_gpu *g, uint32_t device)
{
	const struct timeline *l = &d->run->timeline;

	metric_bins_make(d->bins, g, (struct span){l->from_ns, l->to_ns});
	add_rows(d, device);
	for (size_t i = 0; i < l->count; i++) {
		if (l->devices[i].device != device)
			continue;
		if (d->drawn == GPUS_DRAWN) {
			d->skipped++;
		} else {
			add_chart(d, i);
			d->drawn++;
		}
	}
}

static int add_gpus(struct drawing *d, struct trace *t, const struct gpu_metrics *m, struct err *e)
{
	struct machine machine;
	struct device_map map;

	if (machine_read(t, &machine, e) < 0 || device_map_read(t, &map, e) < 0)
		return -1;
	for (size_t i = 0; i < m->count; i++) {
		if (m->gpus[i].samples)
			add_gpu(d, &m->gpus[i], gpu_metrics_device(&machine, &map, m->gpus[i].gpu));
	}
	device_map_free(&map);
	if (d->skipped) {
		report_note(d->report,
			    "Drawn for %d of %zu GPUs; tables/gpu_counters.csv has all of them.",
			    GPUS_DRAWN, GPUS_DRAWN + d->skipped);
		report_move_last(d->report, d->place);
	}
	return 0;
}

int parts_add_counters(struct parts *p, struct err *e)
{
	struct report *r = &p->all[PART_COUNTERS].report;
	struct drawing d = {.report = r, .place = 1};
	struct gpu_metrics m;
	int result;

	/* The trace keeps this run, and below the counters: nothing is read again. */
	if (whole_run_read(p->trace, &p->scope, false, 0, r, &d.run, e) < 0)
		return -1;
	if (d.run->timeline.to_ns <= d.run->timeline.from_ns)
		return 0;
	if (gpu_metrics_read(p->trace, &m, e) < 0)
		return -1;
	d.bins = mem_alloc(1, sizeof(*d.bins));
	d.rows = REPORT_ROWS(r, "counter_bins", NULL, columns);
	result = add_gpus(&d, p->trace, &m, e);
	free(d.bins);
	gpu_metrics_free(&m);
	return result;
}
