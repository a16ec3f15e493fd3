/* Which functions of the host did nvcc make to launch a kernel? */
#include "trace/code/stubs.h"

#include "base/mem.h"
#include "trace/code/places.h"
#include "trace/strings.h"

#include <stdlib.h>

/* Numbers of the names that kernels have, as functions of the host would be shown. */
static int list_kernels(struct trace *t, struct strtab *ret, struct err *e)
{
	uint8_t *used;
	int result = names_used(t, TRACE_KERNELS, &used, e);

	for (uint32_t i = 0; result == 0 && i < t->names.count; i++) {
		if (used[i])
			strtab_add(ret, function_shown(t->names.items[i]));
	}
	free(used);
	return result;
}

static bool has_native(const struct stacks *s)
{
	for (size_t i = 0; i < s->frame_count; i++) {
		if (s->frames[i].line == LINE_NATIVE)
			return true;
	}
	return false;
}

int stubs_find(struct trace *t, struct stacks *s, struct err *e)
{
	struct strtab kernels = {0};
	size_t count;
	int result;

	if (!has_native(s))
		return 0;
	result = list_kernels(t, &kernels, e);
	s->is_stub = mem_zalloc(s->frame_count, sizeof(*s->is_stub));
	count = kernels.count;
	for (size_t i = 0; result == 0 && i < s->frame_count; i++) {
		const struct frame *f = &s->frames[i];
		struct str name;

		if (f->line != LINE_NATIVE || f->function == NAME_NONE)
			continue;
		name = t->names.items[f->function];
		/* A name that is no kernel's gets a number behind theirs. */
		s->is_stub[i] = str_starts(name, "__device_stub_") ||
				strtab_add(&kernels, function_shown(name)) < count;
	}
	strtab_free(&kernels);
	return result;
}
