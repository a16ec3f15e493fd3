/* Which ranges were open around a launch? */
#include "ncu/profiled.h"

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
