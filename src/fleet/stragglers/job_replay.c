/* Which collectives of a job can be gone through once more? */
#include "fleet/stragglers/search.h"

#include "analysis/processes/rank_label.h"
#include "base/mem.h"
#include "fleet/job/clock_islands.h"

#include <stdlib.h>

static const double unseen_ns = 100e3; /* more than clocks are wrong by that meetings set */

static bool has_all(const struct job *j, const struct instance_class *c)
{
	return c->queue_count == j->member_count || (c->is->ranks && c->is->ranks == j->world);
}

static bool same_communicator(const struct instance_class *a, const struct instance_class *b)
{
	return a->is->has_communicator && b->is->has_communicator &&
	       a->is->communicator == b->is->communicator;
}

static bool is_uneven(const struct instances *x, const struct instance_class *c)
{
	size_t fewest = SIZE_MAX, most = 0;

	for (size_t q = c->first_queue; q < c->first_queue + c->queue_count; q++) {
		const size_t count = x->queues[q].count;

		fewest = count < fewest ? count : fewest;
		most = count > most ? count : most;
	}
	return kernels_are_uneven(fewest, most);
}

/* Classes of a communicator come one after another. */
static struct replay_class *list_classes(const struct job *j, const struct instances *x,
					 struct arena *arena)
{
	struct replay_class *classes = arena_alloc(arena, x->class_count, sizeof(*classes));
	uint32_t *members = arena_alloc(arena, x->queue_count, sizeof(*members));
	uint32_t streams = 0;

	for (size_t i = 0; i < x->queue_count; i++)
		members[i] = x->queues[i].member;
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];

		streams += i && !same_communicator(c - 1, c);
		classes[i] = (struct replay_class){.type = c->is->type,
						   .stream = streams,
						   .members = &members[c->first_queue],
						   .member_count = (uint32_t)c->queue_count,
						   .count = c->count,
						   .has_all = has_all(j, c),
						   .is_uneven = is_uneven(x, c)};
	}
	return classes;
}

static bool clocks_are_known(const struct job *j, const struct instances *x,
			     const struct instance_class *c)
{
	for (size_t q = c->first_queue; q < c->first_queue + c->queue_count; q++) {
		if (!j->parts[j->members[x->queues[q].member].part].clock.known)
			return false;
	}
	return true;
}

/* A kernel that is not there, though the capture has some before it and some behind it. */
static bool is_lost(const struct instance_queue *q, int64_t k)
{
	return q->run_count && q->runs[0].k < k && k < queue_end_k(q);
}

/* Who may leave before others come says nothing about when those did. */
static bool can_lack(const struct instance_class *c)
{
	return !c->leaves_early && c->is->type != COLL_BROADCAST && c->is->type != COLL_REDUCE;
}

static struct replay_entry entry_of(const struct job *j, const struct instances *x, size_t queue,
				    uint32_t kernel)
{
	const struct job_member *m = &j->members[x->queues[queue].member];
	const struct part_collective *k = &m->is->collectives[kernel];

	return (struct replay_entry){
		.member = x->queues[queue].member,
		.kernel = kernel,
		.class = k->class,
		.enter_ns = job_time(j, m->part, k->start_ns),
		.leave_ns = job_time(j, m->part, k->end_ns),
		.exposed_ns = k->exposed_ns,
		.idle_ns = k->idle_ns,
		.stall_ns = k->stall_ns,
		.queued_ns =
			k->launched_ns == PART_UNKNOWN ? 0 : sat_sub(k->start_ns, k->launched_ns),
		.blocked_ns = k->blocked_ns,
		.bytes = k->bytes == PART_UNKNOWN ? -1 : k->bytes,
	};
}

static struct replay_entry lost_entry(const struct job *j, const struct instance_queue *q)
{
	const struct part_member *m = j->members[q->member].is;

	return (struct replay_entry){.member = q->member,
				     .kernel = REPLAY_NONE,
				     .class = m->collectives[q->kernels[0]].class};
}

/* The entries of an instance. False: some ranks were not in it, or not while they were captured. */
static bool fill_entries(const struct job *j, const struct instances *x, const struct instance *is,
			 int64_t k, struct replay_entry *ret)
{
	const struct instance_class *c = &x->classes[is->class];
	size_t n = 0; /* of those that have it */

	if (!is->present || (is->present < c->queue_count && !can_lack(c)))
		return false;
	for (size_t q = 0; q < c->queue_count; q++) {
		const struct instance_queue *queue = &x->queues[c->first_queue + q];

		if (n < is->present && (!is->queues || is->queues[n] == q))
			ret[q] = entry_of(j, x, c->first_queue + q, is->kernels[n++]);
		else if (is_lost(queue, k))
			ret[q] = lost_entry(j, queue);
		else
			return false;
	}
	return true;
}

