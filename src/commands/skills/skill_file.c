/* What does the opening comment of a skill say? */
#include "commands/skills/skill_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/json_value.h"
#include "text/nearest.h"
#include "text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PARAMS = 100, MOST_COLUMNS = 1000 };

struct parser {
	struct skill_file *skill;
	const char *where;
	size_t line;
	struct buf detail;
};

static int bad(const struct parser *p, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int bad(const struct parser *p, struct err *e, const char *fmt, ...)
{
	char message[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_INPUT, "%s, line %zu: %s", p->where, p->line, message);
}

/* The next word; *s goes on after it. */
static struct str take_word(struct str *s)
{
	struct str word;
	size_t n = 0;

	*s = str_trimmed(*s);
	while (n < s->len && !strchr(" \t=", s->s[n]))
		n++;
	word = (struct str){s->s, n};
	*s = str_trimmed((struct str){s->s + n, s->len - n});
	return word;
}

/* Names are keys of answers and of command lines: snake_case. */
static bool is_name(struct str s)
{
	if (!s.len || s.len > SKILL_LONGEST_NAME || s.s[0] < 'a' || s.s[0] > 'z')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.s[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

static int shown(struct str s)
{
	return s.len < 60 ? (int)s.len : 60;
}

static int take_name(struct parser *p, struct str value, struct err *e)
{
	if (p->skill->name)
		return bad(p, e, "the name is given twice");
	if (!is_name(value))
		return bad(p, e,
			   "'%.*s' is not a valid name: use lower-case letters, digits and _, "
			   "starting with a letter, at most %d",
			   shown(value), value.s, SKILL_LONGEST_NAME);
	p->skill->name = arena_str(&p->skill->arena, value).s;
	return 0;
}

static int take_summary(struct parser *p, struct str value, struct err *e)
{
	if (p->skill->summary)
		return bad(p, e, "the summary is given twice");
	if (!value.len)
		return bad(p, e, "the summary is empty");
	p->skill->summary = arena_str(&p->skill->arena, value).s;
	return 0;
}

static int find_type(struct parser *p, struct str word, enum skill_type *ret, struct err *e)
{
	for (int i = 0; i < SKILL_TYPES; i++) {
		*ret = (enum skill_type)i;
		if (str_eq(word, str_of(skill_type_name(*ret))))
			return 0;
	}
	return bad(p, e, "'%.*s' is not a type: use int, real, text, bool or seconds", shown(word),
		   word.s);
}

/* 'it''s': quotes go, and two of them stand for one. */
static struct str unquoted(struct arena *a, struct str s)
{
	char *out = arena_alloc(a, s.len + 1, 1);
	size_t n = 0;

	for (size_t i = 1; i + 1 < s.len; i++) {
		out[n++] = s.s[i];
		i += s.s[i] == '\'' && s.s[i + 1] == '\'' && i + 2 < s.len;
	}
	out[n] = '\0';
	return (struct str){out, n};
}

/* How long the text in quotes is, with them; 0: nothing closes it. */
static size_t quoted_length(struct str s)
{
	for (size_t i = 1; i < s.len; i++) {
		if (s.s[i] != '\'')
			continue;
		if (i + 1 >= s.len || s.s[i + 1] != '\'')
			return i + 1;
		i++;
	}
	return 0;
}

/* How long the default is: to its closing quote, or to " --". */
static size_t default_length(struct str s)
{
	const char *end;

	if (s.len && s.s[0] == '\'')
		return quoted_length(s);
	end = memmem(s.s, s.len, " --", 3);
	return end ? (size_t)(end - s.s) : s.len;
}

static int take_default(struct parser *p, struct skill_param *param, struct str *rest,
			struct err *e)
{
	struct arena *a = &p->skill->arena;
	struct str text;

	*rest = str_trimmed((struct str){rest->s + 1, rest->len - 1});
	text = str_trimmed((struct str){rest->s, default_length(*rest)});
	if (rest->len && !text.len && rest->s[0] == '\'')
		return bad(p, e, "the default of %s has no closing quote: %.*s", param->name,
			   shown(*rest), rest->s);
	*rest = str_trimmed(
		(struct str){text.s + text.len, rest->len - (size_t)(text.s - rest->s) - text.len});
	if (text.len && text.s[0] == '\'')
		text = unquoted(a, text);
	else
		text = arena_str(a, text);
	if (!skill_value(param->type, text, &param->value))
		return bad(p, e, "the default of %s is %s, not '%.*s'", param->name,
			   skill_type_help(param->type), shown(text), text.s);
	param->has_default = true;
	param->default_text = text.s;
	return 0;
}

/* "factor real = 3 -- times the median" */
static int take_param(struct parser *p, struct str value, struct err *e)
{
	struct skill_file *s = p->skill;
	struct skill_param param = {.line = p->line};
	struct str name = take_word(&value), type = take_word(&value);

	if (!is_name(name))
		return bad(p, e, "'%.*s' is not a parameter name: NAME TYPE [= DEFAULT] [-- HELP]",
			   shown(name), name.s);
	param.name = arena_str(&s->arena, name).s;
	if (skill_file_param(s, param.name))
		return bad(p, e, "the parameter %s is declared twice", param.name);
	if (s->param_count >= MOST_PARAMS)
		return bad(p, e, "there are more than %d parameters", MOST_PARAMS);
	if (find_type(p, type, &param.type, e) < 0)
		return -1;
	if (value.len && value.s[0] == '=' && take_default(p, &param, &value, e) < 0)
		return -1;
	if (str_starts(value, "--"))
		value = str_trimmed((struct str){value.s + 2, value.len - 2});
	else if (value.len)
		return bad(p, e, "'%.*s' is not understood: NAME TYPE [= DEFAULT] [-- HELP]",
			   shown(value), value.s);
	param.help = value.len ? arena_str(&s->arena, value).s : NULL;
	MEM_GROW(s->params, s->param_cap, s->param_count + 1);
	s->params[s->param_count++] = param;
	return 0;
}

/* "total_ns ns Total time" */
static int take_column(struct parser *p, struct str value, struct err *e)
{
	struct skill_file *s = p->skill;
	struct str name = take_word(&value), unit = take_word(&value);
	struct column_said column = {0};
	struct buf title = {0};
	int u = 0;

	while (u <= UNIT_BOOL && !str_eq(unit, str_of(unit_name((enum unit)u))))
		u++;
	if (!name.len)
		return bad(p, e, "a column needs a name and a unit: column: total_ns ns Total");
	if (u > UNIT_BOOL)
		return bad(p, e,
			   "'%.*s' is not a unit: use name, kernel, count, id, ns, us, time_ns, "
			   "bytes, bytes_per_s, percent, ratio or bool",
			   shown(unit), unit.s);
	if (s->column_count >= MOST_COLUMNS)
		return bad(p, e, "there are more than %d columns", MOST_COLUMNS);
	column.name = arena_str(&s->arena, name).s;
	column.unit = (enum unit)u;
	text_add_safe(&title, value);
	column.title = value.len ? arena_strdup(&s->arena, title.s) : NULL;
	buf_free(&title);
	MEM_GROW(s->columns, s->column_cap, s->column_count + 1);
	s->columns[s->column_count++] = column;
	return 0;
}

static const struct {
	const char *key;
	int (*take)(struct parser *p, struct str value, struct err *e);
} keys[] = {
	{"name", take_name},
	{"summary", take_summary},
	{"param", take_param},
	{"column", take_column},
};

/* A key that is mistyped would be taken for prose, and what it says for nothing. */
static int check_prose(const struct parser *p, struct str word, struct err *e)
{
	struct nearest n = {.distance = 3};
	struct buf typed = {0};
	int result = 0;

	if (!word.len || word.len >= 20)
		return 0;
	buf_addstr(&typed, word);
	n.word = typed.s;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		nearest_try(&n, keys[i].key);
	if (n.found)
		result = bad(p, e, "'%s:' is not understood; did you mean '%s:'?", n.word, n.found);
	buf_free(&typed);
	return result;
}

static int take_line(struct parser *p, struct str line, struct err *e)
{
	const char *colon = line.len ? memchr(line.s, ':', line.len) : NULL;
	struct str word = {line.s, colon ? (size_t)(colon - line.s) : 0};

	for (size_t i = 0; colon && i < ARRAY_LEN(keys); i++) {
		if (str_eq(word, str_of(keys[i].key)))
			return keys[i].take(
				p, str_trimmed((struct str){colon + 1, line.len - word.len - 1}),
				e);
	}
	if (check_prose(p, word, e) < 0)
		return -1;
	if (p->detail.len || line.len) {
		buf_addstr(&p->detail, line);
		buf_addc(&p->detail, '\n');
	}
	return 0;
}

static struct str next_line(struct str *text)
{
	const char *end = memchr(text->s, '\n', text->len);
	struct str line = {text->s, end ? (size_t)(end - text->s) : text->len};
	size_t used = line.len + (end != NULL);

	*text = (struct str){text->s + used, text->len - used};
	return str_trimmed(line);
}

/* The comment ends where something else begins; empty lines in it do no harm. */
static int take_comment(struct parser *p, struct str text, struct err *e)
{
	bool found = false;

	if (str_starts(text, "\xef\xbb\xbf"))
		text = (struct str){text.s + 3, text.len - 3};
	while (text.len) {
		struct str line = next_line(&text);

		p->line++;
		if (!line.len)
			continue;
		if (!str_starts(line, "--"))
			break;
		found = true;
		if (take_line(p, str_trimmed((struct str){line.s + 2, line.len - 2}), e) < 0)
			return -1;
	}
	if (found && p->skill->name && p->skill->summary)
		return 0;
	p->line = 1;
	if (!found)
		bad(p, e, "it does not begin with a comment describing the skill");
	else
		bad(p, e, "its opening comment has no '%s:'", p->skill->name ? "summary" : "name");
	return err_hint(e, "a skill begins with the lines -- name: NAME and -- summary: TEXT; "
			   "docs/skills.md has an example");
}

static void keep_detail(struct parser *p)
{
	struct str detail = buf_str(&p->detail);

	while (detail.len && detail.s[detail.len - 1] == '\n')
		detail.len--;
	if (detail.len)
		p->skill->detail = arena_str(&p->skill->arena, detail).s;
	buf_free(&p->detail);
}

int skill_file_parse(struct skill_file *s, struct str text, const char *where, struct err *e)
{
	struct parser p = {.skill = s, .where = where};
	const char *zero = text.len ? memchr(text.s, '\0', text.len) : NULL;
	int result;

	*s = (struct skill_file){0};
	if (zero)
		return err_set(e, ERR_INPUT, "%s: it contains a NUL byte, so it is not text",
			       where);
	result = take_comment(&p, text, e);
	keep_detail(&p);
	s->text = arena_str(&s->arena, text);
	return result < 0 ? -1 : skill_check_params(s, where, e);
}

int skill_file_read(struct skill_file *s, const char *path, struct err *e)
{
	struct buf text = {0};
	int result = file_read(&text, path, SKILL_LARGEST_FILE, e);

	*s = (struct skill_file){0};
	if (result == 0)
		result = skill_file_parse(s, buf_str(&text), path, e);
	if (result == 0)
		s->path = arena_strdup(&s->arena, path);
	buf_free(&text);
	return result;
}

void skill_file_free(struct skill_file *s)
{
	free(s->params);
	free(s->columns);
	arena_free(&s->arena);
	*s = (struct skill_file){0};
}

const struct skill_param *skill_file_param(const struct skill_file *s, const char *name)
{
	for (size_t i = 0; i < s->param_count; i++) {
		if (strcmp(s->params[i].name, name) == 0)
			return &s->params[i];
	}
	return NULL;
}
