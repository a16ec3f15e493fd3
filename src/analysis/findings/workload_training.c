/* What does a step of training take, and what is lost of it to what? */
#include "analysis/findings/explain.h"

#include "analysis/numbers/summary.h"
#include "analysis/workload/loading.h"
#include "analysis/workload/step_unit.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/system/labels.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"steps", "Steps", UNIT_COUNT, 0, NULL, SHOW},
	{"step_p50_ns", "Time per step, median", UNIT_NS, 0, NULL, SHOW},
	{"step_p99_ns", "Time per step, p99", UNIT_NS, 0, NULL, SHOW},
	{"steps_per_s", "Steps per second", UNIT_RATIO, 0, NULL, SHOW},
	{"communication_pct", "Lost to exposed communication %", UNIT_PERCENT, 0, NULL, SHOW},
	{"stragglers_pct", "Lost to stragglers %", UNIT_PERCENT, 0, NULL, SHOW},
	{"data_pct", "Lost to data loading %", UNIT_PERCENT, 0, NULL, SHOW},
	{"copies_pct", "Lost to other copies %", UNIT_PERCENT, 0, NULL, SHOW},
	{"host_pct", "Lost to other host code %", UNIT_PERCENT, 0, NULL, SHOW},
};
enum { STEPS, STEP_P50, STEP_P99, STEPS_PER_S, LOSSES, FIGURES = ARRAY_LEN(columns) };

/* Time by device that rows of several sums have. */
struct loss {
	const struct explain *x;
	int64_t *device_ns;
};

static void add_row(struct loss *l, const struct time_sums *sums, size_t row)
{
	for (size_t d = 0; d < sums->devices; d++)
		l->device_ns[d] =
			sat_add(l->device_ns[d], sums->device_ns[row * sums->devices + d]);
}

static struct loss new_loss(const struct explain *x)
{
	return (struct loss){x, mem_zalloc(x->timeline.count, sizeof(int64_t))};
}

/* In percent of the window, of the device that loses most, as findings have it; frees it. */
static struct cell take_worst_pct(struct loss *l)
{
	const int64_t window_ns = l->x->window_ns;
	int64_t most = 0;

	for (size_t d = 0; d < l->x->timeline.count; d++)
		most = l->device_ns[d] > most ? l->device_ns[d] : most;
	free(l->device_ns);
	most = most < window_ns ? most : window_ns;
	return cell_real(window_ns > 0 ? 100 * (double)most / (double)window_ns : 0);
}

/* A step called "batch 3" is not the loading of one. */
static bool loads_data(const struct explain *x, const struct warm_steps *steps, uint32_t folded)
{
	const struct str name =
		folded == NAME_NONE ? (struct str){0} : x->folded_names.items[folded];

	return folded != NAME_NONE && !(steps->name && str_eq(name, str_of(steps->name))) &&
	       name_is_loading(name);
}

/* Gaps that the host makes, in whatever it does. */
static bool is_hosts(uint32_t cause)
{
	return cause != CAUSE_OVERHEAD && cause != CAUSE_QUEUED && cause != CAUSE_UNKNOWN &&
	       cause != CAUSE_END;
}

static bool is_to_device(const struct explain *x, uint32_t sort)
{
	return sort < x->copy_count && x->copy_times[sort].copy_kind == COPY_HOST_TO_DEVICE;
}

/* What the host loses, by what it does. */
struct losses {
	struct loss data, copies, host;
};

static void add_gaps(const struct explain *x, const struct warm_steps *steps, struct losses *l)
{
	const struct time_sums *causes = &x->sums[SUM_CAUSES];
	const struct time_sums *between = &x->sums[SUM_COPY_GAPS + GAP_BETWEEN];

	for (size_t i = 0; i < causes->count; i++) {
		const struct time_sum *row = &causes->rows[i];

		if (is_hosts(row->group))
			add_row(loads_data(x, steps, row->name) ? &l->data
				: row->group == CAUSE_COPY	? &l->copies
								: &l->host,
				causes, i);
	}
	for (size_t i = 0; i < between->count; i++)
		add_row(loads_data(x, steps, between->rows[i].name) ? &l->data : &l->copies,
			between, i);
}

/* Batches that are copied to the GPU while it does nothing else are waited for, too. */
static void add_copies(const struct explain *x, const struct warm_steps *steps, struct losses *l)
{
	const struct time_sums *copies = &x->sums[SUM_COPIES];

	for (size_t i = 0; i < copies->count; i++) {
		const bool data = is_to_device(x, copies->rows[i].group) &&
				  loads_data(x, steps, copies->rows[i].name);

		add_row(data ? &l->data : &l->copies, copies, i);
	}
}

/*
 * Exposed communication of one GPU, in two: what findings about late ranks have, and the rest.
 * Where ranks share a GPU a late one may cost more than that: some compute while others wait.
 */
