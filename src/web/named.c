/* Which event, track, window or capture does a request name? */
#include "cli/named_analysis.h"
#include "report/report.h"
#include "text/json_write.h"
#include "web/routes.h"

#include <string.h>

int route_find_track(const struct site *s, size_t number, size_t *ret, struct err *e)
{
	if (track_set_find_track(s->scene.set, number, ret))
		return 0;
	err_set(e, ERR_USAGE, "there is no track %zu", number);
	return err_hint(e, "/tracks lists them");
}

int route_find_event(struct site *s, const struct request *r, struct event_place *ret,
		     struct err *e)
{
	int64_t track, lane, at;
	const struct lanes *lanes;

	*ret = (struct event_place){.any = true};
	if (request_need_int(r, "track", 0, UINT32_MAX, &track, e) < 0 ||
	    request_int(r, "lane", 0, UINT32_MAX, 0, &lane, e) < 0 ||
	    request_int(r, "at", 0, UINT32_MAX, 0, &at, e) < 0 ||
	    route_find_track(s, (size_t)track, &ret->track, e) < 0)
		return -1;
	lanes = track_set_lanes(s->scene.set, ret->track);
	ret->lane = (size_t)lane;
	ret->at = (size_t)at;
	if (ret->lane >= lanes->count)
		return err_set(e, ERR_USAGE, "track %zu has %zu lanes, from 0 on", (size_t)track,
			       lanes->count);
	if (request_value(r, "at") && ret->at >= lanes->all[ret->lane].count)
		return err_set(e, ERR_USAGE, "the lane has %zu events, from 0 on",
			       lanes->all[ret->lane].count);
	return 0;
}

int route_need_event(struct site *s, const struct request *r, struct event_place *ret,
		     struct err *e)
{
	if (route_find_event(s, r, ret, e) < 0)
		return -1;
	return ret->at < s->scene.set->all[ret->track].lanes.all[ret->lane].count
		       ? 0
		       : err_set(e, ERR_USAGE, "the lane has no events");
}

int route_find_window(const struct site *s, const struct request *r, struct span *ret,
		      struct err *e)
{
	const struct span limits = s->status.limits;
	/* Of a trace without events: no time. */
	const struct span all = limits.start_ns <= limits.end_ns ? limits : (struct span){0};
	int64_t begin, end;

	if (request_int(r, "begin", INT64_MIN, INT64_MAX, site_told_ns(s, all.start_ns), &begin,
			e) < 0 ||
	    request_int(r, "end", INT64_MIN, INT64_MAX, site_told_ns(s, all.end_ns), &end, e) < 0)
		return -1;
	*ret = (struct span){site_meant_ns(s, begin), site_meant_ns(s, end)};
	return ret->end_ns < ret->start_ns ? err_set(e, ERR_USAGE, "end is before begin") : 0;
}

int route_find_capture(struct site *s, const struct request *r, struct capture **ret, struct err *e)
{
	int64_t number;

	const char *said = request_value(r, "capture");

	if (said && strcmp(said, "all") == 0)
		return site_all(s, ret, e);
	if (request_int(r, "capture", 0, (int64_t)s->traces->count - 1, 0, &number, e) < 0)
		return -1;
	*ret = &s->traces->all[number];
	return (*ret)->is_asked ? 0
				: err_set(e, ERR_INPUT, "'%s' has nothing of what is asked for",
					  (*ret)->trace->path);
}

void route_set_head(const struct site *s, struct report *r, const struct trace *t)
{
	/* Whom a file is sent to need not know the folders of who sends it. */
	named_analysis_head(r, t, s->is_file ? str_last_part(t->path) : t->path);
}

void route_add_brief(struct json_writer *w, const char *key, const struct site *s,
		     const struct event_place *p)
{
	const struct track *t = &s->scene.set->all[p->track];
	const struct lane_event x = scene_event(&s->scene, p);
	SCOPED_BUF name = {0}, value = {0};
	TRACE_LOCK_SCOPE(t->part->trace);

	if (t->values)
		track_add_value(&value, t, &x);
	else
		track_add_event_name(&name, t, &x, false);
	json_write_open(w, key, '{');
	json_write_int(w, "track", (int64_t)t->number);
	json_write_int(w, "lane", (int64_t)p->lane);
	json_write_int(w, "at", (int64_t)p->at);
	json_write_int(w, "start", site_told_ns(s, x.start_ns));
	json_write_int(w, "duration", sat_sub(x.end_ns, x.start_ns));
	json_write_str(w, "name", buf_str(&name));
	json_write_text(w, "class", track_class_name(t, x.class));
	json_write_text(w, "value", value.s);
	json_write_close(w, '}');
}

static void add_fact(struct json_writer *w, struct str line)
{
	const char *tab = memchr(line.s, '\t', line.len);
	const size_t label = tab ? (size_t)(tab - line.s) : 0, from = tab ? label + 1 : 0;

	json_write_open(w, NULL, '{');
	json_write_str(w, "label", (struct str){line.s, label});
	json_write_str(w, "text", (struct str){line.s + from, line.len - from});
	json_write_close(w, '}');
}

void route_add_facts(struct json_writer *w, const char *key, struct str lines)
{
	json_write_open(w, key, '[');
	while (lines.len) {
		const char *end = memchr(lines.s, '\n', lines.len);
		const size_t len = end ? (size_t)(end - lines.s) : lines.len;

		if (memchr(lines.s, '\t', len))
			add_fact(w, (struct str){lines.s, len});
		lines.s += len + (end != NULL);
		lines.len -= len + (end != NULL);
	}
	json_write_close(w, ']');
}

void route_add_durations(struct json_writer *w, const struct durations *d)
{
	int64_t bins[DURATION_BINS];

	for (int i = 0; i < DURATION_BINS; i++)
		bins[i] = (int64_t)d->bins[i];
	json_write_int(w, "count", (int64_t)d->count);
	json_write_int(w, "min", d->min_ns);
	json_write_real(w, "median", d->median_ns);
	json_write_int(w, "max", d->max_ns);
	json_write_ints(w, "edges", d->edge_ns, DURATION_BINS + 1);
	json_write_ints(w, "bins", bins, DURATION_BINS);
}
