/* Do a skill's comment and its SQL speak of the same parameters? */
#include "commands/skills/skill_file.h"

#include "base/mem.h"

#include <stdlib.h>

struct reader {
	struct str text;
	size_t at, line;
};

static char peek(const struct reader *r, size_t ahead)
{
	return r->at + ahead < r->text.len ? r->text.s[r->at + ahead] : '\0';
}

static void skip(struct reader *r, size_t count)
{
	while (count-- && r->at < r->text.len)
		r->line += r->text.s[r->at++] == '\n';
}

static void skip_to(struct reader *r, const char *end)
{
	const char *found = memmem(r->text.s + r->at, r->text.len - r->at, end, strlen(end));

	skip(r, found ? (size_t)(found - r->text.s) - r->at + strlen(end) : r->text.len - r->at);
}

/* What is no SQL: comments and what lies in quotes. */
static bool skip_other(struct reader *r)
{
	static const char quotes[] = "'\"`";
	char c = peek(r, 0);

	if (c == '-' && peek(r, 1) == '-') {
		skip_to(r, "\n");
	} else if (c == '/' && peek(r, 1) == '*') {
		skip(r, 2);
		skip_to(r, "*/");
	} else if (c == '[') {
		skip_to(r, "]");
	} else if (c && strchr(quotes, c)) {
		skip(r, 1);
		skip_to(r, (const char[]){c, '\0'});
	} else {
		return false;
	}
	return true;
}

/* As SQLite reads words: foo$bar is one, and so is one of any letters beyond ASCII. */
static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The word that begins here. */
static struct str word_at(const struct reader *r, size_t from)
{
	size_t n = 0;

	while (is_word(peek(r, from + n)))
		n++;
	return (struct str){r->text.s + r->at + from, n};
}

static size_t find_param(const struct skill_file *s, struct str name)
{
	size_t i = 0;

	while (i < s->param_count && !str_eq(name, str_of(s->params[i].name)))
		i++;
	return i;
}

static int take_mark(const struct skill_file *s, const char *where, const struct reader *r,
		     bool *used, struct err *e)
{
	struct str name = word_at(r, 1);
	size_t i = find_param(s, name);

	if (peek(r, 0) == '?')
		return err_set(e, ERR_INPUT, "%s, line %zu: parameters have names: :name, not ?",
			       where, r->line);
	if (i < s->param_count) {
		used[i] = true;
		return 0;
	}
	err_set(e, ERR_INPUT, "%s, line %zu: %c%.*s is not a parameter of the skill", where,
		r->line, peek(r, 0), (int)(name.len < 60 ? name.len : 60), name.s);
	return err_hint(e, "declare it in the opening comment: -- param: %.*s TYPE [= DEFAULT]",
			(int)(name.len < 60 ? name.len : 60), name.s);
}

static int find_marks(const struct skill_file *s, const char *where, bool *used, struct err *e)
{
	struct reader r = {.text = s->text, .line = 1};
	bool is_mark;
	size_t len;

	while (r.at < r.text.len) {
		if (skip_other(&r))
			continue;
		is_mark = peek(&r, 0) && strchr("?:@$", peek(&r, 0));
		if (is_mark && take_mark(s, where, &r, used, e) < 0)
			return -1;
		len = is_mark + word_at(&r, is_mark).len;
		skip(&r, len ? len : 1);
	}
	return 0;
}

int skill_check_params(const struct skill_file *s, const char *where, struct err *e)
{
	bool *used = mem_zalloc(s->param_count + 1, sizeof(*used));
	int result = find_marks(s, where, used, e);

	for (size_t i = 0; i < s->param_count && result == 0; i++) {
		if (!used[i])
			result = err_set(e, ERR_INPUT,
					 "%s, line %zu: the SQL does not use the parameter :%s",
					 where, s->params[i].line, s->params[i].name);
	}
	free(used);
	return result;
}
