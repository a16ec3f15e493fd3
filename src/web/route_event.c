/* GET /event: what is known of an event? GET /gap: and of the time in which there is none? */
#include "base/mem.h"
#include "report/finding.h"
#include "report/kernel_name.h"
#include "text/json_write.h"
#include "timeline/facts/words.h"
#include "timeline/lane_gaps.h"
#include "timeline/scene/gap_words.h"
#include "web/routes.h"

#include <string.h>

static void add_same_name(struct json_writer *w, const struct event_facts *x)
{
	const int64_t ns = sat_sub(x->event.end_ns, x->event.start_ns);

	if (!x->alike || x->alike->count < 2) {
		json_write_null(w, "same_name");
		return;
	}
	json_write_open(w, "same_name", '{');
	route_add_durations(w, x->alike);
	json_write_int(w, "longer", (int64_t)x->longer);
	json_write_int(w, "bin", (int64_t)durations_bin(x->alike, ns));
	json_write_close(w, '}');
}

/* To the call that launched an op, or to what a call launched. Under the lock. */
static int add_links(struct json_writer *w, struct site *s, const struct event_place *p,
		     struct err *e)
{
	struct launch_place found;

	if (scene_find_launch(&s->scene, p, &found, e) < 0)
		return -1;
	json_write_open(w, "links", '[');
	if (found.place.any) {
		const bool is_op = s->scene.set->all[p->track].kind == TRACK_STREAM;

		json_write_open(w, NULL, '{');
		json_write_text(w, "kind", is_op ? "launch" : "launched");
		json_write_int(w, "queue", found.queue_ns);
		route_add_brief(w, "event", s, &found.place);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	return 0;
}

/* Numbers count those of the answer, from 1: not all have a place. */
static size_t number_of(const struct report *r, const struct finding *f)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING && r->blocks[i].finding == f)
			return r->blocks[i].number;
	}
	return 0;
}

static void add_finding(struct json_writer *w, const char *key, const struct site *s,
			const struct track_part *part, uint32_t of)
{
	const struct finding *f = scene_finding(&s->scene, part, of);
	const struct report *r = &s->scene.parts[part - s->scene.set->parts].findings.report;

	if (!f) {
		json_write_null(w, key);
		return;
	}
	json_write_open(w, key, '{');
	json_write_int(w, "capture", (int64_t)part->number);
	json_write_int(w, "number", (int64_t)number_of(r, f));
	json_write_text(w, "title", f->title);
	json_write_close(w, '}');
}

static void add_own_finding(struct json_writer *w, const struct site *s, const struct track *t,
			    const struct lane_event *x)
{
	if (t->kind == TRACK_FINDINGS)
		add_finding(w, "finding", s, t->part, span_source_at(t->derived, x->id).of);
	else
		json_write_null(w, "finding");
}

static void add_names(struct json_writer *w, const struct event_facts *x)
{
	SCOPED_BUF short_name = {0}, value = {0};

	if (x->track->kind == TRACK_STREAM)
		kernel_name_add_short(&short_name, x->name);
	else
		buf_addstr(&short_name, x->name);
	if (x->track->values)
		track_add_value(&value, x->track, &x->event);
	json_write_str(w, "name", x->name);
	json_write_str(w, "short_name", buf_str(&short_name));
	json_write_text(w, "class", x->class);
	json_write_text(w, "value", value.s);
}

/* Facts are on the clock of their capture. */
static int add_all(struct json_writer *w, struct site *s, const struct event_place *p,
		   const struct lane_event *event, struct facts *f, struct err *e)
{
	const struct track *t = &s->scene.set->all[p->track];
	SCOPED_BUF words = {0}, row = {0};
	struct event_facts x;
	int result = facts_find(f, t, event, &x, e);

	if (result == 0) {
		track_set_add_name(&row, s->scene.set, p->track);
		event_words_add(&words, &x, SPAN_NONE, false);
		json_write_int(w, "track", (int64_t)t->number);
		json_write_int(w, "lane", (int64_t)p->lane);
		json_write_int(w, "at", (int64_t)p->at);
		json_write_int(w, "start", site_told_ns(s, event->start_ns));
		json_write_int(w, "duration", sat_sub(event->end_ns, event->start_ns));
		add_names(w, &x);
		json_write_str(w, "track_name", buf_str(&row));
		route_add_facts(w, "facts", buf_str(&words));
		add_same_name(w, &x);
		add_own_finding(w, s, t, event);
		site_lock(s);
		result = add_links(w, s, p, e);
		site_unlock(s);
	}
	event_facts_free(&x);
	return result;
}

/* By the seeker, with the lock. */
static int add_brief(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	struct event_place p;

	if (route_need_event(s, r, &p, e) < 0)
		return -1;
	route_add_brief(&w, NULL, s, &p);
	return 0;
}

/* What is known is read without the lock: it may take a while, and tiles are asked for then. */
int route_event(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	struct lane_event event = {0};
	struct event_place p;
	struct facts *f;
	int result;

	if (request_value(r, "brief"))
		return add_brief(s, r, ret, e);
	site_lock(s);
	result = route_need_event(s, r, &p, e);
	if (result == 0)
		event = scene_event(&s->scene, &p);
	site_unlock(s);
	if (result < 0)
		return -1;
	f = scene_facts(&s->scene, s->scene.set->all[p.track].part, e);
	if (!f)
		return -1;
	json_write_open(&w, NULL, '{');
	result = add_all(&w, s, &p, &event, f, e);
	json_write_close(&w, '}');
	return result;
}

static void add_gap_findings(struct json_writer *w, const struct site *s,
			     const struct track_part *part, struct span own)
{
	const struct named_spans *n = &part->findings;
	uint32_t last = UINT32_MAX;

	json_write_open(w, "findings", '[');
	for (size_t i = 0; i < n->spans.count; i++) {
		const struct derived_span d = span_source_at(&n->spans, i);

		if (d.of == last || !gap_words_is_about(&d, own))
			continue;
		last = d.of;
		add_finding(w, NULL, s, part, d.of);
	}
	json_write_close(w, ']');
}

/* Why is asked without the lock, as of an event. */
int route_gap(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	const struct track_part *part;
	struct span gap, around = {0};
	struct event_place p;
	SCOPED_BUF words = {0};
	int result;

	site_lock(s);
	result = route_find_event(s, r, &p, e) < 0 ? -1 : route_find_window(s, r, &gap, e);
	if (result == 0)
		around = lane_gap_around(&s->scene.set->all[p.track].lanes.all[p.lane], gap);
	site_unlock(s);
	if (result < 0 || gap_words_add(&words, &s->scene, p.track, gap, around, e) < 0)
		return -1;
	site_lock(s);
	gap_words_add_os_call(&words, &s->scene, p.track, gap);
	site_unlock(s);
	part = s->scene.set->all[p.track].part;
	json_write_open(&w, NULL, '{');
	route_add_facts(&w, "facts", buf_str(&words));
	add_gap_findings(&w, s, part, span_shift(gap, -part->shift_ns));
	json_write_close(&w, '}');
	return 0;
}