static void add_comm_losses(const struct explain *x, struct cell *f)
{
	const int64_t comm_ns = explain_comm_ns(x);
	const int64_t late_ns = x->late_ns < x->window_ns ? x->late_ns : x->window_ns;
	const double pct = x->window_ns > 0 ? 100 / (double)x->window_ns : 0;

	f[0] = cell_real(comm_ns > late_ns ? pct * (double)(comm_ns - late_ns) : 0);
	f[1] = cell_real(pct * (double)late_ns);
}

static void add_losses(const struct explain *x, const struct warm_steps *steps, struct cell *f)
{
	struct losses l = {new_loss(x), new_loss(x), new_loss(x)};

	add_gaps(x, steps, &l);
	add_copies(x, steps, &l);
	add_comm_losses(x, &f[LOSSES]);
	f[LOSSES + 2] = take_worst_pct(&l.data);
	f[LOSSES + 3] = take_worst_pct(&l.copies);
	f[LOSSES + 4] = take_worst_pct(&l.host);
}

/*
 * How long it took the program to make them. Ranks of a pipeline begin and end apart: where the
 * window is the steps, it is those of all ranks.
 */
static int64_t time_of_all(const struct explain *x, const struct warm_steps *steps)
{
	if (x->scope.chosen == SPAN_WARM)
		return x->window_ns;
	return sat_sub(steps->all[steps->count - 1].end_ns, steps->all[0].start_ns);
}

static const double nearly_all = 0.9; /* of the time */

/* True: a good part of the time is in none of the steps. */
static bool add_times(const struct explain *x, const struct warm_steps *steps, struct cell *f)
{
	int64_t *ns = mem_alloc(steps->count, sizeof(*ns));
	int64_t *scratch = mem_alloc(steps->count, sizeof(*scratch));
	const int64_t all_ns = time_of_all(x, steps);
	double own_ns = 0;

	for (size_t i = 0; i < steps->count; i++) {
		ns[i] = sat_sub(steps->all[i].end_ns, steps->all[i].start_ns);
		own_ns += (double)ns[i];
	}
	sort_i64(ns, scratch, steps->count);
	f[STEPS] = cell_int((int64_t)steps->count);
	f[STEP_P50] = cell_real(quantile(ns, steps->count, 0.5));
	f[STEP_P99] = cell_real(quantile(ns, steps->count, 0.99));
	if (all_ns > 0)
		f[STEPS_PER_S] = cell_real(1e9 * (double)steps->count / (double)all_ns);
	free(scratch);
	free(ns);
	return own_ns < nearly_all * (double)all_ns;
}

/* A rate that the times of steps do not explain says why. */
static void say_times(struct buf *b, const struct cell *f, const struct step_unit *unit,
		      bool has_more)
{
	const double rate = f[STEPS_PER_S].r;
	SCOPED_BUF per = {0};

	if (f[STEPS].kind == CELL_NULL) {
		buf_adds(b, "its steps are unknown, --marker REGEX names them");
		return;
	}
	buf_addf(&per, "per %s", unit->one);
	workload_add_time(b, per.s, f[STEP_P50].r, f[STEP_P99].r);
	if (f[STEPS_PER_S].kind == CELL_NULL)
		return;
	buf_addf(b, ", %.*f %s/s", rate < 10 ? 2 : 1, rate, unit->many);
	if (has_more)
		buf_adds(b, " with the time between them");
}

/* What is worth a word; the others are in the figures. */
static void say_losses(struct buf *b, const struct cell *f)
{
	static const char *const words[] = {"communication", "stragglers", "data", "copies",
					    "host"};
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (f[LOSSES + i].r < 1)
			continue;
		buf_addf(b, "%s%s %.0f%%", any ? ", " : "; lost to ", words[i], f[LOSSES + i].r);
		any = true;
	}
	buf_adds(b, ".");
}

/* The columns, in words of what is counted; keys are the same. */
static const struct column *name_columns(struct report *r, const struct step_unit *unit)
{
	struct column *named = arena_alloc(&r->arena, FIGURES, sizeof(*named));

	memcpy(named, columns, sizeof(columns));
	named[STEPS].title = unit->title;
	named[STEP_P50].title = arena_printf(&r->arena, "Time per %s, median", unit->one);
	named[STEP_P99].title = arena_printf(&r->arena, "Time per %s, p99", unit->one);
	named[STEPS_PER_S].title = arena_printf(&r->arena, "%s per second", unit->title);
	return named;
}

void workload_train(struct explain *x, const struct warm_steps *steps, struct report_workload *w,
		    struct buf *text)
{
	const struct step_unit *unit = step_unit_of(steps->name);
	struct cell *f = arena_zalloc(&x->report->arena, FIGURES, sizeof(*f));

	const bool has_more = steps->count && add_times(x, steps, f);

	add_losses(x, steps, f);
	say_times(text, f, unit, has_more);
	say_losses(text, f);
	w->columns = name_columns(x->report, unit);
	w->figures = f;
	w->figure_count = FIGURES;
}
