/* Does this ncu have the sections that are asked for? */
#include "commands/inspect/inspect.h"
#include "input/ask.h"
#include "text/pattern.h"

#include <ctype.h>

#define OPERATOR "regex:"

/* An identifier, or an expression of some. */
static int check_word(const char *name, struct err *e)
{
	struct pattern *compiled = NULL;
	int result;

	if (str_starts(str_of(name), OPERATOR)) {
		result = pattern_compile(&compiled, str_of(name + strlen(OPERATOR)), 0, e);
		pattern_free(compiled);
		return result < 0 ? err_wrap(e, "--section '%s'", name) : 0;
	}
	for (const char *at = name; *at; at++) {
		if (isalnum((unsigned char)*at) || *at == '_')
			continue;
		err_set(e, ERR_USAGE, "--section takes the identifier of a section, not '%s'",
			name);
		return err_hint(e, "ncu --list-sections lists them; give --section once for each");
	}
	return 0;
}

int inspect_check_section_names(const struct inspection *x, struct err *e)
{
	for (size_t i = 0; i < x->settings.section_count; i++) {
		if (check_word(x->settings.sections[i], e) < 0)
			return -1;
	}
	return 0;
}

/* The identifier at the beginning of a line of the list, which goes on from *at; false: its end. */
static bool next_section(const char **at, struct str *ret)
{
	while (**at) {
		*ret = (struct str){*at, strcspn(*at, " \t\r\n")};
		*at += strcspn(*at, "\n");
		*at += **at == '\n';
		if (ret->len && isalpha((unsigned char)ret->s[0]))
			return true;
	}
	return false;
}

static bool is_listed(const char *list, const char *name)
{
	struct str section;

	while (next_section(&list, &section)) {
		if (str_eq(section, str_of(name)))
			return true;
	}
	return false;
}

static int refuse_section(const char *list, const char *name, struct err *e)
{
	SCOPED_BUF names = {0};
	struct str section;

	while (next_section(&list, &section)) {
		if (!str_eq(section, STR_LIT("Identifier")))
			buf_addf(&names, "%s%.*s", names.len ? ", " : "", STR_FMT(section));
	}
	err_set(e, ERR_USAGE, "this ncu has no section '%s'", name);
	return err_hint(e, "it has: %.900s", names.s);
}

int inspect_check_sections(const struct inspection *x, struct err *e)
{
	char *argv[] = {(char *)x->ncu, "--list-sections", NULL};
	SCOPED_BUF list = {0};

	if (!x->settings.section_count)
		return 0;
	/* One that answers otherwise is left to judge for itself. */
	if (!ask_program(argv, &list) || !is_listed(buf_str(&list).s, "LaunchStats"))
		return 0;
	for (size_t i = 0; i < x->settings.section_count; i++) {
		const char *name = x->settings.sections[i];

		if (!str_starts(str_of(name), OPERATOR) && !is_listed(list.s, name))
			return refuse_section(list.s, name, e);
	}
	return 0;
}
