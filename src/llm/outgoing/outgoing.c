/* How does an answer leave for a model? */
#include "llm/outgoing/outgoing.h"

#include "llm/outgoing/clean_text.h"
#include "mcp/json_line.h"
#include "text/text.h"

enum { MOST_CELL = 200, MOST_TEXT = 2000 };

struct place {
	struct str key;
	bool in_row, in_columns;
	bool is_error;
	bool in_table; /* a member of it, not of a row */
	int depth;
};

/* Words of the program's own, which mean what they mean whatever a trace's names are. */
static bool is_own_word(struct str key)
{
	return str_is_listed(key, "unit severity owner confidence status verdict span tool schema "
				  "next_cursor");
}

/* Names of products, which are no secret. */
static bool is_product(struct str key)
{
	return str_is_listed(key, "gpu gpus cpu os driver cuda nsys tool schema captured_at "
				  "compute_capability frameworks");
}

/*
 * Cells that the program words itself; what is in another column, or is called so elsewhere, is a
 * name. One that is forgotten here is hidden, which harms nobody.
 */
static bool is_sentence(const struct place *p)
{
	static const char cells[] =
		"blame bound category cause check class column command comment confidence "
		"datatype default direction ended_by evidence example explanation flag found help "
		"hint how id kind language likely limiter line_from means meanwhile memory method "
		"metric missing mostly operation option options owner parameter part problem "
		"protocol reason recorded recorded_by reduction severity skill src_kind dst_kind "
		"src_memory_kind dst_memory_kind state status steps_by style summary table takes "
		"told_by type unit verdict what why worked";
	static const char names[] = "name path function file value row kernel range place trace";

	return p->in_row ? str_is_listed(p->key, cells)
			 : p->in_table || !str_is_listed(p->key, names);
}

static bool is_kernel(struct str key)
{
	return str_holds(key, "kernel");
}

/* " (E2)" of another answer's evidence, which has other numbers here. */
static void drop_references(struct buf *b)
{
	char *at = b->s;

	while (at && (at = strstr(at, " (E"))) {
		const size_t digits = strspn(at + 3, "0123456789");

		if (digits && at[3 + digits] == ')') {
			memmove(at, at + 4 + digits, strlen(at + 4 + digits) + 1);
			b->len -= 4 + digits;
		} else {
			at++;
		}
	}
}

static void add_hidden(struct buf *b, struct aliases *a, struct str text, const struct place *p)
{
	if (is_product(p->key))
		buf_addstr(b, text);
	else if (is_sentence(p))
		aliases_add_sentence(b, a, text, p->is_error);
	else
		aliases_add_name(b, a, text, is_kernel(p->key));
}

static void add_text(struct buf *b, struct aliases *a, struct str text, const struct place *p)
{
	SCOPED_BUF clean = {0}, hidden = {0}, cut = {0}, json = {0};

	clean_text_add(&clean, text, SIZE_MAX);
	text = buf_str(&clean);
	if (a && !p->in_columns && (p->in_row || !is_own_word(p->key))) {
		add_hidden(&hidden, a, text, p);
		text = buf_str(&hidden);
	}
	clean_text_add(&cut, text, p->in_row ? MOST_CELL : MOST_TEXT);
	if (!p->in_row)
		drop_references(&cut);
	text_add_json(&json, buf_str(&cut));
	/* No name ends what marks it as data. */
	for (size_t i = 0; i < json.len; i++) {
		if (json.s[i] == '<')
			buf_adds(b, "\\u003c");
		else
			buf_addc(b, json.s[i]);
	}
}

/* What a model has no use for, or would take for evidence of this conversation. */
static bool is_left_out(struct str key, const struct place *p)
{
	if (p->in_row)
		return str_eq(key, STR_LIT("key"));
	return p->depth == 0 ? str_is_listed(key, "gpuwhy mcp answer")
			     : str_is_listed(key, "places");
}

static struct place place_below(struct place p, const struct json *object, struct str key)
{
	return (struct place){.key = key,
			      .is_error = p.is_error,
			      .in_row = p.in_row || str_eq(key, STR_LIT("rows")),
			      .in_table = json_read_member(object, "columns"),
			      .in_columns = p.in_columns || str_eq(key, STR_LIT("columns")),
			      .depth = p.depth + 1};
}

static void add_value(struct buf *b, struct aliases *a, const struct json *v, struct place p)
{
	struct json_member m = {0};
	struct place below = p;
	bool any = false;

	below.depth++;
	switch (json_read_kind(v)) {
	case JSON_KIND_TEXT:
		add_text(b, a, json_read_string(v), &p);
		break;
	case JSON_KIND_ARRAY:
		buf_addc(b, '[');
		for (size_t i = 0; i < json_read_length(v); i++) {
			buf_adds(b, i ? "," : "");
			add_value(b, a, json_read_element(v, i), below);
		}
		buf_addc(b, ']');
		break;
	case JSON_KIND_OBJECT:
		buf_addc(b, '{');
		while (json_read_next(v, &m)) {
			if (is_left_out(m.key, &p))
				continue;
			buf_adds(b, any ? "," : "");
			any = true;
			text_add_json(b, m.key);
			buf_addc(b, ':');
			add_value(b, a, m.value, place_below(p, v, m.key));
		}
		buf_addc(b, '}');
		break;
	default:
		json_line_add_value(b, v, NULL);
	}
}

void outgoing_add_member(struct buf *object, struct aliases *a, const char *key, struct str text)
{
	if (!text.len || !object->len)
		return;
	object->s[--object->len] = '\0';
	buf_addf(object, "%s\"%s\":", object->len > 1 ? "," : "", key);
	add_text(object, a, text, &(struct place){.key = str_of(key)});
	buf_addc(object, '}');
}

/* Names that cells have, before sentences that are made of them are looked at. */
static void learn(struct aliases *a, const struct json *v, struct place p)
{
	struct json_member m = {0};
	SCOPED_BUF clean = {0};

	if (json_read_kind(v) == JSON_KIND_TEXT && !p.in_columns && !is_sentence(&p) &&
	    !is_product(p.key)) {
		clean_text_add(&clean, json_read_string(v), SIZE_MAX);
		aliases_learn(a, buf_str(&clean), is_kernel(p.key));
	}
	for (size_t i = 0; i < json_read_length(v); i++)
		learn(a, json_read_element(v, i), p);
	while (json_read_kind(v) == JSON_KIND_OBJECT && json_read_next(v, &m))
		learn(a, m.value, place_below(p, v, m.key));
}

void outgoing_add(struct buf *b, struct aliases *a, const struct json *answer)
{
	if (a)
		learn(a, answer, (struct place){0});
	add_value(b, a, answer, (struct place){0});
}

void outgoing_add_error(struct buf *b, struct aliases *a, const struct json *error)
{
	add_value(b, a, error, (struct place){.is_error = true, .depth = 1});
}

void outgoing_add_expression(struct buf *b, struct str text)
{
	add_text(b, NULL, text, &(struct place){.in_row = true});
}
