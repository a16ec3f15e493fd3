/* Which ranks are in a collective at the end, and which of its ranks do not come? */
#include "fleet/job/hang_waits.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* A collective takes no longer than this, or the ones before it did, too. */
static const int64_t long_ns = PART_STUCK_NS;
static const int64_t first_long_ns =
	1000000000;		     /* of the first of its kind: nothing is usual yet */
static const double far_longer = 10; /* than usual */
enum { EDGES_MAX = 1 << 24 };

/* A rank of a communicator. */
struct seat {
	uint64_t communicator;
	uint32_t member;
};

struct search {
	const struct job *j;
	const struct instances *x;
	struct hang *h;
	struct seat *seats; /* by communicator, then by member: each once */
	size_t seat_count;
	size_t inside_cap, absent_cap, wait_cap;
	size_t edges;
};

static int compare_seats(const void *a, const void *b, void *ctx)
{
	const struct seat *x = a, *y = b;

	(void)ctx;
	if (x->communicator != y->communicator)
		return x->communicator > y->communicator ? 1 : -1;
	return (x->member > y->member) - (x->member < y->member);
}

static void list_seats(struct search *s)
{
	size_t kept = 0;

	s->seats = mem_alloc(s->x->queue_count, sizeof(*s->seats));
	for (size_t i = 0; i < s->x->queue_count; i++) {
		const struct instance_queue *q = &s->x->queues[i];
		const struct part_collective_class *c = s->x->classes[q->class].is;

		if (c->has_communicator)
			s->seats[s->seat_count++] = (struct seat){c->communicator, q->member};
	}
	sort_stable(s->seats, s->seat_count, sizeof(*s->seats), compare_seats, NULL);
	for (size_t i = 0; i < s->seat_count; i++) {
		if (!kept || compare_seats(&s->seats[kept - 1], &s->seats[i], NULL) != 0)
			s->seats[kept++] = s->seats[i];
	}
	s->seat_count = kept;
}

static size_t find_seats(const struct search *s, uint64_t communicator, size_t *ret_count)
{
	size_t low = 0, high = s->seat_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (s->seats[middle].communicator < communicator)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_count = 0;
	while (low + *ret_count < s->seat_count &&
	       s->seats[low + *ret_count].communicator == communicator)
		++*ret_count;
	return low;
}

static const struct part_collective *kernel_at(const struct search *s,
					       const struct instance_queue *q, size_t i)
{
	return &s->j->members[q->member].is->collectives[q->kernels[i]];
}

/* Whether the last of a queue is the last that its member did: nothing began when it was over. */
static bool is_at_end(const struct search *s, const struct instance_queue *q)
{
	const struct part_member *m = s->j->members[q->member].is;
	const struct part_collective *last = kernel_at(s, q, q->count - 1);

	return !m->collectives_after &&
	       m->collectives[m->collective_count - 1].start_ns < last->end_ns;
}

/* How long those that are in it are in an instance, at least. */
static int64_t shortest_stay(const struct search *s, const struct instance_class *c, size_t k)
{
	const struct instance *at = &s->x->all[c->first + k];
	int64_t shortest_ns = INT64_MAX;

	for (size_t n = 0; n < at->present; n++) {
		const struct part_collective *is = instance_kernel(s->j, s->x, at, n);
		const int64_t ns = sat_sub(is->end_ns, is->start_ns);

		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
	}
	return shortest_ns;
}

/* The stays of a class before its k-th; of one that a single member has, those of its kernels. */
static size_t list_stays(const struct search *s, const struct instance_class *c, int64_t k,
			 int64_t *ret)
{
	const struct instance_queue *q = &s->x->queues[c->first_queue];
	size_t count = 0;

	for (size_t i = 0; i < (size_t)k; i++) {
		if (c->count)
			ret[count] = shortest_stay(s, c, i);
		else
			ret[count] =
				sat_sub(kernel_at(s, q, i)->end_ns, kernel_at(s, q, i)->start_ns);
		count += ret[count] != INT64_MAX;
	}
	return count;
}

/*
 * What a stay has to be longer than not to be usual: by far than most, and than the longest but for
 * the first, which waits for a job's start.
 */
static int64_t usual_limit(const struct search *s, const struct instance_class *c, int64_t k)
{
	int64_t *ns = mem_alloc((size_t)k, sizeof(*ns));
	int64_t *scratch = mem_alloc((size_t)k, sizeof(*ns)), limit_ns = first_long_ns;
	size_t count = list_stays(s, c, k, ns), from = count > 1;

	if (count) {
		const size_t middle = from + (count - from) / 2;
		int64_t far_ns;

		sort_i64(ns + from, scratch, count - from);
		far_ns = sat_of_double(far_longer * (double)ns[middle]);
		limit_ns = far_ns > ns[count - 1] ? far_ns : ns[count - 1];
		limit_ns = limit_ns > long_ns ? limit_ns : long_ns;
	}
	free(scratch);
	free(ns);
	return limit_ns;
}

/* The instance that a queue's last kernel is of. */
static int64_t last_k(const struct instance_class *c, const struct instance_queue *q)
{
	if (!q->count || !q->run_count)
		return -1;
	return c->count ? queue_end_k(q) - 1 : (int64_t)q->count - 1;
}

