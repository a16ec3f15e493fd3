/* What does --type say? */
#include "analysis/events/search_types.h"

#include "analysis/analysis.h"
#include "base/buf.h"

const char *search_type_word(unsigned type)
{
	return type == SEARCH_THREAD   ? "thread"
	       : type == SEARCH_STREAM ? "stream"
	       : type < EVENT_TYPES    ? event_type_words[type]
				       : NULL;
}

static int refuse(struct str word, struct err *e)
{
	struct buf words = {0};
	int result;

	for (unsigned i = 0; i < SEARCH_TYPES; i++)
		buf_addf(&words, "%s%s", i ? ", " : "", search_type_word(i));
	err_set(e, ERR_USAGE, "unknown event type '%.*s'", (int)(word.len < 80 ? word.len : 80),
		word.s);
	result = err_hint(e, "%s", words.s);
	buf_free(&words);
	return result;
}

static int add_type(unsigned *types, struct str word, struct err *e)
{
	const char *known;

	for (unsigned i = 0; (known = search_type_word(i)); i++) {
		if (str_eq(word, str_of(known))) {
			*types |= 1u << i;
			return 0;
		}
	}
	return refuse(word, e);
}

int search_types_parse(const char *text, unsigned *ret, struct err *e)
{
	*ret = text ? 0 : (1u << SEARCH_TYPES) - 1;
	while (text) {
		const char *comma = strchrnul(text, ',');

		if (add_type(ret, (struct str){text, (size_t)(comma - text)}, e) < 0)
			return -1;
		text = *comma ? comma + 1 : NULL;
	}
	return 0;
}

unsigned search_types_kinds(unsigned types)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < EVENT_TYPES; i++)
		bits |= types & 1u << i ? NEEDS(event_type_kind((enum event_type)i)) : 0;
	return bits;
}
