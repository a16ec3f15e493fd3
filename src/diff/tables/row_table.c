/* Which leaves changed most, each against what it was matched with? */
#include "diff/tables/diff_words.h"
#include "diff/tables/tables.h"

#include <string.h>

static const char row_title[] = "What changed most";

static const struct column row_columns[] = {
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"what", "What", UNIT_KERNEL, 0, "", SHOW},
	{"range", "Range", UNIT_NAME, 0, "range:", SHOW},
	{"before_ns", "Before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"match", "Match", UNIT_NAME, 0, NULL, SHOW_IF_ROOM},
	{"calls_part_ns", "By calls", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"duration_part_ns", "By duration", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"exposed_part_ns", "By exposure", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"p", "p", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"class", "Class", UNIT_NAME, 0, "class:", MACHINE_ONLY},
	{"blame", "Blame", UNIT_NAME, 0, "blame:", MACHINE_ONLY},
	{"sure", "Sure", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"name_before", "Before", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"name_after", "After", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"range_before", "Range before", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"grid_before", "Grid before", UNIT_NAME, 0, "before:", MACHINE_ONLY},
	{"grid_after", "Grid after", UNIT_NAME, 0, "after:", MACHINE_ONLY},
	{"leaves_before", "Leaves before", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"leaves_after", "Leaves after", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"calls_before", "Calls before", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"calls_after", "Calls after", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"before_sum_ns", "Before, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"after_sum_ns", "After, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"mix_ns", "By the mix", UNIT_CHANGE_NS, 0, NULL, MACHINE_ONLY},
	{"before_run", "Longest before in run", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"before_start_ns", "… at", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"after_run", "Longest after in run", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"after_start_ns", "… at", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

/* On one screen how a row was matched is worth more than what it took before. */
static const struct column *screen_columns(struct arena *arena)
{
	struct column *columns = arena_alloc(arena, ARRAY_LEN(row_columns), sizeof(*columns));

	memcpy(columns, row_columns, sizeof(row_columns));
	for (size_t i = 0; i < ARRAY_LEN(row_columns); i++) {
		if (strcmp(columns[i].key, "what") == 0)
			columns[i].title = row_title;
		else if (strcmp(columns[i].key, "match") == 0)
			columns[i].show = SHOW;
		else if (strcmp(columns[i].key, "before_ns") == 0)
			columns[i].show = SHOW_IF_ROOM;
		else if (str_ends(str_of(columns[i].key), "_part_ns"))
			columns[i].show = SHOW_IF_ALL;
	}
	return columns;
}

static struct cell text_or_null(const struct leaf *l, const char *text)
{
	return l && text[0] ? cell_text(text) : cell_null();
}

static const char *name_in(const struct diff *d, const struct diff_row *row, enum side side,
			   size_t leaf)
{
	return d->sides.of[side].leaves[row->match->leaves[side][leaf]].key->name;
}

/* Kernels of one name may have several grids, and be a leaf for each. */
static bool is_named_before(const struct diff *d, const struct diff_row *row, enum side side,
			    size_t leaf)
{
	for (size_t i = 0; i < leaf; i++) {
		if (strcmp(name_in(d, row, side, i), name_in(d, row, side, leaf)) == 0)
			return true;
	}
	return false;
}

/* All names of a block, each once, so that a reader sees what became what; idle time has none. */
static struct cell names_of(struct report *r, const struct diff *d, const struct diff_row *row,
			    enum side side)
{
	struct buf b = {0};

	for (size_t i = 0; i < row->match->count[side]; i++) {
		const char *name = name_in(d, row, side, i);

		if (name[0] && !is_named_before(d, row, side, i))
			buf_addf(&b, "%s%s", b.len ? "\n" : "", name);
	}
	return b.len ? report_take_cell(r, &b) : cell_null();
}

static struct cell what_of(struct report *r, const struct diff_row *row)
{
	const struct leaf *l = diff_row_leaf(row);

	if (l->class == LEAF_IDLE)
		return cell_literal(
			str_of(arena_printf(&r->arena, "idle: %s", blame_names[l->blame])));
	if (row->match->how == MATCH_BLOCK) {
		struct buf b = {0};

		op_name_add_short(&b, row->leaf[BEFORE]);
		buf_adds(&b, " → ");
		op_name_add_short(&b, l);
		return cell_literal(str_of(report_take_text(r, &b)));
	}
	return op_name_is_kernel(l) ? cell_text(l->name) : cell_literal(str_of(l->name));
}

static struct cell match_of(struct report *r, const struct diff_row *row)
{
	if (row->match->how == MATCH_BLOCK)
		return cell_text(arena_printf(&r->arena, "replaced %zu:%zu",
					      row->match->count[BEFORE], row->match->count[AFTER]));
	return cell_text(match_words[row->match->how]);
}

static struct cell part_cell(const struct diff_row *row, enum delta_part part)
{
	return row->has_parts ? cell_int(row->part_ns[part]) : cell_null();
}

/* Whether anybody knows where the longest stretch of it is: a baseline does not. */
static bool has_place(const struct diff *d, const struct diff_row *row, enum side side)
{
	return row->leaf[side] && !d->sides.of[side].runs[row->longest_run[side]]->is_kept;
}

/* The run that has it, as the table of runs counts them. */
static struct cell run_of(const struct diff *d, const struct diff_row *row, enum side side)
{
	return has_place(d, row, side) ? cell_int((int64_t)row->longest_run[side] + 1)
				       : cell_null();
}

static struct cell place_of(const struct diff *d, const struct diff_row *row, enum side side)
{
	return has_place(d, row, side) ? cell_int(row->sum[side].longest_at_ns) : cell_null();
}

static void add_row(struct rows *rows, struct report *r, const struct diff *d,
		    const struct diff_row *row)
{
	const struct leaf *b = row->leaf[BEFORE], *a = row->leaf[AFTER], *l = a ? a : b;

	ROWS_ADD(rows, cell_int(row->step_ns[AFTER] - row->step_ns[BEFORE]), what_of(r, row),
		 cell_text(l->path), cell_int(row->step_ns[BEFORE]), cell_int(row->step_ns[AFTER]),
		 match_of(r, row), part_cell(row, PART_CALLS), part_cell(row, PART_DURATION),
		 part_cell(row, PART_EXPOSED), cell_finite(row->p),
		 cell_text(leaf_class_keys[l->class]),
		 l->class == LEAF_IDLE ? cell_text(blame_keys[l->blame]) : cell_null(),
		 cell_real(row->match->sure), names_of(r, d, row, BEFORE),
		 names_of(r, d, row, AFTER), b ? cell_text(b->path) : cell_null(),
		 text_or_null(b, b ? b->grid : ""), text_or_null(a, a ? a->grid : ""),
		 cell_int((int64_t)row->match->count[BEFORE]),
		 cell_int((int64_t)row->match->count[AFTER]),
		 cell_int((int64_t)row->sum[BEFORE].calls),
		 cell_int((int64_t)row->sum[AFTER].calls), cell_int(row->sum[BEFORE].ns),
		 cell_int(row->sum[AFTER].ns), cell_real(diff_step_ns(d, row->mix)),
		 run_of(d, row, BEFORE), place_of(d, row, BEFORE), run_of(d, row, AFTER),
		 place_of(d, row, AFTER));
}

/* A row that is no leaf's. */
static void add_sum(struct rows *rows, const char *what, const char *match, const int64_t ns[SIDES],
		    bool is_part)
{
	for (size_t i = 0; i < ARRAY_LEN(row_columns); i++) {
		const char *key = row_columns[i].key;

		if (strcmp(key, "delta_ns") == 0)
			rows_add(rows, cell_int(ns[AFTER] - ns[BEFORE]));
		else if (strcmp(key, "what") == 0)
			rows_add(rows, cell_literal(str_of(what)));
		else if (strcmp(key, "match") == 0)
			rows_add(rows, match ? cell_text(match) : cell_null());
		else if (strcmp(key, "before_ns") == 0)
			rows_add(rows, table_mix_cell(ns[BEFORE], is_part));
		else if (strcmp(key, "after_ns") == 0)
			rows_add(rows, table_mix_cell(ns[AFTER], is_part));
		else if (str_ends(str_of(key), "_sum_ns")) /* all steps' time is in the others */
			rows_add(rows, cell_int(0));
		else
			rows_add(rows, cell_null());
	}
}

/* What another mix of kinds of steps makes is no row's: with it the rows sum up to the step, which
 * people are told. How many rows that is. */
static uint64_t add_sums(struct rows *rows, const struct diff *d, bool people)
{
	const uint64_t before = rows->table.rows;
	int64_t step_ns[SIDES] = {d->beyond_ns[BEFORE], d->beyond_ns[AFTER]};

	for (size_t i = 0; i < d->row_count; i++) {
		for (int side = 0; side < SIDES; side++)
			step_ns[side] += d->rows[i].step_ns[side];
	}
	if (d->beyond[BEFORE] || d->beyond[AFTER])
		add_sum(rows, "another mix of steps", "mix", d->beyond_ns, people);
	if (people)
		add_sum(rows, diff_what(d), NULL, step_ns, false);
	return rows->table.rows - before;
}

void diff_add_rows(struct report *r, const struct diff *d, uint64_t limit, bool people)
{
	const struct column *columns = r->fits_screen ? screen_columns(&r->arena) : row_columns;
	struct rows *rows = report_new_rows(r, "rows", row_title, columns, ARRAY_LEN(row_columns));
	uint64_t changed = 0;

	for (size_t i = 0; i < d->row_count; i++) {
		add_row(rows, r, d, &d->rows[i]);
		changed += d->rows[i].delta != 0; /* the largest comes first */
	}
	rows->table.closing = add_sums(rows, d, people);
	table_hide_empty(rows);
	table_limit(r, rows, changed, limit);
}
