/* Which kernels come again and again within one stretch? */
#include "analysis/suggest/row_blocks.h"

#include "analysis/steps/kernel_period.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	LEAST_BLOCKS = 3,
	LEAST_KERNELS = 3,	/* of a block: fewer are one operator, called often */
	MOST_LOOKED_AT = 20000, /* kernels of a stretch: more of them show no more */
};

/*
 * A compiler writes kernels for one place each, and numbers them: triton_per_fused_add_mul_7 of a
 * layer is triton_per_fused_add_mul_9 of the next. What they are alike in is the kind: pointwise,
 * or one of the reductions.
 */
static const char *const compiled_kinds[] = {"triton_poi_fused", "triton_red_fused",
					     "triton_per_fused", "triton_tem_fused"};

/* The name that stands for all of its kind: the first that was met; else itself. */
struct alike {
	uint32_t first[ARRAY_LEN(compiled_kinds)];
};

static uint32_t name_alike(struct alike *a, const struct trace *t, uint32_t name)
{
	const struct str text = trace_name(t, name);

	for (size_t i = 0; i < ARRAY_LEN(compiled_kinds); i++) {
		if (!str_starts(text, compiled_kinds[i]))
			continue;
		if (a->first[i] == NAME_NONE)
			a->first[i] = name;
		return a->first[i];
	}
	return name;
}

/* The kernels of one row's first stretch, in any order. */
struct sequence {
	int64_t *at_ns;
	uint32_t *names;
	size_t count, at_cap, name_cap;
};

static void take_kernels(const struct launched *l, const struct stretches *s, struct sequence *all)
{
	const struct events *ev = &l->trace->events[TRACE_KERNELS];
	const struct launches *at = &l->at.launches;
	struct alike alike;

	for (size_t i = 0; i < ARRAY_LEN(alike.first); i++)
		alike.first[i] = NAME_NONE;
	for (uint64_t i = 0; at->kinds & 1u << TRACE_KERNELS && ev->name && i < ev->count; i++) {
		const uint32_t launch = at->launch_of_op[at->begin[TRACE_KERNELS] + i];
		const uint32_t row = launch == LAUNCH_NONE ? ROW_NONE : s->row_of_launch[launch];
		struct sequence *to = row == ROW_NONE ? NULL : &all[row];
		struct api_call call;

		if (!to || to->count == MOST_LOOKED_AT ||
		    !launches_earliest_call(at, launch, &call) ||
		    launches_origin(at, &call).thread != s->rows[row].thread ||
		    call.start_ns < s->rows[row].first.start_ns ||
		    call.start_ns > s->rows[row].first.end_ns)
			continue;
		MEM_GROW(to->at_ns, to->at_cap, to->count + 1);
		MEM_GROW(to->names, to->name_cap, to->count + 1);
		to->at_ns[to->count] = call.start_ns;
		to->names[to->count++] = name_alike(&alike, l->trace, ev->name[i]);
	}
}

static struct row_blocks find_blocks(const struct sequence *s)
{
	uint32_t *order = sort_new_order(s->at_ns, s->count);
	uint32_t *names = mem_alloc(s->count, sizeof(*names));
	struct kernel_period period = {0};
	struct row_blocks blocks = {0};

	for (size_t i = 0; i < s->count; i++)
		names[i] = s->names[order[i]];
	if (kernel_period_find(names, s->count, &period) && period.count >= LEAST_BLOCKS &&
	    period.length >= LEAST_KERNELS)
		blocks = (struct row_blocks){period.count, period.length};
	free(period.steps);
	free(names);
	free(order);
	return blocks;
}

struct row_blocks *row_blocks_find(const struct launched *l, const struct stretches *s)
{
	struct sequence *all = mem_zalloc(s->count, sizeof(*all));
	struct row_blocks *blocks = mem_zalloc(s->count, sizeof(*blocks));

	take_kernels(l, s, all);
	for (size_t i = 0; i < s->count; i++) {
		if (all[i].count >= LEAST_BLOCKS * LEAST_KERNELS)
			blocks[i] = find_blocks(&all[i]);
		free(all[i].at_ns);
		free(all[i].names);
	}
	free(all);
	return blocks;
}
