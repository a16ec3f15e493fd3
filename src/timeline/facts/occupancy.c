/* How many warps of a kernel fit on an SM? */
#include "timeline/facts/occupancy.h"

enum {
	WARP_THREADS = 32,
	BLOCK_MOST = 1024, /* threads */
	SM_PARTS = 4,	   /* each with its own registers */
	REGISTERS_AT_ONCE = 256,
	REGISTERS_MOST = 255, /* of a thread */
	LIMIT_MOST = 1 << 28, /* no GPU has more of anything */
};

static int64_t round_up(int64_t value, int64_t step)
{
	return (value + step - 1) / step * step;
}

/* Warps of a block; 0: its size is not known, or none that a block can have. */
static int64_t block_warps(const int64_t block[3])
{
	int64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		if (block[i] < 1 || block[i] > BLOCK_MOST)
			return 0;
		threads *= block[i];
	}
	return threads > BLOCK_MOST ? 0 : round_up(threads, WARP_THREADS) / WARP_THREADS;
}

static bool is_sane(int64_t value, int64_t least, int64_t most)
{
	return value >= least && value <= most;
}

static bool are_limits_known(const struct gpu *g)
{
	return g->compute_major >= 7 && is_sane(g->sm_warps, 1, LIMIT_MOST) &&
	       is_sane(g->sm_blocks, 1, LIMIT_MOST) && is_sane(g->sm_registers, 1, LIMIT_MOST) &&
	       is_sane(g->sm_smem_bytes, 1, LIMIT_MOST);
}

/* Each part of an SM holds whole warps. */
static int64_t blocks_by_registers(const struct gpu *g, int64_t registers, int64_t warps)
{
	const int64_t of_warp = round_up(registers * WARP_THREADS, REGISTERS_AT_ONCE);

	return g->sm_registers / SM_PARTS / of_warp * SM_PARTS / warps;
}

/* From compute capability 8 on the system keeps a part of each block's for itself. */
static int64_t blocks_by_smem(const struct gpu *g, int64_t bytes)
{
	const bool is_new = g->compute_major >= 8;
	const int64_t taken = round_up(bytes + (is_new ? 1024 : 0), is_new ? 128 : 256);

	return taken ? g->sm_smem_bytes / taken : INT64_MAX;
}

static void limit(struct occupancy *o, int64_t blocks, const char *by)
{
	if (blocks >= o->sm_blocks)
		return;
	o->sm_blocks = blocks;
	o->limited_by = by;
}

void occupancy_find(const struct gpu *gpu, const struct launch_shape *s, struct occupancy *ret)
{
	const int64_t warps = block_warps(s->block);

	*ret = (struct occupancy){0};
	if (!gpu || !are_limits_known(gpu) || !warps || !is_sane(s->registers, 1, REGISTERS_MOST) ||
	    !is_sane(s->static_smem_bytes, 0, LIMIT_MOST) ||
	    !is_sane(s->dynamic_smem_bytes, 0, LIMIT_MOST))
		return;
	*ret = (struct occupancy){.is_known = true, .sm_blocks = INT64_MAX};
	limit(ret, gpu->sm_warps / warps, "warps");
	limit(ret, gpu->sm_blocks, "blocks");
	limit(ret, blocks_by_registers(gpu, s->registers, warps), "registers");
	limit(ret, blocks_by_smem(gpu, s->static_smem_bytes + s->dynamic_smem_bytes),
	      "shared memory");
	ret->pct = 100 * (double)(ret->sm_blocks * warps) / (double)gpu->sm_warps;
}
