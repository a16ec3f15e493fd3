/* Which kernels of different ranks are one collective? */
#include "fleet/job/instances.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	SAMPLES = 512, /* of two ranks' kernels that are looked at */
	NEAR = 8,      /* places around a likely one that are tried */
	LIKELY = 3,
};

/* A match that is expected is believed unless another is nearer to UTC by so much. */
static const double far_nearer = 10;
/* As many collectives on both, and clocks no farther apart than this: nobody looks further. */
static const double near_enough_ns = 100e6;
static const double odd = 0.05; /* of the samples at most may be far off for a place to be tried */

/* A class of a member, before it is known which members have the same. */
struct lane {
	const struct part_collective_class *is;
	uint32_t member, class; /* class: of the member's */
};

static int compare_classes(const struct part_collective_class *a,
			   const struct part_collective_class *b)
{
	int order;

	if (a->has_communicator != b->has_communicator)
		return a->has_communicator ? -1 : 1;
	if (a->communicator != b->communicator)
		return a->communicator > b->communicator ? 1 : -1;
	if (a->type != b->type)
		return a->type > b->type ? 1 : -1;
	order = strcmp(a->kernel, b->kernel);
	return order ? order : (a->stream > b->stream) - (a->stream < b->stream);
}

static int compare_lanes(const void *a, const void *b, void *ctx)
{
	const struct lane *x = a, *y = b;
	const int order = compare_classes(x->is, y->is);

	(void)ctx;
	return order ? order : (x->member > y->member) - (x->member < y->member);
}

static struct lane *list_lanes(const struct job *j, size_t *ret_count)
{
	struct lane *lanes;
	size_t n = 0;

	for (size_t i = 0; i < j->member_count; i++)
		n += j->members[i].is->class_count;
	lanes = mem_alloc(n, sizeof(*lanes));
	*ret_count = n;
	n = 0;
	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;

		for (size_t k = 0; k < m->class_count; k++)
			lanes[n++] = (struct lane){&m->classes[k], (uint32_t)i, (uint32_t)k};
	}
	sort_stable(lanes, n, sizeof(*lanes), compare_lanes, NULL);
	return lanes;
}

/* Whom a rank sends to is not known, unless there are but two: it waits for nobody else. */
static bool may_leave_early(const struct part_collective_class *c)
{
	if (c->type == COLL_SEND_RECV)
		return !c->has_communicator || c->ranks != 2;
	return c->type == COLL_BROADCAST || c->type == COLL_REDUCE;
}

static void add_class(struct instances *x, size_t *cap, const struct lane *l, size_t queue)
{
	MEM_GROW(x->classes, *cap, x->class_count + 1);
	x->classes[x->class_count++] = (struct instance_class){
		.is = l->is,
		.first_queue = queue,
		.leaves_early = may_leave_early(l->is),
	};
}

/* By member and class of it: the queue. */
static size_t **number_queues(const struct job *j, const struct lane *lanes, size_t count)
{
	size_t **numbers = mem_alloc(j->member_count, sizeof(*numbers));

	for (size_t i = 0; i < j->member_count; i++)
		numbers[i] = mem_alloc(j->members[i].is->class_count, sizeof(**numbers));
	for (size_t i = 0; i < count; i++)
		numbers[lanes[i].member][lanes[i].class] = i;
	return numbers;
}

static void fill_queues(const struct job *j, struct instances *x, const struct lane *lanes)
{
	size_t **numbers = number_queues(j, lanes, x->queue_count), all = 0, begin = 0;

	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;

		all += m->collective_count;
		for (size_t k = 0; k < m->collective_count; k++)
			x->queues[numbers[i][m->collectives[k].class]].count++;
	}
	x->queue_kernels = mem_alloc(all, sizeof(*x->queue_kernels));
	for (size_t i = 0; i < x->queue_count; i++) {
		x->queues[i].kernels = x->queue_kernels + begin;
		begin += x->queues[i].count;
		x->queues[i].count = 0;
	}
	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;

		for (size_t k = 0; k < m->collective_count; k++) {
			struct instance_queue *q = &x->queues[numbers[i][m->collectives[k].class]];

			q->kernels[q->count++] = (uint32_t)k;
		}
		free(numbers[i]);
	}
	free(numbers);
}

/* A part may hold any number: sums of a few of these do not overflow. */
static int64_t bounded(uint64_t n)
{
	return n < INT64_MAX / 8 ? (int64_t)n : INT64_MAX / 8;
}

