/* What changed between two sides, by how much, and how sure is that? */
#include "diff/diff.h"

#include "base/mem.h"
#include "base/sort.h"
#include "diff/common_mix.h"
#include "statistics/max_t.h"
#include "statistics/portable_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are judged take so much of a step on either side; their deltas do not matter. */
static const double judged_share = 0.005;

/* A change is one of structure where what is launched makes so much of it. */
static const double structural_share = 0.5;
/* Launches that came or went are so many of those that a row had. */
static const double launched_share = 0.1;
/*
 * The GPU waits for a launch no longer than so many times as long as it does elsewhere in the step:
 * in a range that launches next to nothing, what the host does else is no launch's.
 */
static const double launch_times = 2;

/* Calls of a step that differ by less are as many. */
static const double as_many = 0.05;

/* Fewer cannot tell chance from change. */
enum {
	JUDGED_RUNS = 4, /* a side */
	JUDGED_PAIRS = 6,
};

double diff_step_ns(const struct diff *d, exact_ns units)
{
	return (double)units /
	       ((double)d->sides.of[BEFORE].weight * (double)d->sides.of[AFTER].weight);
}

/* The mean of what a factor adds, over all orders in which three factors may change. */
static double shapley(const double before[3], const double after[3], int factor)
{
	const int x = (factor + 1) % 3, y = (factor + 2) % 3;
	const double change = after[factor] - before[factor];

	return change * ((before[x] * before[y] + after[x] * after[y]) / 3 +
			 (before[x] * after[y] + after[x] * before[y]) / 6);
}

/* Three shares of a change in whole nanoseconds, which sum up to it. */
static void round_parts(struct diff_row *row)
{
	const int64_t all = row->step_ns[AFTER] - row->step_ns[BEFORE];
	int largest = 0;
	int64_t sum = 0;

	for (int part = 0; part < DELTA_PARTS; part++) {
		row->part_ns[part] = llround(row->parts[part]);
		sum += row->part_ns[part];
		if (fabs(row->parts[part]) > fabs(row->parts[largest]))
			largest = part;
	}
	row->part_ns[largest] += all - sum;
}

/* Calls a step, what each takes, and the share of that which nothing hides. */
static void split(struct diff_row *row, const struct sides *s)
{
	double factor[SIDES][DELTA_PARTS];

	/* Calls of three kernels are not those of the one that took their place. */
	if (row->match->how == MATCH_BLOCK && row->match->count[BEFORE] != row->match->count[AFTER])
		return;
	for (int side = 0; side < SIDES; side++) {
		struct mixed_sum sum = {0};

		for (size_t i = 0; i < row->match->count[side]; i++)
			common_mix_add(&sum, s, (enum side)side,
				       &s->of[side].leaves[row->match->leaves[side][i]]);
		if (sum.calls <= 0 || sum.work_ns <= 0)
			return;
		factor[side][PART_CALLS] = sum.calls;
		factor[side][PART_DURATION] = sum.work_ns / sum.calls;
		factor[side][PART_EXPOSED] = sum.ns / sum.work_ns;
	}
	row->has_parts = true;
	for (int part = 0; part < DELTA_PARTS; part++)
		row->parts[part] = shapley(factor[BEFORE], factor[AFTER], part);
}

/*
 * Of a row that is longer on a side, what that side has in a range that it has alone, if that is
 * about as long: the range came with it. NULL: it was only put around what there was.
 */
static const struct side_leaf *leaf_that_came(const struct sides *s, const struct match *m,
					      enum side side, exact_ns longer)
{
	const struct side_leaf *found = NULL;

	for (size_t i = 0; i < m->count[side] && m->count[!side]; i++) {
		const struct side_leaf *l = &s->of[side].leaves[m->leaves[side][i]];

		if (strcmp(l->path, l->key->path) != 0 && 2 * longer >= l->common &&
		    2 * l->common >= longer && (!found || l->common > found->common))
			found = l;
	}
	return found;
}

static const struct side_leaf *longest_leaf(const struct sides *s, const struct match *m,
					    enum side side)
{
	const struct side_leaf *found = NULL;

	for (size_t i = 0; i < m->count[side]; i++) {
		const struct side_leaf *l = &s->of[side].leaves[m->leaves[side][i]];

		if (!found || l->all.ns > found->all.ns)
			found = l;
	}
	return found;
}

