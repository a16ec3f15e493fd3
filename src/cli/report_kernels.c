/* Which kernels take the time, and how far are they from what the GPU can do? */
#include "analysis/cells.h"
#include "analysis/roofline.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "cli/report_summary.h"

enum { KERNELS = 5 };

static const struct column columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"bound", "Bound", UNIT_NAME, 0, NULL, SHOW},
	{"headroom_ns", "Headroom", UNIT_NS, 0, NULL, SHOW},
	{"attained_pct", "Attained", UNIT_PERCENT, 0, NULL, SHOW},
	{"ceiling", "of ceiling", UNIT_NAME, 0, NULL, SHOW},
	{"count", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"avg_ns", "Mean", UNIT_NS, 0, NULL, SHOW},
};

/* What ncu measured of a kernel of the trace; SIZE_MAX: nothing that is sure to be of it. */
static size_t find_group(const struct ncu_study *s, struct str kernel)
{
	for (size_t g = 0; s->joined && g < s->groups.count; g++) {
		const struct ncu_traced *t = ncu_join_traced(&s->join, g);

		if (t && str_eq(t->name, kernel))
			return g;
	}
	return SIZE_MAX;
}

static void add_measured(struct rows *rows, const struct ncu_study *s, struct str kernel)
{
	size_t group = find_group(s, kernel);
	const struct ncu_group *g = group == SIZE_MAX ? NULL : &s->groups.all[group];
	const char *ceiling = g ? ncu_ceiling_name(g->ceiling) : NULL;

	rows_add(rows, g ? cell_text(ncu_bound_name(g->bound)) : cell_null());
	rows_add(rows, g ? known_cell(roofline_headroom(s, group)) : cell_null());
	rows_add(rows, g ? known_cell(100 * roofline_attained(g)) : cell_null());
	rows_add(rows, ceiling ? cell_text(ceiling) : cell_null());
}

static void add_row(struct rows *rows, const struct parts *p, const struct table *t, uint64_t i,
		    struct cell *cells)
{
	struct cell kernel = table_cell(t, i, "kernel", cells);
	struct str name = kernel.kind == CELL_TEXT ? arena_str(rows->arena, kernel.s) : STR_LIT("");

	rows_add(rows, text_or_null(name));
	rows_add(rows, table_cell(t, i, "total_ns", cells));
	rows_add(rows, table_cell(t, i, "pct", cells));
	add_measured(rows, &p->study, name);
	rows_add(rows, table_cell(t, i, "count", cells));
	rows_add(rows, table_cell(t, i, "avg_ns", cells));
}

static void add_table(const struct parts *p, const struct table *t, struct report *view)
{
	struct cell *cells = arena_zalloc(&view->arena, t->column_count, sizeof(*cells));
	struct rows *rows =
		report_new_rows(view, "summary_kernels", NULL, columns, ARRAY_LEN(columns));

	rows->table.kind = "kernel";
	for (uint64_t i = 0; i < t->rows && i < KERNELS; i++)
		add_row(rows, p, t, i, cells);
	rows_hide_empty(rows);
}

static void note_measured(const struct parts *p, struct report *view)
{
	if (!p->all[PART_NCU].made)
		report_note(view, "What bounds them, and how far from their ceilings they are, "
				  "needs a profile of Nsight Compute: --ncu FILE.csv.");
	else
		report_note(view,
			    "Headroom is a kernel's time beyond the nearest ceiling of the GPU, at "
			    "the share attained: the most that a faster kernel could gain.");
}

void summary_add_kernels(const struct parts *p, struct report *view)
{
	const struct part *part = &p->all[PART_SUMMARY];
	const struct table *kernels = part_table(part, "kernels");

	report_heading(view, "Kernels that take the most time");
	if (!kernels || !kernels->rows) {
		report_note(view, "Not in this capture: kernels.");
		return;
	}
	summary_note_window(part, view);
	add_table(p, kernels, view);
	note_measured(p, view);
}
