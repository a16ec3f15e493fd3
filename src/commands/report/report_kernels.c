/* Which kernels take the time, and how far are they from what the GPU can do? */
#include "analysis/cell_values.h"
#include "analysis/counters/ncu_study.h"
#include "analysis/counters/roofline.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "commands/report/report_summary.h"
#include "text/units.h"

enum { KERNELS = 5 };

static const struct column columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"bound", "Bound", UNIT_NAME, 0, NULL, SHOW},
	{"headroom_ns", "Headroom", UNIT_NS, 0, NULL, SHOW},
	{"attained_pct", "Attained", UNIT_PERCENT, 0, NULL, SHOW},
	{"ceiling", "Ceiling", UNIT_NAME, 0, NULL, SHOW},
	{"count", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"avg_ns", "Mean", UNIT_NS, 0, NULL, SHOW},
};

static void add_measured(struct rows *rows, const struct ncu_study *s, struct str kernel)
{
	const struct ncu_group *g = ncu_study_find(s, kernel);
	const char *ceiling = g ? ncu_ceiling_name(g->ceiling) : NULL;

	ROWS_ADD(rows, g ? cell_text(ncu_bound_name(g->bound)) : cell_null(),
		 g ? known_cell(roofline_headroom(s, (size_t)(g - s->groups.all))) : cell_null(),
		 g ? known_cell(100 * roofline_attained(g)) : cell_null(),
		 ceiling ? cell_text(ceiling) : cell_null());
}

static void add_row(struct rows *rows, const struct parts *p, const struct table *t, uint64_t i)
{
	struct cell kernel = table_cell(t, i, "kernel");
	struct str name = kernel.kind == CELL_TEXT ? arena_str(rows->arena, kernel.s) : STR_LIT("");

	ROWS_ADD(rows, text_or_null(name), table_cell(t, i, "total_ns"), table_cell(t, i, "pct"));
	add_measured(rows, &p->study, name);
	ROWS_ADD(rows, table_cell(t, i, "count"), table_cell(t, i, "avg_ns"));
}

static void add_table(const struct parts *p, const struct table *t, struct report *view)
{
	struct rows *rows = REPORT_ROWS(view, "summary_kernels", NULL, columns);

	rows->table.kind = "kernel";
	rows->table.sorted_by = "total_ns";
	for (uint64_t i = 0; i < t->rows && i < KERNELS; i++)
		add_row(rows, p, t, i);
	rows_hide_empty(rows);
}

/* Whether a ceiling is known of any of those that were measured. */
static bool has_ceilings(const struct ncu_study *s)
{
	for (size_t g = 0; g < s->groups.count; g++) {
		if (ncu_ceiling_name(s->groups.all[g].ceiling))
			return true;
	}
	return false;
}

static void note_measured(const struct parts *p, struct report *view)
{
	const struct report *ncu = &p->all[PART_NCU].report;

	if (!p->all[PART_NCU].made) {
		report_note(view,
			    "Bounds and headroom need an Nsight Compute profile: --ncu FILE.csv.");
		return;
	}
	if (ncu->has_coverage)
		report_note(view,
			    "Nsight Compute measured kernels that take %.1f %% of the kernel time; "
			    "measurements at grids and blocks that do not occur in the run are "
			    "left out here.",
			    100 * ncu->coverage);
	if (has_ceilings(&p->study))
		report_note(view, "Bound is the unit that a kernel uses most, or latency if it "
				  "uses none heavily. Headroom is its time above the nearest "
				  "ceiling of the GPU: the most that a faster kernel could gain.");
	else
		report_note(view, "The profile lacks the counters for ceilings and headroom: use "
				  "ncu --set roofline and its raw page.");
}

/* Of graphs that were recorded as a whole nobody knows the kernels. */
static void note_graphs(const struct parts *p, struct report *view)
{
	const struct table *t = part_table(&p->all[PART_GRAPHS], "graphs");

	int64_t hidden_ns = 0;
	struct buf b = {0};

	for (uint64_t i = 0; t && i < t->rows; i++) {
		struct cell how = table_cell(t, i, "recorded");
		bool whole = how.kind == CELL_TEXT && str_eq(how.s, STR_LIT("whole"));
		struct cell ns = table_cell(t, i, "total_ns");

		if (whole && ns.kind == CELL_INT)
			hidden_ns = sat_add(hidden_ns, ns.i);
	}
	if (!hidden_ns)
		return;
	units_add_ns(&b, (double)hidden_ns);
	report_note(view,
		    "Incomplete: %s of GPU time is in CUDA graphs recorded as a whole. Capture "
		    "with --cuda-graph-trace=node to see their kernels.",
		    b.s);
	buf_free(&b);
}

void summary_add_kernels(const struct parts *p, struct report *view)
{
	const struct part *part = &p->all[PART_SUMMARY];
	const struct table *kernels = part_table(part, "kernels");

	report_heading(view, "Top kernels by time");
	if (!kernels || !kernels->rows) {
		report_note(view, "Not in this capture: kernels.");
		return;
	}
	summary_note_window(part, view);
	note_graphs(p, view);
	add_table(p, kernels, view);
	note_measured(p, view);
}
