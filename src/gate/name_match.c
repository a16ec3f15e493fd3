/* Is this the name that a rule means? */
#include "gate/name_match.h"

#include "report/kernel_name.h"
#include "text/name_pattern.h"

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?") || name_pattern_is_regex(str_of(text));
}

int name_match_make(struct name_match *ret, const char *text, struct err *e)
{
	*ret = (struct name_match){.text = text};
	return is_pattern(text) ? name_pattern_compile_whole(&ret->pattern, str_of(text), e) : 0;
}

void name_match_free(struct name_match *m)
{
	pattern_free(m->pattern);
	*m = (struct name_match){0};
}

int name_matches(const struct name_match *m, const char *name, struct err *e)
{
	return m->pattern ? pattern_match(m->pattern, str_of(name), e) : strcmp(m->text, name) == 0;
}

int name_matches_kernel(const struct name_match *m, const char *name, struct err *e)
{
	SCOPED_BUF brief = {0};
	const int result = name_matches(m, name, e);

	if (result)
		return result;
	kernel_name_add_short(&brief, str_of(name));
	return brief.len ? name_matches(m, brief.s, e) : 0;
}
