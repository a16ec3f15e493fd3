/* Which kernels of two queues are the same collectives, if either lacks some? */
#include "fleet/job/alignment.h"
#include "fleet/job/queue_names.h"
#include "fleet/job/queue_place.h"
#include "fleet/job/queue_rivals.h"
#include "fleet/job/queue_walk.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	PIECES_MAX = 32, /* of a queue, each of which is looked for alone */
	PIECE_LEAST = 4, /* kernels: fewer agree by chance */
	SEEDS = 8,	 /* kernels that are looked up by the clock, one after another */
	SENDS_LEAST = 8, /* that tell whether the sender waits */
	NAMED_LEAST = 8, /* of a name, that tell one place from others */
};

static const double most = 0.75;     /* of the shorter queue */
static const double far_nearer = 10; /* to UTC, for a gap to be believed before another place */

static int64_t overlap(int64_t a_first, int64_t a_end, int64_t b_first, int64_t b_end)
{
	const int64_t first = a_first > b_first ? a_first : b_first;
	const int64_t end = a_end < b_end ? a_end : b_end;

	return end > first ? end - first : 0;
}

int64_t alignment_pairs(const struct queue_pair *p, const struct alignment *a)
{
	const int64_t of_a = (int64_t)p->a->count, of_b = (int64_t)p->b->count;
	int64_t pairs = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i];
		const int64_t end = i + 1 < a->count ? a->stretches[i + 1].first : of_b;

		if (!s->extra)
			pairs += overlap(0, of_a, s->place, s->place + end - s->first);
	}
	return pairs;
}

/* Kernels of both that have no counterpart, and gaps. */
static int64_t unexplained(const struct queue_pair *p, const struct alignment *a)
{
	return (int64_t)p->a->count + (int64_t)p->b->count - 2 * alignment_pairs(p, a) +
	       (int64_t)a->count - 1;
}

/* The first, or the last, of b's pieces where it should be if both captures began, or ended, with
 * the same collective. */
static bool find_end_piece(const struct queue_pair *p, size_t each, int64_t expected,
			   struct queue_place *ret)
{
	const int64_t more = (int64_t)p->a->count - (int64_t)p->b->count;

	return queue_pair_expect(p, 0, each, expected, true, ret) ||
	       queue_pair_expect(p, p->b->count - each, each, more, true, ret);
}

/* The one that is nearest to UTC of all pieces of a size. */
static bool find_any_piece(const struct queue_pair *p, size_t each, int64_t expected,
			   struct queue_place *ret)
{
	bool found = false;

	for (size_t first = 0; first + each <= p->b->count; first += each) {
		struct queue_place at;

		if (queue_pair_find(p, first, each, expected, false, &at) &&
		    (!found || at.far_ns < ret->far_ns)) {
			*ret = at;
			found = true;
		}
	}
	return found;
}

/* Whether a gap may hide though all samples agree: not all kernels were looked at. */
static bool is_proven(const struct queue_pair *p, const struct queue_place *at)
{
	return p->leaves_early || (!at->fit.left_out && at->count <= QUEUE_SAMPLES);
}

static bool align_whole(const struct queue_pair *p, const struct queue_place *at,
			struct alignment *ret)
{
	if (is_proven(p, at) || !queue_walk(p, at, ret))
		*ret = alignment_plain(at->place);
	return true;
}

/* The clocks of both are known from other collectives: they tell where some kernel belongs. */
static bool align_by_clock(const struct queue_pair *p, struct alignment *ret)
{
	bool found = false;

	for (size_t i = 0; i < SEEDS && i < p->b->count && !found; i++) {
		const size_t seeds = p->b->count < SEEDS ? p->b->count : SEEDS;
		struct queue_place at;

		queue_pair_find_by_clock(p, (2 * i + 1) * p->b->count / (2 * seeds), &at);
		found = queue_walk(p, &at, ret);
	}
	return found;
}

static bool find_whole(const struct queue_pair *p, int64_t expected, struct queue_place *ret)
{
	return queue_pair_find(p, 0, p->b->count, expected, p->a->count == p->b->count, ret);
}

/* What whole steps the clocks of both may be apart. */
static double steps_doubt(const struct queue_pair *p)
{
	const struct job *j = p->job;

	return job_steps_doubt_ns(j, j->members[p->a->member].part, j->members[p->b->member].part);
}

