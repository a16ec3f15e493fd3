/* Can the kernels of one queue follow those of another from a given place on? */
#include "fleet/job/queue_place.h"

#include "base/sort.h"

static const double odd = 0.05; /* of the samples at most may be far off for a place to be tried */
static const double usually_ns = 10e3;	/* ranks that leave together are apart by less, … */
static const double together_ns = 25e3; /* … and by no more than that … */
static const double varies = 5;		/* … beyond so many times what they usually are */

enum {
	FEW = 64,      /* bounds tell whether there may be a line through all of them */
	EVEN_LEAST = 8 /* kernels that tell how evenly two ranks leave */
};

static size_t few_of(size_t count)
{
	return count < FEW ? count : FEW;
}

/* Though so many of so few contradict it. */
static bool is_likely(size_t far, size_t of)
{
	return (double)far <= 1 + odd * (double)of;
}

/* The median of a few, which are put in order. */
static int64_t middle(int64_t *ns, size_t count)
{
	int64_t scratch[FEW];

	sort_i64(ns, scratch, count);
	return ns[count / 2];
}

/* Whether there may be a line through the bounds at all: told by a few of them, in no time. */
static bool looks_likely(const struct queue_pair *p, const struct clock_bound *b, size_t count)
{
	const size_t n = few_of(count);
	int64_t even[FEW], middle_ns;
	size_t far = 0;

	for (size_t i = 0; i < n; i++)
		even[i] = sat_of_double(b[i * count / n].even_ns);
	middle_ns = middle(even, n);
	for (size_t i = 0; i < n; i++) {
		const struct clock_bound *x = &b[i * count / n];
		const double moved_ns = p->job->drift_max * fabs(b[count - 1].at_ns - b[0].at_ns);
		const double at_ns = (double)middle_ns;

		far += at_ns < x->least_ns - moved_ns || at_ns > x->most_ns + moved_ns;
	}
	return is_likely(far, n);
}

/* Kernels of b that are looked at, and what each says: of many some, evenly. */
struct samples {
	const struct queue_pair *p;
	int64_t first, count, place;
	size_t taken;
};

static struct clock_bound sample(const struct samples *s, size_t i)
{
	const int64_t j = s->first + (int64_t)i * s->count / (int64_t)s->taken;
	struct clock_bound b;

	queue_pair_bound(s->p, (size_t)(j + s->place), (size_t)j, &b);
	return b;
}

/*
 * Whether no line can be likely: any offset contradicts one of two bounds that have none in common.
 * Most places are wrong, and a handful of kernels shows it.
 */
static bool is_unlikely(const struct samples *s)
{
	const size_t n = few_of(s->taken);
	const double moved_ns =
		s->p->job->drift_max * fabs(sample(s, s->taken - 1).at_ns - sample(s, 0).at_ns);
	size_t far = 0;

	for (size_t i = 0; i + 1 < n && is_likely(far, n); i += 2) {
		const struct clock_bound x = sample(s, i * s->taken / n);
		const struct clock_bound y = sample(s, (i + 1) * s->taken / n);

		far += x.least_ns - moved_ns > y.most_ns + moved_ns ||
		       y.least_ns - moved_ns > x.most_ns + moved_ns;
	}
	return !is_likely(far, n);
}

/*
 * Whether any line through nearly all bounds is farther from one clock for both than lines may be
 * apart, which is the width of a bound at most: told without finding the line.
 */
static bool is_elsewhere(const struct queue_pair *p, const struct clock_bound *b, size_t count)
{
	double widest_ns = 0;
	size_t far = 0;

	for (size_t i = 0; i < count; i++)
		widest_ns = fmax(widest_ns, b[i].most_ns - b[i].least_ns);
	for (size_t i = 0; i < count; i++) {
		const double moved_ns = p->job->drift_max * fabs(b[i].at_ns);

		far += fmax(b[i].least_ns, -b[i].most_ns) > moved_ns + widest_ns + p->doubt_ns;
	}
	return clock_fit_fails(far, count);
}

