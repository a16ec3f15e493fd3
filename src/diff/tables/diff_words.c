/* How is a comparison told to people? */
#include "diff/tables/diff_words.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

/* That can be found, tolerance aside: that only a larger one would be is no help to anybody. */
static const double told_change = 2;

enum { BRIEF_PATH = 40 };

const char *const verdict_keys[] = {"same", "slower", "faster", "cannot_tell"};

static void add_percent(struct buf *b, double share)
{
	buf_addf(b, "%+.*f %%", fabs(share) < 0.0995 ? 2 : 1, 100 * share);
}

/* Three digits of it, whatever its size. */
static void add_size(struct buf *b, double share)
{
	buf_addf(b, "%.*f %%", share < 0.0995 ? 2 : share < 0.995 ? 1 : 0, 100 * share);
}

void diff_add_signed_ns(struct buf *b, double ns)
{
	if (ns > 0)
		buf_addc(b, '+');
	units_add_ns(b, ns);
}

void diff_add_path(struct buf *b, const char *path)
{
	buf_addc(b, '`');
	text_add_elided(b, str_of(path), BRIEF_PATH);
	buf_addc(b, '`');
}

static bool has_windows(const struct diff *d)
{
	return d->sides.of[BEFORE].runs[0]->is_window;
}

const char *diff_what(const struct diff *d)
{
	return has_windows(d) ? "window" : "step";
}

const char *diff_of_what(const struct diff *d)
{
	return has_windows(d) ? "of the window" : "of a step";
}

double diff_relative_change(const struct diff *d)
{
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);

	return before > 0 ? diff_step_ns(d, d->delta) / before : 0;
}

void diff_add_change(struct buf *b, const struct diff *d)
{
	units_add_ns(b, side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns));
	buf_adds(b, " → ");
	units_add_ns(b, side_step_ns(&d->sides.of[AFTER], d->sides.of[AFTER].ns));
	buf_adds(b, has_windows(d) ? " of the window (" : " a step (");
	add_percent(b, diff_relative_change(d));
	buf_addc(b, ')');
}

void diff_add_verdict(struct buf *b, const struct diff *d, double tolerance)
{
	static const char *const words[] = {"Same", "Slower", "Faster", "Cannot tell"};
	const struct comparison *t = &d->time;

	buf_addf(b, "%s: ", words[t->verdict]);
	diff_add_change(b, d);
	if (t->verdict == VERDICT_SAME && d->delta)
		buf_addf(b, ", within the tolerance of %.*g %%", tolerance < 10 ? 3 : 6,
			 100 * tolerance);
	if (t->has_interval && d->delta) {
		buf_adds(b, t->run_sd_known ? ", between " : ", by these steps alone between ");
		add_percent(b, t->low);
		buf_adds(b, " and ");
		add_percent(b, t->high);
	}
	if (isfinite(t->bound)) {
		buf_adds(b, "; it is at least ");
		add_percent(b, t->bound);
	}
	buf_addc(b, '.');
}

static void add_settling(struct buf *b, const struct comparison *t)
{
	const struct outlook *o = &t->outlook;
	const char *what = t->of_pairs ? "pairs of runs" : "runs a side";

	if (!o->runs_to_settle) {
		buf_addf(b, "; more than %d %s would be needed to settle it", OUTLOOK_MOST_RUNS,
			 what);
		return;
	}
	buf_addf(b, "; %s%zu %s would settle it", isnan(o->settled_below) ? "about " : "",
		 o->runs_to_settle, what);
	if (isnan(o->settled_below))
		return;
	buf_adds(b, " if they differ by less than ");
	add_size(b, o->settled_below);
}

/* How far runs may differ for the change to be one: said of what stands and of what is open. */
static void add_overturning(struct buf *b, const struct comparison *t)
{
	const struct outlook *o = &t->outlook;
	const bool is_open = t->verdict == VERDICT_CANNOT_TELL;

	if (is_open)
		buf_addf(b, "; it is %s if runs differ by less than ",
			 t->change > 0 ? "slower" : "faster");
	else
		buf_adds(b, "; it would be no change if runs differed by more than ");
	add_size(b, o->overturned_by);
	if (isfinite(o->overturned_by_three)) {
		buf_adds(b, " (");
		add_size(b, o->overturned_by_three);
		buf_adds(b, " if three runs tell it)");
	}
	if (is_open)
		buf_adds(b, ", which --run-sd can say");
}

static void add_outlook(struct buf *b, const struct comparison *t)
{
	if (t->verdict == VERDICT_CANNOT_TELL && t->before.runs && t->after.runs)
		add_settling(b, t);
	if (isfinite(t->outlook.overturned_by))
		add_overturning(b, t);
}

