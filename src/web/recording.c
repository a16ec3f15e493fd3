/* What does a page need that nobody serves? */
#include "web/recording.h"

#include "base/mem.h"
#include "input/pack.h"
#include "text/base64.h"
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
enum { LARGEST_ANSWER = 2 << 20, MOST_ROWS = 1000 };

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

/* Of tables the first rows, where the analysis has a limit. */
static void ask_for_rows(struct site *s, const char *url, struct reply *ret)
{
	SCOPED_BUF limited = {0};

	buf_addf(&limited, "%s%climit=%d", url, strchr(url, '?') ? '&' : '?', MOST_ROWS);
	ask_self(s, limited.s, ret);
	if (ret->status == 200 || ret->status == 422)
		return;
	reply_free(ret);
	ask_self(s, url, ret);
}

static bool add_reply(struct buf *b, struct site *s, const char *key, const char *url, bool is_text,
		      size_t most)
{
	struct reply reply;
	SCOPED_BUF text = {0};
	bool is_there;

	ask_for_rows(s, url, &reply);
	is_there = reply.body.len && reply.body.len <= most &&
		   (reply.status == 200 || (reply.status == 422 && !is_text));
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
		if (add_reply(&answer, s, url.s, url.s, false, LARGEST_ANSWER))
			buf_addf(b, "%s%s", b->s[b->len - 1] == '{' ? "" : ",\n", answer.s);
	}
}

/* As one packed text: {"/api/findings": {…}, …}. */
static void add_replies(struct recording *r, struct site *s)
{
	SCOPED_BUF all = {0};
	SCOPED_BUF report = {0};
	SCOPED_BUF packed = {0};

	buf_adds(&all, "{");
	for (size_t i = 0; i < s->traces->count; i++) {
		if (s->traces->all[i].is_asked)
			add_answers(&all, s, i);
	}
	if (add_reply(&report, s, "/report", "/report", true, LARGEST_ANSWER))
		buf_addf(&all, "%s%s", all.len > 1 ? ",\n" : "", report.s);
	buf_adds(&all, "}");
	if (!gzip_add(&packed, buf_str(&all)))
		mem_out();
	buf_adds(&r->json, "\"replies\": \"");
	base64_add(&r->json, packed.s, packed.len);
	buf_adds(&r->json, "\",\n");
}

/* A row, as it is seen from afar and with all its events. */
struct recorded_row {
	struct buf text; /* what is written of it */
	uint64_t events;
	bool is_coarse; /* not all of its events are there */
};

static void record_row(struct recorded_row *row, struct site *s, size_t track, struct span part)
{
	struct recorded_track t = {0};

	*row = (struct recorded_row){0};
	recorded_track_make(&t, s, track, part);
	recorded_track_write(&t, &row->text);
	row->is_coarse = part.start_ns > part.end_ns || !t.is_whole;
	row->events = t.events;
	recorded_track_free(&t);
}

/* First all rows from afar; then, as long as there is room, each with its events. */
static void record_rows(struct recorded_row *rows, struct site *s, struct span part, size_t room)
{
	const size_t count = s->scene.set->count;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		record_row(&rows[i], s, i, SPAN_NONE);
		used += rows[i].text.len;
	}
	for (size_t i = 0; i < count; i++) {
		struct recorded_row full;

		record_row(&full, s, i, part);
		if (used - rows[i].text.len + full.text.len <= room) {
			const struct recorded_row afar = rows[i];

			used += full.text.len - afar.text.len;
			rows[i] = full;
			full = afar;
		}
		buf_free(&full.text);
	}
	/* There is not even room for that: the last ones go. */
	for (size_t i = count; i > 0 && used > room; i--) {
		used -= rows[i - 1].text.len;
		buf_clear(&rows[i - 1].text);
		rows[i - 1].events = 0;
	}
}

static void say_left_out(struct recording *r, const struct recorded_row *rows, size_t count)
{
	size_t coarse = 0, gone = 0;

	for (size_t i = 0; i < count; i++) {
		coarse += rows[i].is_coarse;
		gone += rows[i].is_coarse && !rows[i].text.len;
	}
	if (!coarse)
		return;
	buf_addf(&r->left_out, "single events of %zu of %zu rows", coarse, count);
	if (gone)
		buf_addf(&r->left_out, ", and %zu rows as a whole", gone);
}

static void add_tracks(struct recording *r, struct site *s)
{
	const size_t count = s->scene.set->count;
	const size_t room = r->most > r->json.len ? r->most - r->json.len : 0;
	struct recorded_row *rows = mem_zalloc(count, sizeof(*rows));
	SCOPED_BUF coarse = {0};
	bool any = false;

	record_rows(rows, s, r->detailed, room);
	buf_adds(&r->json, "\"levels\": {");
	for (size_t i = 0; i < count; i++) {
		if (rows[i].text.len)
			buf_addf(&r->json, "%s%s", any ? ",\n" : "", rows[i].text.s);
		any |= rows[i].text.len > 0;
		r->events += rows[i].events;
		if (rows[i].is_coarse)
			buf_addf(&coarse, "%s%zu", coarse.len ? "," : "",
				 s->scene.set->all[i].number);
	}
	buf_addf(&r->json, "},\n\"coarse\": [%s],\n", coarse.s ? coarse.s : "");
	say_left_out(r, rows, count);
	for (size_t i = 0; i < count; i++)
		buf_free(&rows[i].text);
	free(rows);
}

static struct span detailed_part(const struct site *s)
{
	return s->asked.start_ns < s->asked.end_ns ? s->asked : s->status.limits;
}

int recording_make(struct recording *r, struct site *s, struct err *e)
{
	const struct span part = detailed_part(s);

	r->detailed = part;
	for (size_t i = 0; i < s->scene.set->count; i++)
		track_set_lanes(s->scene.set, i);
	buf_adds(&r->json, "{\n");
	if (!add_reply(&r->json, s, "session", "/session", false, SIZE_MAX))
		return err_set(e, ERR_SYSTEM, "what is shown cannot be told");
	buf_adds(&r->json, ",\n");
	if (!add_reply(&r->json, s, "tracks", "/tracks", false, SIZE_MAX))
		return err_set(e, ERR_SYSTEM, "the rows cannot be told");
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
