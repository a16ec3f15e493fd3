/* How does a sentence read whatever the names in it are? */
#include "text/prose.h"

#include "text/utf8.h"

enum { MOST_NAME = 300, HEAD = 200, TAIL = 60 };

static void add_seen(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.len;) {
		const struct str rest = {text.s + i, text.len - i};
		uint32_t c = 0;
		const size_t len = utf8_decode(rest, &c);

		if (!len || c == '\n' || !utf8_is_unseen(c))
			buf_add(b, rest.s, len ? len : 1);
		i += len ? len : 1;
	}
}

/* No character is cut in two. */
static size_t begin_of_character(struct str s, size_t at)
{
	while (at > 0 && at < s.len && ((unsigned char)s.s[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* What is between backticks there, with these; or a word. */
static size_t name_length(struct str text)
{
	const char *end = text.s[0] == '`' ? memchr(text.s + 1, '`', text.len - 1) : NULL;
	size_t len = 1;

	if (end)
		return (size_t)(end - text.s) + 1;
	while (len < text.len && !strchr(" \n`", text.s[len]))
		len++;
	return len;
}

void prose_add(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.len;) {
		const struct str rest = {text.s + i, text.len - i};
		const struct str name = {rest.s, name_length(rest)};

		if (name.len > MOST_NAME) {
			const size_t tail = begin_of_character(name, name.len - TAIL);

			add_seen(b, (struct str){name.s, begin_of_character(name, HEAD)});
			buf_adds(b, "…");
			add_seen(b, (struct str){name.s + tail, name.len - tail});
		} else {
			add_seen(b, name);
		}
		i += name.len;
	}
}
