/* What value does a parameter have? */
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
