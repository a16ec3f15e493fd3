/* Which offset and drift between two clocks agree with all that both have seen? */
#include "fleet/clock.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

enum {
	HALVINGS = 60,	 /* of an interval of drifts: beyond what doubles can tell apart */
	TIGHT_LEAST = 5, /* bounds that are asked when both left */
	RATE_LEAST = 16	 /* bounds that tell a rate which no clock should have */
};

static const double contradicting = 0.01; /* of all bounds may be left out */
static const double tight = 0.1;	  /* of all bounds are the tight ones */
static const double clearly = 2;	  /* times as much room leaves no doubt about a rate */
static const double varies = 5;		  /* times as far as exits vary is apart … */
static const double together_ns = 25e3;	  /* … beyond what links and launches make of it */
static const double golden = 0.6180339887498949;

/*
 * An offset with drift is a line over time. Lines that lie below all upper bounds are those below
 * their lower hull, lines above all lower bounds those above their upper hull: of thousands of
 * bounds some dozens matter.
 */
struct hull {
	double *at, *value;
	size_t count;
};

struct hulls {
	struct hull low, high;
};

/* `sign` 1: the hull below the points; -1: the one above them. Points come in order of time. */
static void hull_add(struct hull *h, double at, double value, double sign)
{
	while (h->count >= 2) {
		const double *x = &h->at[h->count - 2], *y = &h->value[h->count - 2];
		const double turn = (x[1] - x[0]) * (value - y[0]) - (at - x[0]) * (y[1] - y[0]);

		if (turn * sign > 0)
			break;
		h->count--;
	}
	h->at[h->count] = at;
	h->value[h->count++] = value;
}

static void hull_init(struct hull *h, size_t count)
{
	h->at = mem_alloc(count, sizeof(*h->at));
	h->value = mem_alloc(count, sizeof(*h->value));
	h->count = 0;
}

static void hull_free(struct hull *h)
{
	free(h->at);
	free(h->value);
}

static void hulls_make(const struct clock_bound *b, size_t count, struct hulls *ret)
{
	hull_init(&ret->low, count);
	hull_init(&ret->high, count);
	for (size_t i = 0; i < count; i++) {
		hull_add(&ret->low, b[i].at_ns, b[i].least_ns, -1);
		hull_add(&ret->high, b[i].at_ns, b[i].most_ns, 1);
	}
}

static void hulls_free(struct hulls *h)
{
	hull_free(&h->low);
	hull_free(&h->high);
}

/* Offsets at time 0 that agree with all bounds, for one drift. */
static double least_at_zero(const struct hulls *h, double drift)
{
	double least = -INFINITY;

	for (size_t i = 0; i < h->low.count; i++)
		least = fmax(least, h->low.value[i] - drift * h->low.at[i]);
	return least;
}

static double most_at_zero(const struct hulls *h, double drift)
{
	double most = INFINITY;

	for (size_t i = 0; i < h->high.count; i++)
		most = fmin(most, h->high.value[i] - drift * h->high.at[i]);
	return most;
}

/* Concave in the drift. Below 0: no offset agrees. */
static double width(const struct hulls *h, double drift)
{
	return most_at_zero(h, drift) - least_at_zero(h, drift);
}

/* What is asked of drifts is concave in them: its highest place, by golden section. */
struct question {
	const struct hulls *hulls;
	double (*value)(const struct question *q, double drift);
	double at_ns;
};

static double ask_width(const struct question *q, double drift)
{
	return width(q->hulls, drift);
}

/* The highest and the lowest offset at a time, the latter negated. */
static double ask_most(const struct question *q, double drift)
{
	return most_at_zero(q->hulls, drift) + drift * q->at_ns;
}

static double ask_least(const struct question *q, double drift)
{
	return -(least_at_zero(q->hulls, drift) + drift * q->at_ns);
}

static double find_highest(const struct question *q, double from, double to)
{
	double a = to - golden * (to - from), b = from + golden * (to - from);
	double at_a = q->value(q, a), at_b = q->value(q, b);

	for (int i = 0; i < HALVINGS; i++) {
		if (at_a < at_b) {
			from = a;
			a = b;
			at_a = at_b;
			at_b = q->value(q, b = from + golden * (to - from));
		} else {
			to = b;
			b = a;
			at_b = at_a;
			at_a = q->value(q, a = to - golden * (to - from));
		}
	}
	return (from + to) / 2;
}

