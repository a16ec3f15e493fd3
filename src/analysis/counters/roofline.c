/* Which kernels are how far below the device's ceilings? */
#include "analysis/counters/roofline.h"

#include "analysis/cell_values.h"
#include "analysis/counters/ncu_study.h"
#include "base/mem.h"
#include "report/chart.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

/* The ceilings of the devices that were measured: at the highest clocks that any launch had. */

struct roof_device {
	struct str name;
	double peak_ops_per_s[NCU_PATHS]; /* NAN: unknown */
	double dram_bytes_per_s;
	bool shown[NCU_PATHS]; /* paths that kernels use, FP32, and the fastest of the tensor's */
};

enum { MOST_DEVICES = 16 }; /* models of GPUs in one profile */

struct roof_devices {
	struct roof_device all[MOST_DEVICES];
	size_t count;
};

static struct roof_device *device_of(struct roof_devices *d, struct str name)
{
	for (size_t i = 0; i < d->count; i++) {
		if (str_eq(d->all[i].name, name))
			return &d->all[i];
	}
	if (d->count == MOST_DEVICES)
		return NULL;
	d->all[d->count] = (struct roof_device){.name = name, .dram_bytes_per_s = NAN};
	for (int p = 0; p < NCU_PATHS; p++)
		d->all[d->count].peak_ops_per_s[p] = NAN;
	return &d->all[d->count++];
}

/* fmax() takes what is known. */
static void add_launch(struct roof_device *d, const struct ncu_kernel *k)
{
	d->dram_bytes_per_s = fmax(d->dram_bytes_per_s, k->peak_dram_bytes_per_s);
	for (int p = 0; p < NCU_PATHS; p++) {
		d->peak_ops_per_s[p] = fmax(d->peak_ops_per_s[p], k->peak_ops_per_s[p]);
		d->shown[p] = d->shown[p] || k->ops[p] > 0;
	}
}

/* Operations on whole numbers are no FLOPs: their roof is drawn where they occur alone. */
static void choose_roofs(struct roof_device *d)
{
	int fastest = NCU_PATHS;

	for (int p = NCU_TENSOR_FP64; p < NCU_TENSOR_INT8; p++) {
		if (!isnan(d->peak_ops_per_s[p]) &&
		    (fastest == NCU_PATHS || d->peak_ops_per_s[p] > d->peak_ops_per_s[fastest]))
			fastest = p;
	}
	if (fastest < NCU_PATHS)
		d->shown[fastest] = true;
	d->shown[NCU_FP32] = true;
	for (int p = 0; p < NCU_PATHS; p++)
		d->shown[p] = d->shown[p] && d->peak_ops_per_s[p] > 0;
}

static void roof_devices_find(struct roof_devices *d, const struct ncu_study *s)
{
	*d = (struct roof_devices){0};
	for (size_t i = 0; i < s->ncu->count; i++) {
		struct roof_device *device = device_of(d, s->ncu->kernels[i].device_name);

		if (device)
			add_launch(device, &s->ncu->kernels[i]);
	}
	for (size_t i = 0; i < d->count; i++)
		choose_roofs(&d->all[i]);
}

static const struct column ceiling_columns[] = {
	{"device", "Device", UNIT_NAME, 0, "dev:", SHOW_PREFERRED},
	{"ceiling", "Ceiling", UNIT_NAME, 0, "", SHOW},
	{"peak_flops_per_s", "Peak", UNIT_FLOPS_PER_S, 0, NULL, SHOW},
	{"peak_bytes_per_s", "Bandwidth", UNIT_BYTES_PER_S, 0, NULL, SHOW},
	{"ridge", "Ridge FLOP/B", UNIT_RATIO, 0, NULL, SHOW},
};

static void roof_devices_add_table(const struct roof_devices *d, struct report *r)
{
	struct rows *t = report_new_rows(r, "ceilings", "Ceilings, at the highest measured clocks",
					 ceiling_columns, ARRAY_LEN(ceiling_columns));

	for (size_t i = 0; i < d->count; i++) {
		const struct roof_device *x = &d->all[i];

		rows_add(t, text_or_null(x->name));
		rows_add(t, cell_text("DRAM"));
		rows_add(t, cell_null());
		rows_add(t, known_cell(x->dram_bytes_per_s));
		rows_add(t, cell_null());
		for (int p = 0; p < NCU_PATHS; p++) {
			if (!x->shown[p])
				continue;
			rows_add(t, text_or_null(x->name));
			rows_add(t, cell_text(ncu_path_name((enum ncu_path)p)));
			rows_add(t, cell_real(x->peak_ops_per_s[p]));
			rows_add(t, cell_null());
			rows_add(t, known_cell(x->peak_ops_per_s[p] / x->dram_bytes_per_s));
		}
	}
}

