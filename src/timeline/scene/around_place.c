/* Which range is around an event? */
#include "timeline/scene/scene.h"

#include "base/bisect.h"

/* The innermost on a track, of the lanes above `lanes`, that lies around a time. */
static struct event_place find_around(const struct scene *s, size_t track, size_t lanes,
				      struct span x)
{
	const struct lanes *all = track_set_lanes(s->set, track);

	for (size_t l = lanes < all->count ? lanes : all->count; l > 0; l--) {
		const struct lane *lane = &all->all[l - 1];
		const size_t at = lane_begun(lane, sat_add(x.start_ns, 1));

		if (at && lane_event(lane, at - 1).end_ns >= x.end_ns)
			return (struct event_place){true, track, l - 1, at - 1};
	}
	return (struct event_place){0};
}

/* Where a range is on the GPU of an op. */
static struct event_place find_projected(const struct scene *s, const struct track *of,
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
		return scene_find(
			s, i, (uint32_t)id,
			sat_add(span_source_at(t->derived, id).start_ns, t->part->shift_ns));
	}
	return (struct event_place){0};
}

static int range_of_op(struct scene *s, const struct track *t, const struct lane_event *op,
		       struct event_place *ret, struct err *e)
{
	const struct facts *f = scene_facts(s, t->part, e);
	uint32_t range;

	if (!f)
		return -1;
	if (!f->is_joined)
		return 0;
	range = attribution_range(&f->of, op_id_kind(op->id), op_id_row(op->id));
	if (range != RANGE_NONE)
		*ret = find_projected(s, t, range);
	return 0;
}

/* A thread's ranges are around all else that it does. */
static struct event_place range_of_thread(const struct scene *s, const struct track *of,
					  struct span x)
{
	for (size_t i = 0; i < s->set->count; i++) {
		const struct track *t = &s->set->all[i];

		if (t->kind == TRACK_RANGES && t->part == of->part && t->thread == of->thread)
			return find_around(s, i, SIZE_MAX, x);
	}
	return (struct event_place){0};
}

int scene_find_around(struct scene *s, const struct event_place *from, struct event_place *ret,
		      struct err *e)
{
	const struct track *t = &s->set->all[from->track];
	const struct lane_event x = scene_event(s, from);
	const struct span span = {x.start_ns, x.end_ns};

	*ret = (struct event_place){0};
	if (t->kind == TRACK_STREAM)
		return range_of_op(s, t, &x, ret, e);
	*ret = track_is_nested(t) ? find_around(s, from->track, from->lane, span)
				  : range_of_thread(s, t, span);
	return 0;
}
