/* Which values lie in a few ranges? */
#include "analysis/numbers/gather.h"

#include "base/parallel.h"

enum { BLOCK = 16 }; /* values that are dismissed at once */

struct gathering {
	const struct offsets *values;
	const struct gather_ranges *in;
	const size_t *begin;
	void *out;
};

/* In as many bits as values have: so many more are compared at once. */
OFFSETS_LOOP bool is_inside(const struct gather_ranges *in, const void *at, bool wide, size_t i)
{
	bool inside = false;

	for (size_t k = 0; k < GATHER_RANGES; k++)
		inside |= wide ? ((const uint64_t *)at)[i] - in->low[k] < in->size[k]
			       : ((const uint32_t *)at)[i] - (uint32_t)in->low[k] <
					  (uint32_t)in->size[k];
	return inside;
}

OFFSETS_LOOP size_t take_block(const struct gathering *g, bool wide, size_t begin, size_t end,
			       size_t next)
{
	for (size_t i = begin; i < end; i++) {
		if (!is_inside(g->in, g->values->at, wide, i))
			continue;
		if (wide)
			((uint64_t *)g->out)[next++] = ((const uint64_t *)g->values->at)[i];
		else
			((uint32_t *)g->out)[next++] = ((const uint32_t *)g->values->at)[i];
	}
	return next;
}

OFFSETS_LOOP void take_some(const struct gathering *g, bool wide, size_t begin, size_t end)
{
	const struct gather_ranges in = *g->in;
	size_t next = g->begin[begin / GATHER_PIECE];

	for (; end - begin >= BLOCK; begin += BLOCK) {
		unsigned any = 0;

		for (size_t i = begin; i < begin + BLOCK; i++)
			any |= is_inside(&in, g->values->at, wide, i);
		if (any)
			next = take_block(g, wide, begin, begin + BLOCK, next);
	}
	take_block(g, wide, begin, end, next);
}

static void take_piece(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct gathering *g = ctx;

	(void)worker;
	if (g->values->wide)
		take_some(g, true, begin, end);
	else
		take_some(g, false, begin, end);
}

void offsets_gather(const struct offsets *values, size_t n, const struct gather_ranges *in,
		    const size_t *begin, void *out)
{
	struct gathering g = {values, in, begin, out};

	parallel_each(n, GATHER_PIECE, take_piece, &g);
}