static void name_row(struct diff_row *row, const struct sides *s)
{
	for (int side = 0; side < SIDES; side++) {
		const exact_ns longer = side == AFTER ? row->delta : -row->delta;
		const struct side_leaf *l =
			longer > 0 ? leaf_that_came(s, row->match, (enum side)side, longer) : NULL;

		l = l ? l : longest_leaf(s, row->match, (enum side)side);
		row->leaf[side] = l ? l->key : NULL;
		row->path[side] = l ? l->path : NULL;
	}
}

static struct diff_row make_row(const struct sides *s, const struct match *m)
{
	struct diff_row row = {.match = m, .p = NAN};

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < m->count[side]; i++) {
			const struct side_leaf *l = &s->of[side].leaves[m->leaves[side][i]];

			if (leaf_sum_add(&row.sum[side], &l->all))
				row.longest_run[side] = l->longest_run;
			row.common[side] += l->common;
			row.delta += l->delta;
			row.mix += l->mix;
		}
	}
	name_row(&row, s);
	split(&row, s);
	return row;
}

/* Of the leaves of both sides the one that comes first: whichever side it is of. */
static const struct leaf *first_leaf(const struct diff_row *r)
{
	const struct leaf *b = r->leaf[BEFORE], *a = r->leaf[AFTER];

	return !b || (a && leaf_compare(a, b) < 0) ? a : b;
}

static int by_size(const void *p, const void *q, void *ctx)
{
	const struct diff_row *a = p, *b = q;
	const exact_ns x = exact_size(a->delta), y = exact_size(b->delta);

	(void)ctx;
	if (x != y)
		return x > y ? -1 : 1;
	return leaf_compare(first_leaf(a), first_leaf(b));
}

/* What a side has beside the common mix is the last of its column, which sums up to the step. */
static void round_rows(struct diff *d)
{
	exact_ns *units = mem_alloc(d->row_count + 1, sizeof(*units));
	int64_t *ns = mem_alloc(d->row_count + 1, sizeof(*ns));

	for (int side = 0; side < SIDES; side++) {
		units[d->row_count] = d->beyond[side];
		for (size_t i = 0; i < d->row_count; i++)
			units[i] = d->rows[i].common[side];
		exact_round(&d->sides, units, d->row_count + 1, ns);
		for (size_t i = 0; i < d->row_count; i++)
			d->rows[i].step_ns[side] = ns[i];
		d->beyond_ns[side] = ns[d->row_count];
	}
	for (size_t i = 0; i < d->row_count; i++)
		round_parts(&d->rows[i]);
	free(units);
	free(ns);
}

static void make_rows(struct diff *d)
{
	const struct side_runs *of = d->sides.of;

	d->beyond[BEFORE] = (exact_ns)of[BEFORE].ns * (exact_ns)of[AFTER].weight;
	d->beyond[AFTER] = (exact_ns)of[AFTER].ns * (exact_ns)of[BEFORE].weight;
	d->delta = d->beyond[AFTER] - d->beyond[BEFORE];
	d->rows = mem_alloc(d->matches.count, sizeof(*d->rows));
	for (size_t i = 0; i < d->matches.count; i++) {
		d->rows[d->row_count++] = make_row(&d->sides, &d->matches.all[i]);
		for (int side = 0; side < SIDES; side++)
			d->beyond[side] -= d->rows[i].common[side];
	}
	d->mix = d->beyond[AFTER] - d->beyond[BEFORE];
	sort_stable(d->rows, d->row_count, sizeof(*d->rows), by_size, NULL);
	round_rows(d);
}

static bool came_or_went(const struct diff_row *r)
{
	return diff_row_leaf(r)->class != LEAF_IDLE &&
	       (r->match->how == MATCH_NEW || r->match->how == MATCH_GONE ||
		r->match->how == MATCH_BLOCK);
}

/*
 * Steps of one run say nothing about other runs, but no run launches kernels that the code does not
 * have. What came or went has its own time, and the GPU waits for the host to launch it: for as
 * long as it waits for a launch there, and no longer. What else it is idle differs from run to run
 * as all idle time does, though a kernel of a microsecond be new in the same range.
 */
struct launch_sums { /* of rows of a range, or of all: of a step */
	double calls[SIDES], idle_ns[SIDES];
	double other_calls[SIDES]; /* of rows that came or went, or have more or fewer */
	double other_ns;	   /* the change of these */
};

