/* From a call to what it launched, to the range around, and back. */
#include "tui/timeline/timeline_view.h"

#include "text/units.h"

static void say_queue(struct app *a, int64_t ns)
{
	SCOPED_BUF b = {0};

	units_add_ns(&b, (double)ns);
	app_say(a, "it began %s after the call did", b.s);
}

int pick_launch(struct app *a, struct timeline_state *s, struct err *e)
{
	const struct track *t = &s->set->all[s->picked.track];
	struct launch_place found;
	int result;

	if (!s->picked.any || (t->kind != TRACK_STREAM && t->kind != TRACK_CALLS)) {
		app_say(a, "select a CUDA call or GPU work first");
		return 0;
	}
	if (!timeline_facts(a, s, e))
		return -1;
	result = scene_find_launch(&s->scene, &s->picked, &found, e);
	if (result < 0)
		return -1;
	if (result > 0) {
		app_say(a, "the capture does not tell which call launched what");
	} else if (!found.place.any) {
		app_say(a, t->kind == TRACK_STREAM
				   ? "the capture does not tell which call launched it"
				   : "this call launched nothing that was captured");
	} else {
		app_remember(a);
		pick_event(a, s, found.place);
		say_queue(a, found.begun_ns);
	}
	return 0;
}

int pick_enclosing(struct app *a, struct timeline_state *s, struct err *e)
{
	struct event_place p;

	if (!s->picked.any) {
		app_say(a, "nothing is selected: Tab selects an event");
		return 0;
	}
	/* Of an op it rests on who launched what, which takes a moment the first time. */
	if (s->set->all[s->picked.track].kind == TRACK_STREAM && !timeline_facts(a, s, e))
		return -1;
	if (scene_find_around(&s->scene, &s->picked, &p, e) < 0)
		return -1;
	if (!p.any) {
		app_say(a, "no range is around it");
		return 0;
	}
	app_remember(a);
	pick_event(a, s, p);
	return 0;
}
