/* What is a search for: what does --type say, and does any event have such a name? */
#include "analysis/events/search_types.h"

#include "analysis/analysis.h"
#include "base/buf.h"
#include "trace/strings.h"
#include "trace/system/labels.h"

#include <stdlib.h>

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
		bits |= types & 1u << i ? NEEDS(i == EVENT_TYPE_MARK ? TRACE_NVTX : i) : 0;
	return bits;
}

/* As it is shown: a call without its version. */
static struct str shown_name(const struct trace *t, enum trace_kind kind, size_t number)
{
	struct str name = trace_name(t, number < t->names.count ? (uint32_t)number : NAME_NONE);

	return kind == TRACE_API ? label_api(name) : name;
}

static int any_is_meant(struct trace *t, enum trace_kind kind, struct pattern *pattern,
			const uint8_t *met, struct err *e)
{
	int found = 0;

	for (size_t i = 0; found == 0 && i < names_used_size(t); i++) {
		if (met[i])
			found = pattern_match(pattern, shown_name(t, kind, i), e);
	}
	return found;
}

int search_drop_strangers(struct trace *t, enum trace_kind kind, struct pattern *pattern,
			  const uint8_t *met, unsigned *kinds, struct err *e)
{
	uint8_t *own = NULL;
	int found;

	if (!(*kinds & NEEDS(kind)))
		return 0;
	found = met ? 0 : names_used(t, kind, &own, e);
	if (found == 0)
		found = any_is_meant(t, kind, pattern, met ? met : own, e);
	free(own);
	if (found == 0)
		*kinds &= ~NEEDS(kind);
	return found < 0 ? -1 : 0;
}
