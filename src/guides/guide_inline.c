/* How does a link look where nobody can click on it? */
#include "guides/guide_inline.h"

/* "[text](target)" at the beginning of s: its length, or 0. */
static size_t find_link(struct str s, struct str *ret_text, struct str *ret_target)
{
	const char *middle = memmem(s.s, s.len, "](", 2), *end;

	if (s.s[0] != '[' || !middle || memchr(s.s + 1, '[', (size_t)(middle - s.s - 1)))
		return 0;
	end = memchr(middle, ')', s.len - (size_t)(middle - s.s));
	if (!end)
		return 0;
	*ret_text = (struct str){s.s + 1, (size_t)(middle - s.s - 1)};
	*ret_target = (struct str){middle + 2, (size_t)(end - middle - 2)};
	return (size_t)(end + 1 - s.s);
}

/* Another guide stands in the same folder. Pages elsewhere are called what the text says. */
static void add_target(struct buf *b, struct str target)
{
	if (str_starts(target, "https:"))
		buf_addf(b, " (%.*s)", STR_FMT(target));
	else if (str_ends(target, ".md") && !memchr(target.s, '/', target.len))
		buf_addf(b, " (gpuwhy help %.*s)", (int)target.len - 3, target.s);
}

void guide_add_inline(struct buf *b, struct str s)
{
	while (s.len) {
		struct str text, target;
		const size_t link = find_link(s, &text, &target);

		if (link) {
			buf_addstr(b, text);
			add_target(b, target);
		} else {
			buf_addc(b, s.s[0]);
		}
		s.s += link ? link : 1;
		s.len -= link ? link : 1;
	}
}
