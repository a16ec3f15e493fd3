/* Do communicators that have no rank in common fit into one job? */
#include "fleet/job/mixture.h"

#include "analysis/processes/rank_label.h"
#include "base/mem.h"
#include "base/sets.h"
#include "fleet/job/misfits.h"
#include "fleet/job/times.h"
#include "fleet/job/unlike.h"

#include <stdlib.h>

enum { ENOUGH_STEPS = 8 }; /* in which ranks of one job meet */

/* Members that communicators join, directly or by way of others. */
struct joined {
	uint32_t *sets;	   /* of members */
	uint32_t *largest; /* by member that stands for others: ranks of a communicator of theirs */
};

static void join_class(uint32_t *sets, const struct instances *x, const struct instance_class *c)
{
	for (size_t i = 1; i < c->queue_count; i++)
		sets_join(sets, x->queues[c->first_queue].member,
			  x->queues[c->first_queue + i].member);
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
		join_class(j->sets, x, &x->classes[i]);
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		uint32_t *to = &j->largest[sets_first(j->sets, x->queues[c->first_queue].member)];

		/* One rank of it alone may be a capture without its neighbours. */
		if (has_all(job, x, c) && c->queue_count > 1 && c->is->ranks > *to)
			*to = c->is->ranks;
	}
}

static int check_communicators(const struct job *j, const struct instances *x, struct err *e)
{
	struct joined joined = {sets_new(j->member_count),
				mem_zalloc(j->member_count, sizeof(*joined.largest))};
	uint32_t seen = PART_NO_NUMBER;
	int result = 0;

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
	free(joined.sets);
	free(joined.largest);
	return result;
}

static bool has_communicators(const struct part_member *m)
{
	for (size_t i = 0; i < m->class_count; i++) {
		if (m->classes[i].has_communicator)
			return true;
	}
	return false;
}

static size_t count_told(const struct job *j)
{
	size_t told = 0;

	for (size_t i = 0; i < j->member_count; i++)
		told += has_communicators(j->members[i].is);
	return told;
}

/* By member: whether it shares any collectives with others. */
static bool *find_meeting(const struct job *j, const struct instances *x)
{
	bool *meets = mem_zalloc(j->member_count, sizeof(*meets));

	for (size_t i = 0; i < x->queue_count; i++)
		meets[x->queues[i].member] |= x->classes[x->queues[i].class].queue_count > 1;
	return meets;
}

/*
 * Whether somebody is missing, here or in a communicator, who may join what nobody else does; so
 * may who is in none that is known. Names of kernels tell where all have nothing else, and they
 * fit together.
 */
static bool lacks_somebody(const struct job *j, const struct instances *x)
{
	const size_t told = count_told(j);
	bool *meets = find_meeting(j, x),
	     lacks = j->missing > 0 || (told && told < j->member_count);

	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];

		lacks |= c->is->has_communicator && c->is->ranks > c->queue_count;
	}
	for (size_t i = 0; i < j->member_count && !told; i++)
		lacks |= !meets[i];
	free(meets);
	return lacks || (!told && misfits_find(x, NULL));
}

uint32_t mixture_sets(const struct job *j, const struct instances *x, uint32_t *ret_set)
{
	uint32_t *joined = sets_new(j->member_count);
	const bool lacks = lacks_somebody(j, x);
	uint32_t sets = 0;

	for (uint32_t i = 1; i < j->member_count && lacks; i++)
		sets_join(joined, 0, i);
	for (size_t i = 0; i < x->class_count; i++)
		join_class(joined, x, &x->classes[i]);
	for (uint32_t i = 0; i < j->member_count; i++) {
		const uint32_t first = sets_first(joined, i);

		ret_set[i] = first == i ? sets++ : ret_set[first];
	}
	free(joined);
	return sets;
}

static bool has_mesh(const struct part_member *m)
{
	struct rank_setup s;
	bool has = false;

	rank_setup_parse(str_of(m->label), &s);
	for (int x = 0; x < MESH_AXES; x++)
		has |= s.mesh[x].known && s.mesh[x].size > 1;
	return has;
}

