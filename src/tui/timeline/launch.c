/* Which call launched an op, and what did a call launch? */
#include "tui/timeline/timeline_view.h"

#include "text/units.h"

/* Of the capture of the chosen line; the time is on its clock. */
static struct picked find_anywhere(const struct timeline_state *s, enum track_kind kind,
				   uint32_t id, int64_t own_ns)
{
	const struct track_part *part = chosen_part(s);
	struct picked p = {0};

	for (size_t i = 0; i < s->set->count && !p.any; i++) {
		if (s->set->all[i].kind == kind && s->set->all[i].part == part)
			p = find_event(s, i, id, sat_add(own_ns, part->shift_ns));
	}
	return p;
}

static void say_queue(struct app *a, int64_t op_ns, int64_t call_ns)
{
	SCOPED_BUF b = {0};

	units_add_ns(&b, (double)sat_sub(op_ns, call_ns));
	app_say(a, "it began %s after the call did", b.s);
}

static int follow_op(struct app *a, struct timeline_state *s, const struct launches *l,
		     const struct lane_event *e)
{
	const enum trace_kind kind = op_id_kind(e->id);
	const int64_t op_ns = sat_sub(e->start_ns, chosen_part(s)->shift_ns);
	struct api_call call;
	struct picked p = {0};
	uint32_t launch;

	if (l->kinds & 1u << kind) {
		const uint64_t op = l->begin[kind] + op_id_row(e->id);

		launch = l->launch_of_op[op];
		if (launch != LAUNCH_NONE && launches_call(l, op, &call))
			p = find_anywhere(s, TRACK_CALLS, l->row_of_launch[launch], call.start_ns);
	}
	if (!p.any) {
		app_say(a, "the capture does not tell which call launched it");
		return 0;
	}
	app_remember(a);
	pick_event(a, s, p);
	say_queue(a, op_ns, call.start_ns);
	return 0;
}

static int follow_call(struct app *a, struct timeline_state *s, const struct launches *l,
		       const struct lane_event *e)
{
	const int64_t call_ns = sat_sub(e->start_ns, chosen_part(s)->shift_ns);
	struct picked p = {0};
	struct launched found;

	launched_find(l, chosen_part(s)->trace, e->id, &found);
	if (found.count)
		p = find_anywhere(s, TRACK_STREAM, found.first, found.start_ns);
	if (!p.any) {
		app_say(a, "this call launched nothing that was captured");
		return 0;
	}
	app_remember(a);
	pick_event(a, s, p);
	say_queue(a, found.start_ns, call_ns);
	return 0;
}

int pick_launch(struct app *a, struct timeline_state *s, struct err *e)
{
	const struct track *t = &s->set->all[s->picked.track];
	struct lane_event event;
	struct facts *f;

	if (!s->picked.any || (t->kind != TRACK_STREAM && t->kind != TRACK_CALLS)) {
		app_say(a, "select a CUDA call or GPU work first");
		return 0;
	}
	f = timeline_facts(a, s, e);
	if (!f)
		return -1;
	if (!f->is_joined) {
		app_say(a, "the capture does not tell which call launched what");
		return 0;
	}
	event = picked_event(s);
	return t->kind == TRACK_STREAM ? follow_op(a, s, &f->of.launches, &event)
				       : follow_call(a, s, &f->of.launches, &event);
}