static int64_t last_entry(const struct replay_entry *entries, size_t count)
{
	int64_t last_ns = INT64_MIN;

	for (size_t i = 0; i < count; i++) {
		if (entries[i].kernel != REPLAY_NONE && entries[i].enter_ns > last_ns)
			last_ns = entries[i].enter_ns;
	}
	return last_ns;
}

/* What the clocks of two may be wrong by. */
static double doubt_between(const struct job *j, const struct replay_entry *a,
			    const struct replay_entry *b)
{
	return job_doubt_ns(j, j->members[a->member].part, j->members[b->member].part);
}

/*
 * Whether ranks did not meet, or may not have: some had left before the last entered, or they left
 * farther apart than the one that was in it for the shortest time stayed, as no transfer takes
 * longer than that; or clocks are not known well enough to see it.
 */
static bool is_no_meeting(const struct job *j, const struct replay_entry *entries, size_t count)
{
	const struct replay_entry *last = NULL, *gone = NULL, *end = NULL;
	int64_t transfer_ns = INT64_MAX;
	double doubt_ns;

	for (size_t i = 0; i < count; i++) {
		const struct replay_entry *e = &entries[i];
		const int64_t stay_ns = sat_sub(e->leave_ns, e->enter_ns);

		if (e->kernel == REPLAY_NONE)
			continue;
		last = !last || e->enter_ns > last->enter_ns ? e : last;
		gone = !gone || e->leave_ns < gone->leave_ns ? e : gone;
		end = !end || e->leave_ns > end->leave_ns ? e : end;
		transfer_ns = stay_ns < transfer_ns ? stay_ns : transfer_ns;
	}
	if (!last)
		return false;
	if ((double)sat_sub(last->enter_ns, gone->leave_ns) > doubt_between(j, last, gone))
		return true;
	doubt_ns = doubt_between(j, end, gone);
	return doubt_ns > (double)transfer_ns + unseen_ns ||
	       (double)sat_sub(end->leave_ns, gone->leave_ns) > (double)transfer_ns + doubt_ns;
}

/*
 * Sends of one name may be those of one communicator, where experts exchange tokens, or of as many
 * as a pipeline has neighbours: then the k-th of a rank has nothing to do with that of another.
 * Where ranks leave before others come, they do not meet.
 */
static bool is_one_name_of_many(const struct job *j, const struct instances *x, uint32_t number,
				struct replay_entry *entries)
{
	const struct instance_class *c = &x->classes[number];
	size_t known = 0, apart = 0;

	if (c->is->type != COLL_SEND_RECV || c->is->has_communicator || c->queue_count < 3)
		return false;
	for (size_t k = 0; k < c->count; k++) {
		if (!fill_entries(j, x, &x->all[c->first + k], (int64_t)k, entries))
			continue;
		known++;
		apart += is_no_meeting(j, entries, c->queue_count);
	}
	return 4 * apart > known;
}

static void add_class(const struct job *j, const struct instances *x, uint32_t number,
		      struct span window, struct replay *ret)
{
	const struct instance_class *c = &x->classes[number];
	struct replay_entry *entries;

	if (c->queue_count < 2 || !clocks_are_known(j, x, c) || islands_share(j, x, c))
		return;
	entries = mem_alloc(c->queue_count, sizeof(*entries));
	if (is_one_name_of_many(j, x, number, entries)) {
		free(entries);
		return;
	}
	for (size_t k = 0; k < c->count; k++) {
		const struct instance *is = &x->all[c->first + k];
		const struct replay_visit v = {.class = number,
					       .number = (uint32_t)k,
					       .instance = (uint32_t)(c->first + k)};
		int64_t last_ns;

		if (!fill_entries(j, x, is, (int64_t)k, entries))
			continue;
		last_ns = last_entry(entries, c->queue_count);
		if (last_ns < window.start_ns || last_ns >= window.end_ns)
			continue;
		replay_add(ret, &v, entries, (uint32_t)c->queue_count);
	}
	free(entries);
}

/* By member the stage of the pipeline that its label says; NULL: not all of them say one. */
static uint32_t *list_stages(const struct job *j)
{
	uint32_t *stage = mem_alloc(j->member_count, sizeof(*stage));

	for (size_t i = 0; i < j->member_count; i++) {
		struct rank_setup s;

		rank_setup_parse(str_of(j->members[i].is->label), &s);
		if (!s.mesh[MESH_PP].known) {
			free(stage);
			return NULL;
		}
		stage[i] = s.mesh[MESH_PP].rank;
	}
	return stage;
}

void job_replay_make(struct stragglers *s)
{
	const struct job *j = s->job;
	const struct instances *x = s->x;
	struct replay_class *classes = list_classes(j, x, &s->arena);
	SCOPED uint32_t *stage = list_stages(j);

	replay_begin(&s->replay, classes, x->class_count, j->member_count);
	for (uint32_t i = 0; i < x->class_count; i++)
		add_class(j, x, i, s->window, &s->replay);
	s->step_shift = steps_align(j, &s->replay, classes);
	replay_end(&s->replay, stage);
}
