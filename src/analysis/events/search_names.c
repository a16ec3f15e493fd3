/* Which kinds of events have a name that is looked for? */
#include "analysis/events/search_names.h"

#include "analysis/analysis.h"
#include "trace/strings.h"
#include "trace/system/labels.h"

#include <stdlib.h>

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
