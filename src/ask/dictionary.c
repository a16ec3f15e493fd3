/* What is meant by what people say? */
#include "ask/dictionary.h"

#include "base/mem.h"

enum { LONGEST_PHRASE = 6 };

#define SAID(said, meant) {said, meant},
static const struct entry phrases[] = {
#include "ask/dictionary.def"
};
static const struct entry chinese[] = {
#include "ask/dictionary_chinese.def"
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

const struct entry *dictionary_find(const char *const *words, size_t count, size_t *ret_used)
{
	const struct entry *found = NULL;

	*ret_used = 0;
	for (size_t i = 0; count && i < ARRAY_LEN(phrases); i++) {
		/* Most differ in the first letter. */
		if (phrases[i].said[0] != words[0][0])
			continue;
		const size_t used = match(phrases[i].said, words,
					  count < LONGEST_PHRASE ? count : LONGEST_PHRASE);

		if (used > *ret_used) {
			*ret_used = used;
			found = &phrases[i];
		}
	}
	return found;
}

const struct entry *dictionary_find_text(struct str text)
{
	const struct entry *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(chinese); i++) {
		if (str_starts(text, chinese[i].said) &&
		    (!found || strlen(chinese[i].said) > strlen(found->said)))
			found = &chinese[i];
	}
	return found;
}

const char *dictionary_said_at(size_t i)
{
	return i < ARRAY_LEN(phrases) ? phrases[i].said : NULL;
}
