/*
 * A stack in the JSON of a payload. There may be a million of them, all alike and short: they are
 * read in place, and what is not a stack is passed over.
 */
#include "trace/code/payload.h"

/* What is left of the text. Whatever it holds, each step makes it shorter or is the last. */
struct rest {
	const char *s, *end;
};

static void skip_space(struct rest *r)
{
	while (r->s < r->end && str_is_space(*r->s))
		r->s++;
}

static bool take(struct rest *r, char c)
{
	skip_space(r);
	if (r->s == r->end || *r->s != c)
		return false;
	r->s++;
	return true;
}

/* Behind its first quote. As it is written: names of fields have nothing to escape. */
static struct str take_string(struct rest *r)
{
	const char *begin = r->s;
	struct str text;

	while (r->s < r->end && *r->s != '"')
		r->s += *r->s == '\\' && r->end - r->s > 1 ? 2 : 1;
	text = (struct str){begin, (size_t)(r->s - begin)};
	r->s += r->s < r->end;
	return text;
}

/* Arrays and objects are passed over by their brackets. */
static void skip_value(struct rest *r)
{
	size_t depth = 0;

	skip_space(r);
	for (; r->s < r->end; r->s++) {
		if (*r->s == '"') {
			r->s++;
			take_string(r);
			r->s--;
		} else if (*r->s == '{' || *r->s == '[') {
			depth++;
		} else if ((*r->s == '}' || *r->s == ']') && depth) {
			depth--;
		} else if (!depth && (*r->s == ',' || *r->s == '}' || *r->s == ']')) {
			return;
		}
	}
}

/* The next key of an object, up to its value; false at the end. */
static bool take_key(struct rest *r, struct str *ret)
{
	take(r, ',');
	if (take(r, '}') || !take(r, '"'))
		return false;
	*ret = take_string(r);
	return take(r, ':');
}

/* -1 where it is none; one that is too large for any id stays so. */
static int64_t take_number(struct rest *r)
{
	const int64_t most = INT64_MAX / 16;
	int64_t n = 0;

	skip_space(r);
	if (r->s == r->end || *r->s < '0' || *r->s > '9') {
		skip_value(r);
		return -1;
	}
	for (; r->s < r->end && *r->s >= '0' && *r->s <= '9'; r->s++)
		n = n < most ? n * 10 + (*r->s - '0') : most;
	return n;
}

static bool take_frame(struct rest *r, struct payload_frame *ret)
{
	struct str key;

	*ret = (struct payload_frame){-1, -1, -1};
	if (!take(r, '{'))
		return false;
	while (take_key(r, &key)) {
		if (str_eq(key, STR_LIT("Function")))
			ret->function = take_number(r);
		else if (str_eq(key, STR_LIT("File")))
			ret->file = take_number(r);
		else if (str_eq(key, STR_LIT("Line")))
			ret->line = take_number(r);
		else
			skip_value(r);
	}
	return true;
}

static void take_frames(struct rest *r, struct payload_stack *ret)
{
	if (!take(r, '[')) {
		skip_value(r);
		return;
	}
	while (ret->count < STACK_DEPTH && take_frame(r, &ret->frames[ret->count])) {
		ret->count++;
		if (!take(r, ','))
			break;
	}
}

bool payload_of_json(struct str text, struct payload_stack *ret)
{
	struct rest r = {text.s, text.s};
	struct str key;

	ret->count = 0;
	if (!text.len)
		return false;
	r.end += text.len;
	if (!take(&r, '{') || !take_key(&r, &key))
		return false;
	ret->kind = payload_kind_of(key);
	if (ret->kind == PAYLOAD_KINDS || !take(&r, '{'))
		return false;
	while (!ret->count && take_key(&r, &key)) {
		if (str_eq(key, STR_LIT("Frames")))
			take_frames(&r, ret);
		else
			skip_value(&r);
	}
	return ret->count > 0;
}
