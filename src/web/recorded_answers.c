/* What do the tabs of a page show that nobody serves? */
#include "web/recorded_answers.h"

#include "base/mem.h"
#include "text/text.h"
#include "web/ask_self.h"

#include <string.h>

/* What the tabs ask for; where not all has room, the first are there. */
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

/* More rows of a table are not worth their place in a file that is sent to somebody. */
enum { MOST_ROWS = 1000 };

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

bool recorded_reply_add(struct buf *b, struct site *s, const char *key, const char *url,
			bool is_text)
{
	struct reply reply;
	SCOPED_BUF text = {0};
	bool is_there;

	ask_for_rows(s, url, &reply);
	is_there = reply.body.len && (reply.status == 200 || (reply.status == 422 && !is_text));
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

/* By itself it has at least as many bytes as among others. */
static size_t length_alone(struct str text)
{
	struct packed alone = {0};
	SCOPED_BUF out = {0};

	packed_add(&alone, text);
	packed_write(&alone, &out);
	packed_free(&alone);
	return out.len;
}

struct answer_room {
	size_t most, used;
	bool any;
};

/* false: there is no room for it, or it is empty: there is no such answer. */
static bool add(struct recorded_answers *a, struct answer_room *room, struct str text)
{
	const size_t length = text.len ? length_alone(text) : 0;

	if (!text.len || room->used + length > room->most)
		return false;
	room->used += length;
	packed_add(&a->text, room->any ? STR_LIT(",\n") : STR_LIT(""));
	packed_add(&a->text, text);
	room->any = true;
	return true;
}

/* Those of the first capture are asked for without its number. */
static void add_answer(struct recorded_answers *a, struct answer_room *room, struct site *s,
		       const char *question, const char *capture)
{
	SCOPED_BUF url = {0};
	SCOPED_BUF text = {0};

	buf_adds(&url, question);
	if (capture)
		buf_addf(&url, "%ccapture=%s", strchr(url.s, '?') ? '&' : '?', capture);
	a->asked++;
	recorded_reply_add(&text, s, url.s, url.s, false);
	a->left_out += !add(a, room, buf_str(&text));
}

static void add_answer_of(struct recorded_answers *a, struct answer_room *room, struct site *s,
			  const char *question, size_t capture)
{
	SCOPED_BUF number = {0};

	buf_addf(&number, "%zu", capture);
	add_answer(a, room, s, question, capture ? number.s : NULL);
}

/* Who waits for whom is asked about all ranks, where they are on one clock. */
static bool is_about_all(const struct site *s, const char *question)
{
	return strcmp(question, "/api/stragglers") == 0 && s->traces->count > 1 &&
	       (s->traces->clock == CLOCK_MEETINGS || s->traces->clock == CLOCK_UTC);
}

/*
 * As one packed text: {"/api/findings": {…}, …}. One tab after another has that of all captures.
 * The report, which reads a trace of its own, is made while others have read nothing; it comes
 * last.
 */
void recorded_answers_make(struct recorded_answers *a, struct site *s, size_t most)
{
	struct answer_room room = {.most = most};
	SCOPED_BUF report = {0};

	recorded_reply_add(&report, s, "/report", "/report", true);
	packed_add(&a->text, STR_LIT("{"));
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		if (is_about_all(s, questions[i])) {
			add_answer(a, &room, s, questions[i], "all");
			continue;
		}
		for (size_t c = 0; c < s->traces->count; c++) {
			if (s->traces->all[c].is_asked)
				add_answer_of(a, &room, s, questions[i], c);
		}
	}
	a->has_no_report = !add(a, &room, buf_str(&report));
	packed_add(&a->text, STR_LIT("}"));
}

void recorded_answers_free(struct recorded_answers *a)
{
	packed_free(&a->text);
	*a = (struct recorded_answers){0};
}