static void make_classes(const struct job *j, struct instances *x)
{
	struct lane *lanes = list_lanes(j, &x->queue_count);
	size_t cap = 0;

	x->queues = mem_zalloc(x->queue_count, sizeof(*x->queues));
	for (size_t i = 0; i < x->queue_count; i++) {
		if (!i || compare_classes(lanes[i - 1].is, lanes[i].is) != 0)
			add_class(x, &cap, &lanes[i], i);
		x->classes[x->class_count - 1].queue_count++;
		x->queues[i].class = (uint32_t)(x->class_count - 1);
		x->queues[i].member = lanes[i].member;
		x->queues[i].first_k = bounded(lanes[i].is->left_out);
	}
	fill_queues(j, x, lanes);
	free(lanes);
}

/* Two queues, one of which is to be matched with the other. */
struct pair {
	const struct job *job;
	const struct instance_queue *a, *b;
	int64_t shift_ns; /* from b's clock to a's, as UTC has it; else from their first kernels */
	bool has_utc;
	bool together; /* on one clock */
	bool leaves_early;
};

static const struct part_collective *kernel_of(const struct job *j, const struct instance_queue *q,
					       size_t i)
{
	return &j->members[q->member].is->collectives[q->kernels[i]];
}

static void pair_init(struct pair *p, const struct job *j, const struct instance_queue *a,
		      const struct instance_queue *b, bool leaves_early)
{
	const uint32_t of_a = j->members[a->member].part, of_b = j->members[b->member].part;
	const int64_t utc_a = j->parts[of_a].part->utc_ns, utc_b = j->parts[of_b].part->utc_ns;

	*p = (struct pair){.job = j, .a = a, .b = b, .leaves_early = leaves_early};
	p->together = of_a == of_b;
	p->has_utc = p->together || (utc_a != PART_UNKNOWN && utc_b != PART_UNKNOWN);
	p->shift_ns = p->together ? 0
		      : p->has_utc
			      ? sat_sub(utc_b, utc_a)
			      : sat_sub(kernel_of(j, a, 0)->start_ns, kernel_of(j, b, 0)->start_ns);
}

static void bound_by(const struct pair *p, const struct part_collective *x,
		     const struct part_collective *y, struct clock_bound *ret)
{
	const int64_t start_ns = sat_add(y->start_ns, p->shift_ns);
	const int64_t end_ns = sat_add(y->end_ns, p->shift_ns);

	*ret = (struct clock_bound){
		.at_ns = (double)sat_sub(y->start_ns, kernel_of(p->job, p->b, 0)->start_ns),
		.least_ns = (double)sat_sub(x->start_ns, end_ns),
		.most_ns = (double)sat_sub(x->end_ns, start_ns),
		.even_ns = (double)sat_sub(x->end_ns, end_ns),
	};
}

/* Whether there may be a line through the bounds at all: told by a few of them, in no time. */
static bool looks_likely(const struct clock_bound *b, size_t count)
{
	enum { FEW = 64 };
	const size_t n = count < FEW ? count : FEW;
	int64_t even[FEW], scratch[FEW], middle_ns;
	size_t far = 0;

	for (size_t i = 0; i < n; i++)
		even[i] = sat_of_double(b[i * count / n].even_ns);
	sort_i64(even, scratch, n);
	middle_ns = even[n / 2];
	for (size_t i = 0; i < n; i++) {
		const struct clock_bound *x = &b[i * count / n];
		const double moved_ns = CLOCK_DRIFT_MAX * fabs(b[count - 1].at_ns - b[0].at_ns);
		const double at_ns = (double)middle_ns;

		far += at_ns < x->least_ns - moved_ns || at_ns > x->most_ns + moved_ns;
	}
	return (double)far <= 1 + odd * (double)n;
}

/*
 * Whether b's first kernel may be a's kernel number `place` (below 0: it is before a's first), and
 * how far from what is expected the clocks would be then.
 */
