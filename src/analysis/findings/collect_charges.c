/* Which ranges was the launching thread in during a gap, and for how long? */
#include "analysis/findings/collect.h"

#include "base/mem.h"
#include "base/saturate.h"

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

static struct charge *charge_of(struct charges *to, uint32_t range, size_t names)
{
	uint32_t *at;

	if (!to->at)
		to->at = new_ids(names + 1);
	at = &to->at[range == NAME_NONE ? names : range];
	if (*at == ID_NONE) {
		*at = (uint32_t)to->count;
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = (struct charge){range, 0};
	}
	return &to->all[*at];
}

/* What a gap costs is charged to the ranges its thread was in, by time: none has more than it had.
 */
void collect_charge_ranges(struct collector *c, const struct gap *gap, int64_t cost_ns)
{
	const struct explain *x = c->x;
	const size_t names = x->folded_names.count;
	const double part = (double)cost_ns / (double)gap_ns(gap);
	struct innermost_cursor at = {0};
	struct charges *charges = &c->charges;

	charges->count = 0;
	for (int64_t from_ns = gap->start_ns; from_ns < gap->end_ns;) {
		const uint32_t range =
			innermost_follow(&x->judge.innermost, c->cursor->thread, from_ns, &at);
		const int64_t to_ns = at.to_ns < gap->end_ns - 1 ? at.to_ns + 1 : gap->end_ns;

		charge_of(charges, collect_charged_range(x, range), names)->ns += to_ns - from_ns;
		from_ns = to_ns;
	}
	for (size_t i = 0; i < charges->count; i++) {
		const struct charge *one = &charges->all[i];
		const int64_t ns = sat_of_double(part * (double)one->ns);

		charges->at[one->range == NAME_NONE ? names : one->range] = ID_NONE;
		/* On its way from one range to the next a thread is in those around, for a moment.
		 */
		if (is_share(one->ns, gap_ns(gap), 0.01) && ns > 0)
			collect_add_gap(c, SUM_CAUSES, gap->cause, one->range, gap,
					charges->count == 1 ? cost_ns : ns);
	}
}