/* Whether something says that they are the ranks of one job, in which some may never meet. */
static bool is_said(const struct job *j)
{
	for (size_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;

		if (m->rank_source == PART_RANK_GIVEN || m->world >= j->member_count || has_mesh(m))
			return true;
	}
	return false;
}

/* What some leave before others come joins all of its name: who met whom is not known of it. */
static bool is_proof(const struct instance_class *c)
{
	return c->is->has_communicator || (!c->leaves_early && c->queue_count > 1);
}

bool mixture_is_assumed(const struct job *j, const struct instances *x)
{
	uint32_t *sets;
	bool apart = false;

	if (j->part_count < 2 || count_told(j) == j->member_count || is_said(j))
		return false;
	sets = sets_new(j->member_count);
	for (size_t i = 0; i < x->class_count; i++) {
		if (is_proof(&x->classes[i]))
			join_class(sets, x, &x->classes[i]);
	}
	/* A rank may use a second GPU that does not communicate. */
	for (uint32_t i = 1; i < j->member_count; i++) {
		if (j->members[i].is->rank == j->members[i - 1].is->rank)
			sets_join(sets, i - 1, i);
	}
	for (uint32_t i = 0; i < j->member_count; i++)
		apart |= sets_first(sets, i) != 0 && j->members[i].part != j->members[0].part;
	free(sets);
	return apart;
}

static size_t fewest_steps(const struct job *j)
{
	size_t fewest = SIZE_MAX;

	for (size_t i = 0; i < j->member_count; i++) {
		const size_t own = j->members[i].is->step_count;

		fewest = own < fewest ? own : fewest;
	}
	return fewest;
}

/* The first that is of another set than rank 0; in a capture of its own, as one is of one job. */
static const struct part *find_apart(const struct job *j, const struct instances *x)
{
	uint32_t *set = mem_alloc(j->member_count, sizeof(*set));
	const struct part *found = NULL;

	if (mixture_sets(j, x, set) > 1) {
		for (size_t i = 0; i < j->member_count && !found; i++) {
			if (set[i] && j->members[i].part != j->members[0].part)
				found = j->parts[j->members[i].part].part;
		}
	}
	free(set);
	return found;
}

/* Names of kernels, and when they end, are no proof: that programs differ is one with them. */
static int check_programs(const struct part *a, const struct part *b, struct err *e)
{
	SCOPED_BUF why = {0};

	if (!unlike_find(&a->members[0], &b->members[0], &why))
		return 0;
	err_set(e, ERR_INPUT,
		"these are captures of several jobs: '%s' and '%s' share no collective, directly "
		"or by way of other ranks, and %s",
		a->file, b->file, why.s);
	return err_hint(e,
			"give the captures of one job; if these are, --ranks FILE says so, with a "
			"line for each such as '0 %s'",
			a->file);
}

/* Ranks of one job meet, if not in each step. */
static int check_sets(const struct job *j, const struct instances *x, struct err *e)
{
	const struct part *a = j->parts[j->members[0].part].part, *b = find_apart(j, x);
	const size_t steps = fewest_steps(j);

	if (!b || steps < ENOUGH_STEPS || is_said(j))
		return 0;
	if (!count_told(j))
		return check_programs(a, b, e);
	err_set(e, ERR_INPUT,
		"these are captures of several jobs: '%s' and '%s' have no communicator in common, "
		"directly or by way of other ranks, in %zu steps",
		a->file, b->file, steps);
	return err_hint(e,
			"give the captures of one job; if these are, and just never meet, "
			"--ranks FILE says so, with a line for each such as '0 %s'",
			a->file);
}

int mixture_check(const struct job *j, const struct instances *x, struct err *e)
{
	if (check_communicators(j, x, e) < 0 || times_check(j, x, e) < 0)
		return -1;
	return check_sets(j, x, e);
}
