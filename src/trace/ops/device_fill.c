/* How much of its device does each kernel fill? */
#include "base/mem.h"
#include "base/parallel.h"
#include "trace/ops/ops.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

/* How many SMs the device of a kernel has; 0: not known. Asked for by millions, known by few. */
struct sm_counts {
	const struct machine *machine;
	struct idmap known; /* process << 32 | ordinal → SMs */
};

static uint32_t sm_count(struct sm_counts *c, const struct trace *t, uint32_t process,
			 uint32_t ordinal)
{
	uint64_t key = (uint64_t)process << 32 | ordinal;
	uint32_t count = idmap_get(&c->known, key);
	const struct gpu *gpu;

	if (count != IDMAP_NONE)
		return count;
	gpu = machine_gpu(c->machine,
			  process == ID_NONE ? 0 : process_pid(t->process_keys.keys[process]),
			  ordinal);
	count = gpu && gpu->sm_count > 0 && gpu->sm_count < 100000 ? (uint32_t)gpu->sm_count : 0;
	return idmap_add(&c->known, key, count);
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

struct measuring {
	const struct trace *trace;
	const struct machine *machine;
	uint8_t *fill;
};

static void measure_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct measuring *m = ctx;
	const struct events *ev = &m->trace->events[TRACE_KERNELS];
	struct sm_counts counts = {.machine = m->machine};
	uint32_t process = ID_NONE, device = ID_NONE, sms = 0;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		uint32_t of = event_process(ev, i);

		if (ev->device[i] == ID_NONE) {
			m->fill[i] = FILL_ALL;
			continue;
		}
		/* Nearly every kernel runs where the one before did. */
		if (of != process || ev->device[i] != device)
			sms = sm_count(&counts, m->trace, of, ev->device[i]);
		process = of;
		device = ev->device[i];
		m->fill[i] = fill_of(ev, i, sms);
	}
	idmap_free(&counts.known);
}

static uint8_t *measure_fill(const struct trace *t, const struct machine *machine)
{
	const uint64_t count = t->events[TRACE_KERNELS].count;
	struct measuring m = {t, machine, mem_alloc(count, 1)};

	parallel_each(count, PARALLEL_ROWS, measure_some, &m);
	return m.fill;
}

static const uint32_t grids = COL_BIT(COL_GRID_X) | COL_BIT(COL_GRID_Y) | COL_BIT(COL_GRID_Z);

/* NULL where the export has no grids, or does not say where kernels ran. */
static int make_fill(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct machine machine;
	TRACE_LOCK_SCOPE(t);

	(void)ctx;
	if (trace_load(t, TRACE_KERNELS, grids | COLS_PROCESS_DEVICE, e) < 0 ||
	    machine_read(t, &machine, e) < 0)
		return -1;
	if (ev->count && ev->device && ev->grid[0] && ev->grid[1] && ev->grid[2])
		*(uint8_t **)made = measure_fill(t, &machine);
	trace_unload(t, TRACE_KERNELS, grids);
	return 0;
}

static void free_fill(void *made)
{
	free(*(uint8_t **)made);
}

static const struct cached cached_fill = {sizeof(uint8_t *), make_fill, free_fill};

uint32_t ops_fill_columns(struct trace *t)
{
	return trace_cache_find(t, &cached_fill) ? 0 : grids;
}

int ops_find_fill(struct ops *o, struct err *e)
{
	return trace_cache_make(o->trace, &cached_fill, NULL, &o->fill, &o->shares_fill, e);
}
