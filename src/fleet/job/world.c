/* How many ranks should there be? */
#include "fleet/job/world.h"

#include "analysis/processes/rank_label.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* No job is larger: a label that says so says nothing. */
enum { RANKS_MAX = 1 << 24 };

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint32_t highest_rank(const struct job *j)
{
	return j->members[j->member_count - 1].is->rank;
}

/* The size of an axis; 1: the label does not name it. */
static uint64_t axis_size(const struct rank_setup *s, enum mesh_axis axis)
{
	const struct mesh_place *p = &s->mesh[axis];

	return p->known && p->size && p->size < RANKS_MAX ? p->size : 1;
}

/*
 * Ranks of a mesh, from a label: the product of its axes. Contexts and experts may be axes of
 * their own, or share those of the data: of what is possible the least that all ranks fit into.
 */
static uint64_t world_of_label(const char *label, uint64_t highest)
{
	struct rank_setup s;
	uint64_t n = 1, all[4], least = 0;

	rank_setup_parse(str_of(label), &s);
	for (int i = 0; i < 3 && n < RANKS_MAX; i++)
		n *= axis_size(&s, (enum mesh_axis[]){MESH_DP, MESH_TP, MESH_PP}[i]);
	if (n >= RANKS_MAX)
		return 0;
	all[0] = n;
	all[1] = n * axis_size(&s, MESH_CP);
	all[2] = n * axis_size(&s, MESH_EP);
	all[3] = all[1] < RANKS_MAX ? all[1] * axis_size(&s, MESH_EP) : 0;
	for (int i = 0; i < 4; i++) {
		if (all[i] > highest && all[i] < RANKS_MAX && (!least || all[i] < least))
			least = all[i];
	}
	return least;
}

/* That a member is in a communicator of a size. */
struct seat {
	uint32_t ranks, member;
	uint64_t communicator;
};

static int by_ranks(const void *a, const void *b, void *ctx)
{
	const struct seat *x = a, *y = b;

	(void)ctx;
	if (x->ranks != y->ranks)
		return x->ranks > y->ranks ? 1 : -1;
	if (x->communicator != y->communicator)
		return x->communicator > y->communicator ? 1 : -1;
	return (x->member > y->member) - (x->member < y->member);
}

/* Each once: a member has several classes of a communicator. */
static size_t list_seats(const struct job *j, struct seat **ret)
{
	struct seat *all = NULL;
	size_t count = 0, cap = 0, kept = 0;

	for (uint32_t i = 0; i < j->member_count; i++) {
		const struct part_member *m = j->members[i].is;

		for (size_t k = 0; k < m->class_count; k++) {
			const struct part_collective_class *c = &m->classes[k];

			if (!c->has_communicator || !c->ranks)
				continue;
			MEM_GROW(all, cap, count + 1);
			all[count++] = (struct seat){c->ranks, i, c->communicator};
		}
	}
	sort_stable(all, count, sizeof(*all), by_ranks, NULL);
	for (size_t i = 0; i < count; i++) {
		if (!kept || by_ranks(&all[kept - 1], &all[i], NULL) != 0)
			all[kept++] = all[i];
	}
	*ret = all;
	return kept;
}

/* Of all seats of one size: the ranks of their communicators, if each member has one of them. */
static uint64_t world_of_size(const struct seat *s, size_t count, size_t members, uint32_t *seen)
{
	uint64_t communicators = 0;

	if (count != members)
		return 0;
	for (size_t i = 0; i < count; i++) {
		communicators += !i || s[i].communicator != s[i - 1].communicator;
		if (seen[s[i].member] == s[i].ranks)
			return 0;
		seen[s[i].member] = s[i].ranks;
	}
	return communicators * s[0].ranks;
}

/* Where each rank is in one communicator of a size, those of that size have all ranks. */
static uint64_t world_of_groups(const struct job *j)
{
	struct seat *all;
	const size_t count = list_seats(j, &all);
	uint32_t *seen = mem_zalloc(j->member_count, sizeof(*seen));
	uint64_t most = 0;

	for (size_t i = 0, end; i < count; i = end) {
		uint64_t n;

		end = i + 1;
		while (end < count && all[end].ranks == all[i].ranks)
			end++;
		n = world_of_size(&all[i], end - i, j->member_count, seen);
		most = n < RANKS_MAX ? larger(most, n) : most;
	}
	free(seen);
	free(all);
	return most;
}

static uint64_t find_said(const struct job *j)
{
	uint64_t said = j->world;

	for (size_t i = 0; i < j->member_count; i++) {
		if (*j->members[i].is->label)
			said = larger(said,
				      world_of_label(j->members[i].is->label, highest_rank(j)));
	}
	return larger(said, world_of_groups(j));
}

/* Files that are numbered from 1 on are no job without its rank 0. */
static bool counts_from_one(const struct job *j, uint64_t said)
{
	for (size_t i = 0; i < j->member_count; i++) {
		if (j->members[i].is->rank_source != PART_RANK_FILE_NAME)
			return false;
	}
	return j->members[0].is->rank == 1 && said <= highest_rank(j);
}

void world_find(struct job *j)
{
	const uint64_t said = find_said(j), highest = highest_rank(j);
	size_t ranks = 0;

	for (size_t i = 0; i < j->member_count; i++)
		ranks += !i || j->members[i].is->rank != j->members[i - 1].is->rank;
	j->first_rank = counts_from_one(j, said);
	/* What is said of fewer than there are is said of some of them. */
	j->world_known = said > highest - j->first_rank;
	j->world = (uint32_t)larger(said, highest - j->first_rank + 1);
	j->missing = j->world > ranks ? j->world - ranks : 0;
}
