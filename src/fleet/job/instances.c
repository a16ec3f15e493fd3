/* Which kernels of different ranks are one collective? */
#include "analysis/processes/rank_label.h"
#include "fleet/job/alignment.h"
#include "fleet/job/queue_rivals.h"
#include "fleet/job/queue_runs.h"
#include "fleet/mesh_groups.h"
#include "fleet/part_class.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* How often a queue of kernels that have nothing but a name in common is searched for pieces of
 * another: most have none. Of a communicator it is known who belongs to it. */
enum { SEARCHES_BY_NAME = 64 };
/* Groups that each rank's queues are tried with, and at least so many pairs in all, and at most:
 * time grows with the ranks, and no hostile part takes hours. Ranks that compute in step, as most
 * do, are one group. */
enum { TRIES_EACH = 512, TRIES_LEAST = 1 << 21, TRIES_MOST = 1 << 24 };

/* A class of a member, before it is known which members have the same. */
struct lane {
	const struct part_collective_class *is;
	uint32_t member, class; /* class: of the member's */
	uint32_t stream;	/* see number_streams() */
};

static int compare_classes(const struct lane *x, const struct lane *y)
{
	struct part_collective_class a = *x->is, b = *y->is;

	a.stream = x->stream;
	b.stream = y->stream;
	return part_class_compare(&a, &b);
}

static int compare_lanes(const void *a, const void *b, void *ctx)
{
	const struct lane *x = a, *y = b;
	const int order = compare_classes(x, y);

	(void)ctx;
	return order ? order : (x->member > y->member) - (x->member < y->member);
}

/* Whether its label says that it is in one of two stages. */
static bool is_of_two_stages(const struct part_member *m)
{
	struct rank_setup s;

	rank_setup_parse(str_of(m->label), &s);
	return s.mesh[MESH_PP].known && s.mesh[MESH_PP].size == 2;
}

/*
 * The streams of a member's lanes. Two stages of a pipeline come to what they do in another order:
 * the first receives before it reduces anything, and the last sends after that. Of sends and
 * receives alone both ends have the same first one.
 */
static void number_streams(const struct part_member *m, struct lane *lanes)
{
	const bool by_sends = is_of_two_stages(m);
	uint32_t sends = 0;

	for (size_t i = 0; i < m->class_count; i++) {
		const struct part_collective_class *c = lanes[i].is;
		const bool is_send = !c->has_communicator && c->type == COLL_SEND_RECV;

		lanes[i].stream = by_sends && is_send ? sends++ : c->stream;
	}
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
			lanes[n + k] = (struct lane){&m->classes[k], (uint32_t)i, (uint32_t)k, 0};
		number_streams(m, &lanes[n]);
		n += m->class_count;
	}
	sort_stable(lanes, n, sizeof(*lanes), compare_lanes, NULL);
	return lanes;
}

