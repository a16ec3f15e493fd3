/* What is each kernel called under :base, :mangled and :nvtx-name? */
#include "analysis/kernel_names.h"

#include "base/mem.h"
#include "trace/ranges/attribution.h"
#include "trace/strings.h"

#include <stdlib.h>

static const uint32_t *plain_names(const struct events *ev, enum naming naming)
{
	/* Old exports have neither; NVIDIA shows the demangled name then, and so do we. */
	if (naming == NAMING_BASE && ev->base_name)
		return ev->base_name;
	if (naming == NAMING_MANGLED && ev->mangled_name)
		return ev->mangled_name;
	return ev->name;
}

struct prefixer {
	struct trace *trace;
	const struct launches *launches;
	struct range_forest forest;
	uint32_t *range_of_launch;
	struct idmap known; /* range's name << 32 | kernel's name → joined name */
};

static uint32_t join_names(struct prefixer *x, uint32_t range, uint32_t kernel)
{
	uint64_t key = (uint64_t)range << 32 | kernel;
	uint32_t joined = idmap_get(&x->known, key);
	struct trace *t = x->trace;

	if (joined != IDMAP_NONE)
		return joined;
	trace_lock(t);
	joined = strings_add_text(t, trace_join_names(t, &t->arena, trace_name(t, range), '/',
						      trace_name(t, kernel)));
	trace_unlock(t);
	return idmap_add(&x->known, key, joined);
}

static uint32_t prefixed(struct prefixer *x, uint64_t kernel, uint32_t name)
{
	uint32_t launch = x->launches->launch_of_op[kernel];
	uint32_t range = launch == LAUNCH_NONE ? RANGE_NONE : x->range_of_launch[launch],
		 range_name;

	if (range == RANGE_NONE)
		return name;
	range_name = x->trace->events[TRACE_NVTX].name[x->forest.ranges[range].row];
	return range_name == NAME_NONE ? name : join_names(x, range_name, name);
}

static int prefix_names(struct trace *t, const struct launches *l, struct kernel_names *n,
			struct err *e)
{
	uint64_t count = t->events[TRACE_KERNELS].count;
	struct prefixer x = {.trace = t, .launches = l};

	if (range_forest_build(t, FOREST_ALL, &x.forest, e) < 0)
		return -1;
	x.range_of_launch = mem_alloc(l->launch_count, sizeof(*x.range_of_launch));
	range_forest_enclose(&x.forest, l, x.range_of_launch);
	n->owned = mem_alloc(count, sizeof(*n->owned));
	for (uint64_t i = 0; i < count; i++)
		n->owned[i] = prefixed(&x, i, n->of_kernel[i]);
	n->of_kernel = n->owned;
	range_forest_free(&x.forest);
	free(x.range_of_launch);
	idmap_free(&x.known);
	return 0;
}

static int join_and_prefix(struct trace *t, struct kernel_names *n, struct err *e)
{
	struct launches l;
	int result;

	if (launches_join(t, TRACE_KERNELS, &l, e) < 0)
		return -1;
	result = prefix_names(t, &l, n, e);
	launches_free(&l);
	return result;
}

int kernel_names_read(struct trace *t, const struct naming_args *n, const struct launches *joined,
		      struct kernel_names *ret, struct err *e)
{
	const enum naming naming = n ? n->naming : NAMING_DEMANGLED;
	uint32_t column = naming == NAMING_BASE	     ? COL_BASE_NAME
			  : naming == NAMING_MANGLED ? COL_MANGLED_NAME
						     : COL_NAME;
	const struct events *ev = &t->events[TRACE_KERNELS];

	*ret = (struct kernel_names){0};
	/* Whoever asks for names also wants times: one scan brings both. */
	if (trace_load(t, TRACE_KERNELS, COL_BIT(column) | COL_BIT(COL_DURATION), e) < 0)
		return -1;
	if (!plain_names(ev, naming) && trace_load(t, TRACE_KERNELS, COL_BIT(COL_NAME), e) < 0)
		return -1;
	ret->of_kernel = plain_names(ev, naming);
	if (!ret->of_kernel)
		return trace_require_column(t, TRACE_KERNELS, COL_NAME, e);
	if (!n || !n->nvtx_name)
		return 0;
	return joined ? prefix_names(t, joined, ret, e) : join_and_prefix(t, ret, e);
}

/* Nobody says them on a command line: see commands/stats.c. */
static const struct option no_options[] = {OPT_END()};
const struct option_group naming_options = {no_options, sizeof(struct naming_args), NULL, NULL};
const struct option_group nvtx_naming_options =
	OPTIONS(struct naming_args, OPT_SAME(naming_options));

void kernel_names_free(struct kernel_names *n)
{
	free(n->owned);
}
