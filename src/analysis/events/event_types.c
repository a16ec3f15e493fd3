/* What is an event called that is a row of this kind? */
#include "analysis/events/event_types.h"

const char *const event_type_words[EVENT_TYPES + 1] = {
	[EVENT_TYPE_KERNEL] = "kernel", [EVENT_TYPE_MEMCPY] = "memcpy",
	[EVENT_TYPE_MEMSET] = "memset", [EVENT_TYPE_GRAPH] = "graph",
	[EVENT_TYPE_API] = "api",	[EVENT_TYPE_RANGE] = "range",
	[EVENT_TYPE_MARK] = "mark",
};

enum event_type event_type_of(const struct trace *t, struct event_ref at)
{
	static const enum event_type types[TRACE_KINDS] = {
		[TRACE_KERNELS] = EVENT_TYPE_KERNEL, [TRACE_MEMCPYS] = EVENT_TYPE_MEMCPY,
		[TRACE_MEMSETS] = EVENT_TYPE_MEMSET, [TRACE_GRAPHS] = EVENT_TYPE_GRAPH,
		[TRACE_API] = EVENT_TYPE_API,	     [TRACE_NVTX] = EVENT_TYPE_RANGE,
	};
	const struct events *ev = &t->events[at.kind];

	if (at.kind == TRACE_NVTX && ev->event_type && ev->event_type[at.row] == NVTX_MARK)
		return EVENT_TYPE_MARK;
	return types[at.kind];
}

enum trace_kind event_type_kind(enum event_type type)
{
	static const enum trace_kind kinds[EVENT_TYPES] = {
		[EVENT_TYPE_KERNEL] = TRACE_KERNELS, [EVENT_TYPE_MEMCPY] = TRACE_MEMCPYS,
		[EVENT_TYPE_MEMSET] = TRACE_MEMSETS, [EVENT_TYPE_GRAPH] = TRACE_GRAPHS,
		[EVENT_TYPE_API] = TRACE_API,	     [EVENT_TYPE_RANGE] = TRACE_NVTX,
		[EVENT_TYPE_MARK] = TRACE_NVTX,
	};

	return kinds[type];
}
