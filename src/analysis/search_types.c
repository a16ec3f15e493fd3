/* What does --type say? */
#include "analysis/search_types.h"

#include "analysis/analysis.h"
#include "base/mem.h"

const char *const search_type_words[SEARCH_TYPES] = {
	[SEARCH_KERNEL] = "kernel", [SEARCH_MEMCPY] = "memcpy", [SEARCH_MEMSET] = "memset",
	[SEARCH_GRAPH] = "graph",   [SEARCH_API] = "api",	[SEARCH_RANGE] = "range",
	[SEARCH_MARK] = "mark",	    [SEARCH_THREAD] = "thread", [SEARCH_STREAM] = "stream",
};

static int add_type(unsigned *types, struct str word, struct err *e)
{
	for (int i = 0; i < SEARCH_TYPES; i++) {
		if (str_eq(word, str_of(search_type_words[i]))) {
			*types |= 1u << i;
			return 0;
		}
	}
	err_set(e, ERR_USAGE, "there is no type '%.*s' to look for",
		(int)(word.len < 80 ? word.len : 80), word.s);
	return err_hint(e, "kernel, memcpy, memset, graph, api, range, mark, thread, stream");
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
	static const struct {
		enum search_type type;
		enum trace_kind kind;
	} kinds[] = {
		{SEARCH_KERNEL, TRACE_KERNELS}, {SEARCH_MEMCPY, TRACE_MEMCPYS},
		{SEARCH_MEMSET, TRACE_MEMSETS}, {SEARCH_GRAPH, TRACE_GRAPHS},
		{SEARCH_API, TRACE_API},	{SEARCH_RANGE, TRACE_NVTX},
		{SEARCH_MARK, TRACE_NVTX},
	};
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		bits |= types & 1u << kinds[i].type ? NEEDS(kinds[i].kind) : 0;
	return bits;
}

enum search_type search_type_of(const struct trace *t, struct event_ref at)
{
	static const enum search_type types[TRACE_KINDS] = {
		[TRACE_KERNELS] = SEARCH_KERNEL, [TRACE_MEMCPYS] = SEARCH_MEMCPY,
		[TRACE_MEMSETS] = SEARCH_MEMSET, [TRACE_GRAPHS] = SEARCH_GRAPH,
		[TRACE_API] = SEARCH_API,	 [TRACE_NVTX] = SEARCH_RANGE,
	};
	const struct events *ev = &t->events[at.kind];

	if (at.kind == TRACE_NVTX && ev->event_type && ev->event_type[at.row] == NVTX_MARK)
		return SEARCH_MARK;
	return types[at.kind];
}