static bool align_known(const struct queue_pair *p, int64_t expected, struct alignment *ret)
{
	struct queue_pair by_clock = *p;
	struct queue_place at;
	bool found;

	if (p->leaves_early || !queue_pair_by_clock(&by_clock))
		return false;
	if (find_whole(&by_clock, expected, &at))
		found = align_whole(&by_clock, &at, ret);
	else
		found = align_by_clock(&by_clock, ret);
	ret->doubt_ns = steps_doubt(p);
	return found;
}

/* An alignment, and how far from UTC the clocks are with it. */
struct candidate {
	struct alignment is;
	double far_ns;
	bool found;
};

/* Keeps what explains more. */
static void try_piece(const struct queue_pair *p, const struct queue_place *at,
		      struct candidate *best)
{
	struct alignment a = {0};

	if (queue_walk(p, at, &a) &&
	    (!best->found || unexplained(p, &a) < unexplained(p, &best->is))) {
		alignment_free(&best->is);
		*best = (struct candidate){a, at->far_ns, true};
	} else {
		alignment_free(&a);
	}
}

/* From pieces of b that agree with a without a gap: halves, then quarters, … */
static void try_pieces(const struct queue_pair *p, int64_t expected, struct candidate *best)
{
	const size_t all = p->b->count;

	for (size_t n = 2; n <= PIECES_MAX && all / n >= PIECE_LEAST; n *= 2) {
		struct queue_place at;

		if (find_end_piece(p, all / n, expected, &at))
			try_piece(p, &at, best);
		if (best->found && alignment_pairs(p, &best->is) == queue_pair_fewer(p))
			return;
		if (find_any_piece(p, all / n, expected, &at))
			try_piece(p, &at, best);
	}
}

/* Whether what goes on with gaps for the longest time is at a place that is worse than another. */
static bool is_worse(const struct queue_pair *p, const struct alignment *a,
		     const struct queue_place *than)
{
	struct queue_place longest = {0};

	for (size_t i = 0; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i];
		const size_t end = i + 1 < a->count ? a->stretches[i + 1].first : p->b->count;

		if (!s->extra && end - s->first > longest.count)
			longest = (struct queue_place){
				.first = s->first, .count = end - s->first, .place = s->place};
	}
	return longest.place != than->place && queue_rivals_beat(p, than, &longest);
}

/*
 * With gaps, unless a place without one, if there is any, explains more. Steps are alike: without
 * gaps kernels may agree with those of other steps.
 */
static bool align_piece(const struct queue_pair *p, int64_t expected,
			const struct queue_place *whole, struct alignment *ret)
{
	struct alignment plain = {0};
	struct candidate best = {0};

	try_pieces(p, expected, &best);
	if (best.found && whole && align_whole(p, whole, &plain))
		best.found = (unexplained(p, &best.is) < unexplained(p, &plain) &&
			      (p->by_name || !is_worse(p, &best.is, whole))) ||
			     (p->by_name && best.far_ns * far_nearer < whole->far_ns);
	alignment_free(&plain);
	if (!best.found)
		alignment_free(&best.is);
	*ret = best.is;
	return best.found;
}

/* What some leave before others come fits everywhere by clocks; names of steps may tell. */
static int64_t place_early(const struct queue_pair *p, int64_t expected)
{
	int64_t said;

	return p->leaves_early && queue_names_at(p, expected) == NAMES_DIFFER &&
			       queue_names_find(p, &said)
		       ? said
		       : expected;
}

/* With gaps there may be a place at which far more kernels meet. */
static bool has_most(const struct queue_pair *p, const struct queue_place *at)
{
	const int64_t met =
		overlap(0, (int64_t)p->a->count, at->place, at->place + (int64_t)p->b->count);

	return (double)met >= most * (double)queue_pair_fewer(p);
}

bool queues_align_surely(const struct queue_pair *p, int64_t expected, struct alignment *ret)
{
	struct queue_place at;
	double doubt_ns;

	*ret = (struct alignment){0};
	expected = place_early(p, expected);
	if (queue_pair_expect(p, 0, p->b->count, expected, p->a->count == p->b->count, &at) &&
	    queue_rivals_none(p, &at))
		return align_whole(p, &at, ret);
	/* Of a name only those that are where they should be are a group for sure. */
	return !p->by_name && !p->together && !p->leaves_early &&
	       queue_rivals_find(p, expected, &at, &doubt_ns) && doubt_ns == 0 &&
	       queue_place_is_even(p, &at) && has_most(p, &at) && align_whole(p, &at, ret);
}

