/* How much memory of each GPU is in use, over time? */
#include "base/mem.h"
#include "base/sort.h"
#include "export/levels.h"
#include "trace/system/labels.h"

#include <stdlib.h>

/* Values of COL_EVENT_TYPE. */
enum { OPERATION_ALLOCATION, OPERATION_FREE };

/* One kind of memory of a GPU. */
struct usage {
	uint32_t device, memory;
	uint32_t track; /* 0: not told yet */
	int64_t bytes;
	bool pending; /* it changed before the window, and the window has not shown it */
};

struct telling {
	struct walk *walk;
	const struct events *ev;
	struct idmap numbers; /* device, memory */
	struct usage *all;
	size_t count, cap;
};

static struct usage *find_usage(struct telling *x, uint64_t row)
{
	const struct events *ev = x->ev;
	uint32_t process = ev->process ? ev->process[row] : ID_NONE;
	uint32_t device = ev->device ? ev->device[row] : ID_NONE;
	uint32_t memory = ev->src_kind ? ev->src_kind[row] : ID_NONE, i;

	if (device != ID_NONE)
		device = device_map_gpu(&x->walk->tracks.devices, process, device);
	if (!tracks_want(&x->walk->tracks, process, device))
		return NULL;
	memory = label_known_memory_kind(memory);
	i = idmap_number_pair(&x->numbers, device, memory);
	if (i == x->count) {
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count++] = (struct usage){.device = device, .memory = memory};
	}
	return &x->all[i];
}

static int tell_usage(struct telling *x, struct usage *u, int64_t at_ns, struct err *e)
{
	struct str kind = label_memory_kind(u->memory);
	struct buf name = {0};
	int result = 0;

	if (!u->track) {
		buf_addf(&name, "Memory in use: %.*s", STR_FMT(kind));
		result = tracks_counter(&x->walk->tracks, u->device,
					kind.len ? buf_str(&name) : STR_LIT("Memory in use"),
					UNIT_OF_BYTES, &u->track, e);
		buf_free(&name);
	}
	u->pending = false;
	return result < 0 ? -1 : level_tell(x->walk, u->track, at_ns, u->bytes, e);
}

static bool is_change(const struct events *ev, uint64_t row)
{
	return ev->start_ns[row] != INT_NONE && ev->bytes[row] >= 0 &&
	       (ev->event_type[row] == OPERATION_ALLOCATION ||
		ev->event_type[row] == OPERATION_FREE);
}

/* What was in use when the window began is its first value. */
static int begin_window(struct telling *x, struct err *e)
{
	for (size_t i = 0; i < x->count; i++) {
		if (x->all[i].pending && tell_usage(x, &x->all[i], x->walk->p->from_ns, e) < 0)
			return -1;
	}
	return 0;
}

static int change(struct telling *x, uint64_t row, bool *inside, struct err *e)
{
	const struct scope *p = x->walk->p;
	const struct events *ev = x->ev;
	struct usage *u;

	if (!is_change(ev, row) || (p->has_trim && ev->start_ns[row] >= p->to_ns))
		return 0;
	if (p->has_trim && !*inside && ev->start_ns[row] >= p->from_ns) {
		*inside = true;
		if (begin_window(x, e) < 0)
			return -1;
	}
	u = find_usage(x, row);
	if (!u)
		return 0;
	u->bytes = ev->event_type[row] == OPERATION_FREE ? sat_sub(u->bytes, ev->bytes[row])
							 : sat_add(u->bytes, ev->bytes[row]);
	u->pending = p->has_trim && !*inside;
	return u->pending ? 0 : tell_usage(x, u, ev->start_ns[row], e);
}

int walk_memory(struct walk *w, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_PROCESS) | COL_BIT(COL_DEVICE) |
				 COL_BIT(COL_BYTES) | COL_BIT(COL_SRC_KIND) |
				 COL_BIT(COL_EVENT_TYPE);
	struct telling x = {.walk = w, .ev = &w->trace->events[TRACE_ALLOCATIONS]};
	bool inside = false;
	uint32_t *order;
	int result = 0;

	if (trace_load(w->trace, TRACE_ALLOCATIONS, columns, e) < 0)
		return -1;
	if (!x.ev->count || !x.ev->start_ns || !x.ev->bytes || !x.ev->event_type)
		return 0;
	order = sort_new_order(x.ev->start_ns, x.ev->count);
	for (uint64_t i = 0; i < x.ev->count && result == 0; i++)
		result = change(&x, order[i], &inside, e);
	if (result == 0 && !inside)
		result = begin_window(&x, e);
	free(order);
	free(x.all);
	idmap_free(&x.numbers);
	return result;
}
