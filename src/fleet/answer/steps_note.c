/* Do all ranks mean the same by a step? */
#include "fleet/answer/answer.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Of a rank, by name, then by rank. */
static int by_steps(const void *a, const void *b, void *ctx)
{
	const struct part_member *x = *(const struct part_member *const *)a;
	const struct part_member *y = *(const struct part_member *const *)b;
	const int order = strcmp(x->steps_name, y->steps_name);

	(void)ctx;
	return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static const struct part_member **list_with_steps(const struct job *j, size_t *ret_count)
{
	const struct part_member **all = mem_alloc(j->member_count, sizeof(void *));
	size_t count = 0;

	for (size_t i = 0; i < j->member_count; i++) {
		if (j->members[i].is->warm_count)
			all[count++] = j->members[i].is;
	}
	if (count)
		sort_stable(all, count, sizeof(void *), by_steps, NULL);
	*ret_count = count;
	return all;
}

static size_t end_of_run(const struct part_member *const *all, size_t count, size_t begin)
{
	size_t end = begin + 1;

	while (end < count && strcmp(all[end]->steps_name, all[begin]->steps_name) == 0)
		end++;
	return end;
}

/* Which steps most ranks have: the first of those, and how many there are. */
static size_t find_usual(const struct part_member *const *all, size_t count, size_t *ret_ranks)
{
	size_t usual = 0, most = 0;

	for (size_t i = 0, end; i < count; i = end) {
		end = end_of_run(all, count, i);
		if (end - i > most) {
			usual = i;
			most = end - i;
		}
	}
	*ret_ranks = most;
	return usual;
}

static const char *words_of(const struct part_member *m)
{
	return *m->steps_name ? m->steps_name : "told by kernels";
}

void fleet_tell_steps(struct fleet_answer *a)
{
	size_t count, ranks;
	const struct part_member **all = list_with_steps(&a->job, &count);
	const size_t usual = find_usual(all, count, &ranks);
	const size_t odd = usual ? 0 : ranks; /* the first of the others */

	if (ranks < count)
		report_warning(a->report,
			       "steps differ: %zu of %zu ranks have '%s', others such as rank %u "
			       "'%s'; --marker REGEX names the steps of all",
			       ranks, count, words_of(all[usual]), all[odd]->rank,
			       words_of(all[odd]));
	free(all);
}
