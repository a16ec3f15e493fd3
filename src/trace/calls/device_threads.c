/* Which threads work with a GPU? */
#include "trace/calls/device_threads.h"

#include "base/mem.h"
#include "trace/system/machine.h"

#include <stdlib.h>

static void add_kind(const struct trace *t, const struct launches *l, const struct device_map *map,
		     enum trace_kind kind, uint32_t device, struct device_threads *ret)
{
	const struct events *ev = &t->events[kind];

	for (uint64_t i = 0; ev->device && i < ev->count; i++) {
		struct api_call call;

		if (device_map_of(map, ev, i) == device &&
		    launches_call(l, l->begin[kind] + i, &call))
			ret->launched[launches_origin(l, &call).thread] = true;
	}
}

int device_threads_read(struct trace *t, uint32_t device, struct device_threads *ret, struct err *e)
{
	const unsigned kinds = joinable_kinds(t);
	struct device_map map;
	struct launches l;
	int result = 0;

	*ret = (struct device_threads){0};
	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++)
		result = trace_load(t, (enum trace_kind)kind, COLS_PROCESS_DEVICE, e);
	if (result < 0 || launches_join_kinds(t, kinds, &l, e) < 0)
		return -1;
	if (!launches_found_any(&l)) {
		launches_free(&l);
		return err_set(e, ERR_INPUT,
			       "'%s': calls and ranges have no device, and the threads that "
			       "launched its GPU work are unknown",
			       t->path);
	}
	result = device_map_read(t, &map, e);
	if (result == 0) {
		ret->count = t->thread_keys.count;
		ret->launched = mem_zalloc(ret->count, sizeof(*ret->launched));
		for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
			if (kinds & 1u << kind)
				add_kind(t, &l, &map, (enum trace_kind)kind, device, ret);
		}
		device_map_free(&map);
	}
	launches_free(&l);
	return result;
}

void device_threads_free(struct device_threads *d)
{
	free(d->launched);
	*d = (struct device_threads){0};
}
