/* Does the program itself use these words? */
#include "llm/outgoing/own_words.h"

#include "text/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

enum { LONGEST_WORD = 63 };

static int compare(const void *word, const void *entry)
{
	return strcmp(word, *(const char *const *)entry);
}

static bool is_own(const char *word, size_t len)
{
	char small[LONGEST_WORD + 1];

	if (len > LONGEST_WORD)
		return false;
	for (size_t i = 0; i < len; i++)
		small[i] = (char)tolower((unsigned char)word[i]);
	small[len] = '\0';
	return bsearch(small, own_words, own_word_count, sizeof(*own_words), compare);
}

/* Marks that its sentences have: "µs", "…", "–", "×", arrows. */
static bool is_mark(uint32_t c)
{
	return (c >= 0xa0 && c <= 0xbf) || c == 0xd7 || c == 0x3bc || (c >= 0x2000 && c < 0x2c00);
}

bool own_words_are_all(struct str text)
{
	for (size_t i = 0; i < text.len;) {
		const struct str rest = {text.s + i, text.len - i};
		uint32_t c = 0;
		size_t len = 1;

		if ((unsigned char)rest.s[0] >= 0x80) {
			len = utf8_decode(rest, &c);
			if (!len || !is_mark(c))
				return false;
		} else if (isalpha((unsigned char)rest.s[0])) {
			while (len < rest.len && isalpha((unsigned char)rest.s[len]))
				len++;
			if (!is_own(rest.s, len))
				return false;
		}
		i += len;
	}
	return true;
}
