/* What does a page need that nobody serves? */
#include "web/recording.h"

#include "base/mem.h"
#include "text/text.h"
#include "text/units.h"
#include "web/ask_self.h"
#include "web/recorded_track.h"

#include <stdlib.h>
#include <string.h>

/* What the tabs ask for. */
static const char *const questions[] = {
	"/api/findings",
	"/api/overview",
	"/api/kernels",
	"/api/nvtx",
	"/api/tree",
	"/api/iters",
	"/api/idle",
	"/api/memory",
	"/api/nccl",
	"/api/overlap",
	"/api/overlap?by=iteration",
	"/api/stragglers",
	"/api/code",
	"/api/code?by=line",
	"/api/kernels?by=line",
	"/api/schema",
};

/* A larger answer is not worth its place in a file that is sent to somebody. */
enum { LARGEST_ANSWER = 2 << 20 };

/* In a script of a page nothing may look like a tag. */
static void add_safe(struct buf *b, struct str json)
{
	for (size_t i = 0; i < json.len; i++) {
		if (json.s[i] == '<')
			buf_adds(b, "\\u003c");
		else
			buf_addc(b, json.s[i]);
	}
}

static bool add_reply(struct buf *b, struct site *s, const char *key, const char *url, bool is_text)
{
	struct reply reply;
	SCOPED_BUF text = {0};
	bool is_there;

	ask_self(s, url, &reply);
	is_there = reply.body.len && reply.body.len <= LARGEST_ANSWER &&
		   (reply.status == 200 || reply.status == 422);
	if (is_there) {
		text_add_json(&text, str_of(key));
		buf_adds(&text, ": ");
		if (is_text)
			text_add_json(&text, buf_str(&reply.body));
		else
			buf_addstr(&text, buf_str(&reply.body));
		add_safe(b, buf_str(&text));
	}
	reply_free(&reply);
	return is_there;
}

/* Those of the first capture are asked for without its number. */
static void add_answers(struct buf *b, struct site *s, size_t capture)
{
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		SCOPED_BUF url = {0};
		SCOPED_BUF answer = {0};

		buf_adds(&url, questions[i]);
		if (capture)
			buf_addf(&url, "%ccapture=%zu", strchr(url.s, '?') ? '&' : '?', capture);
		if (add_reply(&answer, s, url.s, url.s, false))
			buf_addf(b, "%s%s", b->s[b->len - 1] == '{' ? "" : ",\n", answer.s);
	}
}

static void add_replies(struct recording *r, struct site *s)
{
	SCOPED_BUF report = {0};

	buf_adds(&r->json, "\"replies\": {");
	for (size_t i = 0; i < s->traces->count; i++) {
		if (s->traces->all[i].is_asked)
			add_answers(&r->json, s, i);
	}
	if (add_reply(&report, s, "/report", "/report", true))
		buf_addf(&r->json, ",\n%s", report.s);
	buf_adds(&r->json, "},\n");
}

/* In detail where there is room, else as it is seen from afar; and what is left out is told. */
static void add_track(struct buf *levels, struct recording *r, struct site *s, size_t track,
		      size_t *left_out)
{
	const size_t room = r->most > r->json.len ? r->most - r->json.len : 0;
	struct recorded_track t = {0};
	SCOPED_BUF one = {0};

	recorded_track_make(&t, s, track, r->detailed);
	recorded_track_write(&t, &one);
	if (levels->len + one.len > room) {
		buf_clear(&one);
		recorded_track_make(&t, s, track, SPAN_NONE);
		recorded_track_write(&t, &one);
		++*left_out;
	}
	if (levels->len + one.len <= room) {
		buf_addf(levels, "%s%s", levels->len && one.len ? ",\n" : "", one.s ? one.s : "");
		r->events += t.events;
	}
	recorded_track_free(&t);
}

static void add_tracks(struct recording *r, struct site *s)
{
	SCOPED_BUF levels = {0};
	size_t left_out = 0;

	for (size_t i = 0; i < s->scene.set->count; i++)
		add_track(&levels, r, s, i, &left_out);
	if (left_out) {
		units_add_count(&r->left_out, (int64_t)left_out);
		buf_addf(&r->left_out, " of %zu rows without all their events",
			 s->scene.set->count);
	}
	buf_addf(&r->json, "\"levels\": {%s},\n", levels.s ? levels.s : "");
}

static struct span detailed_part(const struct site *s)
{
	return s->asked.start_ns < s->asked.end_ns ? s->asked : s->status.limits;
}

int recording_make(struct recording *r, struct site *s, struct err *e)
{
	const struct span part = detailed_part(s);

	(void)e;
	r->detailed = part;
	for (size_t i = 0; i < s->scene.set->count; i++)
		track_set_lanes(s->scene.set, i);
	buf_adds(&r->json, "{\n");
	add_reply(&r->json, s, "session", "/session", false);
	buf_adds(&r->json, ",\n");
	add_reply(&r->json, s, "tracks", "/tracks", false);
	buf_adds(&r->json, ",\n");
	add_replies(r, s);
	add_tracks(r, s);
	buf_addf(&r->json, "\"detailed\": [%lld, %lld],\n\"left_out\": ",
		 (long long)site_told_ns(s, part.start_ns),
		 (long long)site_told_ns(s, part.end_ns));
	text_add_json(&r->json, buf_str(&r->left_out));
	buf_adds(&r->json, "\n}\n");
	return 0;
}

void recording_free(struct recording *r)
{
	buf_free(&r->json);
	buf_free(&r->left_out);
}
