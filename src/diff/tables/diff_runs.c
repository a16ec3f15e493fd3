/* Which runs are compared, and how long did each of their steps take? */
#include "diff/tables/diff_runs.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

const char *const side_names[SIDES] = {"before", "after"};

uint32_t diff_step_kind(const struct diff *d, enum side side, size_t run, size_t step)
{
	const struct side_runs *s = &d->sides.of[side];

	return s->kind_of[run][s->runs[run]->steps[step].kind];
}

static double mean_step(const struct account *a)
{
	return (double)account_ns(a) / (double)a->step_count;
}

struct run_mean {
	double ns;
	size_t run;
};

static int by_mean(const void *p, const void *q, void *ctx)
{
	const double a = ((const struct run_mean *)p)->ns, b = ((const struct run_mean *)q)->ns;

	(void)ctx;
	return (a > b) - (a < b);
}

size_t diff_usual_run(const struct diff *d, enum side side)
{
	const struct side_runs *s = &d->sides.of[side];
	struct run_mean *all = mem_alloc(s->run_count, sizeof(*all));
	size_t found;

	for (size_t r = 0; r < s->run_count; r++)
		all[r] = (struct run_mean){
			d->paired ? mean_step(d->sides.of[AFTER].runs[r]) /
					    mean_step(d->sides.of[BEFORE].runs[r])
				  : mean_step(s->runs[r]),
			r,
		};
	sort_stable(all, s->run_count, sizeof(*all), by_mean, NULL);
	found = all[(s->run_count - 1) / 2].run;
	free(all);
	return found;
}

static const struct column run_columns[] = {
	{"side", "Side", UNIT_NAME, 0, "", SHOW},
	{"run", "Run", UNIT_ID, 0, "run:", SHOW},
	{"name", "Capture", UNIT_NAME, 0, NULL, SHOW},
	{"steps", "Steps", UNIT_COUNT, 0, NULL, SHOW},
	{"mean_ns", "Mean step", UNIT_NS, 0, NULL, SHOW},
	{"shortest_ns", "Shortest", UNIT_NS, 0, NULL, SHOW},
	{"longest_ns", "Longest", UNIT_NS, 0, NULL, SHOW},
	{"warm_up_steps", "Warm-up cut", UNIT_COUNT, 0, NULL, SHOW},
};

void diff_add_runs(struct report *r, const struct diff *d)
{
	struct rows *rows = REPORT_ROWS(r, "runs", "The runs", run_columns);

	for (int side = 0; side < SIDES; side++) {
		for (size_t run = 0; run < d->sides.of[side].run_count; run++) {
			const struct account *a = d->sides.of[side].runs[run];
			int64_t least = INT64_MAX, most = 0;

			for (size_t i = 0; i < a->step_count; i++) {
				least = a->steps[i].ns < least ? a->steps[i].ns : least;
				most = a->steps[i].ns > most ? a->steps[i].ns : most;
			}
			ROWS_ADD(rows, cell_text(side_names[side]), cell_int((int64_t)run + 1),
				 cell_text(a->name), cell_int((int64_t)a->step_count),
				 cell_real(mean_step(a)), cell_int(least), cell_int(most),
				 cell_int((int64_t)a->cold));
		}
	}
}

static const struct column step_columns[] = {
	{"side", "Side", UNIT_NAME, 0, "", SHOW},
	{"run", "Run", UNIT_ID, 0, "run:", SHOW},
	{"place", "Place", UNIT_ID, 0, "place:", SHOW},
	{"step", "Step", UNIT_ID, 0, NULL, SHOW},
	{"ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"kind", "Kind", UNIT_ID, 0, NULL, SHOW},
	{"cut", "Cut as warm-up", UNIT_BOOL, 0, NULL, SHOW},
	{"start_ns", "Begins at", UNIT_TIME_NS, 0, NULL, SHOW},
};

static void add_run_steps(struct rows *rows, const struct diff *d, enum side side, size_t run)
{
	const struct account *a = d->sides.of[side].runs[run];
	const size_t cold = a->cold_ns ? a->cold : 0;

	for (size_t i = 0; i < cold; i++)
		ROWS_ADD(rows, cell_text(side_names[side]), cell_int((int64_t)run + 1),
			 cell_int((int64_t)i + 1), cell_null(), cell_int(a->cold_ns[i]),
			 cell_null(), cell_int(1), cell_null());
	for (size_t i = 0; i < a->step_count; i++)
		ROWS_ADD(rows, cell_text(side_names[side]), cell_int((int64_t)run + 1),
			 cell_int((int64_t)(cold + i) + 1), cell_int(a->steps[i].number),
			 cell_int(a->steps[i].ns),
			 cell_int((int64_t)diff_step_kind(d, side, run, i) + 1), cell_int(0),
			 a->is_kept ? cell_null() : cell_int(a->steps[i].start_ns));
}

void diff_add_steps(struct report *r, const struct diff *d)
{
	struct rows *rows = REPORT_ROWS(r, "steps", "The steps", step_columns);

	for (int side = 0; side < SIDES; side++) {
		for (size_t run = 0; run < d->sides.of[side].run_count; run++)
			add_run_steps(rows, d, (enum side)side, run);
	}
}
