/* What is a line of a guide? */
#include "guides/guide_lines.h"

static struct str cut_line(struct str *rest)
{
	const char *end = memchr(rest->s, '\n', rest->len);
	const struct str line = {rest->s, end ? (size_t)(end - rest->s) : rest->len};
	const size_t taken = line.len + (end != NULL);

	*rest = (struct str){rest->s + taken, rest->len - taken};
	return line;
}

static struct str without(struct str line, const char *characters)
{
	while (line.len && strchr(characters, line.s[0])) {
		line.s++;
		line.len--;
	}
	return line;
}

static struct guide_line judge(struct str line)
{
	if (!str_trimmed(line).len)
		return (struct guide_line){LINE_BLANK, {0}};
	if (str_starts(line, "    "))
		return (struct guide_line){LINE_CODE, {line.s + 4, line.len - 4}};
	if (line.s[0] == '#')
		return (struct guide_line){LINE_HEADING, str_trimmed(without(line, "#"))};
	if (line.s[0] == '|')
		return (struct guide_line){LINE_ROW, line};
	if (str_starts(line, "- "))
		return (struct guide_line){LINE_ITEM, {line.s + 2, line.len - 2}};
	return (struct guide_line){LINE_TEXT, str_trimmed(line)};
}

bool guide_next_line(struct guide_lines *l, struct guide_line *ret)
{
	struct str line;
	bool fence;

	if (!l->rest.len)
		return false;
	line = cut_line(&l->rest);
	fence = str_starts(line, "```");
	if (fence)
		*ret = (struct guide_line){LINE_BLANK, {0}};
	else
		*ret = l->fenced ? (struct guide_line){LINE_CODE, line} : judge(line);
	l->fenced ^= fence;
	return true;
}