/* Of a kernel in another range than before one of both, whichever side comes first. */
static const char *row_path(const struct diff_row *r)
{
	const char *b = r->path[BEFORE], *a = r->path[AFTER];

	if (!a || !b)
		return a ? a : b;
	return strcmp(b, a) < 0 ? b : a;
}

static int by_range(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(row_path(*(const struct diff_row *const *)a),
		      row_path(*(const struct diff_row *const *)b));
}

/* Many enough of the larger number, and not for once. */
static bool is_many(const double calls[SIDES])
{
	return calls[BEFORE] != calls[AFTER] &&
	       fabs(calls[AFTER] - calls[BEFORE]) >=
		       launched_share * fmax(calls[BEFORE], calls[AFTER]);
}

static void add_launches(struct launch_sums *to, const struct diff *d, const struct diff_row *r)
{
	double calls[SIDES];

	for (int side = 0; side < SIDES; side++) {
		calls[side] = (double)r->sum[side].calls / (double)d->sides.of[side].weight;
		to->calls[side] += calls[side];
		if (diff_row_leaf(r)->class == LEAF_IDLE)
			to->idle_ns[side] += diff_step_ns(d, r->common[side]);
	}
	/* Among several kinds of steps another mix, which is chance, changes the number of
	 * launches, too. */
	if (!came_or_went(r) && (d->sides.kind_count > 1 || !is_many(calls)))
		return;
	to->other_ns += diff_step_ns(d, r->delta);
	for (int side = 0; side < SIDES; side++)
		to->other_calls[side] += calls[side];
}

/* For how long the GPU waits for one launch, on the side that has more of them. */
static double wait_of_launch(const struct launch_sums *l, enum side side)
{
	return l->calls[side] > 0 ? l->idle_ns[side] / l->calls[side] : 0;
}

/* The same outside of a range, whose host code may hold it up; in a step without others: in it. */
static double wait_elsewhere(const struct launch_sums *range, const struct launch_sums *step,
			     enum side side)
{
	const double calls = step->calls[side] - range->calls[side],
		     idle_ns = step->idle_ns[side] - range->idle_ns[side];

	return calls >= 1 ? idle_ns / calls : wait_of_launch(step, side);
}

/* Of a change of idle time what the launches of a range explain that came or went. */
static double idle_by_launches(const struct launch_sums *range, const struct launch_sums *step)
{
	const double more = range->other_calls[AFTER] - range->other_calls[BEFORE],
		     idle = range->idle_ns[AFTER] - range->idle_ns[BEFORE];
	const enum side side = more > 0 ? AFTER : BEFORE;
	double wait = wait_of_launch(range, side);

	if (more == 0 || (more < 0) != (idle < 0))
		return 0;
	/* A range that one side alone has came or went as a whole. */
	if (range->calls[!side] > 0 || range->idle_ns[!side] > 0)
		wait = fmin(wait, launch_times * wait_elsewhere(range, step, side));
	return copysign(fmin(fabs(idle), fabs(more) * wait), idle);
}

/* Kinds of steps that are launched in two ways, in another mix, are chance. */
static bool mix_may_relaunch(const struct diff *d, const double graphs[SIDES])
{
	for (size_t k = 0; k < d->sides.kind_count; k++) {
		const struct shared_kind *kind = &d->sides.kinds[k];

		if (!kind->count[BEFORE] || !kind->count[AFTER])
			return true;
	}
	return d->sides.kind_count > 1 && graphs[BEFORE] > 0 && graphs[AFTER] > 0;
}

/*
 * Whether graphs came or went with a notable part of the calls that launch the same work: no run
 * does so by chance, whatever it is recorded with.
 */
static bool is_relaunched(const struct diff *d)
{
	const struct launch_rate b = side_launches(&d->sides.of[BEFORE]),
				 a = side_launches(&d->sides.of[AFTER]);
	const double calls[SIDES] = {b.calls, a.calls}, graphs[SIDES] = {b.graphs, a.graphs};

	return b.is_known && a.is_known && is_many(calls) && is_many(graphs) &&
	       !mix_may_relaunch(d, graphs);
}

/* For how long the GPU of a side waits for launches one after another, of a step. */
static double launch_bound_ns(const struct side_runs *s)
{
	double ns = 0;

	for (size_t r = 0; r < s->run_count; r++) {
		const struct run_facts *f = &s->runs[r]->facts;

		for (size_t i = 0; i < f->finding_count; i++) {
			if (strcmp(f->findings[i].id, "launch_bound") == 0)
				ns += (double)f->findings[i].recoverable_ns /
				      ((double)s->runs[r]->step_count * (double)s->run_count);
		}
	}
	return ns;
}