/* What settles the matter comes first: a small screen may have no room for what comes last. */
void diff_add_why(struct buf *b, const struct diff *d, double tolerance)
{
	const struct comparison *t = &d->time;

	buf_adds(b, t->why);
	if (d->mix_in_doubt)
		return;
	if (t->spread)
		buf_addf(b, "; %s", t->spread);
	if (d->structural && t->run_sd_known && t->verdict == VERDICT_CANNOT_TELL &&
	    isfinite(t->run_sd)) {
		buf_addf(b, "; %s that came or went make most of the change, but %s differ by ",
			 d->relaunched ? "graphs" : "kernels", t->of_pairs ? "pairs" : "runs");
		add_size(b, t->run_sd);
		buf_adds(b, ", which decides");
	}
	if (t->driven_by)
		buf_addf(b, "; %zu step%s alone make%s the mean differ from the usual step",
			 t->driven_by, t->driven_by == 1 ? "" : "s", t->driven_by == 1 ? "s" : "");
	add_outlook(b, t);
	if (t->least_detectable <= told_change && d->delta) {
		buf_adds(b, "; a change of ");
		add_size(b, tolerance + t->least_detectable);
		buf_adds(b, " would be found with 80 % chance");
	}
}

void diff_row_add_name(struct buf *b, const struct diff_row *r)
{
	const struct leaf *l = diff_row_leaf(r);

	if (l->class == LEAF_IDLE) {
		buf_addf(b, "idle: %s", blame_names[l->blame]);
	} else if (r->match->how == MATCH_BLOCK) {
		buf_addf(b, "%zu kernel%s replaced by %zu: ", r->match->count[BEFORE],
			 r->match->count[BEFORE] == 1 ? "" : "s", r->match->count[AFTER]);
		op_name_add_brief(b, r->leaf[BEFORE]);
		buf_adds(b, " → ");
		op_name_add_brief(b, l);
	} else {
		op_name_add_short(b, l);
	}
	if (l->path[0]) {
		buf_adds(b, ", in ");
		diff_add_path(b, l->path);
	}
}

static double kind_mean(const struct shared_kind *k, enum side side)
{
	return (double)k->ns[side] / (double)k->steps[side];
}

/* The leaf that a mode has most more of than the other mode of its sort. */
static void add_mode_cause(struct buf *b, const struct diff *d, enum side side, size_t kind,
			   size_t usual)
{
	const struct shared_kind *k = d->sides.kinds;
	const struct side_leaf *found = NULL;
	double most = 0;

	for (size_t i = 0; i < d->sides.of[side].leaf_count; i++) {
		const struct side_leaf *l = &d->sides.of[side].leaves[i];
		const double more = (double)l->of_kind[kind].ns / (double)k[kind].steps[side] -
				    (double)l->of_kind[usual].ns / (double)k[usual].steps[side];

		if (more > most) {
			most = more;
			found = l;
		}
	}
	if (!found)
		return;
	buf_adds(b, ": ");
	diff_add_signed_ns(b, most);
	if (found->key->class == LEAF_IDLE)
		buf_addf(b, " idle: %s", blame_names[found->key->blame]);
	else {
		buf_addc(b, ' ');
		op_name_add_short(b, found->key);
	}
	if (found->key->path[0]) {
		buf_adds(b, ", in ");
		diff_add_path(b, found->key->path);
	}
}

bool diff_add_new_kind(struct buf *b, const struct diff *d)
{
	const struct shared_kind *all = d->sides.kinds;

	for (size_t k = 0; k < d->sides.kind_count; k++) {
		const enum side side = all[k].steps[BEFORE] ? BEFORE : AFTER;
		size_t usual = d->sides.kind_count;

		if (all[k].steps[BEFORE] && all[k].steps[AFTER])
			continue;
		for (size_t i = 0; i < d->sides.kind_count; i++) {
			if (i != k && all[i].launches == all[k].launches && all[i].steps[side])
				usual = i;
		}
		buf_addf(b, "%s: %llu of %llu, ",
			 side == BEFORE ? "A kind of step is gone" : "New kind of step",
			 (unsigned long long)all[k].count[side],
			 (unsigned long long)d->sides.of[side].steps);
		units_add_ns(b, kind_mean(&all[k], side));
		if (usual < d->sides.kind_count) {
			buf_adds(b, " instead of ");
			units_add_ns(b, kind_mean(&all[usual], side));
			add_mode_cause(b, d, side, k, usual);
		} else {
			buf_adds(b, ", which do not launch the same kernels");
		}
		buf_addc(b, '.');
		return true;
	}
	return false;
}

/* What the rows of a range lose and gain. */
struct range_delta {
	const char *path;
	double more, less;
};

static int by_path(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct range_delta *)a)->path, ((const struct range_delta *)b)->path);
}

struct moved_time diff_find_moved(const struct diff *d)
{
	struct range_delta *all = mem_alloc(d->row_count, sizeof(*all));
	struct moved_time moved = {0};
	size_t end;

	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *r = &d->rows[i];
		const double ns = diff_step_ns(d, r->delta);

		all[i] = (struct range_delta){diff_row_leaf(r)->path, ns > 0 ? ns : 0,
					      ns < 0 ? -ns : 0};
	}
	sort_stable(all, d->row_count, sizeof(*all), by_path, NULL);
	for (size_t i = 0; i < d->row_count; i = end) {
		double more = 0, less = 0, ns;

		for (end = i; end < d->row_count && by_path(&all[i], &all[end], NULL) == 0; end++) {
			more += all[end].more;
			less += all[end].less;
		}
		ns = fmin(more, less);
		moved.ns += ns;
		if (ns > moved.path_ns) {
			moved.path_ns = ns;
			moved.path = all[i].path;
		}
	}
	free(all);
	return moved;
}