/* What has no operations, or no bytes, has no place on axes of logarithms. */
static bool has_place(const struct ncu_study *s, size_t group, const struct roof_device *d)
{
	const struct ncu_group *g = &s->groups.all[group];

	return str_eq(g->device_name, d->name) && g->flops > 0 && g->dram_bytes > 0 &&
	       g->duration_ns > 0 && ncu_study_time(s, group) > 0;
}

static struct chart_roof *roofs_of(const struct roof_device *d, struct report *r, size_t *count)
{
	struct chart_roof *roofs = arena_alloc(&r->arena, NCU_PATHS, sizeof(*roofs));

	*count = 0;
	for (int p = 0; p < NCU_PATHS; p++) {
		if (d->shown[p])
			roofs[(*count)++] = (struct chart_roof){ncu_path_name((enum ncu_path)p),
								d->peak_ops_per_s[p]};
	}
	return roofs;
}

static const char *title_of(const struct roof_device *d, const struct ncu_study *s,
			    struct report *r)
{
	struct buf b = {0};
	const char *title;

	buf_adds(&b, "Roofline");
	if (d->name.len) {
		buf_adds(&b, " of ");
		text_add_safe(&b, d->name);
	}
	buf_addf(&b, ": circles are kernels, sized by their time %s",
		 s->joined ? "in the run" : "in ncu");
	title = arena_strdup(&r->arena, b.s);
	buf_free(&b);
	return title;
}

static void add_chart(const struct roof_device *d, const struct ncu_study *s, struct report *r,
		      size_t count)
{
	struct chart *c = report_new_chart(r, CHART_ROOFLINE, title_of(d, s, r), UNIT_NS, count,
					   NULL, CHART_ROOF_VALUES);
	size_t at = 0;

	c->label_unit = UNIT_KERNEL;
	c->bytes_per_s = d->dram_bytes_per_s;
	c->roofs = roofs_of(d, r, &c->roof_count);
	for (size_t i = 0; i < s->groups.count; i++) {
		const struct ncu_group *g = &s->groups.all[i];

		if (!has_place(s, i, d))
			continue;
		c->labels[at] = g->name;
		chart_item(c, at)[CHART_ROOF_INTENSITY] = g->flops / g->dram_bytes;
		chart_item(c, at)[CHART_ROOF_FLOPS] = 1e9 * g->flops / g->duration_ns;
		chart_item(c, at)[CHART_ROOF_TIME] = ncu_study_time(s, i);
		at++;
	}
}

/* A chart of each device that has kernels with operations. */
static void roof_devices_add_charts(const struct roof_devices *d, const struct ncu_study *s,
				    struct report *r)
{
	for (size_t i = 0; i < d->count; i++) {
		size_t count = 0;

		for (size_t g = 0; g < s->groups.count; g++)
			count += has_place(s, g, &d->all[i]);
		if (count && d->all[i].dram_bytes_per_s > 0)
			add_chart(&d->all[i], s, r, count);
	}
}

static const struct column columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"headroom_ns", "Headroom", UNIT_NS, 0, NULL, SHOW},
	{"headroom_pct", "% of kernel time", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"attained_pct", "Attained", UNIT_PERCENT, 0, NULL, SHOW},
	{"ceiling", "Ceiling", UNIT_NAME, 0, NULL, SHOW},
	{"intensity", "FLOP/B", UNIT_RATIO, 0, NULL, SHOW_PREFERRED},
	{"flops_per_s", "FLOP/s", UNIT_FLOPS_PER_S, 0, NULL, SHOW_PREFERRED},
	{"dram_bytes_per_s", "DRAM rate", UNIT_BYTES_PER_S, 0, NULL, SHOW_IF_ROOM},
	{"bound", "Bound", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"ncu_ns", "ncu time", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"least_ns", "Time at ceiling", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"device", "Device", UNIT_NAME, 0, "dev:", MACHINE_ONLY},
	{"measured_pct", "Shapes measured", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
};

