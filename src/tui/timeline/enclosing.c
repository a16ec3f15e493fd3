/* Which range is around what is picked? */
#include "tui/timeline/timeline_view.h"

#include "base/bisect.h"

/* The innermost on a track, of the lanes above `lanes`, that lies around a time. */
static struct picked find_around(const struct timeline_state *s, size_t track, size_t lanes,
				 struct span x)
{
	const struct lanes *all = track_set_lanes(s->set, track);

	for (size_t l = lanes < all->count ? lanes : all->count; l > 0; l--) {
		const struct lane *lane = &all->all[l - 1];
		const size_t at = lane_begun(lane, sat_add(x.start_ns, 1));

		if (at && lane_event(lane, at - 1).end_ns >= x.end_ns)
			return (struct picked){true, track, l - 1, at - 1};
	}
	return (struct picked){0};
}

/* Where a range is on the GPU of an op. */
static struct picked find_projected(const struct timeline_state *s, const struct track *of,
				    uint32_t range)
{
	for (size_t i = 0; i < s->set->count; i++) {
		const struct track *t = &s->set->all[i];
		size_t id;

		if (t->kind != TRACK_PROJECTED || t->part != of->part || t->device != of->device)
			continue;
		/* They lie in the order of the ranges. */
		id = BISECT(0, t->derived->count, k, span_source_at(t->derived, k).of < range);
		if (id == t->derived->count || span_source_at(t->derived, id).of != range)
			continue;
		return find_event(
			s, i, (uint32_t)id,
			sat_add(span_source_at(t->derived, id).start_ns, t->part->shift_ns));
	}
	return (struct picked){0};
}

static int range_of_op(struct app *a, struct timeline_state *s, struct picked *ret, struct err *e)
{
	const struct track *t = &s->set->all[s->picked.track];
	const struct lane_event op = picked_event(s);
	const struct facts *f = timeline_facts(a, s, e);
	uint32_t range;

	*ret = (struct picked){0};
	if (!f)
		return -1;
	if (!f->is_joined)
		return 0;
	range = attribution_range(&f->of, op_id_kind(op.id), op_id_row(op.id));
	if (range != RANGE_NONE)
		*ret = find_projected(s, t, range);
	return 0;
}

/* A thread's ranges are around all else that it does. */
static struct picked range_of_thread(const struct timeline_state *s, const struct track *of,
				     struct span x)
{
	for (size_t i = 0; i < s->set->count; i++) {
		const struct track *t = &s->set->all[i];

		if (t->kind == TRACK_RANGES && t->part == of->part && t->thread == of->thread)
			return find_around(s, i, SIZE_MAX, x);
	}
	return (struct picked){0};
}

int pick_enclosing(struct app *a, struct timeline_state *s, struct err *e)
{
	const struct track *t;
	struct lane_event x;
	struct picked p;

	if (!s->picked.any) {
		app_say(a, "nothing is selected: Tab selects an event");
		return 0;
	}
	t = &s->set->all[s->picked.track];
	x = picked_event(s);
	if (t->kind == TRACK_STREAM) {
		if (range_of_op(a, s, &p, e) < 0)
			return -1;
	} else if (track_is_nested(t)) {
		p = find_around(s, s->picked.track, s->picked.lane,
				(struct span){x.start_ns, x.end_ns});
	} else {
		p = range_of_thread(s, t, (struct span){x.start_ns, x.end_ns});
	}
	if (!p.any) {
		app_say(a, "no range is around it");
		return 0;
	}
	app_remember(a);
	pick_event(a, s, p);
	return 0;
}