static bool try_place(const struct pair *p, int64_t place, double *ret_far_ns)
{
	const int64_t first = place < 0 ? -place : 0;
	const int64_t of_b = (int64_t)p->b->count, of_a = (int64_t)p->a->count - place;
	const int64_t last = of_b < of_a ? of_b : of_a;
	const int64_t fewer = p->a->count < p->b->count ? (int64_t)p->a->count : of_b;
	const int64_t count = last - first, samples = count < SAMPLES ? count : SAMPLES;
	struct clock_bound bounds[SAMPLES];
	struct clock_fit fit;

	/* Few that agree, of many, do so by chance. */
	if (count < 1 || 2 * count < fewer)
		return false;
	*ret_far_ns = 0;
	if (p->leaves_early) /* what says nothing about clocks agrees with all */
		return true;
	for (int64_t i = 0; i < samples; i++) {
		const int64_t at = first + i * count / samples;

		bound_by(p, kernel_of(p->job, p->a, (size_t)(at + place)),
			 kernel_of(p->job, p->b, (size_t)at), &bounds[i]);
	}
	if (!looks_likely(bounds, (size_t)samples))
		return false;
	clock_fit(bounds, (size_t)samples, 0, &fit);
	*ret_far_ns = fit.as_expected ? 0 : fabs(fit.at_zero_ns);
	return fit.known && (!p->together || *ret_far_ns <= fit.uncertainty_ns);
}

/* a's kernel that began when b's first did, by UTC. */
static int64_t place_by_time(const struct pair *p)
{
	const int64_t at_ns = sat_add(kernel_of(p->job, p->b, 0)->start_ns, p->shift_ns);
	int64_t best = 0, nearest_ns = INT64_MAX;

	for (size_t i = 0; i < p->a->count; i++) {
		const int64_t apart = sat_sub(kernel_of(p->job, p->a, i)->start_ns, at_ns);
		const int64_t far_ns = apart < 0 ? -apart : apart;

		if (far_ns < nearest_ns) {
			nearest_ns = far_ns;
			best = (int64_t)i;
		}
	}
	return best;
}

/* The place of b's first among a's kernels; false: none agrees with the clocks. */
static bool find_place(const struct pair *p, int64_t expected, bool even, int64_t *ret)
{
	const int64_t likely[LIKELY] = {expected, (int64_t)p->a->count - (int64_t)p->b->count,
					place_by_time(p)};
	double expected_far_ns = INFINITY, nearest_ns = INFINITY;
	bool found = try_place(p, expected, &expected_far_ns);

	*ret = expected;
	if (p->leaves_early || (found && expected_far_ns == 0) ||
	    (found && even && (!p->has_utc || expected_far_ns <= near_enough_ns)))
		return found;
	expected_far_ns = found ? expected_far_ns : INFINITY;
	nearest_ns = even ? expected_far_ns / far_nearer : expected_far_ns;
	for (int k = 0; k < LIKELY * (2 * NEAR + 1); k++) {
		const int64_t place =
			likely[k % LIKELY] + (k / LIKELY + 1) / 2 * (k / LIKELY % 2 ? -1 : 1);
		double far_ns;

		if (!try_place(p, place, &far_ns) || far_ns >= nearest_ns)
			continue;
		nearest_ns = far_ns;
		*ret = place;
		found = true;
	}
	return found;
}

/* Matches a queue with the first of a group. */
static bool match(const struct job *j, const struct instance_queue *first, struct instance_queue *q,
		  bool leaves_early)
{
	const int64_t expected = q->first_k - first->first_k;
	int64_t place = expected;
	struct pair p;

	if (!first->count || !q->count)
		return false;
	pair_init(&p, j, first, q, leaves_early);
	q->matched = find_place(&p, expected, q->count == first->count, &place);
	if (q->matched)
		q->first_k = first->first_k + place;
	return q->matched;
}

/* Puts the queues of each group one after another, and makes a class of each. */
static void split(struct instances *x, size_t number, const uint32_t *group, uint32_t groups,
		  size_t *cap)
{
	const struct instance_class whole = x->classes[number];
	struct instance_queue *q = &x->queues[whole.first_queue];
	struct instance_queue *old = mem_copy(q, whole.queue_count, sizeof(*q));
	size_t at = 0;

	for (uint32_t g = 0; g < groups; g++) {
		const size_t to = g ? x->class_count++ : number, begin = at;

		MEM_GROW(x->classes, *cap, x->class_count);
		for (size_t i = 0; i < whole.queue_count; i++) {
			if (group[i] != g)
				continue;
			q[at] = old[i];
			q[at++].class = (uint32_t)to;
		}
		x->classes[to] = whole;
		x->classes[to].is_group = groups > 1;
		x->classes[to].first_queue = whole.first_queue + begin;
		x->classes[to].queue_count = at - begin;
	}
	free(old);
}

