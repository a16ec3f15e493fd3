/* At which place do the kernels of one queue follow those of another? */
#include "fleet/job/queue_place.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

enum {
	NEAR = 8, /* places around a likely one that are tried */
	LIKELY = 3,
};

/* A match that is expected is believed unless another is nearer to UTC by so much. */
static const double far_nearer = 10;
/* As many collectives on both, and clocks no farther apart than this: nobody looks further. */
static const double near_enough_ns = 100e6;

bool queue_pair_by_clock(struct queue_pair *p)
{
	const struct job *j = p->job;
	const uint32_t of_a = j->members[p->a->member].part, of_b = j->members[p->b->member].part;

	if (p->together || !j->parts[of_a].clock.known || !j->parts[of_b].clock.known)
		return false;
	p->by_clock = p->together = p->has_utc = true;
	p->shift_ns = 0;
	p->doubt_ns = job_doubt_ns(j, of_a, of_b);
	return true;
}

/* When a kernel ran, on the clock that the pair goes by. */
static struct span time_of(const struct queue_pair *p, const struct instance_queue *q, size_t i)
{
	const struct job_member *m = &p->job->members[q->member];
	const struct part_collective *k = &m->is->collectives[q->kernels[i]];

	if (!p->by_clock)
		return (struct span){k->start_ns, k->end_ns};
	return (struct span){job_time(p->job, m->part, k->start_ns),
			     job_time(p->job, m->part, k->end_ns)};
}

void queue_pair_init(struct queue_pair *p, const struct job *j, const struct instance_queue *a,
		     const struct instance_queue *b, bool leaves_early)
{
	const uint32_t of_a = j->members[a->member].part, of_b = j->members[b->member].part;
	const struct part *x = j->parts[of_a].part, *y = j->parts[of_b].part;

	*p = (struct queue_pair){.job = j, .a = a, .b = b, .leaves_early = leaves_early};
	p->together = of_a == of_b;
	p->has_utc = p->together || (x->utc_ns != PART_UNKNOWN && y->utc_ns != PART_UNKNOWN);
	p->one_machine = p->has_utc && x->node && x->node == y->node;
	if (p->has_utc)
		p->shift_ns = p->together ? 0 : sat_sub(y->utc_ns, x->utc_ns);
	else
		p->shift_ns = sat_sub(time_of(p, a, 0).start_ns, time_of(p, b, 0).start_ns);
}

void queue_pair_bound(const struct queue_pair *p, size_t i, size_t j, struct clock_bound *ret)
{
	const struct span x = time_of(p, p->a, i), y = time_of(p, p->b, j);
	const int64_t start_ns = sat_add(y.start_ns, p->shift_ns);
	const int64_t end_ns = sat_add(y.end_ns, p->shift_ns);

	*ret = (struct clock_bound){
		.at_ns = (double)sat_sub(y.start_ns, time_of(p, p->b, 0).start_ns),
		.least_ns = (double)sat_sub(x.start_ns, end_ns),
		.most_ns = (double)sat_sub(x.end_ns, start_ns),
		.even_ns = (double)sat_sub(x.end_ns, end_ns),
	};
}

/* Of a's kernels the first that begins no earlier than at a time. */
static size_t find_start(const struct queue_pair *p, int64_t at_ns)
{
	return BISECT(0, p->a->count, i, time_of(p, p->a, i).start_ns < at_ns);
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

int64_t queue_pair_by_time(const struct queue_pair *p, size_t first)
{
	const int64_t at_ns = sat_add(time_of(p, p->b, first).start_ns, p->shift_ns);
	const size_t after = find_start(p, at_ns);
	size_t best = after;

	if (after) {
		const int64_t before_ns = time_of(p, p->a, after - 1).start_ns;

		/* Of those that begin at once the first; of two that are as near, that before. */
		if (after == p->a->count ||
		    distance(before_ns, at_ns) <= distance(time_of(p, p->a, after).start_ns, at_ns))
			best = find_start(p, before_ns);
	}
	return (int64_t)best - (int64_t)first;
}

/* *ret_sure: nobody looks further. */
static bool expect(const struct queue_pair *p, bool even, struct queue_place *at, bool *ret_sure)
{
	const bool found = queue_place_try(p, at);

	*ret_sure = p->leaves_early || (found && at->far_ns == 0) ||
		    (found && even && (!p->has_utc || at->far_ns <= near_enough_ns));
	return found;
}

bool queue_pair_expect(const struct queue_pair *p, size_t first, size_t count, int64_t expected,
		       bool even, struct queue_place *ret)
{
	bool sure;

	*ret = (struct queue_place){.first = first, .count = count, .place = expected};
	return expect(p, even, ret, &sure) && sure;
}

/* Whether the k-th of the places around the likely ones is one that came before. */
static bool was_tried(const int64_t likely[LIKELY], int k, int64_t place)
{
	for (int i = 0; i < LIKELY; i++) {
		const int64_t from = place - likely[i];
		const int64_t round = from < 0 ? -2 * from - 1 : 2 * from;

		if (from >= -NEAR && from <= NEAR && round * LIKELY + i < k)
			return true;
	}
	return false;
}

bool queue_pair_find(const struct queue_pair *p, size_t first, size_t count, int64_t expected,
		     bool even, struct queue_place *ret)
{
	const int64_t likely[LIKELY] = {expected, (int64_t)p->a->count - (int64_t)p->b->count,
					queue_pair_by_time(p, first)};
	double nearest_ns = INFINITY;
	bool found, sure;

	*ret = (struct queue_place){.first = first, .count = count, .place = expected};
	found = expect(p, even, ret, &sure);
	if (sure)
		return found;
	if (found)
		nearest_ns = even ? ret->far_ns / far_nearer : ret->far_ns;
	for (int k = 0; k < LIKELY * (2 * NEAR + 1); k++) {
		struct queue_place at = {.first = first, .count = count};

		at.place = likely[k % LIKELY] + (k / LIKELY + 1) / 2 * (k / LIKELY % 2 ? -1 : 1);
		if (at.place == expected || was_tried(likely, k, at.place) ||
		    !queue_place_try(p, &at) || at.far_ns >= nearest_ns)
			continue;
		nearest_ns = at.far_ns;
		*ret = at;
		found = true;
	}
	return found;
}

/* Of a's kernels the first that is over no earlier than at a time. */
static size_t find_end(const struct queue_pair *p, int64_t at_ns)
{
	return BISECT(0, p->a->count, i, time_of(p, p->a, i).end_ns < at_ns);
}

void queue_pair_find_by_clock(const struct queue_pair *p, size_t j, struct queue_place *ret)
{
	const int64_t at_ns = sat_add(time_of(p, p->b, j).end_ns, p->shift_ns);
	size_t i = find_end(p, at_ns);

	/* All leave at nearly the same time. */
	if (i == p->a->count || (i && sat_sub(at_ns, time_of(p, p->a, i - 1).end_ns) <
					      sat_sub(time_of(p, p->a, i).end_ns, at_ns)))
		i--;
	*ret = (struct queue_place){.first = j,
				    .count = 1,
				    .place = (int64_t)i - (int64_t)j,
				    .fit = {.known = true, .uncertainty_ns = p->doubt_ns}};
}