/* False: few that agree, of many, do so by chance. */
static bool take_samples(const struct queue_pair *p, const struct queue_place *at,
			 struct samples *ret)
{
	const int64_t begin = (int64_t)at->first, end = begin + (int64_t)at->count;
	const int64_t first = -at->place > begin ? -at->place : begin;
	const int64_t of_a = (int64_t)p->a->count - at->place, last = end < of_a ? end : of_a;
	const int64_t fewer = (int64_t)(p->a->count < at->count ? p->a->count : at->count);
	const int64_t count = last - first;

	*ret = (struct samples){p, first, count, at->place,
				(size_t)(count < QUEUE_SAMPLES ? count : QUEUE_SAMPLES)};
	return count >= 1 && 2 * count >= fewer;
}

/* The clock of one machine is not moved for what has nothing but a name in common. */
static bool is_on_other_machine(const struct queue_pair *p, const struct queue_place *at)
{
	return p->by_name && p->one_machine && !p->together && at->far_ns > QUEUE_MACHINE_NS;
}

bool queue_place_try(const struct queue_pair *p, struct queue_place *at)
{
	struct samples s;
	struct clock_bound bounds[QUEUE_SAMPLES];

	if (!take_samples(p, at, &s))
		return false;
	at->far_ns = 0;
	if (p->leaves_early) /* what says nothing about clocks agrees with all */
		return true;
	if (is_unlikely(&s))
		return false;
	for (size_t i = 0; i < s.taken; i++)
		bounds[i] = sample(&s, i);
	if (!looks_likely(p, bounds, s.taken) || (p->together && is_elsewhere(p, bounds, s.taken)))
		return false;
	clock_fit(bounds, s.taken, 0, p->job->drift_max, &at->fit);
	at->far_ns = at->fit.as_expected ? 0 : fabs(at->fit.at_zero_ns);
	return at->fit.known &&
	       (!p->together || at->far_ns <= at->fit.uncertainty_ns + p->doubt_ns) &&
	       !is_on_other_machine(p, at);
}

/* When both left, against the clocks in the middle; of those that they did leave together. */
static double usual_unevenness(const struct samples *s, double *ret_drift, double *ret_usual_ns)
{
	const size_t n = few_of(s->taken);
	struct clock_bound b[FEW] = {0};
	int64_t ns[FEW], usual_ns;

	for (size_t i = 0; i < n; i++)
		b[i] = sample(s, i * s->taken / n);
	*ret_drift = clock_guess_drift(b, n, s->p->job->drift_max);
	for (size_t i = 0; i < n; i++)
		ns[i] = sat_of_double(b[i].even_ns - *ret_drift * b[i].at_ns);
	usual_ns = middle(ns, n);
	for (size_t i = 0; i < n; i++)
		ns[i] = ns[i] > usual_ns ? sat_sub(ns[i], usual_ns) : sat_sub(usual_ns, ns[i]);
	*ret_usual_ns = (double)usual_ns;
	return (double)middle(ns, n);
}

static bool can_tell(const struct queue_pair *p, const struct queue_place *at, struct samples *ret)
{
	return take_samples(p, at, ret) && !is_unlikely(ret) && ret->taken >= EVEN_LEAST;
}

struct queue_evenness queue_place_evenness(const struct queue_pair *p, const struct queue_place *at)
{
	struct samples s;
	double drift, usual_ns;

	if (!can_tell(p, at, &s))
		return (struct queue_evenness){NAN, 0};
	return (struct queue_evenness){usual_unevenness(&s, &drift, &usual_ns), few_of(s.taken)};
}

bool queue_place_is_even(const struct queue_pair *p, const struct queue_place *at)
{
	struct samples s;
	double drift, usual_ns, far_ns;
	size_t far = 0;

	if (!can_tell(p, at, &s))
		return false;
	far_ns = usual_unevenness(&s, &drift, &usual_ns);
	if (far_ns > usually_ns)
		return false;
	far_ns = varies * far_ns + together_ns;
	for (size_t i = 0; i < s.taken; i++) {
		const struct clock_bound b = sample(&s, i);

		far += fabs(b.even_ns - drift * b.at_ns - usual_ns) > far_ns;
	}
	return !clock_fit_fails(far, s.taken);
}
