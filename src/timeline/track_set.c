/* Which tracks does a timeline have, and what is in them? */
#include "timeline/track_set.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct track_set *track_set_new(size_t captures)
{
	struct track_set *r = mem_zalloc(1, sizeof(*r));

	r->limits = SPAN_NONE;
	r->parts = mem_zalloc(captures, sizeof(*r->parts));
	return r;
}

size_t track_set_above(const struct track_set *r, size_t track)
{
	for (size_t at = track; r->all[track].depth && at > 0; at--) {
		if (r->all[at - 1].depth < r->all[track].depth)
			return at - 1;
	}
	return track;
}

size_t track_set_end_of(const struct track_set *r, size_t track)
{
	size_t end = track + 1;

	while (end < r->count && r->all[end].depth > r->all[track].depth)
		end++;
	return end;
}

bool track_set_begins_folded(const struct track_set *r, size_t track)
{
	const struct track *t = &r->all[track];

	return t->part->depth && t->depth == t->part->depth &&
	       track_set_end_of(r, track) > track + 1;
}

static void pack_ranges(const struct range_source *s, struct track *track)
{
	lanes_pack(&track->lanes, &s->base, NULL, (uint32_t)track->source,
		   range_source_thread_end(s, track->source) - track->source);
}

static void pack_rows(struct track *track)
{
	struct track_part *r = track->part;
	struct stream *stream;
	struct thread_rows *thread;
	struct counter *counter;
	const struct memory_line *memory;

	switch (track->kind) {
	case TRACK_STREAM:
		stream = &r->streams.all[track->source];
		lanes_pack(&track->lanes, &r->op_source.base, stream->ids, 0, stream->count);
		stream->ids = NULL;
		break;
	case TRACK_RANGES:
		pack_ranges(&r->ranges, track);
		break;
	case TRACK_SPANS:
		pack_ranges(&r->spans, track);
		break;
	case TRACK_CALLS:
		thread = &r->calls.threads.all[track->source];
		lanes_pack(&track->lanes, &r->calls.base, thread->ids, 0, thread->count);
		thread->ids = NULL;
		break;
	case TRACK_OS:
		thread = &r->os.threads.all[track->source];
		lanes_pack(&track->lanes, &r->os.base, thread->ids, 0, thread->count);
		thread->ids = NULL;
		break;
	case TRACK_COUNTER:
		counter = &r->counters.all[track->source];
		lanes_pack(&track->lanes, &counter->base.base, counter->ids, 0, counter->count);
		counter->ids = NULL;
		break;
	case TRACK_MEMORY:
		memory = &r->memory.all[track->source];
		lanes_pack(&track->lanes, &memory->base.base, NULL, 0, memory->of->count);
		break;
	default: /* what was derived has no rows */
		break;
	}
}

static void pack_derived(struct lanes *ret, const struct span_source *s)
{
	uint32_t *lane_of;

	if (!s->lane_of) {
		lanes_pack(ret, &s->base, NULL, 0, s->count);
		return;
	}
	lane_of = mem_alloc(s->count, sizeof(*lane_of));
	for (size_t i = 0; i < s->count; i++)
		lane_of[i] = s->lane_of[span_source_at(s, i).of];
	lanes_pack_chosen(ret, &s->base, lane_of, s->lanes, s->count);
	free(lane_of);
}

static void see_lane(struct track_set *r, const struct lane *lane)
{
	if (lane->count)
		span_widen(&r->limits, (struct span){lane_event(lane, 0).start_ns,
						     lane_event(lane, lane->count - 1).end_ns});
}

const struct lanes *track_set_lanes(struct track_set *r, size_t number)
{
	struct track *track = &r->all[number];

	if (track->is_made)
		return &track->lanes;
	track->is_made = true;
	if (track->derived)
		pack_derived(&track->lanes, track->derived);
	else
		pack_rows(track);
	lanes_shift(&track->lanes, track->part->shift_ns);
	if (track->values)
		values_sum_up(track->values, &track->lanes.all[0]);
	for (size_t i = 0; i < track->lanes.count; i++)
		see_lane(r, &track->lanes.all[i]);
	return &track->lanes;
}

/* What is there now: it was elsewhere before. */
static void find_limits(struct track_set *r)
{
	r->limits = SPAN_NONE;
	for (size_t i = 0; i < r->part_count; i++)
		track_part_see_ops(&r->parts[i]);
	for (size_t i = 0; i < r->count; i++) {
		for (size_t l = 0; l < r->all[i].lanes.count; l++)
			see_lane(r, &r->all[i].lanes.all[l]);
	}
}

void track_set_move(struct track_set *r, size_t first_capture, int64_t by_ns)
{
	for (size_t i = 0; i < r->part_count; i++) {
		struct track_part *part = &r->parts[i];

		if (part->number >= first_capture)
			part->shift_ns = sat_add(part->shift_ns, by_ns);
	}
	for (size_t i = 0; i < r->count; i++) {
		if (r->all[i].part->number >= first_capture)
			lanes_shift(&r->all[i].lanes, by_ns);
	}
	find_limits(r);
}

bool track_set_find_event(struct track_set *r, size_t track, uint32_t id, int64_t start_ns,
			  size_t *ret_lane, size_t *ret_at)
{
	const struct lanes *lanes = track_set_lanes(r, track);

	for (size_t l = 0; l < lanes->count; l++) {
		const struct lane *lane = &lanes->all[l];

		for (size_t i = lane_begun(lane, start_ns); i < lane->count; i++) {
			const struct lane_event e = lane_event(lane, i);

			if (e.start_ns > start_ns)
				break;
			if (e.id != id)
				continue;
			*ret_lane = l;
			*ret_at = i;
			return true;
		}
	}
	return false;
}

bool track_set_find_track(const struct track_set *r, size_t number, size_t *ret)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->all[i].number == number) {
			*ret = i;
			return true;
		}
	}
	return false;
}

void track_set_free(struct track_set *r)
{
	for (size_t i = 0; i < r->count; i++)
		lanes_free(&r->all[i].lanes);
	for (size_t i = 0; i < r->part_count; i++)
		track_part_free(&r->parts[i]);
	free(r->parts);
	free(r->all);
	free(r);
}
