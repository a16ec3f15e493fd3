/* What is most of a change? */
#include "diff/tables/diff_words.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double host_share = 0.3; /* of idle time, that a range of the host explains */
static const double sizeable = 0.25;  /* of a change: less of it is no news beside the rest */
static const double half = 0.5;	      /* … by one row: it is named itself */
static const double nearly_all = 0.9; /* … by one range: that is named */
static const double no_part = 0.05;   /* … and so little a clock leaves: kernels differ */
static const double no_change = 5e-4; /* of a step: 0.0 % is written, and has no cause … */
static const double in_parts = 0.005; /* … but parts may have changed by so much, to and fro */

/* A change that is to be explained: of all rows, or of what the clock leaves of them. */
struct cause {
	const struct diff *diff;
	double clock; /* by which share computing takes longer that no code is asked for */
	double ns;    /* of the step */
};

/* What a row adds to it. */
static double row_ns(const struct cause *c, const struct diff_row *r)
{
	const bool computes = r->leaf[AFTER] && r->leaf[AFTER]->class == LEAF_COMPUTE;
	const double by_clock =
		computes ? diff_step_ns(c->diff, r->common[AFTER]) * c->clock / (1 + c->clock) : 0;

	return diff_step_ns(c->diff, r->delta) - by_clock;
}

static bool has_sign(const struct cause *c, double ns)
{
	return ns != 0 && (ns < 0) == (c->ns < 0);
}

/* The class that has most of it, with its sign; LEAF_CLASSES: none has. */
static enum leaf_class find_class(const struct cause *c, double *ret_ns)
{
	double of[LEAF_CLASSES] = {0};
	enum leaf_class found = LEAF_CLASSES;

	*ret_ns = 0;
	for (size_t i = 0; i < c->diff->row_count; i++)
		of[diff_row_leaf(&c->diff->rows[i])->class] += row_ns(c, &c->diff->rows[i]);
	for (int class = 0; class < LEAF_CLASSES; class ++) {
		if (has_sign(c, of[class]) && fabs(of[class]) > fabs(*ret_ns)) {
			found = (enum leaf_class) class;
			*ret_ns = of[class];
		}
	}
	return found;
}

/* The row of a class that has most of it, with its sign. */
static const struct diff_row *find_row(const struct cause *c, enum leaf_class class)
{
	const struct diff_row *found = NULL;
	double most = 0;

	for (size_t i = 0; i < c->diff->row_count; i++) {
		const struct diff_row *r = &c->diff->rows[i];
		const double ns = row_ns(c, r);

		if (diff_row_leaf(r)->class == class && has_sign(c, ns) && fabs(ns) > most) {
			found = r;
			most = fabs(ns);
		}
	}
	return found;
}

/* The range in which the host takes most longer, or less; NULL: in none. */
static const struct side_host *find_host(const struct sides *s, bool longer)
{
	for (size_t i = 0; i < s->host_count; i++) {
		const double ns = side_change_ns(s, s->host[i].own_ns);

		if (ns != 0 && (ns > 0) == longer)
			return &s->host[i];
	}
	return NULL;
}

/*
 * A GPU is idle where its queue has run dry, which need not be where the host was slow: of idle
 * time the range counts in which the host takes longer.
 */
static void add_host_cause(struct buf *b, const struct diff *d, double idle_ns)
{
	const struct side_host *h = find_host(&d->sides, idle_ns > 0);
	const double ns = h ? side_change_ns(&d->sides, h->own_ns) : 0;

	if (side_has_ranges(&d->sides.of[BEFORE]) != side_has_ranges(&d->sides.of[AFTER]) || !h ||
	    fabs(ns) < host_share * fabs(idle_ns))
		return;
	buf_adds(b, "; the host takes ");
	units_add_ns(b, fabs(ns));
	buf_adds(b, ns < 0 ? " less" : " longer");
	if (h->name[0]) {
		buf_adds(b, " in ");
		diff_add_path(b, h->name);
	} else if (d->sides.host_count > 1) {
		buf_adds(b, " in the step itself, outside its ranges");
	}
}

/* The largest part of a class's change; where it is more than all of that, others go against it. */
static void add_row_cause(struct buf *b, const struct cause *c, const struct diff_row *row,
			  double class_ns)
{
	const double ns = row_ns(c, row);
	const bool exceeds = fabs(ns) > fabs(class_ns) * 1.005;

	buf_adds(b, exceeds ? ": " : ", of it ");
	diff_add_signed_ns(b, ns);
	buf_addc(b, ' ');
	diff_row_add_name(b, row);
	if (row->match->how == MATCH_NEW || row->match->how == MATCH_GONE)
		buf_addf(b, " (%s)", match_words[row->match->how]);
	if (!exceeds)
		return;
	buf_adds(b, ", and ");
	diff_add_signed_ns(b, class_ns - ns);
	buf_adds(b, " others");
}

