/* Which paths may a page lead to? */
#include "report/html/html_page_link.h"

#include <ctype.h>

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* "ranks/rank_3.html": no scheme, no host, no way up. */
static bool is_ours(struct str path)
{
	static const struct str end = STR_LIT(".html");
	const size_t stem = path.len > end.len ? path.len - end.len : 0;

	if (!stem || memcmp(path.s + stem, end.s, end.len) != 0)
		return false;
	for (size_t i = 0; i < stem; i++) {
		if (!is_plain(path.s[i]) && !(path.s[i] == '/' && i && path.s[i - 1] != '/'))
			return false;
	}
	return true;
}

void html_begin_link(struct buf *b, struct str path)
{
	if (!is_ours(path))
		return;
	buf_adds(b, "<a href=\"");
	buf_addstr(b, path);
	buf_adds(b, "\">");
}

void html_end_link(struct buf *b, struct str path)
{
	if (is_ours(path))
		buf_adds(b, "</a>");
}
