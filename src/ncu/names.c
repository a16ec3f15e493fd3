/* Which ranges were open around a launch, and what is its kernel called where ncu cuts names? */
#include "base/buf.h"
#include "ncu/profiled.h"

#include <ctype.h>

enum {
	TAIL = 6
}; /* fields behind a range's name: payload, colour and message, type and value each */

/* DOMAIN:NAME:none:none:none:none:none:none, where the name may have colons of its own. */
static struct str range_name(struct str s)
{
	const char *colon = s.len ? memchr(s.s, ':', s.len) : NULL;
	size_t end = s.len;

	if (!colon)
		return s;
	for (int i = 0; i < TAIL; i++) {
		const char *last = memrchr(colon + 1, ':', (size_t)(s.s + end - (colon + 1)));

		if (!last)
			break;
		end = (size_t)(last - s.s);
	}
	return (struct str){colon + 1, (size_t)(s.s + end - (colon + 1))};
}

/* THREAD  "RANGE"  "RANGE" …, the outermost first. */
void profiled_add_nvtx(struct buf *b, struct str text)
{
	size_t at = 0;

	while (at < text.len) {
		const char *open = memchr(text.s + at, '"', text.len - at), *close;
		struct str name;

		if (!open)
			break;
		at = (size_t)(open + 1 - text.s);
		close = memchr(text.s + at, '"', text.len - at);
		if (!close)
			break;
		name = range_name((struct str){text.s + at, (size_t)(close - text.s) - at});
		if (b->len && name.len)
			buf_addc(b, '/');
		buf_addstr(b, name);
		at = (size_t)(close + 1 - text.s);
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "at::<unnamed>::f" is whole; in "f<unnamed>::T>" the bracket is f's own. */
static bool is_cut(struct str name, size_t at)
{
	if (at && name.s[at - 1] == '<')
		return at > 1 && is_word(name.s[at - 2]);
	return !at || !is_word(name.s[at - 1]);
}

void profiled_add_name(struct buf *b, struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		const struct str rest = {name.s + i, name.len - i};

		if (str_starts(rest, "unnamed>::") && is_cut(name, i))
			buf_addc(b, '<');
		buf_addc(b, name.s[i]);
	}
}
