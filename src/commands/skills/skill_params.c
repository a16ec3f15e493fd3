/* What value does a parameter have, and do a skill's comment and its SQL speak of the same ones? */
#include "commands/skills/skill_file.h"

#include "base/buf.h"
#include "base/mem.h"
#include "text/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const struct {
	const char *name, *help;
} types[SKILL_TYPES] = {
	[SKILL_INT] = {"int", "a whole number"},  [SKILL_REAL] = {"real", "a number"},
	[SKILL_TEXT] = {"text", "a text"},	  [SKILL_BOOL] = {"bool", "true or false"},
	[SKILL_SECONDS] = {"seconds", "seconds"},
};

const char *skill_type_name(enum skill_type type)
{
	return types[type].name;
}

const char *skill_type_help(enum skill_type type)
{
	return types[type].help;
}

static bool whole(const char *s, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(s, &end, 10);
	return (s[0] == '-' || (s[0] >= '0' && s[0] <= '9')) && end != s && !*end && !errno;
}

/* 1e-3, too, but neither hexadecimal nor "nan". */
static bool real(const char *s, double *ret)
{
	char *end;

	*ret = strtod(s, &end);
	return end != s && !*end && isfinite(*ret) && strspn(s, "0123456789+-.eE") == strlen(s);
}

static bool truth(const char *s, int64_t *ret)
{
	static const char *const words[] = {"false", "true", "0", "1", "no", "yes"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		*ret = i % 2;
		if (strcmp(s, words[i]) == 0)
			return true;
	}
	return false;
}

static bool seconds(const char *s, int64_t *ret)
{
	double x;

	if (!decimal_is_plain(s) || !real(s, &x) || fabs(x) > 9e9)
		return false;
	*ret = llround(x * 1e9);
	return true;
}

bool skill_value(enum skill_type type, struct str text, struct sql_value *ret)
{
	struct buf copy = {0};
	bool ok;

	if (type == SKILL_TEXT) {
		*ret = (struct sql_value){.type = SQLITE_IS_TEXT, .s = text};
		return true;
	}
	buf_addstr(&copy, text);
	buf_adds(&copy, "");
	ret->type = type == SKILL_REAL ? SQLITE_IS_REAL : SQLITE_IS_INT;
	ok = type == SKILL_REAL	  ? real(copy.s, &ret->r)
	     : type == SKILL_BOOL ? truth(copy.s, &ret->i)
	     : type == SKILL_INT  ? whole(copy.s, &ret->i)
				  : seconds(copy.s, &ret->i);
	ok = ok && strlen(copy.s) == text.len;
	buf_free(&copy);
	return ok;
}

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
