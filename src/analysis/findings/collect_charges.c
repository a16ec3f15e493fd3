/* Which ranges was the launching thread in during a gap, and for how long? */
#include "analysis/findings/collect.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

enum { LEVELS_UP = 64 }; /* of ranges around the one a thread is in */

/* Whatever a compiler does inside, it is compiling; ranges that are nested beyond reason are not
 * followed to the end. */
uint32_t collect_charged_range(const struct explain *x, uint32_t range)
{
	const uint32_t own = explain_folded_range(x, range);

	for (int up = 0; range != RANGE_NONE && up < LEVELS_UP; up++) {
		const uint32_t name = explain_folded_range(x, range);

		if (name != NAME_NONE && x->compiles[name])
			return name;
		range = x->judge.attribution.forest.ranges[range].parent;
	}
	return own;
}

static uint32_t charge_of(struct charges *to, uint32_t range, size_t names)
{
	uint32_t *at;

	if (!to->at)
		to->at = new_ids(names + 1);
	at = &to->at[range == NAME_NONE ? names : range];
	if (*at == ID_NONE) {
		*at = (uint32_t)to->count;
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = (struct charge){.range = range, .row = ID_NONE};
	}
	return *at;
}

static void add_time(struct charges *to, uint32_t charge, struct span time)
{
	to->all[charge].ns += span_ns(time);
	if (to->time_count && to->times[to->time_count - 1].charge == charge) {
		to->times[to->time_count - 1].time.end_ns = time.end_ns;
		return;
	}
	MEM_GROW(to->times, to->time_cap, to->time_count + 1);
	to->times[to->time_count++] = (struct charged_time){charge, time};
}

/* When the thread was in which range, all through the gap. */
static void follow_ranges(struct collector *c, const struct gap *gap)
{
	const struct explain *x = c->x;
	struct range_cursor at = {0};

	c->charges.count = c->charges.time_count = 0;
	for (int64_t from_ns = gap->start_ns; from_ns < gap->end_ns;) {
		const uint32_t range = gap_range_at(&x->judge, c->cursor->thread, from_ns, &at);
		const int64_t to_ns = at.to_ns < gap->end_ns - 1 ? at.to_ns + 1 : gap->end_ns;

		add_time(&c->charges,
			 charge_of(&c->charges, collect_charged_range(x, range),
				   x->folded_names.count),
			 (struct span){from_ns, to_ns});
		from_ns = to_ns;
	}
}

/* On its way from one range to the next a thread is in those around, for a moment: no range that
 * has the rest shares the gap with these. */
static void add_places(struct collector *c, const struct gap *gap, size_t charged)
{
	const struct charges *charges = &c->charges;
	const struct span all = {gap->start_ns, gap->end_ns};

	for (size_t i = 0; charged == 1 && i < charges->count; i++) {
		if (charges->all[i].row != ID_NONE)
			time_sums_add_place(&c->sums[SUM_CAUSES], charges->all[i].row, gap->device,
					    time_part_all(all));
	}
	for (size_t i = 0; charged > 1 && i < charges->time_count; i++) {
		const struct charged_time *t = &charges->times[i];

		if (charges->all[t->charge].row != ID_NONE)
			time_sums_add_place(&c->sums[SUM_CAUSES], charges->all[t->charge].row,
					    gap->device, (struct time_part){t->time, all});
	}
}

/* What a gap costs is charged to the ranges its thread was in, by time: none has more than it had.
 */
void collect_charge_ranges(struct collector *c, const struct gap *gap, int64_t cost_ns)
{
	const size_t names = c->x->folded_names.count;
	const double part = (double)cost_ns / (double)gap_ns(gap);
	struct charges *charges = &c->charges;
	size_t charged = 0;

	follow_ranges(c, gap);
	for (size_t i = 0; i < charges->count; i++) {
		struct charge *one = &charges->all[i];
		const int64_t ns = sat_of_double(part * (double)one->ns);

		charges->at[one->range == NAME_NONE ? names : one->range] = ID_NONE;
		if (!is_share(one->ns, gap_ns(gap), 0.01) || ns <= 0)
			continue;
		one->row = time_sums_add(&c->sums[SUM_CAUSES], gap->cause, one->range, gap->device,
					 charges->count == 1 ? cost_ns : ns);
		charged++;
	}
	add_places(c, gap, charged);
}

void charges_free(struct charges *c)
{
	free(c->all);
	free(c->at);
	free(c->times);
}
