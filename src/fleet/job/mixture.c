/* Do communicators that have no rank in common fit into one job? */
#include "fleet/job/mixture.h"

#include "base/mem.h"

#include <stdlib.h>

/* Members that communicators join, directly or by way of others. */
struct joined {
	uint32_t *first;   /* by member: a member that stands for all it is joined with */
	uint32_t *largest; /* by member that stands for others: ranks of a communicator of theirs */
};

static uint32_t find_first(struct joined *x, uint32_t member)
{
	while (x->first[member] != member) {
		x->first[member] = x->first[x->first[member]];
		member = x->first[member];
	}
	return member;
}

static void join_class(struct joined *j, const struct instances *x, const struct instance_class *c)
{
	const uint32_t to = x->queues[c->first_queue].member;

	for (size_t i = 1; i < c->queue_count; i++) {
		const uint32_t a = find_first(j, to);
		const uint32_t b = find_first(j, x->queues[c->first_queue + i].member);

		j->first[a > b ? a : b] = a < b ? a : b;
	}
}

/*
 * Whether it says how many ranks the job has: a rank's number is that in its largest communicator.
 * Where ranks are known otherwise, none of the communicators need be of all.
 */
static bool has_all(const struct job *j, const struct instances *x, const struct instance_class *c)
{
	const struct part_member *m = j->members[x->queues[c->first_queue].member].is;

	return c->is->has_communicator && m->rank_source == PART_RANK_NCCL && m->world &&
	       c->is->ranks == m->world;
}

static void join_all(struct joined *j, const struct job *job, const struct instances *x)
{
	for (size_t i = 0; i < x->class_count; i++)
		join_class(j, x, &x->classes[i]);
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		uint32_t *to = &j->largest[find_first(j, x->queues[c->first_queue].member)];

		/* One rank of it alone may be a capture without its neighbours. */
		if (has_all(job, x, c) && c->queue_count > 1 && c->is->ranks > *to)
			*to = c->is->ranks;
	}
}

static int check_communicators(const struct job *j, const struct instances *x, struct err *e)
{
	struct joined joined = {mem_alloc(j->member_count, sizeof(*joined.first)),
				mem_zalloc(j->member_count, sizeof(*joined.largest))};
	uint32_t seen = PART_NO_NUMBER;
	int result = 0;

	for (uint32_t i = 0; i < j->member_count; i++)
		joined.first[i] = i;
	join_all(&joined, j, x);
	for (uint32_t i = 0; i < j->member_count && result == 0; i++) {
		if (!joined.largest[i])
			continue;
		if (seen != PART_NO_NUMBER &&
		    (uint64_t)joined.largest[seen] + joined.largest[i] > j->world) {
			result = err_set(
				e, ERR_INPUT,
				"these are captures of several jobs: '%s' and '%s' are of "
				"communicators of %u and %u ranks that have none in common, "
				"more than the %u of one job",
				j->parts[j->members[seen].part].part->file,
				j->parts[j->members[i].part].part->file, joined.largest[seen],
				joined.largest[i], j->world);
			err_hint(e, "give the captures of one job");
		}
		seen = seen == PART_NO_NUMBER ? i : seen;
	}
	free(joined.first);
	free(joined.largest);
	return result;
}

int mixture_check(const struct job *j, const struct instances *x, struct err *e)
{
	return check_communicators(j, x, e) < 0 ? -1 : job_check_times(j, e);
}
