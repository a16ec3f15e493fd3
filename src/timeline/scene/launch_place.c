/* Which call launched an op, and what did a call launch? */
#include "timeline/scene/scene.h"

/* Of one capture; the time is on its clock. */
static struct event_place find_anywhere(const struct scene *s, const struct track_part *part,
					enum track_kind kind, uint32_t id, int64_t own_ns)
{
	struct event_place p = {0};

	for (size_t i = 0; i < s->set->count && !p.any; i++) {
		if (s->set->all[i].kind == kind && s->set->all[i].part == part)
			p = scene_find(s, i, id, sat_add(own_ns, part->shift_ns));
	}
	return p;
}

static void find_call(const struct scene *s, const struct track_part *part,
		      const struct launches *l, const struct lane_event *op,
		      struct launch_place *ret)
{
	const enum trace_kind kind = op_id_kind(op->id);
	const int64_t op_ns = sat_sub(op->start_ns, part->shift_ns);
	struct api_call call;
	uint32_t launch;
	uint64_t number;

	if (!(l->kinds & 1u << kind))
		return;
	number = l->begin[kind] + op_id_row(op->id);
	launch = l->launch_of_op[number];
	if (launch == LAUNCH_NONE || !launches_call(l, number, &call))
		return;
	ret->place = find_anywhere(s, part, TRACK_CALLS, l->row_of_launch[launch], call.start_ns);
	ret->begun_ns = sat_sub(op_ns, call.start_ns);
	ret->queue_ns = sat_sub(op_ns, api_call_end(&call));
}

static void find_op(const struct scene *s, const struct track_part *part, const struct launches *l,
		    const struct lane_event *call, struct launch_place *ret)
{
	struct launched found;

	launched_find(l, part->trace, call->id, &found);
	if (!found.count)
		return;
	ret->place = find_anywhere(s, part, TRACK_STREAM, found.first, found.start_ns);
	ret->begun_ns = sat_sub(found.start_ns, sat_sub(call->start_ns, part->shift_ns));
	ret->queue_ns = sat_sub(found.start_ns, sat_sub(call->end_ns, part->shift_ns));
}

int scene_find_launch(struct scene *s, const struct event_place *from, struct launch_place *ret,
		      struct err *e)
{
	const struct track *t = &s->set->all[from->track];
	const struct lane_event event = scene_event(s, from);
	const struct facts *f;

	*ret = (struct launch_place){0};
	if (t->kind != TRACK_STREAM && t->kind != TRACK_CALLS)
		return 0;
	f = scene_facts(s, t->part, e);
	if (!f)
		return -1;
	if (!f->is_joined)
		return 1;
	if (t->kind == TRACK_STREAM)
		find_call(s, t->part, &f->of.launches, &event, ret);
	else
		find_op(s, t->part, &f->of.launches, &event, ret);
	return 0;
}