/* Whom a rank sends to is not known, unless there are but two: see judge_sends(). */
static bool may_leave_early(const struct part_collective_class *c)
{
	return c->type == COLL_SEND_RECV || c->type == COLL_BROADCAST || c->type == COLL_REDUCE;
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

/* Of two ranks that send to each other kernels tell, however large the communicator is. */
static void judge_sends(const struct job *j, const struct instances *x, struct instance_class *c,
			bool sure)
{
	const struct instance_queue *q = &x->queues[c->first_queue];

	if (c->is->type != COLL_SEND_RECV || c->queue_count != 2)
		return;
	if (q[0].count >= q[1].count)
		c->leaves_early = sends_leave_early(j, &q[0], &q[1], sure, &c->apart_ns);
	else
		c->leaves_early = sends_leave_early(j, &q[1], &q[0], sure, &c->apart_ns);
}

static void make_classes(const struct job *j, struct instances *x)
{
	struct lane *lanes = list_lanes(j, &x->queue_count);
	size_t cap = 0;

	x->queues = mem_zalloc(x->queue_count, sizeof(*x->queues));
	for (size_t i = 0; i < x->queue_count; i++) {
		if (!i || compare_classes(&lanes[i - 1], &lanes[i]) != 0)
			add_class(x, &cap, &lanes[i], i);
		x->classes[x->class_count - 1].queue_count++;
		x->queues[i].class = (uint32_t)(x->class_count - 1);
		x->queues[i].member = lanes[i].member;
		x->queues[i].left_out = bounded(lanes[i].is->left_out);
	}
	fill_queues(j, x, lanes);
	free(lanes);
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

/* The queues of a class while they are matched. */
struct matching {
	const struct job *job;
	struct instance_queue *q;
	size_t count;
	bool by_name, leaves_early, sure;
	struct alignment *aligned; /* with the first of the group */
	uint32_t *mesh;		   /* by queue: only those with the same number may be a group */
	uint32_t *group;
	size_t *first;		     /* by group */
	struct queue_guess *guesses; /* by group, of the queue at hand */
	uint32_t groups;
	unsigned int searches; /* see alignment.h */
	size_t *tries;	       /* that are left */
	uint64_t untried;      /* queues that there were none left for */
};

static bool is_apart(const struct matching *m, uint32_t g, size_t number)
{
	return m->mesh[m->first[g]] != m->mesh[number];
}

/* Matches a queue with the first of a group, where it is likely to be. */
static bool match(struct matching *m, uint32_t g, size_t number)
{
	const struct instance_queue *a = &m->q[m->first[g]];
	struct instance_queue *b = &m->q[number];
	const int64_t expected = b->left_out - a->left_out;
	struct queue_pair p;

	m->guesses[g] = (struct queue_guess){0};
	if (!a->count || !b->count || is_apart(m, g, number))
		return false;
	queue_pair_init(&p, m->job, a, b, m->leaves_early);
	p.by_name = m->by_name;
	alignment_free(&m->aligned[number]);
	return m->sure ? queues_align_surely(&p, expected, &m->aligned[number])
		       : queues_align(&p, expected, &m->guesses[g], &m->aligned[number]);
}

/* The same for one that is nowhere where it is likely to be. */
static bool search(struct matching *m, uint32_t g, size_t number, unsigned int *searches)
{
	const struct instance_queue *a = &m->q[m->first[g]], *b = &m->q[number];
	struct queue_pair p;

	if (m->sure || !a->count || !b->count || is_apart(m, g, number) ||
	    (!*searches && !m->guesses[g].found))
		return false;
	queue_pair_init(&p, m->job, a, b, m->leaves_early);
	alignment_free(&m->aligned[number]);
	return queues_align_searching(&p, b->left_out - a->left_out, &m->guesses[g], searches,
				      &m->aligned[number]);
}

static void begin_group(struct matching *m, size_t number)
{
	alignment_free(&m->aligned[number]);
	m->aligned[number] = alignment_plain(0);
	m->q[number].matched = m->q[number].count > 0;
	m->first[m->groups] = number;
	m->group[number] = m->groups++;
}

static bool may_try(struct matching *m, uint32_t g, size_t number)
{
	if (!m->by_name || is_apart(m, g, number))
		return true;
	if (!*m->tries) {
		m->untried++;
		return false;
	}
	--*m->tries;
	return true;
}

/* The first group that it matches; else the first of all, as its kernels are told as unmatched. */
static bool find_group(struct matching *m, size_t number, unsigned int *searches)
{
	bool *matched = &m->q[number].matched;
	uint32_t *g = &m->group[number];

	*matched = false;
	for (*g = 0;
	     *g < m->groups && may_try(m, *g, number) && !(*matched = match(m, *g, number));)
		++*g;
	if (!*matched && *g == m->groups) {
		for (*g = 0; *g < m->groups && !(*matched = search(m, *g, number, searches));)
			++*g;
	}
	*g = *matched ? *g : 0;
	return *matched;
}

/* Members of a communicator belong together; of a name those do whose kernels may meet. */
static void group_one(struct matching *m, size_t number)
{
	unsigned int one = 1;

	if (!find_group(m, number, m->by_name ? &m->searches : &one) && m->by_name)
		begin_group(m, number);
}

/* The one with most kernels is the one that others are held against: it lacks least. */
static size_t find_longest(const struct instance_queue *q, size_t count)
{
	size_t longest = 0;

	for (size_t i = 1; i < count; i++)
		longest = q[i].count > q[longest].count ? i : longest;
	return longest;
}

/* Where a queue lies beside the longest, which counts from 0. */
static int64_t likely_place(const struct matching *m, size_t longest, size_t number)
{
	const struct instance_queue *a = &m->q[longest], *b = &m->q[number];
	struct queue_pair p;

	if (number == longest || !b->count)
		return 0;
	queue_pair_init(&p, m->job, a, b, m->leaves_early);
	p.by_name = true;
	return queue_rivals_likely(&p, b->left_out - a->left_out);
}

/*
 * Captures begin and end at different steps: only what all of them have is held against each other,
 * the k-th of one against the k-th of the others. Those that begin together may lack kernels
 * anywhere, and keep all.
 */
static void keep_common(const struct matching *m, size_t longest, struct mesh_queue *q)
{
	int64_t *place = mem_alloc(m->count, sizeof(*place));
	int64_t first = 0, end = INT64_MAX;
	bool apart = false;

	for (size_t i = 0; i < m->count; i++) {
		place[i] = likely_place(m, longest, i);
		apart |= place[i] != 0;
		first = place[i] > first ? place[i] : first;
		end = place[i] + (int64_t)q[i].count < end ? place[i] + (int64_t)q[i].count : end;
	}
	for (size_t i = 0; i < m->count && apart; i++) {
		q[i].count = end > first ? (size_t)(end - first) : 0;
		q[i].kernels += end > first ? first - place[i] : 0;
	}
	free(place);
}

/* The caller frees them. */
static struct mesh_queue *list_mesh_queues(const struct job *j, const struct instance_queue *q,
					   size_t count)
{
	struct mesh_queue *all = mem_alloc(count, sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = (struct mesh_queue){j->members[q[i].member].is, q[i].kernels, q[i].count};
	return all;
}

/* Along which axes of a mesh ranks may belong together, where nothing else tells. */
static uint32_t find_axes(const struct matching *m, size_t longest)
{
	struct mesh_queue *q = list_mesh_queues(m->job, m->q, m->count);
	uint32_t axes;

	keep_common(m, longest, q);
	axes = mesh_groups_find(q, m->count, m->mesh);
	free(q);
	return axes;
}

/* Sends that have a name alone in common are those of pairs, where labels say who they are. */
static void split_pairs(const struct job *j, struct instances *x, size_t number, size_t *cap)
{
	const struct instance_class *c = &x->classes[number];
	struct mesh_queue *q;
	uint32_t *group;

	if (c->is->has_communicator || c->is->type != COLL_SEND_RECV)
		return;
	q = list_mesh_queues(j, &x->queues[c->first_queue], c->queue_count);
	group = mem_alloc(c->queue_count, sizeof(*group));
	if (mesh_pairs_find(q, c->queue_count, group)) {
		x->classes[number].axes = UINT32_C(1) << MESH_PP;
		split(x, number, group, (uint32_t)(c->queue_count / 2), cap);
	}
	free(group);
	free(q);
}

static void match_class(const struct job *j, struct instances *x, size_t number, bool sure,
			size_t *tries, size_t *cap)
{
	struct instance_class *c = &x->classes[number];
	struct matching m = {.job = j,
			     .q = &x->queues[c->first_queue],
			     .count = c->queue_count,
			     .by_name = !c->is->has_communicator && !c->leaves_early,
			     .leaves_early = c->leaves_early,
			     .sure = sure,
			     .searches = SEARCHES_BY_NAME,
			     .tries = tries};
	const size_t longest = find_longest(m.q, m.count);

	m.aligned = mem_zalloc(m.count, sizeof(*m.aligned));
	m.mesh = mem_zalloc(m.count, sizeof(*m.mesh));
	if (m.by_name && !c->axes)
		c->axes = find_axes(&m, longest);
	m.group = mem_zalloc(m.count, sizeof(*m.group));
	m.first = mem_zalloc(m.count, sizeof(*m.first));
	m.guesses = mem_alloc(m.count, sizeof(*m.guesses));
	begin_group(&m, longest);
	for (size_t i = 0; i < m.count; i++) {
		if (i != longest)
			group_one(&m, i);
	}
	x->untried += m.untried;
	for (uint32_t g = 0; g < m.groups; g++)
		queue_runs_make(m.q, m.aligned, m.group, m.count, g);
	for (size_t i = 0; i < m.count; i++) {
		m.q[i].doubt_ns = m.aligned[i].doubt_ns;
		alignment_free(&m.aligned[i]);
	}
	if (m.groups > 1)
		split(x, number, m.group, m.groups, cap);
	free(m.aligned);
	free(m.mesh);
	free(m.guesses);
	free(m.first);
	free(m.group);
}

/* From the first instance that any member has to the last. */
static void place_class(struct instances *x, struct instance_class *c)
{
	struct instance_queue *q = &x->queues[c->first_queue];
	int64_t first_k = INT64_MAX, end_k = INT64_MIN;

	for (size_t i = 0; i < c->queue_count; i++) {
		if (!q[i].run_count)
			continue;
		first_k = q[i].runs[0].k < first_k ? q[i].runs[0].k : first_k;
		end_k = queue_end_k(&q[i]) > end_k ? queue_end_k(&q[i]) : end_k;
	}
	for (size_t i = 0; i < c->queue_count; i++) {
		for (size_t r = 0; r < q[i].run_count; r++)
			q[i].runs[r].k -= first_k;
	}
	c->first = x->count;
	c->count = end_k > first_k && c->queue_count > 1 ? (size_t)(end_k - first_k) : 0;
	x->count += c->count;
}

/* The kernels of the n-th queue of a class are counted in their instances, then put there. */
static void place_queue(struct instances *x, const struct instance_class *c, uint32_t n, bool put)
{
	const struct instance_queue *q = &x->queues[c->first_queue + n];
	size_t next = 0; /* no queue has two kernels of one instance */

	for (size_t r = 0; r < q->run_count; r++) {
		const size_t end = r + 1 < q->run_count ? q->runs[r + 1].first : q->count;
		size_t k = (size_t)q->runs[r].k;

		for (size_t i = q->runs[r].first; i < end && k >= next && k < c->count; i++, k++) {
			struct instance *to = &x->all[c->first + k];

			if (put) {
				x->kernels[to->kernels - x->kernels + to->present] = q->kernels[i];
				if (to->queues)
					x->present_queues[to->queues - x->present_queues +
							  to->present] = n;
			}
			to->present++;
			next = k + 1;
		}
	}
}

static void place_class_queues(struct instances *x, const struct instance_class *c, bool put)
{
	for (uint32_t n = 0; n < c->queue_count && c->count; n++)
		place_queue(x, c, n, put);
}

static bool is_whole(const struct instances *x, const struct instance *i)
{
	return i->present == x->classes[i->class].queue_count;
}

/* Those that all queues of their class have need no list of them. */
static void begin_lists(struct instances *x)
{
	size_t kernels = 0, listed = 0;

	for (size_t i = 0; i < x->count; i++) {
		kernels += x->all[i].present;
		listed += is_whole(x, &x->all[i]) ? 0 : x->all[i].present;
	}
	x->kernels = mem_alloc(kernels, sizeof(*x->kernels));
	x->present_queues = mem_alloc(listed, sizeof(*x->present_queues));
	kernels = listed = 0;
	for (size_t i = 0; i < x->count; i++) {
		struct instance *at = &x->all[i];

		at->kernels = x->kernels + kernels;
		at->queues = is_whole(x, at) ? NULL : x->present_queues + listed;
		kernels += at->present;
		listed += is_whole(x, at) ? 0 : at->present;
		at->present = 0;
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
	for (size_t i = 0; i < x->class_count; i++)
		place_class(x, &x->classes[i]);
	x->all = mem_zalloc(x->count, sizeof(*x->all));
	for (size_t i = 0; i < x->class_count; i++) {
		for (size_t k = 0; k < x->classes[i].count; k++)
			x->all[x->classes[i].first + k].class = (uint32_t)i;
		place_class_queues(x, &x->classes[i], false);
	}
	begin_lists(x);
	for (size_t i = 0; i < x->class_count; i++)
		place_class_queues(x, &x->classes[i], true);
	count_rest(x);
}

void instances_make(const struct job *j, bool sure, struct instances *ret)
{
	size_t cap, classes, tries = j->member_count * TRIES_EACH;

	tries = tries < TRIES_LEAST ? TRIES_LEAST : tries > TRIES_MOST ? TRIES_MOST : tries;
	*ret = (struct instances){0};
	make_classes(j, ret);
	cap = classes = ret->class_count;
	for (size_t i = 0; i < classes; i++)
		split_pairs(j, ret, i, &cap);
	classes = ret->class_count;
	for (size_t i = 0; i < classes; i++) {
		judge_sends(j, ret, &ret->classes[i], sure);
		match_class(j, ret, i, sure, &tries, &cap);
	}
	make_instances(ret);
}

void instances_free(struct instances *x)
{
	for (size_t i = 0; i < x->queue_count; i++)
		free(x->queues[i].runs);
	free(x->classes);
	free(x->queues);
	free(x->all);
	free(x->kernels);
	free(x->present_queues);
	free(x->queue_kernels);
	*x = (struct instances){0};
}
