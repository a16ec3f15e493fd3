/* Which kinds of events have a name that is looked for? */
#include "analysis/search_names.h"

#include "analysis/analysis.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

struct meeting {
	const struct events *ev;
	size_t names;
	uint8_t *met;
};

static int meet_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct meeting *m = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++) {
		uint8_t *met = &m->met[m->ev->name[i] == NAME_NONE ? m->names : m->ev->name[i]];

		if (!__atomic_load_n(met, __ATOMIC_RELAXED))
			__atomic_store_n(met, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

/* Names that rows of a kind have, by number; the last stands for none. */
static uint8_t *names_met(const struct trace *t, const struct events *ev)
{
	struct meeting m = {ev, t->names.count, mem_zalloc(t->names.count + 1, 1)};
	struct err never;

	if (ev->name)
		parallel_for(ev->count, PARALLEL_ROWS, meet_some, &m, &never);
	return m.met;
}

static int any_is_meant(const struct trace *t, const uint8_t *met, struct pattern *pattern,
			struct err *e)
{
	int found = 0;

	for (size_t i = 0; i <= t->names.count && found == 0; i++) {
		uint32_t name = i < t->names.count ? (uint32_t)i : NAME_NONE;

		if (met[i])
			found = pattern_match(pattern, trace_name(t, name), e);
	}
	return found;
}

int search_drop_strangers(struct trace *t, struct pattern *pattern, unsigned *kinds, struct err *e)
{
	static const struct {
		enum trace_kind kind;
		uint32_t columns;
	} named[] = {
		{TRACE_KERNELS, COL_BIT(COL_NAME) | COL_BIT(COL_START) | COL_BIT(COL_DURATION) |
					COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) |
					COL_BIT(COL_STREAM) | COL_BIT(COL_CORRELATION)},
		{TRACE_API, COL_BIT(COL_NAME)},
	};

	for (size_t k = 0; k < ARRAY_LEN(named); k++) {
		enum trace_kind kind = named[k].kind;
		uint8_t *met;
		int found;

		if (!(*kinds & NEEDS(kind)))
			continue;
		if (trace_load(t, kind, named[k].columns, e) < 0)
			return -1;
		met = names_met(t, &t->events[kind]);
		found = any_is_meant(t, met, pattern, e);
		free(met);
		if (found < 0)
			return -1;
		if (!found)
			*kinds &= ~NEEDS(kind);
	}
	return 0;
}
