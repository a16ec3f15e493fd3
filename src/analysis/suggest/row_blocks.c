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
		to->names[to->count++] = ev->name[i];
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