/* The drift at which no offset agrees any more, from one that has some towards `to`. */
static double find_edge(const struct hulls *h, double from, double to)
{
	if (width(h, to) >= 0)
		return to;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (from + to) / 2;

		if (width(h, middle) >= 0)
			from = middle;
		else
			to = middle;
	}
	return from;
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct clock_bound *x = a, *y = b;

	(void)ctx;
	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static void put_in_order(struct clock_bound *b, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (b[i].at_ns < b[i - 1].at_ns) {
			sort_stable(b, count, sizeof(*b), by_time, NULL);
			return;
		}
	}
}

static double median(double *values, size_t count)
{
	int64_t *keys = mem_alloc(count, sizeof(*keys)), *scratch = mem_alloc(count, sizeof(*keys));
	double result;

	for (size_t i = 0; i < count; i++)
		keys[i] = sort_key_of_double(values[i]);
	sort_i64(keys, scratch, count);
	result = (sort_double_of_key(keys[(count - 1) / 2]) + sort_double_of_key(keys[count / 2])) /
		 2;
	free(scratch);
	free(keys);
	return result;
}

static int by_width(const void *a, const void *b, void *ctx)
{
	const struct clock_bound *x = a, *y = b;
	const double p = x->most_ns - x->least_ns, q = y->most_ns - y->least_ns;

	(void)ctx;
	return (p > q) - (p < q);
}

/*
 * Where exits coincide, at time 0. Both leave a short collective within microseconds; in a long one
 * they may be a large part of it apart, so that the shortest ones are asked alone.
 */
static double guess_at_zero(const struct clock_bound *b, size_t count, double drift,
			    double *ret_spread)
{
	size_t asked = (size_t)(tight * (double)count);
	struct clock_bound *sorted = mem_copy(b, count, sizeof(*b));
	double *offsets, result;

	asked = asked > TIGHT_LEAST ? asked : TIGHT_LEAST;
	asked = asked < count ? asked : count;
	sort_stable(sorted, count, sizeof(*sorted), by_width, NULL);
	offsets = mem_alloc(asked, sizeof(*offsets));
	for (size_t i = 0; i < asked; i++)
		offsets[i] = sorted[i].even_ns - drift * sorted[i].at_ns;
	result = median(offsets, asked);
	for (size_t i = 0; i < asked; i++)
		offsets[i] = fabs(offsets[i] - result);
	*ret_spread = median(offsets, asked);
	free(offsets);
	free(sorted);
	return result;
}

/* How far any line that agrees is from ours: farthest at the first or the last bound. */
static double find_uncertainty(const struct hulls *h, const struct clock_fit *f, double from,
			       double to)
{
	const double ends[] = {h->low.at[0], h->low.at[h->low.count - 1]};
	double farthest = 0;

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		const struct question most = {h, ask_most, ends[i]},
				      least = {h, ask_least, ends[i]};
		const double own = clock_offset_ns(f, ends[i]);

		farthest = fmax(farthest, ask_most(&most, find_highest(&most, from, to)) - own);
		farthest = fmax(farthest, own + ask_least(&least, find_highest(&least, from, to)));
	}
	return farthest;
}

static double clip(double x, double least, double most)
{
	return x < least ? least : x > most ? most : x;
}

/* Fills *ret from bounds that no line contradicts; false: each line contradicts some. */
static bool fit_line(const struct clock_bound *b, size_t count, double expected_ns,
		     double drift_max, struct clock_fit *ret)
{
	struct hulls h;
	struct question q = {&h, ask_width, 0};
	double best;
	bool agrees;

	hulls_make(b, count, &h);
	best = find_highest(&q, -drift_max, drift_max);
	/* Where doing without a drift is as good as any, there is none. */
	if (width(&h, 0) >= width(&h, best))
		best = 0;
	agrees = width(&h, best) >= 0;
	if (agrees) {
		const double from = find_edge(&h, best, -drift_max);
		const double to = find_edge(&h, best, drift_max);
		double least, most;

		ret->drift = from <= 0 && to >= 0 && drift_max <= CLOCK_DRIFT_MAX ? 0 : best;
		least = least_at_zero(&h, ret->drift);
		most = most_at_zero(&h, ret->drift);
		ret->as_expected = ret->drift == 0 && expected_ns >= least && expected_ns <= most;
		ret->at_zero_ns = clip(guess_at_zero(b, count, ret->drift, &ret->even_spread_ns),
				       least, most);
		ret->uncertainty_ns = find_uncertainty(&h, ret, from, to);
		ret->turn_ns = fmax(to - ret->drift, ret->drift - from) *
			       (b[count - 1].at_ns - b[0].at_ns) / 2;
	}
	hulls_free(&h);
	return agrees;
}