/* The class's last instance: who is in one before it has been left behind. */
static int64_t find_last(const struct search *s, const struct instance_class *c)
{
	int64_t k = -1;

	for (size_t i = 0; i < c->queue_count; i++) {
		const int64_t own = last_k(c, &s->x->queues[c->first_queue + i]);

		k = own > k ? own : k;
	}
	return k;
}

static void add_inside(struct search *s, struct hang_wait *w, const struct instance_queue *q)
{
	const struct part_collective *is = kernel_at(s, q, q->count - 1);
	const int64_t at_ns = job_time(s->j, s->j->members[q->member].part, is->start_ns);

	w->since_ns = at_ns < w->since_ns ? at_ns : w->since_ns;
	MEM_GROW(s->h->inside, s->inside_cap, w->first_inside + w->inside + 1);
	s->h->inside[w->first_inside + w->inside++] = q->member;
}

/* False: somebody was in it no longer than usual, or went on. */
static bool find_inside(struct search *s, const struct instance_class *c, struct hang_wait *w)
{
	int64_t bytes = PART_UNKNOWN, shortest_ns = INT64_MAX;

	for (size_t i = 0; i < c->queue_count; i++) {
		const struct instance_queue *q = &s->x->queues[c->first_queue + i];
		const struct part_collective *is;
		int64_t ns;

		if (last_k(c, q) != w->k)
			continue;
		is = kernel_at(s, q, q->count - 1);
		ns = sat_sub(is->end_ns, is->start_ns);
		if (!is_at_end(s, q) || ns < long_ns)
			return false;
		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
		w->sizes_differ |= bytes >= 0 && is->bytes >= 0 && bytes != is->bytes;
		bytes = is->bytes >= 0 ? is->bytes : bytes;
		add_inside(s, w, q);
	}
	return w->inside > 0 && shortest_ns >= usual_limit(s, c, w->k);
}

static const struct instance_queue *queue_of(const struct search *s, const struct instance_class *c,
					     uint32_t member)
{
	size_t low = c->first_queue, high = c->first_queue + c->queue_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (s->x->queues[middle].member < member)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->first_queue + c->queue_count && s->x->queues[low].member == member
		       ? &s->x->queues[low]
		       : NULL;
}

/*
 * A rank that should be in it: it is, or it did not come. One that was not in the instance before
 * it either was there nevertheless, or that would not have ended: its capture was over by then.
 */
static void add_member(struct search *s, const struct instance_class *c, struct hang_wait *w,
		       uint32_t member)
{
	const struct instance_queue *q = queue_of(s, c, member);
	const int64_t last = q ? last_k(c, q) : -1;

	if (last == w->k)
		return;
	if (last != w->k - 1 || (q && !q->matched) || s->j->members[member].is->collectives_after) {
		w->others = true;
		return;
	}
	MEM_GROW(s->h->absent, s->absent_cap, w->first_absent + w->absent + 1);
	s->h->absent[w->first_absent + w->absent++] = member;
}

static void find_absent(struct search *s, const struct instance_class *c, struct hang_wait *w)
{
	const struct part_collective_class *is = c->is;
	size_t count = c->queue_count, first = 0;

	if (is->has_communicator)
		first = find_seats(s, is->communicator, &count);
	/* Of a communicator of all ranks those are, too, that have not used it before. */
	if (is->has_communicator && is->ranks == s->j->world && !s->j->missing &&
	    count < s->j->member_count && s->edges + s->j->member_count < EDGES_MAX) {
		s->edges += s->j->member_count;
		for (uint32_t i = 0; i < s->j->member_count; i++)
			add_member(s, c, w, i);
		return;
	}
	for (size_t i = 0; i < count; i++)
		add_member(s, c, w,
			   is->has_communicator ? s->seats[first + i].member
						: s->x->queues[c->first_queue + i].member);
	w->others |= is->ranks > count;
}

static void look_at(struct search *s, uint32_t number)
{
	const struct instance_class *c = &s->x->classes[number];
	struct hang_wait w = {.class = number, .k = find_last(s, c), .since_ns = INT64_MAX};

	if (s->h->wait_count) {
		const struct hang_wait *before = &s->h->waits[s->h->wait_count - 1];

		w.first_inside = before->first_inside + before->inside;
		w.first_absent = before->first_absent + before->absent;
	}
	if (w.k < 0 || c->leaves_early || !find_inside(s, c, &w))
		return;
	find_absent(s, c, &w);
	if (!w.absent && !w.others && !w.sizes_differ)
		return;
	MEM_GROW(s->h->waits, s->wait_cap, s->h->wait_count + 1);
	s->h->waits[s->h->wait_count++] = w;
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct hang_wait *x = a, *y = b;

	(void)ctx;
	return (x->since_ns > y->since_ns) - (x->since_ns < y->since_ns);
}

void hang_find_waits(const struct job *j, const struct instances *x, struct hang *ret)
{
	struct search s = {.j = j, .x = x, .h = ret};

	list_seats(&s);
	for (uint32_t i = 0; i < x->class_count; i++)
		look_at(&s, i);
	sort_stable(ret->waits, ret->wait_count, sizeof(*ret->waits), by_time, NULL);
	free(s.seats);
}
