/* Where do two queues go on together, from a kernel that both have, to their ends? */
#include "fleet/job/queue_walk.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	PROOF = 6,	/* kernels behind a gap that are looked at */
	LOOK_BACK = 64, /* kernels before the one that cannot be, among which the gap is */
	GAP_MAX = 4096, /* kernels in a gap */
	CUT_EACH = 16,	/* kernels to a gap, at least, on average */
};

static const double slack_ns = 2000;	  /* that clocks of GPUs are read wrongly by */
static const double more_even = 0.5;	  /* behind a gap than without it */
static const double contradicting = 0.01; /* of all kernels may, and are no gap */

/* A gap: b's kernels [from, to) are not in a; where there are none, b lacks some of a's. */
struct cut {
	int64_t from, to;
	int64_t before, after; /* places of the kernels before and behind it */
};

/* A way through both queues, towards their ends, or mirrored towards their beginnings. */
struct walk {
	const struct queue_pair *p;
	const struct clock_fit *fit;
	bool mirrored;
	int64_t seed;		  /* b's kernel that it begins at: nothing before it is moved */
	int64_t place;		  /* at this moment */
	double least_ns, most_ns; /* the offset of the clocks lies between these … */
	double at_ns;		  /* … at this moment */
	struct cut *cuts;
	size_t cut_count, cut_cap;
	uint64_t met, odd; /* kernels that agree, and that contradict */
};

static int64_t count_a(const struct walk *w)
{
	return (int64_t)w->p->a->count;
}

static int64_t count_b(const struct walk *w)
{
	return (int64_t)w->p->b->count;
}

/* False: one of both is not there. */
static bool bound_at(const struct walk *w, int64_t i, int64_t j, struct clock_bound *ret)
{
	if (i < 0 || i >= count_a(w) || j < 0 || j >= count_b(w))
		return false;
	if (!w->mirrored) {
		queue_pair_bound(w->p, (size_t)i, (size_t)j, ret);
		return true;
	}
	queue_pair_bound(w->p, (size_t)(count_a(w) - 1 - i), (size_t)(count_b(w) - 1 - j), ret);
	*ret = (struct clock_bound){-ret->at_ns, -ret->most_ns, -ret->least_ns, -ret->even_ns};
	return true;
}

static double expected_offset(const struct walk *w, double at_ns)
{
	return w->mirrored ? -clock_offset_ns(w->fit, -at_ns) : clock_offset_ns(w->fit, at_ns);
}

/* What the offset may be by now: clocks drift. */
static void go_on(struct walk *w, double at_ns)
{
	const double moved_ns = w->p->job->drift_max * fabs(at_ns - w->at_ns);

	w->least_ns -= moved_ns;
	w->most_ns += moved_ns;
	w->at_ns = at_ns;
}

/* Below 0: a's kernel is over before b's begins; above: b's is before a's begins. */
static int compare(const struct walk *w, const struct clock_bound *b)
{
	if (b->most_ns < w->least_ns - slack_ns)
		return -1;
	return b->least_ns > w->most_ns + slack_ns;
}

static void take(struct walk *w, const struct clock_bound *b)
{
	const double least_ns = fmax(w->least_ns, b->least_ns);
	const double most_ns = fmin(w->most_ns, b->most_ns);

	/* Slack alone lets them agree: the newer one is as good as what was known. */
	w->least_ns = least_ns <= most_ns ? least_ns : b->least_ns;
	w->most_ns = least_ns <= most_ns ? most_ns : b->most_ns;
	w->met++;
}

/* How far apart both left, if they are one. */
static double unevenness(const struct walk *w, int64_t j, int64_t place)
{
	struct clock_bound b;

	return bound_at(w, j + place, j, &b) ? fabs(b.even_ns - expected_offset(w, b.at_ns)) : 0;
}

