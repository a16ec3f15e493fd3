/* What sort of gaps does each device have? */
#include "analysis/gpu/gap_study.h"

#include "base/mem.h"

#include <stdlib.h>

const int64_t gap_class_limits_ns[GAP_CLASSES] = {
	1000, 2000, 5000, 10000, 20000, 50000, 100000, 1000000, 10000000, 100000000, INT64_MAX};

void gap_study_begin(struct gap_study *s, size_t devices, uint64_t limit, gap_floor *floor)
{
	*s = (struct gap_study){.longest = {.limit = limit, .floor = floor}};
	s->devices = mem_zalloc(devices, sizeof(*s->devices));
}

static int class_of(int64_t ns)
{
	int c = 0;

	while (ns >= gap_class_limits_ns[c] && c + 1 < GAP_CLASSES)
		c++;
	return c;
}

void gap_study_take(struct gap_study *s, const struct gap *gap)
{
	struct device_gaps *d = &s->devices[gap->device];
	int class = class_of(gap_ns(gap));

	for (int b = 0; b < BLAMES; b++)
		d->total_ns[b] += gap->ns[b];
	d->count++;
	d->in_class[class]++;
	d->class_ns[class] += gap_ns(gap);
	if (gap_ns(gap) > d->longest_ns)
		d->longest_ns = gap_ns(gap);
	s->count++;
	longest_gaps_add(&s->longest, gap);
}

static void add_devices(struct device_gaps *to, const struct device_gaps *from)
{
	to->count += from->count;
	for (int c = 0; c < GAP_CLASSES; c++) {
		to->in_class[c] += from->in_class[c];
		to->class_ns[c] += from->class_ns[c];
	}
	for (int b = 0; b < BLAMES; b++)
		to->total_ns[b] += from->total_ns[b];
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
}

void gap_study_add_all(struct gap_study *s, const struct gap_study *more, size_t devices)
{
	for (size_t i = 0; i < devices; i++)
		add_devices(&s->devices[i], &more->devices[i]);
	s->count += more->count;
	longest_gaps_add_all(&s->longest, &more->longest);
}

void gap_study_end(struct gap_study *s, const struct gap_judge *j)
{
	const struct events *ev = &j->trace->events[TRACE_NVTX];
	const struct range *ranges = j->attribution.forest.ranges;

	longest_gaps_sort(&s->longest);
	s->range_names = mem_alloc(s->longest.count, sizeof(*s->range_names));
	for (size_t i = 0; i < s->longest.count; i++) {
		uint32_t range = s->longest.gaps[i].range;

		s->range_names[i] = range == RANGE_NONE ? NAME_NONE : ev->name[ranges[range].row];
	}
}

void gap_study_free(struct gap_study *s)
{
	longest_gaps_free(&s->longest);
	free(s->devices);
	free(s->range_names);
	*s = (struct gap_study){0};
}