/* Members of a communicator belong together; of a name those do whose kernels may meet. */
static void match_class(const struct job *j, struct instances *x, size_t number, size_t *cap)
{
	const struct instance_class *c = &x->classes[number];
	struct instance_queue *q = &x->queues[c->first_queue];
	uint32_t *group = mem_zalloc(c->queue_count, sizeof(*group));
	size_t *first = mem_zalloc(c->queue_count, sizeof(*first));
	uint32_t groups = 1;

	q[0].matched = true;
	for (size_t i = 1; i < c->queue_count; i++) {
		const uint32_t tried = c->is->has_communicator || c->leaves_early ? 1 : groups;

		while (group[i] < tried && !match(j, &q[first[group[i]]], &q[i], c->leaves_early))
			group[i]++;
		if (group[i] < tried)
			continue;
		if (tried < groups || c->is->has_communicator || c->leaves_early) {
			group[i] = 0; /* its kernels are told as unmatched */
			continue;
		}
		first[groups] = i;
		q[i].matched = true;
		group[i] = groups++;
	}
	if (groups > 1)
		split(x, number, group, groups, cap);
	free(first);
	free(group);
}

/* From the first instance that any member has to the last. */
static void place_class(struct instances *x, struct instance_class *c)
{
	struct instance_queue *q = &x->queues[c->first_queue];
	int64_t first_k = INT64_MAX, end_k = INT64_MIN;

	for (size_t i = 0; i < c->queue_count; i++) {
		if (!q[i].matched || !q[i].count)
			continue;
		first_k = q[i].first_k < first_k ? q[i].first_k : first_k;
		if (q[i].first_k + (int64_t)q[i].count > end_k)
			end_k = q[i].first_k + (int64_t)q[i].count;
	}
	for (size_t i = 0; i < c->queue_count; i++)
		q[i].first_k -= first_k;
	c->first = x->count;
	c->count = end_k > first_k && c->queue_count > 1 ? (size_t)(end_k - first_k) : 0;
	x->count += c->count;
}

static void fill_class(struct instances *x, const struct instance_class *c, uint32_t *kernels)
{
	memset(kernels, 0xff, c->count * c->queue_count * sizeof(*kernels));
	for (size_t i = 0; i < c->count; i++)
		x->all[c->first + i] = (struct instance){.class = (uint32_t)(c - x->classes),
							 .kernels = kernels + i * c->queue_count};
	for (size_t n = 0; n < c->queue_count && c->count; n++) {
		const struct instance_queue *q = &x->queues[c->first_queue + n];

		for (size_t i = 0; i < q->count && q->matched; i++) {
			const size_t k = (size_t)(q->first_k + (int64_t)i);

			kernels[k * c->queue_count + n] = q->kernels[i];
			x->all[c->first + k].present++;
		}
	}
}

static void count_rest(struct instances *x)
{
	for (size_t i = 0; i < x->queue_count; i++) {
		const struct instance_queue *q = &x->queues[i];

		if (x->classes[q->class].queue_count < 2)
			x->alone += q->count;
		else if (!q->matched)
			x->unmatched += q->count;
	}
	for (size_t i = 0; i < x->count; i++)
		x->unmatched += x->all[i].present == 1;
}

static void make_instances(struct instances *x)
{
	size_t cells = 0;

	for (size_t i = 0; i < x->class_count; i++) {
		place_class(x, &x->classes[i]);
		cells += x->classes[i].count * x->classes[i].queue_count;
	}
	x->all = mem_alloc(x->count, sizeof(*x->all));
	x->kernels = mem_alloc(cells, sizeof(*x->kernels));
	cells = 0;
	for (size_t i = 0; i < x->class_count; i++) {
		fill_class(x, &x->classes[i], x->kernels + cells);
		cells += x->classes[i].count * x->classes[i].queue_count;
	}
	count_rest(x);
}

void instances_make(const struct job *j, struct instances *ret)
{
	size_t cap, classes;

	*ret = (struct instances){0};
	make_classes(j, ret);
	cap = classes = ret->class_count;
	for (size_t i = 0; i < classes; i++)
		match_class(j, ret, i, &cap);
	make_instances(ret);
}

void instances_free(struct instances *x)
{
	free(x->classes);
	free(x->queues);
	free(x->all);
	free(x->kernels);
	free(x->queue_kernels);
	*x = (struct instances){0};
}