/* Anywhere, if it has no gap. Few kernels of a name agree at several places whatever they are. */
static bool guess_whole(const struct queue_pair *p, int64_t expected, struct queue_guess *ret)
{
	const bool is_few = p->by_name && queue_pair_fewer(p) < NAMED_LEAST;

	if (p->leaves_early || p->together || is_few)
		return find_whole(p, expected, &ret->at);
	return queue_rivals_find(p, expected, &ret->at, &ret->doubt_ns);
}

static bool align_guess(const struct queue_pair *p, const struct queue_guess *guess,
			struct alignment *ret)
{
	align_whole(p, &guess->at, ret);
	ret->doubt_ns = guess->doubt_ns;
	return true;
}

bool queues_align(const struct queue_pair *p, int64_t expected, struct queue_guess *guess,
		  struct alignment *ret)
{
	*ret = (struct alignment){0};
	*guess = (struct queue_guess){0};
	expected = place_early(p, expected);
	if (align_known(p, expected, ret))
		return true;
	guess->found = guess_whole(p, expected, guess);
	return guess->found &&
	       (p->leaves_early || guess->at.place == expected || guess->at.far_ns == 0) &&
	       align_guess(p, guess, ret);
}

bool queues_align_searching(const struct queue_pair *p, int64_t expected,
			    const struct queue_guess *guess, unsigned int *searches,
			    struct alignment *ret)
{
	*ret = (struct alignment){0};
	if (p->leaves_early)
		return false;
	if (*searches) {
		--*searches;
		if (align_piece(p, expected, guess->found ? &guess->at : NULL, ret)) {
			ret->doubt_ns = guess->doubt_ns;
			return true;
		}
	}
	return guess->found && align_guess(p, guess, ret);
}

static size_t gather_bounds(const struct queue_pair *p, const struct alignment *a,
			    struct clock_bound *ret)
{
	const int64_t of_a = (int64_t)p->a->count;
	size_t count = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i];
		const size_t end = i + 1 < a->count ? a->stretches[i + 1].first : p->b->count;

		for (size_t j = s->first; j < end && !s->extra; j++) {
			const int64_t k = s->place + (int64_t)(j - s->first);

			if (k >= 0 && k < of_a)
				queue_pair_bound(p, (size_t)k, j, &ret[count++]);
		}
	}
	return count;
}

static bool is_meeting(const struct queue_pair *p, const struct alignment *a, double *ret_apart_ns)
{
	struct clock_bound *bounds = mem_alloc(p->b->count, sizeof(*bounds));
	const size_t count = gather_bounds(p, a, bounds);
	struct clock_bound *copy = mem_copy(bounds, count, sizeof(*copy));
	struct clock_fit fit = {0};
	bool result = false;

	if (count >= SENDS_LEAST) {
		clock_fit(copy, count, 0, p->job->drift_max, &fit);
		result = fit.known &&
			 clock_exits_are_together(bounds, count, p->job->drift_max, ret_apart_ns);
	}
	free(copy);
	free(bounds);
	return result;
}

static bool align_sends(const struct queue_pair *p, bool sure, struct alignment *ret)
{
	const int64_t expected = p->b->left_out - p->a->left_out;
	unsigned int searches = 1;
	struct queue_guess guess;

	if (sure)
		return queues_align_surely(p, expected, ret);
	if (queues_align(p, expected, &guess, ret))
		return true;
	alignment_free(ret);
	return queues_align_searching(p, expected, &guess, &searches, ret);
}

bool sends_leave_early(const struct job *j, const struct instance_queue *a,
		       const struct instance_queue *b, bool sure, double *ret_apart_ns)
{
	struct alignment aligned = {0};
	struct queue_pair p;
	bool early;

	*ret_apart_ns = 0;
	if (!b->count)
		return true;
	queue_pair_init(&p, j, a, b, false);
	early = align_sends(&p, sure, &aligned) ? !is_meeting(&p, &aligned, ret_apart_ns) : !sure;
	alignment_free(&aligned);
	return early;
}

struct alignment alignment_plain(int64_t place)
{
	struct stretch *all = mem_alloc(1, sizeof(*all));

	*all = (struct stretch){.place = place};
	return (struct alignment){.stretches = all, .count = 1};
}

void alignment_free(struct alignment *a)
{
	free(a->stretches);
	*a = (struct alignment){0};
}
