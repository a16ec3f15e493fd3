/* Where is the change, by class, range, kernel or category? */
#include "base/mem.h"
#include "diff/tables/diff_words.h"
#include "diff/tables/tables.h"

#include <math.h>

static const double shown_share = 0.0005; /* of a step: less is 0.0 % */

enum { VIEW_SHARE = 4 }; /* the column whose title says what it is a share of */

static const struct column view_columns[] = {
	{"group", "Group", UNIT_NAME, 0, NULL, SHOW},
	{"before_ns", "Before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"delta_pct", "Of the step", UNIT_CHANGE, 0, NULL, SHOW},
	{"before_sum_ns", "Before, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"after_sum_ns", "After, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"id", "Stable name", UNIT_NAME, 0, "", MACHINE_ONLY},
};

static const struct {
	enum diff_view view;
	const char *name, *title, *column;
	enum unit unit;
} views[] = {
	{VIEW_CLASS, "by_class", "Where the change", "Class", UNIT_NAME},
	{VIEW_RANGE, "by_range", "The change by range", "Range", UNIT_NAME},
	{VIEW_KERNEL, "by_kernel", "The change by kernel", "Kernel", UNIT_KERNEL},
	{VIEW_CATEGORY, "by_category", "The change by category", "Category", UNIT_NAME},
};

static void add_view_row(struct rows *rows, const struct diff *d, const struct view_row *v,
			 bool is_change)
{
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	const int64_t delta_ns = view_change(v->step_ns);

	rows_add(rows, v->literal ? cell_literal(str_of(v->words)) : cell_text(v->words));
	ROWS_ADD(rows, table_mix_cell(v->step_ns[BEFORE], is_change),
		 table_mix_cell(v->step_ns[AFTER], is_change), cell_int(delta_ns),
		 table_percent((double)delta_ns / before), cell_int(v->ns[BEFORE]),
		 cell_int(v->ns[AFTER]), cell_text(v->key));
}

/* The mix of kinds of steps is a row of its own, and the step is their sum. How many rows that is.
 */
static uint64_t add_sums(struct rows *rows, const struct diff *d, const struct view *v, bool people)
{
	const uint64_t before = rows->table.rows;
	struct view_row step = {.key = VIEW_STEP_SUM, .words = "step", .literal = true};
	struct view_row mix = {.key = VIEW_MIX, .words = "another mix of steps", .literal = true};

	if (people)
		step.words = diff_what(d);
	for (int side = 0; side < SIDES; side++) {
		step.ns[side] = d->sides.of[side].ns;
		step.step_ns[side] = v->step_ns[side];
		mix.step_ns[side] = v->beyond_ns[side];
	}
	if (d->beyond[BEFORE] || d->beyond[AFTER])
		add_view_row(rows, d, &mix, people);
	add_view_row(rows, d, &step, false);
	return rows->table.rows - before;
}

/* Rows that are worth a line: others are 0.0 % of the step. The largest comes first. */
static uint64_t count_sizeable(const struct diff *d, const struct view *v)
{
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	uint64_t count = 0;

	while (count < v->count &&
	       fabs((double)view_change(v->all[count].step_ns)) >= shown_share * before)
		count++;
	return count;
}

static size_t view_index(enum diff_view view)
{
	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		if (views[i].view == view)
			return i;
	}
	return ARRAY_LEN(views);
}

int diff_add_view(struct report *r, const struct diff *d, enum diff_view view, uint64_t limit,
		  bool people, struct err *e)
{
	const size_t which = view_index(view);
	struct column *columns = arena_alloc(&r->arena, ARRAY_LEN(view_columns), sizeof(*columns));
	const char *title;
	struct rows *rows;
	struct view v;

	if (view_make(&v, d, view, &r->arena, e) < 0)
		return -1;
	memcpy(columns, view_columns, sizeof(view_columns));
	title = view == VIEW_CLASS
			? arena_printf(&r->arena, "%s %s is", views[which].title, diff_of_what(d))
			: views[which].title;
	columns[0].title = r->fits_screen ? title : views[which].column;
	columns[0].unit = views[which].unit;
	columns[VIEW_SHARE].title = arena_printf(&r->arena, "Of the %s", diff_what(d));
	rows = report_new_rows(r, views[which].name, title, columns, ARRAY_LEN(view_columns));
	for (size_t i = 0; i < v.count; i++)
		add_view_row(rows, d, &v.all[i], false);
	rows->table.closing = add_sums(rows, d, &v, people);
	table_limit(r, rows, count_sizeable(d, &v), limit);
	return 0;
}
