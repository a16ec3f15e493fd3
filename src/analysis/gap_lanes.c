/* Which gaps did each thread end, in order of time? */
#include "analysis/gaps.h"
#include "base/mem.h"

#include <stdlib.h>

static uint32_t gap_thread(const struct gaps *g, const struct gap *gap)
{
	struct api_call call;

	return gap_call(g, gap, &call) ? launches_origin(&g->attribution.launches, &call).thread
				       : ID_NONE;
}

struct lane {
	uint32_t thread, device;
	uint32_t number; /* as met */
};

static int compare_lanes(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* Numbers the lanes as they are met; then by thread and device. */
static struct lane *find_lanes(const struct gaps *g, uint32_t *lane_of_gap, size_t *ret_count)
{
	struct idmap numbers = {0};
	struct lane *lanes = NULL;
	size_t count = 0, cap = 0;
	uint32_t last = 0;

	for (size_t i = 0; i < g->count; i++) {
		uint32_t thread = gap_thread(g, &g->all[i]);

		lane_of_gap[i] = ID_NONE;
		if (thread == ID_NONE)
			continue;
		if (!count || lanes[last].thread != thread ||
		    lanes[last].device != g->all[i].device)
			last = idmap_number_pair(&numbers, thread, g->all[i].device);
		lane_of_gap[i] = last;
		if (last < count)
			continue;
		MEM_GROW(lanes, cap, count + 1);
		lanes[count] = (struct lane){thread, g->all[i].device, (uint32_t)count};
		count++;
	}
	idmap_free(&numbers);
	if (count)
		qsort(lanes, count, sizeof(*lanes), compare_lanes);
	*ret_count = count;
	return lanes;
}

/* A counting sort: the gaps of a device already are in order of time. */
static void place_gaps(const struct gaps *g, const uint32_t *lane_of_gap, const uint32_t *now,
		       struct gap_lanes *l)
{
	size_t *next;

	for (size_t i = 0; i < g->count; i++) {
		if (lane_of_gap[i] != ID_NONE)
			l->begin[now[lane_of_gap[i]] + 1]++;
	}
	for (size_t lane = 0; lane < l->count; lane++)
		l->begin[lane + 1] += l->begin[lane];
	l->order = mem_alloc(l->begin[l->count], sizeof(*l->order));
	next = mem_alloc(l->count, sizeof(*next));
	memcpy(next, l->begin, l->count * sizeof(*next));
	for (size_t i = 0; i < g->count; i++) {
		if (lane_of_gap[i] != ID_NONE)
			l->order[next[now[lane_of_gap[i]]]++] = (uint32_t)i;
	}
	free(next);
}

void gap_lanes_make(const struct gaps *g, struct gap_lanes *ret)
{
	uint32_t *lane_of_gap = mem_alloc(g->count, sizeof(*lane_of_gap)), *now;
	struct lane *lanes;

	*ret = (struct gap_lanes){0};
	lanes = find_lanes(g, lane_of_gap, &ret->count);
	ret->threads = mem_alloc(ret->count, sizeof(*ret->threads));
	ret->begin = mem_zalloc(ret->count + 1, sizeof(*ret->begin));
	now = mem_alloc(ret->count, sizeof(*now));
	for (size_t i = 0; i < ret->count; i++) {
		ret->threads[i] = lanes[i].thread;
		now[lanes[i].number] = (uint32_t)i;
	}
	place_gaps(g, lane_of_gap, now, ret);
	free(now);
	free(lanes);
	free(lane_of_gap);
}

void gap_lanes_free(struct gap_lanes *l)
{
	free(l->order);
	free(l->begin);
	free(l->threads);
	*l = (struct gap_lanes){0};
}
