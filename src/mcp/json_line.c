/* How does JSON get onto one line, and what of it would harm who reads it there? */
#include "mcp/json_line.h"

#include "base/mem.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"
#include "text/utf8.h"

#include <stdio.h>

/* Up to here JavaScript tells whole numbers apart. */
static const char most_exact[] = "9007199254740992";

/* A JSON text on its way. */
struct reader {
	struct buf *to;
	const char *at, *end;
	bool is_answer;
	size_t most; /* bytes of a string */
};

/* An escape of a control character, beside those that lay out text. */
static bool is_escaped_control(const struct reader *r, size_t len)
{
	return len == 6 && r->at[0] == '\\' && r->at[1] == 'u';
}

/* One character of a string, or one escape. */
static void take_character(struct reader *r, size_t len, bool is_kept)
{
	uint32_t c = 0;

	/* What it was is told, as a text that says so. */
	if (is_kept && r->is_answer && is_escaped_control(r, len))
		buf_addc(r->to, '\\');
	if (is_kept && r->is_answer && *r->at != '\\' &&
	    utf8_decode((struct str){r->at, len}, &c) && utf8_is_unseen(c))
		buf_addf(r->to, "\\\\u%04x", c);
	else if (is_kept)
		buf_add(r->to, r->at, len);
	r->at += len;
}

static size_t character_length(const struct reader *r)
{
	const size_t left = (size_t)(r->end - r->at);
	uint32_t c;
	size_t len;

	if (*r->at == '\\')
		len = left > 1 && r->at[1] == 'u' ? 6 : 2;
	else
		len = utf8_decode((struct str){r->at, left}, &c);
	return !len ? 1 : len < left ? len : left;
}

static void take_string(struct reader *r)
{
	const size_t begin = r->to->len;
	bool is_cut = false;

	buf_addc(r->to, *r->at++);
	while (r->at < r->end && *r->at != '"') {
		const size_t len = character_length(r);

		if (r->is_answer && !is_cut && r->to->len - begin + len > r->most) {
			buf_adds(r->to, "…");
			is_cut = true;
		}
		take_character(r, len, !is_cut);
	}
	if (r->at < r->end)
		r->at++;
	buf_addc(r->to, '"');
}

static bool is_beyond_exact(struct str digits)
{
	const struct str most = str_of(most_exact);

	return digits.len > most.len || (digits.len == most.len && str_cmp(digits, most) > 0);
}

/* A number, or true, false, null. */
static void take_word(struct reader *r)
{
	const char *begin = r->at;
	const size_t signs = *begin == '-';
	struct str word;
	bool quotes;

	while (r->at < r->end && !strchr(" \t\r\n,:[]{}\"", *r->at))
		r->at++;
	word = (struct str){begin, (size_t)(r->at - begin)};
	quotes = r->is_answer && word.len > signs &&
		 strspn(begin + signs, "0123456789") >= word.len - signs &&
		 is_beyond_exact((struct str){begin + signs, word.len - signs});
	buf_adds(r->to, quotes ? "\"" : "");
	buf_addstr(r->to, word);
	buf_adds(r->to, quotes ? "\"" : "");
}

static void take_all(struct reader *r)
{
	while (r->at < r->end) {
		if (*r->at == '"')
			take_string(r);
		else if (str_is_space(*r->at))
			r->at++;
		else if (strchr(",:[]{}", *r->at))
			buf_addc(r->to, *r->at++);
		else
			take_word(r);
	}
}

void json_line_add(struct buf *b, struct str json)
{
	struct reader r = {.to = b, .at = json.s, .end = json.s + json.len};

	take_all(&r);
}

void json_line_add_answer(struct buf *b, struct str json, size_t most)
{
	struct reader r = {
		.to = b, .at = json.s, .end = json.s + json.len, .is_answer = true, .most = most};

	take_all(&r);
}

static void add_number(struct buf *b, const struct json *v)
{
	int64_t whole;

	if (json_read_whole(v, &whole))
		decimal_add_int(b, whole);
	else
		units_add_real(b, json_read_number(v));
}

static void add_object(struct buf *b, const struct json *v, const char *without)
{
	struct json_member m = {0};
	bool any = false;

	buf_addc(b, '{');
	while (json_read_next(v, &m)) {
		if (without && str_eq(m.key, str_of(without)))
			continue;
		buf_adds(b, any ? "," : "");
		any = true;
		text_add_json(b, m.key);
		buf_addc(b, ':');
		json_line_add_value(b, m.value, NULL);
	}
	buf_addc(b, '}');
}

void json_line_add_value(struct buf *b, const struct json *v, const char *without)
{
	switch (json_read_kind(v)) {
	case JSON_KIND_NULL:
		buf_adds(b, "null");
		break;
	case JSON_KIND_BOOL:
		buf_adds(b, json_read_is_true(v) ? "true" : "false");
		break;
	case JSON_KIND_NUMBER:
		add_number(b, v);
		break;
	case JSON_KIND_TEXT:
		text_add_json(b, json_read_string(v));
		break;
	case JSON_KIND_ARRAY:
		buf_addc(b, '[');
		for (size_t i = 0; i < json_read_length(v); i++) {
			buf_adds(b, i ? "," : "");
			json_line_add_value(b, json_read_element(v, i), NULL);
		}
		buf_addc(b, ']');
		break;
	case JSON_KIND_OBJECT:
		add_object(b, v, without);
		break;
	}
}
