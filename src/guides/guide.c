/* Which guides are there, and what are their parts about? */
#include "guides/guide.h"

#include "guides/guide_lines.h"

const struct guide *guide_at(size_t i)
{
	return i < guide_count ? &guides[i] : NULL;
}

const struct guide *guide_find(const char *name)
{
	for (size_t i = 0; i < guide_count; i++) {
		if (strcmp(guides[i].name, name) == 0)
			return &guides[i];
	}
	return NULL;
}

/* Whether the word is one of those that the characters of `between` separate. */
static bool lists(const char *list, const char *between, const char *word)
{
	while (*list) {
		const struct str next = {list, strcspn(list, between)};

		if (str_eq_any_case(next, word))
			return true;
		list += next.len;
		list += strspn(list, between);
	}
	return false;
}

const struct guide *guide_about(const char *word)
{
	for (size_t i = 0; i < guide_count; i++) {
		if (lists(guides[i].name, "-", word) || lists(guides[i].keywords, ", ", word))
			return &guides[i];
	}
	return NULL;
}

bool guide_next_section(struct str *rest, struct guide_section *ret)
{
	struct guide_lines lines = {.rest = *rest};
	struct guide_line line;
	bool begun = false;

	if (!rest->len)
		return false;
	*ret = (struct guide_section){.text = {rest->s, 0}};
	for (struct str before = lines.rest; guide_next_line(&lines, &line); before = lines.rest) {
		if (line.kind == LINE_HEADING && begun) {
			*rest = before;
			ret->text.len = (size_t)(before.s - ret->text.s);
			return true;
		}
		if (line.kind == LINE_HEADING) {
			ret->heading = line.text;
			ret->text.s = lines.rest.s;
		}
		begun |= line.kind != LINE_BLANK;
	}
	ret->text.len = (size_t)(lines.rest.s - ret->text.s);
	*rest = lines.rest;
	return begun;
}
