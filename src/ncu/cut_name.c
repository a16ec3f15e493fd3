/* What does ncu call a kernel, where it has left out too much of its name? */
#include "base/buf.h"
#include "ncu/profiled.h"

#include <ctype.h>

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