/* An end of what a bound allows. */
struct edge {
	double ns;
	int step; /* 1: from here on it agrees; -1: up to here */
};

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct edge *x = a, *y = b;

	(void)ctx;
	if (x->ns != y->ns)
		return x->ns > y->ns ? 1 : -1;
	return y->step - x->step;
}

/* The offset at time 0 that agrees with most bounds, for one drift, and with how many. */
static double find_most_agreed(const struct clock_bound *b, size_t count, double drift,
			       size_t *ret_count)
{
	struct edge *edges = mem_alloc(2 * count, sizeof(*edges));
	double best = 0;
	size_t now = 0;

	for (size_t i = 0; i < count; i++) {
		edges[2 * i] = (struct edge){b[i].least_ns - drift * b[i].at_ns, 1};
		edges[2 * i + 1] = (struct edge){b[i].most_ns - drift * b[i].at_ns, -1};
	}
	sort_stable(edges, 2 * count, sizeof(*edges), by_place, NULL);
	*ret_count = 0;
	for (size_t i = 0; i + 1 < 2 * count; i++) {
		now += (size_t)edges[i].step;
		if (now > *ret_count) {
			*ret_count = now;
			best = (edges[i].ns + edges[i + 1].ns) / 2;
		}
	}
	free(edges);
	return best;
}

/* From the middle of the first half to that of the second. */
double clock_guess_drift(const struct clock_bound *b, size_t count, double drift_max)
{
	const size_t half = count / 2;
	double *values = mem_alloc(half, sizeof(*values)), early, late, drift;

	for (size_t i = 0; i < half; i++)
		values[i] = b[i].even_ns;
	early = median(values, half);
	for (size_t i = 0; i < half; i++)
		values[i] = b[count - half + i].even_ns;
	late = median(values, half);
	free(values);
	drift = (late - early) / (b[count - half + half / 2].at_ns - b[half / 2].at_ns);
	return isfinite(drift) ? clip(drift, -drift_max, drift_max) : 0;
}

/* Leaves out what contradicts the offset that most agree with. Returns how many are left. */
static size_t leave_out(struct clock_bound *b, size_t count, double drift_max)
{
	const double drifts[] = {0, count >= 4 ? clock_guess_drift(b, count, drift_max) : 0};
	double drift = 0, at_zero = 0;
	size_t agreed = 0, left = 0;

	for (size_t i = 0; i < ARRAY_LEN(drifts); i++) {
		size_t n;
		const double x = find_most_agreed(b, count, drifts[i], &n);

		if (n > agreed) {
			agreed = n;
			drift = drifts[i];
			at_zero = x;
		}
	}
	for (size_t i = 0; i < count; i++) {
		const double x = at_zero + drift * b[i].at_ns;

		if (x >= b[i].least_ns && x <= b[i].most_ns)
			b[left++] = b[i];
	}
	return left;
}

bool clock_rate_is_odd(struct clock_bound *b, size_t count)
{
	struct hulls h;
	const struct question q = {&h, ask_width, 0};
	double usual, best, drift;
	bool odd;

	if (count < RATE_LEAST)
		return false;
	put_in_order(b, count);
	drift = clock_guess_drift(b, count, CLOCK_DRIFT_FAR);
	if (fabs(drift) <= CLOCK_DRIFT_MAX)
		return false;
	hulls_make(b, count, &h);
	usual = find_highest(&q, -CLOCK_DRIFT_MAX, CLOCK_DRIFT_MAX);
	best = find_highest(&q, -CLOCK_DRIFT_FAR, CLOCK_DRIFT_FAR);
	odd = fabs(best) > CLOCK_DRIFT_MAX && best * drift > 0 &&
	      width(&h, best) > clearly * fmax(width(&h, usual), 0);
	hulls_free(&h);
	return odd;
}

bool clock_fit_is_apart(const struct clock_fit *f, double expected_ns)
{
	return fabs(f->at_zero_ns - expected_ns) > varies * f->even_spread_ns + together_ns;
}

bool clock_fit_fails(size_t left_out, size_t count)
{
	return (double)left_out > contradicting * (double)count;
}

void clock_fit(struct clock_bound *bounds, size_t count, double expected_ns, double drift_max,
	       struct clock_fit *ret)
{
	*ret = (struct clock_fit){.used = count};
	if (!count)
		return;
	put_in_order(bounds, count);
	if (fit_line(bounds, count, expected_ns, drift_max, ret)) {
		ret->known = true;
		return;
	}
	ret->used = leave_out(bounds, count, drift_max);
	ret->left_out = count - ret->used;
	ret->known = !clock_fit_fails(ret->left_out, count) && ret->used &&
		     fit_line(bounds, ret->used, expected_ns, drift_max, ret);
}