static int by_path(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(diff_row_leaf(*(const struct diff_row *const *)a)->path,
		      diff_row_leaf(*(const struct diff_row *const *)b)->path);
}

/* The range that has nearly all of a class's change; NULL: none has. */
static const char *find_range(const struct cause *c, enum leaf_class class, double class_ns)
{
	const struct diff_row **rows = mem_alloc(c->diff->row_count, sizeof(void *));
	const char *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < c->diff->row_count; i++) {
		if (diff_row_leaf(&c->diff->rows[i])->class == class)
			rows[count++] = &c->diff->rows[i];
	}
	sort_stable(rows, count, sizeof(void *), by_path, NULL);
	for (size_t i = 0, end; i < count; i = end) {
		double ns = 0;

		for (end = i; end < count && by_path(&rows[i], &rows[end], NULL) == 0; end++)
			ns += row_ns(c, rows[end]);
		if (fabs(ns - class_ns) <= (1 - nearly_all) * fabs(class_ns))
			found = diff_row_leaf(rows[i])->path;
	}
	free(rows);
	return found;
}

/* Of many rows that each have a little of it the range says more than the largest. */
static bool add_range_cause(struct buf *b, const struct cause *c, const struct diff_row *row,
			    double class_ns)
{
	const char *range = find_range(c, diff_row_leaf(row)->class, class_ns);

	if (!range || !range[0] || fabs(row_ns(c, row)) >= half * fabs(class_ns))
		return false;
	buf_adds(b, ", in ");
	diff_add_path(b, range);
	return true;
}

/* The class that has most of it, and the row or range that has most of that. */
static void add_class_cause(struct buf *b, const struct cause *c)
{
	double ns;
	const enum leaf_class class = find_class(c, &ns);

	if (class == LEAF_CLASSES) {
		buf_adds(b, "another mix of steps");
		return;
	}
	diff_add_signed_ns(b, ns);
	buf_addf(b, " %s", leaf_class_words[class]);
	if (class == LEAF_IDLE)
		add_host_cause(b, c->diff, ns);
	else if (!add_range_cause(b, c, find_row(c, class), ns))
		add_row_cause(b, c, find_row(c, class), ns);
}

/* Whether the GPU's clock has a sizeable part of the change: what is left of it, then. */
static bool take_clock(const struct cause *all, struct cause *ret_rest)
{
	const struct diff *d = all->diff;
	const double before_ns = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	double ns;

	*ret_rest = (struct cause){d, d->drift.change, d->drift.step_change * before_ns};
	if (!drift_is_clear(&d->drift) || find_class(all, &ns) != LEAF_COMPUTE)
		return false;
	ns = all->ns - ret_rest->ns;
	return has_sign(all, ns) && fabs(ns) >= sizeable * fabs(all->ns);
}

static void add_clock_cause(struct buf *b, const struct cause *all, const struct cause *rest,
			    double tolerance)
{
	diff_add_signed_ns(b, all->ns - rest->ns);
	buf_adds(b, " by the GPU's clock");
	if (fabs(rest->ns) < no_part * fabs(all->ns) &&
	    fabs(rest->diff->drift.step_change) < tolerance) {
		buf_adds(b, ": no code is to blame");
		return;
	}
	buf_adds(b, ", and ");
	diff_add_signed_ns(b, rest->ns);
	buf_adds(b, " without it: ");
	add_class_cause(b, rest);
}

void diff_add_cause(struct buf *b, const struct diff *d, double tolerance)
{
	const struct cause all = {d, 0, diff_step_ns(d, d->delta)};
	const double mix = diff_step_ns(d, d->mix);
	const double before_ns = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	const bool is_none = fabs(all.ns) <= no_change * before_ns;
	struct cause rest;
	double class_ns;

	find_class(&all, &class_ns);
	if (is_none && fabs(class_ns) <= in_parts * before_ns)
		return;
	buf_adds(b, is_none ? "In all nothing changed, but in parts: " : "Most of it: ");
	if (has_sign(&all, mix) && fabs(mix) > fabs(class_ns)) {
		diff_add_signed_ns(b, mix);
		buf_adds(b, " another mix of steps");
	} else if (take_clock(&all, &rest)) {
		add_clock_cause(b, &all, &rest, tolerance);
	} else {
		add_class_cause(b, &all);
	}
}
