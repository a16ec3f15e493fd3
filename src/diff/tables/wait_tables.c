/* How long do ranks wait for each other on each side, for whom, and in what? */
#include "base/sort.h"
#include "diff/tables/tables.h"

#include <math.h>
#include <string.h>

/* Of a step; NAN: no run of the side tells any. */
struct wait_row {
	const char *name;
	double of[WAIT_FIGURES][SIDES];
};

bool diff_knows_waits(const struct diff *d)
{
	for (int side = 0; side < SIDES; side++) {
		for (size_t r = 0; r < d->sides.of[side].run_count; r++) {
			if (d->sides.of[side].runs[r]->waits.known)
				return true;
		}
	}
	return false;
}

static const struct wait_list *list_of(const struct account *run, enum diff_view view)
{
	return view == VIEW_RANK ? &run->waits.ranks : &run->waits.collectives;
}

/* The mean of the runs that know; what such a run does not have is 0. */
static void sum_side(struct wait_row *row, const struct side_runs *s, enum side side,
		     enum diff_view view)
{
	double sums[WAIT_FIGURES] = {0};
	size_t known = 0;

	for (size_t r = 0; r < s->run_count; r++) {
		const struct wait *w = wait_list_find(list_of(s->runs[r], view), row->name);

		known += s->runs[r]->waits.known;
		for (int k = 0; w && k < WAIT_FIGURES; k++)
			sums[k] += (double)w->figures[k] / (double)s->runs[r]->step_count;
	}
	for (int k = 0; k < WAIT_FIGURES; k++)
		row->of[k][side] = known ? sums[k] / (double)known : NAN;
}

/* Names of all runs of both sides, each once. */
static struct wait_list list_names(const struct diff *d, enum diff_view view, struct arena *arena)
{
	struct wait_list names = {0};
	size_t most = 0;

	for (int side = 0; side < SIDES; side++) {
		for (size_t r = 0; r < d->sides.of[side].run_count; r++)
			most += list_of(d->sides.of[side].runs[r], view)->count;
	}
	names.all = arena_alloc(arena, most, sizeof(*names.all));
	for (int side = 0; side < SIDES; side++) {
		for (size_t r = 0; r < d->sides.of[side].run_count; r++) {
			const struct wait_list *l = list_of(d->sides.of[side].runs[r], view);

			for (size_t i = 0; i < l->count; i++)
				names.all[names.count++] = l->all[i];
		}
	}
	wait_list_sort(&names);
	return names;
}

static double change_size(const struct wait_row *r)
{
	const double change = r->of[WAIT_NS][AFTER] - r->of[WAIT_NS][BEFORE];

	return isnan(change) ? 0 : fabs(change);
}

static int by_change(const void *p, const void *q, void *ctx)
{
	const struct wait_row *a = p, *b = q;
	const double x = change_size(a), y = change_size(b);

	(void)ctx;
	return x != y ? (x < y) - (x > y) : strcmp(a->name, b->name);
}

/* Whom, or what, ranks wait for so much more or less than before comes first. */
static struct wait_row *list_rows(const struct diff *d, enum diff_view view, struct arena *arena,
				  size_t *ret_count)
{
	const struct wait_list names = list_names(d, view, arena);
	struct wait_row *all = arena_alloc(arena, names.count, sizeof(*all));

	for (size_t i = 0; i < names.count; i++) {
		all[i].name = names.all[i].name;
		for (int side = 0; side < SIDES; side++)
			sum_side(&all[i], &d->sides.of[side], (enum side)side, view);
	}
	sort_stable(all, names.count, sizeof(*all), by_change, NULL);
	*ret_count = names.count;
	return all;
}

/* The time waited, and its change; then the other figures, each before and after. */
static void add_rows(struct rows *rows, const struct diff *d, enum diff_view view,
		     struct arena *arena, const enum wait_figure *others, size_t other_count,
		     uint64_t limit)
{
	size_t count;
	const struct wait_row *all = list_rows(d, view, arena, &count);

	for (size_t i = 0; i < count && (!limit || i < limit); i++) {
		const double(*of)[SIDES] = all[i].of;

		ROWS_ADD(rows, cell_text(all[i].name), cell_finite(of[WAIT_NS][BEFORE]),
			 cell_finite(of[WAIT_NS][AFTER]),
			 cell_finite(of[WAIT_NS][AFTER] - of[WAIT_NS][BEFORE]));
		for (size_t k = 0; k < other_count; k++)
			ROWS_ADD(rows, cell_finite(of[others[k]][BEFORE]),
				 cell_finite(of[others[k]][AFTER]));
	}
	rows->table.total_rows = count;
}

static const struct column rank_columns[] = {
	{"rank", "Rank", UNIT_NAME, 0, "", SHOW},
	{"before_ns", "Others wait before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"late_before_ns", "Late before", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"late_after_ns", "Late after", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"waited_before_ns", "Own wait before", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"waited_after_ns", "Own wait after", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"last_before", "Last a step before", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"last_after", "Last a step after", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
};

void diff_add_ranks(struct report *r, const struct diff *d, uint64_t limit)
{
	static const enum wait_figure others[] = {WAIT_LATE_NS, WAIT_OWN_NS, WAIT_COUNT};
	struct rows *rows = REPORT_ROWS(r, "ranks", "Waiting for ranks in collectives, of a step",
					rank_columns);

	add_rows(rows, d, VIEW_RANK, &r->arena, others, ARRAY_LEN(others), limit);
}

static const struct column collective_columns[] = {
	{"collective", "Collective", UNIT_NAME, 0, "", SHOW},
	{"before_ns", "All ranks wait before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"count_before", "A step before", UNIT_RATIO, 0, NULL, SHOW},
	{"count_after", "A step after", UNIT_RATIO, 0, NULL, SHOW},
};

void diff_add_collectives(struct report *r, const struct diff *d, uint64_t limit)
{
	static const enum wait_figure others[] = {WAIT_COUNT};
	struct rows *rows = REPORT_ROWS(r, "collectives", "Waiting in collectives, of a step",
					collective_columns);

	add_rows(rows, d, VIEW_COLLECTIVE, &r->arena, others, ARRAY_LEN(others), limit);
}
