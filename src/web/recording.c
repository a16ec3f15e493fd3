/* What does a page need that nobody serves? */
#include "web/recording.h"

#include "base/mem.h"
#include "text/text.h"
#include "web/recorded_rows.h"

enum {
	MEGABYTE = 1000000,
	DIGITS = 21,	    /* of a number, and what comes after it */
	LONGEST_WORDS = 512 /* of what is left out, and of members of the document */
};

static void add_words(struct buf *b, const char *what, size_t n, size_t of, const char *thing)
{
	buf_addf(b, "%s%s%zu of %zu %s%s", b->len ? ", " : "", what, n, of, thing,
		 of == 1 ? "" : "s");
}

static void say_left_out(struct recording *r, const struct recorded_rows *rows)
{
	const struct recorded_answers *a = &r->answers;
	size_t coarse = 0, gone = 0;

	for (size_t i = 0; i < rows->count; i++) {
		coarse += rows->all[i].is_coarse;
		gone += rows->all[i].is_left_out;
	}
	if (coarse)
		add_words(&r->left_out, "single events of ", coarse, rows->count, "row");
	if (gone)
		add_words(&r->left_out, "all of ", gone, rows->count, "row");
	if (a->left_out) {
		add_words(&r->left_out, "", a->left_out, a->asked, "answer");
		buf_adds(&r->left_out, " of analyses");
	}
	if (a->has_no_report)
		buf_addf(&r->left_out, "%sthe report", r->left_out.len ? ", " : "");
}

static void add_number(struct buf *b, size_t number)
{
	buf_addf(b, "%s%zu", b->len ? "," : "", number);
}

static void write_rows(struct recording *r, const struct site *s, const struct recorded_rows *rows)
{
	SCOPED_BUF coarse = {0};
	SCOPED_BUF missing = {0};
	SCOPED_BUF partly = {0};
	bool any = false;

	buf_adds(&r->json, "\"levels\": {");
	for (size_t i = 0; i < rows->count; i++) {
		const struct recorded_row *row = &rows->all[i];

		if (row->text.len)
			buf_addf(&r->json, "%s%s", any ? ",\n" : "", row->text.s);
		any |= row->text.len > 0;
		r->events += row->events;
		if (row->is_coarse)
			add_number(&coarse, s->scene.set->all[i].number);
		if (row->is_left_out)
			add_number(&missing, s->scene.set->all[i].number);
		if (!row->is_at_end)
			add_number(&partly, s->scene.set->all[i].number);
	}
	buf_addf(&r->json, "},\n\"coarse\": [%s],\n\"missing\": [%s],\n\"partly_listed\": [%s],\n",
		 buf_str(&coarse).s, buf_str(&missing).s, buf_str(&partly).s);
}

static void write_end(struct recording *r, const struct site *s)
{
	buf_addf(&r->json, "\"detailed\": [%lld, %lld],\n\"left_out\": ",
		 (long long)site_told_ns(s, r->detailed.start_ns),
		 (long long)site_told_ns(s, r->detailed.end_ns));
	text_add_json(&r->json, buf_str(&r->left_out));
	buf_adds(&r->json, "\n}\n");
}

/* What a page cannot do without: which captures and which rows there are. */
static int write_head(struct recording *r, struct site *s, struct err *e)
{
	static const struct {
		const char *key, *url, *what;
	} heads[] = {{"session", "/session", "what is shown"}, {"tracks", "/tracks", "the rows"}};

	buf_adds(&r->json, "{\n");
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		if (!recorded_reply_add(&r->json, s, heads[i].key, heads[i].url, false))
			return err_set(e, ERR_SYSTEM, "%s cannot be told", heads[i].what);
		buf_adds(&r->json, ",\n");
	}
	return 0;
}

static int refuse(size_t least, size_t most, struct err *e)
{
	err_set(e, ERR_USAGE, "a page of at most %zu MB has no room for the names of its rows",
		most / MEGABYTE);
	return err_hint(e, "--max-size %zu is the least for these traces",
			(least + MEGABYTE - 1) / MEGABYTE);
}

static struct span detailed_part(const struct site *s)
{
	return s->asked.start_ns < s->asked.end_ns ? s->asked : s->status.limits;
}

/* Of what there is room for, answers have half at most: a timeline without rows is none. */
static void write_answers(struct recording *r, struct site *s, size_t room)
{
	const size_t begin = r->json.len;

	buf_adds(&r->json, "\"replies\": \"");
	packed_write(&r->answers.text, &r->json);
	if (r->json.len - begin > room / 2 + LONGEST_WORDS) {
		/* Names of rows take more than was thought: there is less room for these. */
		r->json.len = begin;
		recorded_answers_free(&r->answers);
		recorded_answers_make(&r->answers, s, room / 2);
		buf_adds(&r->json, "\"replies\": \"");
		packed_write(&r->answers.text, &r->json);
	}
	buf_adds(&r->json, "\",\n");
}

static void write_all(struct recording *r, struct site *s, size_t room)
{
	struct recorded_rows rows = {0};
	const size_t before = r->json.len;

	write_answers(r, s, room);
	room -= r->json.len - before < room ? r->json.len - before : room;
	recorded_rows_make(&rows, s, r->detailed, room);
	say_left_out(r, &rows);
	write_rows(r, s, &rows);
	write_end(r, s);
	recorded_rows_free(&rows);
}

void recording_begin(struct recording *r, struct site *s)
{
	recorded_answers_make(&r->answers, s, r->most > r->around ? (r->most - r->around) / 2 : 0);
}

int recording_make(struct recording *r, struct site *s, struct err *e)
{
	const size_t count = s->scene.set->count;
	size_t least;

	r->detailed = detailed_part(s);
	for (size_t i = 0; i < count; i++)
		track_set_lanes(s->scene.set, i);
	if (write_head(r, s, e) < 0)
		return -1;
	/* Beside these the numbers of coarse rows, and what else is always there. */
	least = r->around + r->json.len + count * DIGITS + LONGEST_WORDS;
	if (least > r->most)
		return refuse(least, r->most, e);
	write_all(r, s, r->most - least);
	return 0;
}

void recording_free(struct recording *r)
{
	buf_free(&r->json);
	buf_free(&r->left_out);
	recorded_answers_free(&r->answers);
}
