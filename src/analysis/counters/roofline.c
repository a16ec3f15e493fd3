/* Which kernels are how far below the device's ceilings? */
#include "analysis/counters/roofline.h"

#include "analysis/cell_values.h"
#include "analysis/counters/ncu_grids.h"
#include "analysis/counters/roofline_devices.h"
#include "base/mem.h"
#include "base/sort.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

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

/* The most to gain first; what is unknown comes last. */
static int by_headroom(const void *a, const void *b, void *ctx)
{
	const struct ncu_study *s = ctx;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	double x = roofline_headroom(s, i), y = roofline_headroom(s, j);

	x = isnan(x) ? -1 : x;
	y = isnan(y) ? -1 : y;
	return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

static void add_row(struct rows *t, const struct ncu_study *s, size_t group)
{
	const struct ncu_group *g = &s->groups.all[group];
	const char *ceiling = ncu_ceiling_name(g->ceiling);
	double headroom = roofline_headroom(s, group), whole = ncu_study_whole(s);

	rows_add(t, cell_str(g->name));
	rows_add(t, known_cell(headroom));
	rows_add(t, whole > 0 ? known_cell(100 * headroom / whole) : cell_null());
	rows_add(t, known_cell(ncu_study_time(s, group)));
	rows_add(t, known_cell(100 * roofline_attained(g)));
	rows_add(t, ceiling ? cell_text(ceiling) : cell_null());
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
	uint32_t *order = mem_alloc(count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	sort_stable(order, count, sizeof(*order), by_headroom, (void *)s);
	for (size_t i = 0; i < shown; i++)
		add_row(t, s, order[i]);
	t->table.total_rows = count;
	free(order);
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
	roof_devices_free(&devices);
	return 0;
}
