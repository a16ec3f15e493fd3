/* How does an answer leave for a model? */
#include "llm/outgoing.h"

#include "llm/clean_text.h"
#include "mcp/json_line.h"
#include "text/text.h"

enum { MOST_CELL = 200, MOST_TEXT = 2000 };

/* Words of the program's own, which mean what they mean whatever a trace's names are. */
static bool is_own_word(struct str key)
{
	return str_is_listed(key, "unit severity owner confidence status verdict id span tool "
				  "schema next_cursor");
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

struct place {
	struct str key;
	bool in_row, in_columns;
	int depth;
};

static void add_text(struct buf *b, struct aliases *a, struct str text, const struct place *p)
{
	SCOPED_BUF clean = {0}, hidden = {0}, cut = {0}, json = {0};

	clean_text_add(&clean, text, SIZE_MAX);
	text = buf_str(&clean);
	if (a && !p->in_columns && (p->in_row || !is_own_word(p->key))) {
		aliases_add_hidden(&hidden, a, text);
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
			below.key = m.key;
			below.in_row = p.in_row || str_eq(m.key, STR_LIT("rows"));
			below.in_columns = p.in_columns || str_eq(m.key, STR_LIT("columns"));
			add_value(b, a, m.value, below);
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

void outgoing_add(struct buf *b, struct aliases *a, const struct json *answer)
{
	add_value(b, a, answer, (struct place){0});
}

void outgoing_add_error(struct buf *b, struct aliases *a, const struct json *error)
{
	add_value(b, a, error, (struct place){.depth = 1});
}

void outgoing_add_name(struct buf *b, struct aliases *a, struct str name)
{
	add_text(b, a, name, &(struct place){.in_row = true});
}
