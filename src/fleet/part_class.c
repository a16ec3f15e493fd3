/* Are collectives of two classes counted together? */
#include "fleet/part_class.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

int part_class_compare(const struct part_collective_class *a, const struct part_collective_class *b)
{
	int order;

	if (a->has_communicator != b->has_communicator)
		return a->has_communicator ? -1 : 1;
	if (a->communicator != b->communicator)
		return a->communicator > b->communicator ? 1 : -1;
	if (a->type != b->type)
		return a->type > b->type ? 1 : -1;
	if (a->peer != b->peer)
		return a->peer > b->peer ? 1 : -1;
	order = strcmp(a->kernel, b->kernel);
	return order ? order : (a->stream > b->stream) - (a->stream < b->stream);
}

static int compare_pointers(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return part_class_compare(*(const struct part_collective_class *const *)a,
				  *(const struct part_collective_class *const *)b);
}

bool part_classes_repeat(const struct part_collective_class *all, size_t count)
{
	const struct part_collective_class **sorted = mem_alloc(count, sizeof(void *));
	bool repeat = false;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &all[i];
	sort_stable(sorted, count, sizeof(void *), compare_pointers, NULL);
	for (size_t i = 1; i < count; i++)
		repeat |= part_class_compare(sorted[i - 1], sorted[i]) == 0;
	free(sorted);
	return repeat;
}
