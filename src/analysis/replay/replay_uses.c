/* In which order does a rank use communicators that are alike? */
#include "analysis/replay/replay_uses.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* A class on one of its members. */
struct use {
	uint32_t member;
	uint64_t sort;
	uint32_t group;	  /* of those of one member that are alike */
	uint32_t number;  /* of the collective that first_ns is of */
	int64_t first_ns; /* when it is first used, as far as the others of its group are, too */
	size_t at;
};

static struct use *list_uses(const struct replay *r, const size_t *first)
{
	struct use *all = mem_alloc(first[r->class_count], sizeof(*all));

	for (size_t c = 0; c < r->class_count; c++) {
		const struct replay_class *class = &r->classes[c];

		for (uint32_t i = 0; i < class->member_count; i++)
			all[first[c] + i] = (struct use){.member = class->members[i],
							 .sort = replay_sort_of(class),
							 .number = UINT32_MAX,
							 .first_ns = INT64_MAX,
							 .at = first[c] + i};
	}
	return all;
}

static int by_member_and_sort(const void *a, const void *b, void *ctx)
{
	const struct use *x = a, *y = b;

	(void)ctx;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return (x->sort > y->sort) - (x->sort < y->sort);
}

/* Groups lie one after another then. Returns how many there are. */
static uint32_t find_groups(struct use *all, size_t count)
{
	uint32_t groups = 0;

	sort_stable(all, count, sizeof(*all), by_member_and_sort, NULL);
	for (size_t i = 0; i < count; i++) {
		if (i && by_member_and_sort(&all[i - 1], &all[i], NULL) != 0)
			groups++;
		all[i].group = groups;
	}
	return groups + 1;
}

/* The first collective of each use from a number on, by group; NULL: from the beginning. */
static void find_first(const struct replay *r, const struct replay_uses *u, struct use *all,
		       const uint32_t *from)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t n = 0; n < v->count; n++) {
			struct use *use = &all[replay_use(u, v, n)];

			if (v->number < use->number && (!from || v->number >= from[use->group])) {
				use->number = v->number;
				use->first_ns = v->last_ns;
			}
		}
	}
}

/*
 * A capture may begin in the middle of a step, but the others of a communicator tell which of its
 * collectives a rank was there for first. By group: the first that it was there for in all.
 */
static uint32_t *find_common(struct use *all, size_t count, uint32_t groups)
{
	uint32_t *from = mem_zalloc(groups, sizeof(*from));

	for (size_t i = 0; i < count; i++) {
		if (all[i].number != UINT32_MAX && all[i].number > from[all[i].group])
			from[all[i].group] = all[i].number;
		all[i].number = UINT32_MAX;
	}
	return from;
}

static int by_group_and_time(const void *a, const void *b, void *ctx)
{
	const struct use *x = a, *y = b;

	(void)ctx;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

/* Until they have numbers, `number` says where a class on a member is in `all`. */
static void number_uses(const struct replay *r, const struct replay_uses *u, struct use *all,
			size_t count)
{
	const uint32_t groups = find_groups(all, count);
	uint32_t *from;

	for (size_t i = 0; i < count; i++)
		u->number[all[i].at] = (uint32_t)i;
	find_first(r, u, all, NULL);
	from = find_common(all, count, groups);
	find_first(r, u, all, from);
	free(from);
	sort_stable(all, count, sizeof(*all), by_group_and_time, NULL);
	for (size_t i = 0; i < count; i++)
		u->number[all[i].at] =
			i && all[i].group == all[i - 1].group ? u->number[all[i - 1].at] + 1 : 0;
}

void replay_uses_make(const struct replay *r, struct replay_uses *ret)
{
	struct use *all;
	size_t count = 0;

	ret->first = mem_alloc(r->class_count + 1, sizeof(*ret->first));
	for (size_t c = 0; c < r->class_count; c++) {
		ret->first[c] = count;
		count += r->classes[c].member_count;
	}
	ret->first[r->class_count] = count;
	ret->number = mem_alloc(count, sizeof(*ret->number));
	all = list_uses(r, ret->first);
	number_uses(r, ret, all, count);
	free(all);
}

void replay_uses_free(struct replay_uses *u)
{
	free(u->first);
	free(u->number);
}