/*
 * Of a change of idle time, in launch calls and between them, what the calls explain that a graph
 * took the place of: their share of the time that the GPU waits for launches. A loader that held
 * one run up for once is none of it.
 */
static double idle_by_graphs(const struct diff *d)
{
	const double more = side_launches(&d->sides.of[AFTER]).calls -
			    side_launches(&d->sides.of[BEFORE]).calls;
	const struct side_runs *most = &d->sides.of[more > 0 ? AFTER : BEFORE];
	double idle = 0;

	for (size_t i = 0; i < d->row_count; i++) {
		const struct leaf *l = diff_row_leaf(&d->rows[i]);

		if (l->class == LEAF_IDLE && (l->blame == BLAME_LAUNCH || l->blame == BLAME_HOST))
			idle += diff_step_ns(d, d->rows[i].delta);
	}
	if (!d->relaunched || (more < 0) != (idle < 0))
		return 0;
	return copysign(
		fmin(fabs(idle), fabs(more) / side_launches(most).calls * launch_bound_ns(most)),
		idle);
}

static bool is_structural(const struct diff *d)
{
	const struct diff_row **rows = mem_alloc(d->row_count, sizeof(void *));
	const double by_graphs = idle_by_graphs(d);
	struct launch_sums step = {0};
	double ns = 0, by_launches = 0;

	for (size_t i = 0; i < d->row_count; i++) {
		rows[i] = &d->rows[i];
		add_launches(&step, d, rows[i]);
	}
	sort_stable(rows, d->row_count, sizeof(void *), by_range, NULL);
	for (size_t i = 0, first = 0; i < d->row_count; first = i) {
		struct launch_sums range = {0};

		for (; i < d->row_count && by_range(&rows[first], &rows[i], NULL) == 0; i++)
			add_launches(&range, d, rows[i]);
		ns += range.other_ns;
		by_launches += idle_by_launches(&range, &step);
	}
	free(rows);
	/* Both may be of the same time. */
	ns += fabs(by_graphs) > fabs(by_launches) ? by_graphs : by_launches;
	return d->delta && (ns < 0) == (d->delta < 0) &&
	       fabs(ns) >= structural_share * fabs(diff_step_ns(d, d->delta));
}

/* Another name in a range of another name: that order makes them one is no sign that they are. */
static bool is_by_order_alone(const struct diff_row *r)
{
	return r->match->how == MATCH_ORDER &&
	       strcmp(r->leaf[BEFORE]->path, r->leaf[AFTER]->path) != 0;
}

double diff_other_launches(const struct diff *d)
{
	double most = 0;

	for (int side = 0; side < SIDES; side++) {
		uint64_t all = 0, others = 0;

		for (size_t i = 0; i < d->row_count; i++) {
			const struct diff_row *r = &d->rows[i];

			all += r->sum[side].calls;
			others += came_or_went(r) || is_by_order_alone(r) ? r->sum[side].calls : 0;
		}
		most = fmax(most, all ? (double)others / (double)all : 0);
	}
	return most;
}

/* Kernels of a step, by number and by time. */
struct kernel_sums {
	double calls, ns;
};

static struct kernel_sums kernels_of(const struct diff *d, const struct diff_row *r, enum side side)
{
	const double weight = (double)d->sides.of[side].weight;

	return (struct kernel_sums){(double)r->sum[side].calls / weight,
				    (double)r->sum[side].work_ns / weight};
}

static bool is_as_often(const struct kernel_sums of[SIDES])
{
	return fabs(of[AFTER].calls - of[BEFORE].calls) <=
	       as_many * fmax(of[BEFORE].calls, of[AFTER].calls);
}

/*
 * Programs of one framework have templates in common: another instance of one, of another size and
 * launched more or less often, is no sign that they are the same.
 */
static bool is_common(const struct diff_row *r, const struct kernel_sums of[SIDES])
{
	switch (r->match->how) {
	case MATCH_BLOCK:
	case MATCH_NEW:
	case MATCH_GONE:
		return false;
	case MATCH_NAME:
		return strcmp(r->leaf[BEFORE]->grid, r->leaf[AFTER]->grid) == 0 || is_as_often(of);
	default:
		return true;
	}
}

static bool is_kernel(const struct diff_row *r)
{
	const struct leaf *l = diff_row_leaf(r);

	return l->class != LEAF_IDLE && op_name_is_kernel(l);
}

