/* How do numbers of rows that lie near one another take half the room, and are still found at once?
 */
#include "base/packed_ids.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
	CODE_BITS = 16,
	FEWEST_BITS = 14, /* the others tell PACKED_BASES bases apart */
};

_Static_assert(1 << (CODE_BITS - FEWEST_BITS) == PACKED_BASES, "a code can name each base");

static uint32_t largest(const uint32_t *ids, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++)
		most = ids[i] > most ? ids[i] : most;
	return most;
}

/* Of those from a number on; there is one. */
static uint32_t least_from(const uint32_t *ids, size_t count, uint32_t from)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < count; i++)
		least = ids[i] >= from && ids[i] < least ? ids[i] : least;
	return least;
}

static size_t base_count(uint32_t bits)
{
	return (size_t)1 << (CODE_BITS - bits);
}

/* Ascending: each the least that those before do not reach; one too many is that before it. */
static bool find_bases(const uint32_t *ids, size_t count, uint32_t bits, struct packed_block *ret)
{
	const uint32_t last = largest(ids, count);
	uint64_t reached = 0;

	*ret = (struct packed_block){.bits = bits};
	for (size_t k = 0; k < base_count(bits); k++) {
		ret->bases[k] = reached <= last ? least_from(ids, count, (uint32_t)reached)
						: ret->bases[k - 1];
		reached = (uint64_t)ret->bases[k] + (UINT64_C(1) << bits);
	}
	return reached > last;
}

/* Few bases, each of which reaches far, or more of them. */
static void choose_bases(const uint32_t *ids, size_t count, struct packed_block *ret)
{
	for (uint32_t bits = CODE_BITS; bits >= FEWEST_BITS; bits--) {
		if (find_bases(ids, count, bits, ret))
			return;
	}
	*ret = (struct packed_block){0};
}

static uint16_t code_of(const struct packed_block *b, uint32_t id)
{
	size_t at = 0;

	for (size_t k = 1; k < base_count(b->bits); k++)
		at += b->bases[k] <= id;
	return (uint16_t)(at << b->bits | (id - b->bases[at]));
}

struct packing {
	struct packed_ids *packed;
	const uint32_t *ids;
};

/* Where a block ends. */
static size_t end_of(const struct packed_ids *p, size_t block)
{
	const size_t end = (block + 1) * PACKED_BLOCK;

	return end < p->count ? end : p->count;
}

static void pack_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct packing *x = ctx;
	const struct packed_ids *p = x->packed;

	(void)worker;
	for (size_t block = begin; block < end; block++) {
		const size_t first = block * PACKED_BLOCK;
		struct packed_block *b = &p->blocks[block];

		choose_bases(x->ids + first, end_of(p, block) - first, b);
		for (size_t i = first; i < end_of(p, block); i++)
			p->codes[i] = b->bits ? code_of(b, x->ids[i]) : (uint16_t)x->ids[i];
	}
}

static void number_wide(struct packed_ids *p, size_t blocks)
{
	for (size_t block = 0; block < blocks; block++) {
		if (!p->blocks[block].bits)
			p->blocks[block].bases[0] = (uint32_t)p->wide_count++;
	}
}

static uint16_t *highs_of(const struct packed_ids *p, const struct packed_block *wide)
{
	return p->highs + (size_t)wide->bases[0] * PACKED_BLOCK;
}

static void keep_highs(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct packing *x = ctx;
	const struct packed_ids *p = x->packed;

	(void)worker;
	for (size_t block = begin; block < end; block++) {
		const size_t first = block * PACKED_BLOCK;

		if (p->blocks[block].bits)
			continue;
		for (size_t i = first; i < end_of(p, block); i++)
			highs_of(p, &p->blocks[block])[i - first] =
				(uint16_t)(x->ids[i] >> CODE_BITS);
	}
}

void packed_ids_make(struct packed_ids *p, const uint32_t *ids, size_t count)
{
	const size_t blocks = count ? (count - 1) / PACKED_BLOCK + 1 : 0;
	const size_t grain = PARALLEL_ROWS / PACKED_BLOCK;
	struct packing x = {p, ids};

	*p = (struct packed_ids){.count = count};
	p->codes = mem_alloc(count, sizeof(*p->codes));
	p->blocks = mem_alloc(blocks, sizeof(*p->blocks));
	parallel_each(blocks, grain, pack_some, &x);
	number_wide(p, blocks);
	if (!p->wide_count)
		return;
	p->highs = mem_alloc(p->wide_count * PACKED_BLOCK, sizeof(*p->highs));
	parallel_each(blocks, grain, keep_highs, &x);
}

void packed_ids_free(struct packed_ids *p)
{
	free(p->codes);
	free(p->blocks);
	free(p->highs);
	*p = (struct packed_ids){0};
}

/* Frames of a timeline read blocks by the thousand: what is one block's is looked at once. */
static void read_near_one(uint32_t base, const uint16_t *codes, size_t count, uint32_t *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = base + codes[i];
}

static void read_near_some(struct packed_block b, const uint16_t *codes, size_t count,
			   uint32_t *ret)
{
	const uint32_t offset = (UINT32_C(1) << b.bits) - 1;

	for (size_t i = 0; i < count; i++)
		ret[i] = b.bases[codes[i] >> b.bits] + (codes[i] & offset);
}

static void read_wide(const uint16_t *highs, const uint16_t *codes, size_t count, uint32_t *ret)
{
	for (size_t i = 0; i < count; i++)
		ret[i] = (uint32_t)highs[i] << CODE_BITS | codes[i];
}

/* Some ids of one block. */
static void read_part(const struct packed_ids *p, size_t begin, size_t end, uint32_t *ret)
{
	const struct packed_block *b = &p->blocks[begin / PACKED_BLOCK];

	if (b->bits == CODE_BITS)
		read_near_one(b->bases[0], p->codes + begin, end - begin, ret);
	else if (b->bits)
		read_near_some(*b, p->codes + begin, end - begin, ret);
	else
		read_wide(highs_of(p, b) + begin % PACKED_BLOCK, p->codes + begin, end - begin,
			  ret);
}

void packed_ids_read(const struct packed_ids *p, size_t begin, size_t end, uint32_t *ret)
{
	while (begin < end) {
		const size_t block_end = end_of(p, begin / PACKED_BLOCK);
		const size_t part_end = block_end < end ? block_end : end;

		read_part(p, begin, part_end, ret);
		ret += part_end - begin;
		begin = part_end;
	}
}
