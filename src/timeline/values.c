/* How much was it in each cell of a line? */
#include "timeline/values.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* All that lies before a moment. */
struct value_past {
	double sum; /* value · ns */
	struct lane_past lane;
};

static double add_up(const struct value_source *s, const struct lane_event *events, size_t count,
		     int64_t until_ns)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const int64_t end_ns = events[i].end_ns < until_ns ? events[i].end_ns : until_ns;

		sum += s->value(s, events[i].id) * (double)sat_sub(end_ns, events[i].start_ns);
	}
	return sum;
}

void values_sum_up(struct value_source *s, const struct lane *l)
{
	struct lane_event here[LANE_BLOCK];
	double sum = 0;

	s->before = mem_alloc(l->block_count, sizeof(*s->before));
	for (size_t b = 0; b < l->block_count; b++) {
		const size_t count = lane_block_events(l, b, here);

		s->before[b] = sum;
		sum += add_up(s, here, count, INT64_MAX);
	}
}

void values_free(struct value_source *s)
{
	free(s->before);
	s->before = NULL;
}

static void values_past(const struct value_source *s, const struct lane *l, int64_t at_ns,
			struct value_past *ret)
{
	struct lane_event here[LANE_BLOCK];
	size_t block;

	*ret = (struct value_past){0};
	lane_past(l, at_ns, &ret->lane);
	if (!ret->lane.begun)
		return;
	block = (ret->lane.begun - 1) / LANE_BLOCK;
	lane_block_events(l, block, here);
	ret->sum = s->before[block] + add_up(s, here, ret->lane.begun - block * LANE_BLOCK, at_ns);
}

/* How long samples lie between two moments. */
static int64_t measured_ns(const struct value_past *from, const struct value_past *to)
{
	int64_t ns = 0;

	for (int c = 0; c < LANE_CLASSES; c++)
		ns = sat_add(ns, sat_sub(to->lane.ns[c], from->lane.ns[c]));
	return ns;
}

static double mean_of(const struct value_past *from, const struct value_past *to)
{
	const int64_t ns = measured_ns(from, to);

	return ns > 0 ? (to->sum - from->sum) / (double)ns : NAN;
}

double values_mean(const struct value_source *s, const struct lane *l, struct span window)
{
	struct value_past from, to;

	values_past(s, l, window.start_ns, &from);
	values_past(s, l, window.end_ns, &to);
	return mean_of(&from, &to);
}

static uint8_t eighths_of(double mean, double full)
{
	/* Sums of many samples are a little off. */
	if (!(mean > full * 1e-9))
		return 0;
	return mean >= full ? 8 : mean * 8 < full ? 1 : (uint8_t)(mean * 8 / full);
}

void value_cells_read(const struct value_source *s, const struct lane *l, struct span window,
		      size_t width, struct cell_time *ret)
{
	const uint8_t class = l->count ? lane_event(l, 0).class : 0;
	struct value_past before, after;

	values_past(s, l, window.start_ns, &before);
	for (size_t i = 0; i < width; i++) {
		values_past(s, l, cell_edge(window, width, i + 1), &after);
		ret[i] = (struct cell_time){.begun = after.lane.begun - before.lane.begun,
					    .first = class,
					    .second = LANE_CLASSES,
					    .eighths =
						    eighths_of(mean_of(&before, &after), s->full)};
		before = after;
	}
}