static double share_of(double common, const double all[SIDES])
{
	const double least = fmin(all[BEFORE], all[AFTER]);

	return least > 0 ? common / least : NAN;
}

double diff_common_kernels(const struct diff *d)
{
	double calls[SIDES] = {0}, ns[SIDES] = {0};
	struct kernel_sums common = {0};

	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *r = &d->rows[i];
		const struct kernel_sums of[SIDES] = {kernels_of(d, r, BEFORE),
						      kernels_of(d, r, AFTER)};

		if (!is_kernel(r))
			continue;
		for (int side = 0; side < SIDES; side++) {
			calls[side] += of[side].calls;
			ns[side] += of[side].ns;
		}
		if (!is_common(r, of))
			continue;
		common.calls += fmin(of[BEFORE].calls, of[AFTER].calls);
		common.ns += fmin(of[BEFORE].ns, of[AFTER].ns);
	}
	return fmax(share_of(common.calls, calls), share_of(common.ns, ns));
}

static bool is_large(const struct diff *d, const struct diff_row *r)
{
	for (int side = 0; side < SIDES; side++) {
		if ((double)r->sum[side].ns >= judged_share * (double)d->sides.of[side].ns)
			return true;
	}
	return false;
}

double *diff_row_means(const struct diff *d, const struct diff_row *r)
{
	const size_t before = d->sides.of[BEFORE].run_count, after = d->sides.of[AFTER].run_count;
	double *means = mem_zalloc(before + after, sizeof(*means));

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];

		for (size_t run = 0; run < s->run_count; run++) {
			double *mean = &means[side == BEFORE ? run : before + run];

			for (size_t i = 0; i < r->match->count[side]; i++)
				*mean += (double)s->leaves[r->match->leaves[side][i]].of_run[run] /
					 (double)s->runs[run]->step_count;
		}
	}
	return means;
}

/* What the run after takes more than the one before that belongs to it, in place of the first. */
static void subtract_pairs(double *means, size_t pairs)
{
	for (size_t i = 0; i < pairs; i++)
		means[i] = means[pairs + i] - means[i];
}

static void judge_rows(struct diff *d, uint64_t seed)
{
	const size_t before = d->sides.of[BEFORE].run_count, after = d->sides.of[AFTER].run_count;
	const size_t fewest = d->time.of_pairs ? JUDGED_PAIRS : JUDGED_RUNS;
	double **means, *p;
	size_t count = 0;

	if (before < fewest || after < fewest)
		return;
	means = mem_alloc(d->row_count, sizeof(*means));
	p = mem_alloc(d->row_count, sizeof(*p));
	for (size_t i = 0; i < d->row_count; i++) {
		d->rows[i].judged = is_large(d, &d->rows[i]);
		if (d->rows[i].judged)
			means[count++] = diff_row_means(d, &d->rows[i]);
	}
	for (size_t i = 0; d->time.of_pairs && i < count; i++)
		subtract_pairs(means[i], before);
	if (d->time.of_pairs)
		max_t_pairs((const double *const *)means, count, before, seed, p);
	else
		max_t((const double *const *)means, count, before, after, seed, p);
	for (size_t i = 0, n = 0; i < d->row_count; i++) {
		if (d->rows[i].judged)
			d->rows[i].p = p[n++];
	}
	for (size_t i = 0; i < count; i++)
		free(means[i]);
	free(means);
	free(p);
}

static struct run_steps *list_steps(const struct side_runs *s)
{
	struct run_steps *runs = mem_alloc(s->run_count, sizeof(*runs));

	for (size_t r = 0; r < s->run_count; r++) {
		double *ns = mem_alloc(s->runs[r]->step_count, sizeof(*ns));

		for (size_t i = 0; i < s->runs[r]->step_count; i++)
			ns[i] = (double)s->runs[r]->steps[i].ns;
		runs[r] = (struct run_steps){ns, s->runs[r]->step_count};
	}
	return runs;
}

static void free_steps(struct run_steps *runs, size_t count)
{
	for (size_t r = 0; r < count; r++)
		free((void *)runs[r].ns);
	free(runs);
}

