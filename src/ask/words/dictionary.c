/* What is meant by what people say? */
#include "ask/words/dictionary.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdint.h>

enum { LONGEST_PHRASE = 6 };

#define SAID(said, meant) {said, meant},
static const struct entry phrases[] = {
#include "ask/words/dictionary.def"
};
static const struct entry chinese[] = {
#include "ask/words/dictionary_chinese.def"
};
#undef SAID

/* How many of the words the phrase is; 0: it is not what they begin with. */
static size_t match(const char *phrase, const char *const *words, size_t count)
{
	size_t used = 0;

	for (struct str next; (next = str_next_word(&phrase)).len; used++) {
		if (used >= count || !str_eq(next, str_of(words[used])))
			return 0;
	}
	return used;
}

/* Phrases by their first two letters, numbered from 1: the first that begins so, and after each the
 * next. */
static struct {
	uint16_t first[1 << 11], next[ARRAY_LEN(phrases) + 1];
} begins;

static size_t beginning(const char *text)
{
	/* Where a word ends, a phrase has a space. */
	const unsigned char second = text[0] && text[1] != ' ' ? (unsigned char)text[1] : 0;

	return ((unsigned char)text[0] * 31U + second) % ARRAY_LEN(begins.first);
}

static void fill_begins(void)
{
	_Static_assert(ARRAY_LEN(phrases) < UINT16_MAX, "numbers of phrases are short");

	for (size_t i = ARRAY_LEN(phrases); i > 0; i--) {
		uint16_t *first = &begins.first[beginning(phrases[i - 1].said)];

		begins.next[i] = *first;
		*first = (uint16_t)i;
	}
}

const struct entry *dictionary_find(const char *const *words, size_t count, size_t *ret_used)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct entry *found = NULL;

	*ret_used = 0;
	pthread_once(&once, fill_begins);
	for (size_t i = count ? begins.first[beginning(words[0])] : 0; i; i = begins.next[i]) {
		const size_t used = match(phrases[i - 1].said, words,
					  count < LONGEST_PHRASE ? count : LONGEST_PHRASE);

		if (used > *ret_used) {
			*ret_used = used;
			found = &phrases[i - 1];
		}
	}
	return found;
}

const struct entry *dictionary_find_text(struct str text)
{
	const struct entry *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(chinese); i++) {
		if (text.len && text.s[0] == chinese[i].said[0] &&
		    str_starts(text, chinese[i].said) &&
		    (!found || strlen(chinese[i].said) > strlen(found->said)))
			found = &chinese[i];
	}
	return found;
}

const char *dictionary_said_at(size_t i)
{
	return i < ARRAY_LEN(phrases) ? phrases[i].said : NULL;
}
