/* Which kinds of events have a name that is looked for? */
#include "analysis/search_names.h"

#include "analysis/analysis.h"
#include "base/mem.h"
#include "trace/labels.h"
#include "trace/names_met.h"

#include <stdlib.h>

/* As it is shown: a call without its version. */
static struct str shown_name(const struct trace *t, enum trace_kind kind, size_t number)
{
	struct str name = trace_name(t, number < t->names.count ? (uint32_t)number : NAME_NONE);

	return kind == TRACE_API ? label_api(name) : name;
}

static int any_is_meant(struct trace *t, enum trace_kind kind, struct pattern *pattern,
			struct err *e)
{
	uint8_t *met;
	int found = names_met(t, kind, &met, e);

	for (size_t i = 0; found == 0 && i <= t->names.count; i++) {
		if (met[i])
			found = pattern_match(pattern, shown_name(t, kind, i), e);
	}
	free(met);
	return found;
}

int search_drop_strangers(struct trace *t, struct pattern *pattern, unsigned *kinds, struct err *e)
{
	static const enum trace_kind named[] = {TRACE_KERNELS, TRACE_API};
	const uint32_t shown = COL_BIT(COL_NAME) | COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
			       COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) | COL_BIT(COL_STREAM) |
			       COL_BIT(COL_CORRELATION);

	if (*kinds & NEEDS(TRACE_KERNELS) && trace_load(t, TRACE_KERNELS, shown, e) < 0)
		return -1;
	for (size_t k = 0; k < ARRAY_LEN(named); k++) {
		int found = *kinds & NEEDS(named[k]) ? any_is_meant(t, named[k], pattern, e) : 1;

		if (found < 0)
			return -1;
		if (!found)
			*kinds &= ~NEEDS(named[k]);
	}
	return 0;
}
