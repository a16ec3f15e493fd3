/* How much of its device does each kernel fill? */
#include "base/mem.h"
#include "base/parallel.h"
#include "trace/ops/ops.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

/* What the device of a kernel holds; 0: not known. */
struct room {
	uint32_t sms;
	uint32_t sm_threads, sm_blocks; /* of one SM */
};

/* Asked for by millions, known by few. */
struct rooms {
	const struct machine *machine;
	struct idmap known; /* process << 32 | ordinal → index into all */
	struct room *all;
	size_t cap;
};

static uint32_t sane(int64_t count)
{
	return count > 0 && count < 100000 ? (uint32_t)count : 0;
}

static struct room room_of(struct rooms *r, const struct trace *t, uint32_t process,
			   uint32_t ordinal)
{
	const uint32_t next = (uint32_t)r->known.count;
	const uint32_t at = idmap_add(&r->known, (uint64_t)process << 32 | ordinal, next);
	const struct gpu *gpu;

	if (at != next)
		return r->all[at];
	gpu = machine_gpu(r->machine, process == ID_NONE ? 0 : t->process_keys.keys[process],
			  ordinal);
	MEM_GROW(r->all, r->cap, at + 1);
	r->all[at] = gpu ? (struct room){sane(gpu->sm_count), sane(gpu->sm_warps) * WARP,
					 sane(gpu->sm_blocks)}
			 : (struct room){0};
	return r->all[at];
}

/* What is not known is taken to be enough. */
static uint8_t fill_of(const struct events *ev, uint64_t row, uint32_t sms)
{
	uint64_t blocks = 1;

	for (int d = 0; d < 3; d++) {
		uint32_t side = ev->grid[d][row];

		if (side == ID_NONE || blocks >= sms)
			return FILL_ALL;
		blocks *= side;
	}
	return blocks >= sms ? FILL_ALL : (uint8_t)(blocks * FILL_ALL / sms);
}

/* A block has 1,024 threads at most: what is more is no block. */
static struct block_shape shape_of(const struct events *ev, uint64_t row, const struct room *room)
{
	struct block_shape shape = {0};
	uint64_t threads = 1;

	for (int d = 0; d < 3; d++) {
		uint32_t side = ev->block[d][row];

		if (side == ID_NONE || side > UINT16_MAX)
			return shape;
		threads *= side;
	}
	if (!threads || threads > UINT16_MAX)
		return shape;
	shape.threads = (uint16_t)threads;
	if (room->sm_blocks && room->sm_threads <= UINT16_MAX) {
		const uint64_t resident = threads * room->sm_blocks;

		shape.room = (uint16_t)room->sm_threads;
		shape.resident = resident < shape.room ? (uint16_t)resident : shape.room;
	}
	return shape;
}

struct measuring {
	const struct trace *trace;
	const struct machine *machine;
	struct kernel_fill fill;
};

static void measure_one(const struct measuring *m, size_t row, const struct room *room)
{
	const struct events *ev = &m->trace->events[TRACE_KERNELS];

	if (m->fill.device)
		m->fill.device[row] = fill_of(ev, row, room->sms);
	if (m->fill.blocks)
		m->fill.blocks[row] = shape_of(ev, row, room);
}

static void measure_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct measuring *m = ctx;
	const struct events *ev = &m->trace->events[TRACE_KERNELS];
	struct rooms rooms = {.machine = m->machine};
	uint32_t process = ID_NONE, device = ID_NONE;
	struct room room = {0};

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		uint32_t of = event_process(ev, i);

		/* Nearly every kernel runs where the one before did. */
		if (of != process || ev->device[i] != device)
			room = ev->device[i] == ID_NONE
				       ? (struct room){0}
				       : room_of(&rooms, m->trace, of, ev->device[i]);
		process = of;
		device = ev->device[i];
		measure_one(m, i, &room);
	}
	idmap_free(&rooms.known);
	free(rooms.all);
}

static struct kernel_fill measure_fill(const struct trace *t, const struct machine *machine)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct measuring m = {.trace = t, .machine = machine};

	if (ev->grid[0] && ev->grid[1] && ev->grid[2])
		m.fill.device = mem_alloc(ev->count, sizeof(*m.fill.device));
	if (ev->block[0] && ev->block[1] && ev->block[2])
		m.fill.blocks = mem_alloc(ev->count, sizeof(*m.fill.blocks));
	parallel_each(ev->count, PARALLEL_ROWS, measure_some, &m);
	return m.fill;
}

/* Nothing where the export has no grids, or does not say where kernels ran. */
static int make_fill(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct machine machine;
	TRACE_LOCK_SCOPE(t);

	(void)ctx;
	if (trace_load(t, TRACE_KERNELS, COLS_GRID | COLS_PROCESS_DEVICE, e) < 0 ||
	    machine_read(t, &machine, e) < 0)
		return -1;
	if (ev->count && ev->device)
		*(struct kernel_fill *)made = measure_fill(t, &machine);
	trace_unload(t, TRACE_KERNELS, COLS_GRID);
	return 0;
}

static void free_fill(void *made)
{
	const struct kernel_fill *fill = made;

	free(fill->device);
	free(fill->blocks);
}

static const struct cached cached_fill = {sizeof(struct kernel_fill), make_fill, free_fill};

uint32_t ops_fill_columns(struct trace *t)
{
	return trace_cache_find(t, &cached_fill) ? 0 : COLS_GRID;
}

int ops_find_fill(struct ops *o, struct err *e)
{
	return trace_cache_make(o->trace, &cached_fill, NULL, &o->fill, &o->shares_fill, e);
}
