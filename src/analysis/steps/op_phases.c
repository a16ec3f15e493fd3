/* Which phase does each GPU op belong to? */
#include "analysis/steps/op_phases.h"

#include "base/mem.h"
#include "trace/ranges/range_paths.h"

#include <stdlib.h>

static int name_phases(struct op_phases *o, struct err *e)
{
	const struct strtab *names = &o->phases.names.names;

	o->phases.of_name = mem_alloc(names->count, sizeof(*o->phases.of_name));
	for (size_t i = 0; i < names->count; i++) {
		if (phase_map_find(&o->map, range_name_shown(names->items[i]),
				   &o->phases.of_name[i], e) < 0)
			return -1;
		o->found |= o->phases.of_name[i] != PHASE_NONE;
	}
	return 0;
}

int op_phases_make(struct trace *t, const char *path, struct op_phases *ret, struct err *e)
{
	*ret = (struct op_phases){0};
	if (phase_map_read(&ret->map, path, e) < 0 ||
	    range_names_read(t, &ret->phases.names, e) < 0 || name_phases(ret, e) < 0)
		return -1;
	return phase_calls_make(t, &ret->phases, &ret->calls, e);
}

void op_phases_free(struct op_phases *o)
{
	phase_calls_free(&o->calls);
	range_names_free(&o->phases.names);
	phase_map_free(&o->map);
	free(o->phases.of_name);
	*o = (struct op_phases){0};
}
