/* What of a text does a person see? */
#include "llm/outgoing/clean_text.h"

#include "base/mem.h"
#include "text/utf8.h"

#include <ctype.h>

/* What a model reads and nobody sees; lines stay. */
static bool is_unseen(uint32_t c)
{
	return c != '\n' && utf8_is_unseen(c);
}

/* "\u200b" as a text: so a character that is not seen comes from the tools. Its length, or 0. */
static size_t escape_length(struct str s)
{
	uint32_t c = 0;
	size_t i = 2;

	if (!str_starts(s, "\\u"))
		return 0;
	for (; i < s.len && i < 7 && isxdigit((unsigned char)s.s[i]); i++)
		c = c * 16 + (uint32_t)(isdigit((unsigned char)s.s[i])
						? s.s[i] - '0'
						: tolower((unsigned char)s.s[i]) - 'a' + 10);
	/* Four digits, or five where these are a character beyond. */
	if (i == 7 && !is_unseen(c)) {
		c >>= 4;
		i--;
	}
	return i >= 6 && (is_unseen(c) || c == '\n') ? i : 0;
}

void clean_text_add(struct buf *b, struct str text, size_t most)
{
	const size_t begin = b->len;

	for (size_t i = 0; i < text.len;) {
		const struct str rest = {text.s + i, text.len - i};
		const size_t escape = escape_length(rest);
		uint32_t c = 0;
		const size_t len = escape ? escape : utf8_decode(rest, &c);

		if (b->len - begin + len > most) {
			buf_adds(b, "…");
			return;
		}
		/* Digits are digits in any script. */
		if (c >= 0x80 && utf8_digit(c) >= 0)
			buf_addc(b, (char)('0' + utf8_digit(c)));
		else if (len && !escape && !is_unseen(c))
			buf_add(b, rest.s, len);
		i += len ? len : 1;
	}
}
