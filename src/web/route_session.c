/* GET /session: what is shown, and how much of it is there yet? */
#include "base/mem.h"
#include "base/progress.h"
#include "base/version.h"
#include "cli/command.h"
#include "text/json_write.h"
#include "web/routes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const clock_names[] = {[CLOCK_OF_ONE] = "one",
					  [CLOCK_UTC] = "utc",
					  [CLOCK_MEETINGS] = "collectives",
					  [CLOCK_STARTS] = "starts",
					  [CLOCK_STEPS] = "steps"};

static void add_span(struct json_writer *w, const char *key, const struct site_status *now,
		     struct span x)
{
	if (x.start_ns > x.end_ns)
		x = (struct span){now->origin_ns, now->origin_ns};
	json_write_ints(w, key,
			(const int64_t[]){sat_sub(x.start_ns, now->origin_ns),
					  sat_sub(x.end_ns, now->origin_ns)},
			2);
}

static void add_captures(struct json_writer *w, struct site *s, const struct site_status *now)
{
	json_write_open(w, "captures", '[');
	for (size_t i = 0; i < s->traces->count; i++) {
		const struct capture *c = &s->traces->all[i];
		const bool is_empty = c->span.start_ns > c->span.end_ns;
		const struct span own = is_empty ? (struct span){0} : c->span;
		const int64_t shift_ns = site_shift_ns(s, i);

		json_write_open(w, NULL, '{');
		json_write_text(w, "name", c->name);
		/* The file alone: folders may tell what nobody is to see on a shared screen. */
		json_write_text(w, "path", str_last_part(c->trace->path));
		if (c->has_rank)
			json_write_int(w, "rank", c->rank);
		else
			json_write_null(w, "rank");
		json_write_int(w, "start",
			       sat_sub(sat_add(own.start_ns, shift_ns), now->origin_ns));
		json_write_int(w, "end", sat_sub(sat_add(own.end_ns, shift_ns), now->origin_ns));
		json_write_int(w, "shift", sat_sub(shift_ns, now->origin_ns));
		json_write_text(w, "tool", c->trace->meta.tool);
		json_write_text(w, "schema", c->trace->meta.schema);
		json_write_bool(w, "is_shown", c->is_asked);
		json_write_text(w, "side", traces_side(s->traces, i));
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void add_loading(struct json_writer *w, const struct site_status *now)
{
	struct progress_task task = {0};
	SCOPED_BUF what = {0};

	if (now->is_complete || now->has_failed) {
		json_write_null(w, "loading");
		return;
	}
	if (progress_current(&task))
		buf_addf(&what, "%s%s", task.verb, task.what);
	else
		buf_adds(&what, now->is_open ? "more rows" : "reading");
	json_write_open(w, "loading", '{');
	json_write_str(w, "what", buf_str(&what));
	json_write_int(w, "done", (int64_t)task.done);
	json_write_int(w, "total", (int64_t)task.total);
	json_write_close(w, '}');
}

static void add_problems(struct json_writer *w, struct site *s)
{
	json_write_open(w, "problems", '[');
	if (s->traces->left_out)
		json_write_text(w, NULL, s->traces->left_out);
	pthread_mutex_lock(&s->status_lock);
	for (size_t i = 0; i < s->problems.count; i++)
		json_write_text(w, NULL, s->problems.all[i]);
	pthread_mutex_unlock(&s->status_lock);
	json_write_close(w, ']');
}

static void add_analyses(struct json_writer *w)
{
	const struct analysis *a;

	json_write_open(w, "analyses", '[');
	for (size_t i = 0; (a = analysis_at(i)); i++) {
		if (a->nsys)
			continue;
		json_write_open(w, NULL, '{');
		json_write_text(w, "name", a->name);
		json_write_text(w, "title", a->title);
		json_write_text(w, "summary", a->summary);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

/*
 * What is asked for, else all GPU work, as in the terminal; where that is a moment of the capture,
 * as of a program that did one thing, all of it.
 */
static struct span first_window(const struct site *s, const struct site_status *now)
{
	const int64_t work_ns = sat_sub(now->work.end_ns, now->work.start_ns);
	const int64_t all_ns = sat_sub(now->limits.end_ns, now->limits.start_ns);

	if (s->asked.start_ns < s->asked.end_ns)
		return s->asked;
	return work_ns > all_ns / 1000 ? now->work : now->limits;
}

int route_session(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	const struct site_status now = site_status(s);
	struct json_writer w = {.out = &ret->body};
	char origin[32];

	(void)r;
	(void)e;
	snprintf(origin, sizeof(origin), "%" PRId64, now.origin_ns);
	json_write_open(&w, NULL, '{');
	json_write_text(&w, "program", "gpuwhy " GPUWHY_VERSION);
	json_write_text(&w, "fingerprint", s->fingerprint);
	json_write_open(&w, "command", '[');
	for (size_t i = 0; i < s->command_count; i++)
		json_write_text(&w, NULL, s->command[i]);
	json_write_close(&w, ']');
	json_write_text(&w, "clock", clock_names[now.clock]);
	json_write_text(&w, "aligned_at", now.aligned_at);
	json_write_text(&w, "origin_ns", origin);
	add_span(&w, "limits", &now, now.limits);
	add_span(&w, "window", &now, first_window(s, &now));
	json_write_int(&w, "tracks_version", (int64_t)now.tracks_version);
	add_captures(&w, s, &now);
	add_loading(&w, &now);
	add_problems(&w, s);
	add_analyses(&w);
	json_write_bool(&w, "is_file", s->is_file);
	json_write_close(&w, '}');
	return 0;
}