/* The mean over kernels from b's j on; INFINITY: a has none there. */
static double mean_unevenness(const struct walk *w, int64_t j, int64_t place)
{
	double sum_ns = 0;
	int n = 0;

	for (; n < PROOF && j + n < count_b(w) && j + n + place < count_a(w); n++)
		sum_ns += unevenness(w, j + n, place);
	return n ? sum_ns / n : INFINITY;
}

/*
 * The gap that b's kernel j is behind, whose counterpart is over before (`side` below 0) or begins
 * after it. One kernel that is odd, and all is well behind it, is none: behind a gap both leave far
 * more evenly.
 */
static bool find_gap(const struct walk *w, int64_t j, int side, struct cut *ret)
{
	struct clock_bound b;
	int64_t n = 1;

	while (n <= GAP_MAX &&
	       bound_at(w, j + w->place + (side < 0 ? n : 0), j + (side < 0 ? 0 : n), &b) &&
	       compare(w, &b) == side)
		n++;
	*ret = (struct cut){.from = j, .to = side < 0 ? j : j + n, .before = w->place};
	ret->after = side < 0 ? w->place + n : w->place - n;
	return n <= GAP_MAX && bound_at(w, ret->to + ret->after, ret->to, &b) &&
	       compare(w, &b) == 0 &&
	       mean_unevenness(w, ret->to, ret->after) <
		       more_even * mean_unevenness(w, j + 1, w->place);
}

/* A gap is seen only where kernels cannot be one; it is where both left most evenly around it. */
static void move_back(const struct walk *w, struct cut *c)
{
	const int64_t known = w->cut_count ? w->cuts[w->cut_count - 1].to : w->seed;
	const int64_t far = c->from - LOOK_BACK > known ? c->from - LOOK_BACK : known;
	const int64_t extra = c->to - c->from;
	double gain_ns = 0, most_ns = 0;
	int64_t best = c->from;

	for (int64_t j = c->from - 1; j >= far; j--) {
		gain_ns += unevenness(w, j, c->before) - unevenness(w, j + extra, c->after);
		if (gain_ns > most_ns) {
			most_ns = gain_ns;
			best = j;
		}
	}
	c->from = best;
	c->to = best + extra;
}

static void add_cut(struct walk *w, struct cut c)
{
	move_back(w, &c);
	MEM_GROW(w->cuts, w->cut_cap, w->cut_count + 1);
	w->cuts[w->cut_count++] = c;
	w->place = c.after;
	/* What was taken for one before the gap was seen may have been none. */
	w->least_ns = -INFINITY;
	w->most_ns = INFINITY;
}

static bool is_hopeless(const struct walk *w)
{
	const uint64_t seen = w->met + w->odd;

	return (double)w->odd > 2 + contradicting * (double)seen ||
	       w->cut_count > 4 + seen / CUT_EACH;
}

/* From b's kernel `j` on, which is known to be a's at the walk's place. */
static void walk_on(struct walk *w, int64_t j)
{
	while (j < count_b(w) && !is_hopeless(w)) {
		struct clock_bound b;
		struct cut c;
		int side;

		if (!bound_at(w, j + w->place, j, &b)) {
			j++;
			continue;
		}
		go_on(w, b.at_ns);
		side = compare(w, &b);
		if (side == 0) {
			take(w, &b);
		} else if (find_gap(w, j, side, &c)) {
			j = c.to;
			add_cut(w, c);
			continue;
		} else {
			w->odd++;
		}
		j++;
	}
}

static struct walk start(const struct queue_pair *p, const struct queue_place *at, int64_t seed,
			 bool mirrored)
{
	struct walk w = {.p = p, .fit = &at->fit, .mirrored = mirrored, .place = at->place};
	struct clock_bound b = {0};
	double offset_ns;

	if (mirrored) {
		w.place = count_a(&w) - count_b(&w) - at->place;
		seed = count_b(&w) - 1 - seed;
	}
	w.seed = seed;
	bound_at(&w, seed + w.place, seed, &b);
	offset_ns = expected_offset(&w, b.at_ns);
	w.least_ns = offset_ns - at->fit.uncertainty_ns;
	w.most_ns = offset_ns + at->fit.uncertainty_ns;
	w.at_ns = b.at_ns;
	walk_on(&w, seed);
	return w;
}

