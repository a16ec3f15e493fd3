/* Are these the arguments that a tool takes? */
#include "mcp/tool.h"

#include "mcp/json_line.h"
#include "text/nearest.h"

static const char *kind_wanted(const struct tool_param *p)
{
	switch (p->type) {
	case PARAM_INT:
		return "a whole number";
	case PARAM_TEXTS:
		return "an array of texts";
	case PARAM_OPTIONS:
		return "an object";
	default:
		return "a text";
	}
}

static bool kind_is_text(const struct tool_param *p)
{
	return p->type != PARAM_INT && p->type != PARAM_TEXTS && p->type != PARAM_OPTIONS;
}

static int refuse_kind(const struct tool_param *p, const struct json *v, struct err *e)
{
	if (json_read_kind(v) == JSON_KIND_TEXT && kind_is_text(p))
		return err_set(e, ERR_USAGE, "%s has a character of code 0 in it", p->name);
	return err_set(e, ERR_USAGE, "%s takes %s, not %s", p->name, kind_wanted(p),
		       json_read_kind_name(v));
}

/* A byte of 0 would end it early. */
static bool is_text(const struct json *v)
{
	const struct str s = json_read_string(v);

	return json_read_kind(v) == JSON_KIND_TEXT && !memchr(s.s, '\0', s.len);
}

static int check_word(const struct tool_param *p, const struct json *v, struct err *e)
{
	SCOPED_BUF words = {0};

	for (size_t i = 0; p->words && p->words[i]; i++) {
		if (str_eq(json_read_string(v), str_of(p->words[i])))
			return 0;
		buf_addf(&words, "%s%s", i ? ", " : "", p->words[i]);
	}
	return p->words ? err_set(e, ERR_USAGE, "%s takes one of %s", p->name, words.s) : 0;
}

static int check_int(const struct tool_param *p, const struct json *v, struct err *e)
{
	int64_t n;

	if (json_read_kind(v) != JSON_KIND_NUMBER || !json_read_whole(v, &n))
		return refuse_kind(p, v, e);
	if (n >= p->least && n <= p->most)
		return 0;
	return err_set(e, ERR_USAGE, "%s takes a whole number from %lld to %lld", p->name,
		       (long long)p->least, (long long)p->most);
}

static int check_texts(const struct tool_param *p, const struct json *v, struct err *e)
{
	const size_t count = json_read_length(v);

	if (json_read_kind(v) != JSON_KIND_ARRAY)
		return refuse_kind(p, v, e);
	if ((int64_t)count < p->least || (int64_t)count > p->most)
		return err_set(e, ERR_USAGE, "%s takes from %lld to %lld texts", p->name,
			       (long long)p->least, (long long)p->most);
	for (size_t i = 0; i < count; i++) {
		if (!is_text(json_read_element(v, i)))
			return refuse_kind(p, v, e);
	}
	return 0;
}

static int check_value(const struct tool_param *p, const struct json *v, struct err *e)
{
	switch (p->type) {
	case PARAM_INT:
		return check_int(p, v, e);
	case PARAM_TEXTS:
		return check_texts(p, v, e);
	case PARAM_OPTIONS:
		return json_read_kind(v) == JSON_KIND_OBJECT ? 0 : refuse_kind(p, v, e);
	default:
		return is_text(v) ? check_word(p, v, e) : refuse_kind(p, v, e);
	}
}

static const struct tool_param *find_param(const struct mcp_tool *t, struct str name)
{
	for (const struct tool_param *p = t->params; p->type; p++) {
		if (str_eq(name, str_of(p->name)))
			return p;
	}
	return NULL;
}

static int refuse_unknown(const struct mcp_tool *t, struct str name, struct err *e)
{
	struct nearest n = {name.s, NULL, 4};
	SCOPED_BUF all = {0};

	for (const struct tool_param *p = t->params; p->type; p++) {
		nearest_try(&n, p->name);
		buf_addf(&all, "%s%s", all.len ? ", " : "", p->name);
	}
	err_set(e, ERR_USAGE, "%s has no argument '%.*s'", t->name,
		(int)(name.len < 80 ? name.len : 80), name.s);
	return n.found ? err_hint(e, "did you mean '%s'? It takes %s", n.found, all.s)
		       : err_hint(e, "it takes %s", all.s);
}

static int check_required(const struct mcp_tool *t, const struct json *arguments, struct err *e)
{
	for (const struct tool_param *p = t->params; p->type; p++) {
		if (!p->is_required || (arguments && json_read_member(arguments, p->name)))
			continue;
		err_set(e, ERR_USAGE, "%s needs the argument '%s'", t->name, p->name);
		return err_hint(e, "%s", p->help);
	}
	return 0;
}

int arguments_check(const struct mcp_tool *t, const struct json *arguments, struct err *e)
{
	struct json_member m = {0};

	if (arguments && json_read_kind(arguments) != JSON_KIND_OBJECT)
		return err_set(e, ERR_USAGE, "arguments are an object, not %s",
			       json_read_kind_name(arguments));
	while (arguments && json_read_next(arguments, &m)) {
		const struct tool_param *p = find_param(t, m.key);

		if (!p)
			return refuse_unknown(t, m.key, e);
		if (check_value(p, m.value, e) < 0)
			return -1;
	}
	return check_required(t, arguments, e);
}

const char *argument_text(const struct json *arguments, const char *name)
{
	const struct json *v = arguments ? json_read_member(arguments, name) : NULL;

	return v ? json_read_string(v).s : NULL;
}

int64_t argument_int(const struct json *arguments, const char *name, int64_t otherwise)
{
	const struct json *v = arguments ? json_read_member(arguments, name) : NULL;
	int64_t n;

	return v && json_read_whole(v, &n) ? n : otherwise;
}
