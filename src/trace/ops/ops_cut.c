/* Where can the ops be cut in two, so that none runs on both sides? */
#include "base/mem.h"
#include "base/parallel.h"
#include "trace/ops/ops.h"

#include <stdlib.h>

struct cutting {
	const struct ops *ops;
	struct ops_cut *wanted; /* pieces + 1: where they should begin */
	int64_t *latest_ns;	/* by piece: the last end of its ops */
};

static uint64_t row_at(const struct op_lane *l, uint64_t i)
{
	return l->order ? l->order[i] : i;
}

static const struct op_lane *longest_lane(const struct ops *o)
{
	const struct op_lane *longest = &o->lanes[0];

	for (int kind = 1; kind < TRACE_GPU_KINDS; kind++) {
		if (o->lanes[kind].count > longest->count)
			longest = &o->lanes[kind];
	}
	return longest;
}

/*
 * The last quarter of the pieces are a third as large as the others, so that cores that share them
 * out are done at about the same time. Returns where piece i begins, of `count` ops.
 */
static uint64_t piece_begin(uint64_t count, size_t pieces, size_t i)
{
	const size_t large = pieces - pieces / 4, weight = 3;
	const size_t before = i < large ? i * weight : large * weight + (i - large);

	return count / (large * weight + pieces - large) * before;
}

static void find_wanted(struct cutting *c, size_t pieces)
{
	const struct op_lane *longest = longest_lane(c->ops);

	for (size_t i = 0; i <= pieces; i++) {
		uint64_t at = piece_begin(longest->count, pieces, i);
		int64_t at_ns = i && i < pieces ? longest->ev->start_ns[row_at(longest, at)] : 0;

		for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
			const struct op_lane *l = &c->ops->lanes[kind];

			c->wanted[i].next[kind] = !i	       ? 0
						  : i < pieces ? op_lane_before(l, at_ns)
							       : l->count;
		}
	}
}

static void find_latest(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct cutting *c = ctx;

	(void)worker;
	for (size_t piece = begin; piece < end; piece++) {
		int64_t latest = INT64_MIN;

		for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
			const struct op_lane *l = &c->ops->lanes[kind];

			for (uint64_t i = c->wanted[piece].next[kind];
			     i < c->wanted[piece + 1].next[kind]; i++) {
				int64_t end_ns = op_end_ns(l->ev, row_at(l, i));

				latest = end_ns > latest ? end_ns : latest;
			}
		}
		c->latest_ns[piece] = latest;
	}
}

/* From the wanted place on, where nothing runs; false when that is not before the next one. */
static bool find_quiet(const struct cutting *c, size_t piece, int64_t latest_ns,
		       struct ops_cut *ret)
{
	struct ops o = ops_piece(c->ops, &c->wanted[piece], &c->wanted[piece + 1]);
	struct ops_cut at = c->wanted[piece];
	struct op op;

	while (ops_next(&o, &op)) {
		if (op.start_ns >= latest_ns) {
			*ret = at;
			return true;
		}
		latest_ns = op.end_ns > latest_ns ? op.end_ns : latest_ns;
		for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
			at.next[kind] = o.lanes[kind].next;
	}
	return false;
}

size_t ops_cut(const struct ops *o, size_t pieces, struct ops_cut *cuts)
{
	struct cutting c = {.ops = o};
	int64_t latest = INT64_MIN;
	size_t count = 0;

	c.wanted = mem_alloc(pieces + 1, sizeof(*c.wanted));
	c.latest_ns = mem_alloc(pieces, sizeof(*c.latest_ns));
	find_wanted(&c, pieces);
	parallel_each(pieces, 1, find_latest, &c);
	cuts[count++] = c.wanted[0];
	for (size_t i = 1; i < pieces; i++) {
		latest = c.latest_ns[i - 1] > latest ? c.latest_ns[i - 1] : latest;
		if (find_quiet(&c, i, latest, &cuts[count]))
			count++;
	}
	cuts[count] = c.wanted[pieces];
	free(c.wanted);
	free(c.latest_ns);
	return count;
}