/* A kernel that the fit agrees with, in the middle of those it is from or behind that. */
static bool find_seed(const struct queue_pair *p, const struct queue_place *at, int64_t *ret)
{
	const int64_t end = (int64_t)(at->first + at->count);
	const struct walk w = {.p = p, .fit = &at->fit};

	for (int64_t n = 0; n < (int64_t)at->count; n++) {
		int64_t j = (int64_t)at->first + (int64_t)at->count / 2 + n;
		struct clock_bound b;

		j = j < end ? j : j - (int64_t)at->count;
		if (bound_at(&w, j + at->place, j, &b) &&
		    expected_offset(&w, b.at_ns) >= b.least_ns - slack_ns &&
		    expected_offset(&w, b.at_ns) <= b.most_ns + slack_ns) {
			*ret = j;
			return true;
		}
	}
	return false;
}

static void add_stretch(struct alignment *a, size_t *cap, struct stretch s)
{
	MEM_GROW(a->stretches, *cap, a->count + 1);
	a->stretches[a->count++] = s;
}

static void add_gap(struct alignment *a, size_t *cap, const struct cut *c, int64_t of_b)
{
	if (c->to > c->from)
		add_stretch(a, cap, (struct stretch){(uint32_t)c->from, true, c->from + c->before});
	if (c->to < of_b)
		add_stretch(a, cap, (struct stretch){(uint32_t)c->to, false, c->to + c->after});
}

/* The same gap, seen from the other end. */
static struct cut mirror(const struct walk *w, const struct cut *c)
{
	const int64_t all = count_a(w) - count_b(w);

	return (struct cut){count_b(w) - c->to, count_b(w) - c->from, all - c->after,
			    all - c->before};
}

static void gather(const struct walk *back, const struct walk *on, struct alignment *ret)
{
	const int64_t of_b = count_b(on);
	int64_t place = on->cut_count ? on->cuts[0].before : on->place;
	size_t cap = 0;

	if (back->cut_count)
		place = mirror(back, &back->cuts[back->cut_count - 1]).before;
	add_stretch(ret, &cap, (struct stretch){0, false, place});
	for (size_t i = back->cut_count; i-- > 0;) {
		const struct cut c = mirror(back, &back->cuts[i]);

		/* Nothing is before a gap at the very beginning. */
		if (c.from <= 0)
			ret->count = 0;
		add_gap(ret, &cap, &c, of_b);
	}
	for (size_t i = 0; i < on->cut_count; i++)
		add_gap(ret, &cap, &on->cuts[i], of_b);
}

/* Kernels of both follow each other: what does not is no alignment. */
static bool is_ordered(const struct alignment *a)
{
	for (size_t i = 1; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i], *before = &a->stretches[i - 1];
		const int64_t longer = before->extra ? 0 : (int64_t)s->first - before->first;

		if (s->first <= before->first || s->place < before->place + longer)
			return false;
	}
	return true;
}

bool queue_walk(const struct queue_pair *p, const struct queue_place *at, struct alignment *ret)
{
	struct walk back, on;
	int64_t seed;
	bool good;

	if (!find_seed(p, at, &seed))
		return false;
	back = start(p, at, seed, true);
	on = start(p, at, seed, false);
	good = !is_hopeless(&back) && !is_hopeless(&on);
	if (good)
		gather(&back, &on, ret);
	free(back.cuts);
	free(on.cuts);
	/* Few that agree, of many, do so by chance. */
	if (good && (!is_ordered(ret) || 2 * alignment_pairs(p, ret) < queue_pair_fewer(p))) {
		alignment_free(ret);
		good = false;
	}
	return good;
}