static void compare_time(struct diff *d, const struct compare_options *asked)
{
	const struct side_runs *b = &d->sides.of[BEFORE], *a = &d->sides.of[AFTER];
	struct run_steps *before = list_steps(b), *after = list_steps(a);
	struct compare_options o = *asked;

	o.structural = d->structural;
	o.of_windows = b->runs[0]->is_window && a->runs[0]->is_window;
	o.looks_ahead = true;
	compare_runs(before, b->run_count, after, a->run_count, &o, &d->time);
	free_steps(before, b->run_count);
	free_steps(after, a->run_count);
}

/*
 * Whether kinds of steps come as often on both sides, but for one step of a run: of what comes in
 * every fourth step twelve have three, and eleven two, wherever the capture begins and ends.
 */
static bool mix_is_of_ends(const struct diff *d)
{
	const struct side_runs *b = &d->sides.of[BEFORE], *a = &d->sides.of[AFTER];
	const double one_step =
		(double)b->run_count / (double)b->steps + (double)a->run_count / (double)a->steps;

	for (size_t k = 0; k < d->sides.kind_count; k++) {
		const uint64_t *steps = d->sides.kinds[k].steps;

		if (fabs((double)steps[BEFORE] / (double)b->weight -
			 (double)steps[AFTER] / (double)a->weight) > one_step)
			return false;
	}
	return true;
}

/* A change that another mix makes is none where the ends of the captures may make that mix. */
static void doubt_mix(struct diff *d, double tolerance)
{
	double in_mix[SIDES], own; /* a step in the mix of both sides */

	for (int side = 0; side < SIDES; side++)
		in_mix[side] = side_step_ns(&d->sides.of[side], d->sides.of[side].ns) -
			       diff_step_ns(d, d->beyond[side]);
	if (d->mix == 0 || !mix_is_of_ends(d) || in_mix[BEFORE] <= 0 || in_mix[AFTER] <= 0)
		return;
	own = portable_log(in_mix[AFTER]) - portable_log(in_mix[BEFORE]);
	if ((d->time.verdict != VERDICT_SLOWER && d->time.verdict != VERDICT_FASTER) ||
	    (fabs(own) > portable_log(1 + tolerance) && (own > 0) == (d->delta > 0)))
		return;
	d->mix_in_doubt = true;
	d->time.verdict = VERDICT_CANNOT_TELL;
	d->time.outlook.runs_to_settle = 0;
	d->time.why = "another mix of kinds of steps makes the change, and one step more or less "
		      "of a kind, where captures begin and end, makes such a mix; within kinds "
		      "steps did not change so: captures of more steps can tell";
}

/* In an order of its own: see sides_compare(). */
static void match_sides(struct diff *d, const struct account *const *before, size_t before_count,
			const struct account *const *after, size_t after_count,
			const struct match_map *map)
{
	const bool flip = sides_compare(before, before_count, after, after_count) > 0;

	if (flip)
		sides_make(&d->sides, after, after_count, before, before_count);
	else
		sides_make(&d->sides, before, before_count, after, after_count);
	if (flip && map) {
		struct match_map flipped = *map;

		match_map_flip(&flipped);
		matches_find(&d->matches, &d->sides, &flipped);
	} else {
		matches_find(&d->matches, &d->sides, map);
	}
	if (!flip)
		return;
	sides_flip(&d->sides);
	matches_flip(&d->matches);
}

static void find_hindrances(struct diff *d, double tolerance)
{
	const struct likeness like = {.other_launches = diff_other_launches(d),
				      .common_kernels = diff_common_kernels(d),
				      .tolerance = tolerance};

	hindrances_find(&d->hindrances, &d->sides, &like, &d->sides.arena);
}

void diff_make(struct diff *ret, const struct account *const *before, size_t before_count,
	       const struct account *const *after, size_t after_count, const struct diff_options *o)
{
	*ret = (struct diff){0};
	match_sides(ret, before, before_count, after, after_count, o->map);
	common_mix_find(&ret->sides);
	make_rows(ret);
	find_hindrances(ret, o->compare.tolerance);
	/* What is not the same thing was not changed. */
	ret->relaunched = !ret->hindrances.forbids && is_relaunched(ret);
	ret->structural = !ret->hindrances.forbids && is_structural(ret);
	ret->paired = o->compare.paired;
	compare_time(ret, &o->compare);
	doubt_mix(ret, o->compare.tolerance);
	judge_rows(ret, o->compare.seed);
	ret->drift = drift_find(ret);
}

void diff_free(struct diff *d)
{
	free(d->rows);
	matches_free(&d->matches);
	sides_free(&d->sides);
	*d = (struct diff){0};
}
