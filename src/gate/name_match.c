/* Is this the name that a rule means? */
#include "gate/name_match.h"

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

/* "reduce_kernel" is each of its instances, as nsys's own short names are. */
static bool is_template_of(const struct name_match *m, const struct leaf *l)
{
	const size_t length = strlen(m->text);
	SCOPED_BUF name = {0};

	if (m->pattern || !op_name_is_kernel(l))
		return false;
	op_name_add_short(&name, l);
	return str_starts(buf_str(&name), m->text) && name.s[length] == '<';
}

int name_matches_op(const struct name_match *m, const struct leaf *l, struct err *e)
{
	SCOPED_BUF name = {0};
	int found = 0;

	for (int alias = 0; alias < OP_ALIASES && !found; alias++) {
		buf_clear(&name);
		if (op_name_add_alias(&name, l, (enum op_alias)alias))
			found = name_matches(m, name.len ? name.s : "", e);
	}
	return found ? found : is_template_of(m, l);
}