/* Sparse operations may pass a dense ceiling. */
double roofline_attained(const struct ncu_group *g)
{
	double share = g->duration_ns > 0 ? g->least_ns / g->duration_ns : NAN;

	return share > 1 ? 1 : share;
}

double roofline_headroom(const struct ncu_study *s, size_t group)
{
	return ncu_grids_time(s, group) * (1 - roofline_attained(&s->groups.all[group]));
}

static void add_row(struct rows *t, const struct ncu_study *s, size_t group)
{
	const struct ncu_group *g = &s->groups.all[group];
	double headroom = roofline_headroom(s, group), whole = ncu_study_whole(s);

	rows_add(t, cell_str(g->name));
	rows_add(t, known_cell(headroom));
	rows_add(t, whole > 0 ? known_cell(100 * headroom / whole) : cell_null());
	rows_add(t, known_cell(ncu_study_time(s, group)));
	rows_add(t, known_cell(100 * roofline_attained(g)));
	rows_add(t, word_or_null(ncu_ceiling_name(g->ceiling)));
	rows_add(t, known_cell(ncu_intensity(g->flops, g->dram_bytes)));
	rows_add(t, rate_cell(g->flops, g->duration_ns));
	rows_add(t, rate_cell(g->dram_bytes, g->duration_ns));
	rows_add(t, cell_text(ncu_bound_name(g->bound)));
	rows_add(t, known_cell(g->duration_ns));
	rows_add(t, known_cell(g->least_ns));
	rows_add(t, text_or_null(g->device_name));
	rows_add(t, ncu_grids_cell(s, group));
}

static void add_table(const struct ncu_study *s, uint64_t limit, struct report *r)
{
	struct rows *t =
		report_new_rows(r, "roofline", "Kernels by headroom", columns, ARRAY_LEN(columns));
	size_t count = s->groups.count, shown = limit && limit < count ? limit : count;
	double *headroom = mem_alloc(count, sizeof(*headroom));
	uint32_t *order;

	for (size_t i = 0; i < count; i++)
		headroom[i] = roofline_headroom(s, i);
	order = ncu_order(headroom, count);
	for (size_t i = 0; i < shown; i++)
		add_row(t, s, order[i]);
	t->table.total_rows = count;
	free(order);
	free(headroom);
}

static void note_sum(const struct ncu_study *s, struct report *r)
{
	double sum = 0, whole = ncu_study_whole(s);
	bool any = false;
	struct buf b = {0};

	for (size_t g = 0; g < s->groups.count; g++) {
		double ns = roofline_headroom(s, g);

		any |= !isnan(ns);
		sum += isnan(ns) ? 0 : ns;
	}
	if (!any)
		return;
	buf_adds(&b, "At their nearest ceilings these kernels would save ");
	units_add_ns(&b, sum);
	buf_adds(&b, " of ");
	units_add_ns(&b, whole);
	buf_adds(&b, s->joined ? " of kernel time in the run" : " that ncu measured");
	report_note(r, "%s: the most that faster kernels alone could gain.", b.s);
	buf_free(&b);
}

static bool any_known(const struct ncu_study *s)
{
	for (size_t g = 0; g < s->groups.count; g++) {
		if (!isnan(roofline_attained(&s->groups.all[g])))
			return true;
	}
	return false;
}

static int refuse(struct err *e)
{
	err_set(e, ERR_INPUT,
		"no launch has all that a roofline needs: operations, DRAM bytes, time and the "
		"device's peaks");
	e->absent = true;
	return err_hint(e, "ncu --set roofline -o REPORT PROGRAM …; then ncu --import "
			   "REPORT.ncu-rep --page raw --csv > FILE.csv");
}

int roofline_add(const struct ncu_study *s, uint64_t limit, struct report *r, struct err *e)
{
	struct roof_devices devices;

	if (!any_known(s))
		return refuse(e);
	roof_devices_find(&devices, s);
	note_sum(s, r);
	roof_devices_add_charts(&devices, s, r);
	add_table(s, limit, r);
	roof_devices_add_table(&devices, r);
	return 0;
}
