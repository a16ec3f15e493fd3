/* How do checks of kernels whose short names are the same look different? */
#include "base/mem.h"
#include "base/sort.h"
#include "gate/checks.h"
#include "report/tell_apart.h"

#include <string.h>

static int by_brief(const void *p, const void *q, void *ctx)
{
	const struct gate_check *a = *(struct gate_check *const *)p,
				*b = *(struct gate_check *const *)q;

	(void)ctx;
	return strcmp(a->brief, b->brief);
}

/* Names as whole as they are tell what words do. */
static void tell_group(struct arena *arena, struct gate_check **checks, size_t count)
{
	SCOPED struct str *names = mem_alloc(count, sizeof(*names));
	SCOPED const char **texts = mem_alloc(count, sizeof(*texts));

	for (size_t i = 0; i < count; i++)
		names[i] = str_of(checks[i]->id);
	tell_apart(names, count, arena, texts);
	for (size_t i = 0; i < count; i++) {
		if (texts[i][0])
			checks[i]->brief =
				arena_printf(arena, "%s [%s]", checks[i]->brief, texts[i]);
	}
}

void gate_tell_apart(struct gate *g)
{
	SCOPED struct gate_check **all = mem_alloc(g->count, sizeof(void *));

	for (size_t i = 0; i < g->count; i++)
		all[i] = &g->all[i];
	sort_stable(all, g->count, sizeof(void *), by_brief, NULL);
	for (size_t i = 0, end; i < g->count; i = end) {
		for (end = i; end < g->count && strcmp(all[i]->brief, all[end]->brief) == 0; end++)
			;
		if (end - i > 1)
			tell_group(&g->arena, &all[i], end - i);
	}
}
