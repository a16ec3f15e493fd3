/* When was memory of each kind allocated and freed on each GPU? */
#include "analysis/gpu/memory_series.h"

#include "analysis/gpu/process_gpus.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { OPERATION_ALLOCATION, OPERATION_FREE };

struct collecting {
	const struct events *ev;
	struct process_gpus pairs;
	struct idmap numbers; /* device, memory */
	struct memory_changes *to;
};

static struct memory_series *series_of(struct collecting *c, uint32_t device, uint32_t memory)
{
	struct memory_changes *to = c->to;
	const uint32_t i = idmap_number_pair(&c->numbers, device, memory);

	if (i == to->count) {
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = (struct memory_series){.device = device, .memory = memory};
	}
	return &to->all[i];
}

static void add_change(struct collecting *c, uint64_t row)
{
	const struct events *ev = c->ev;
	const uint32_t pair = process_gpus_number(&c->pairs, ev, row);
	const bool freed = ev->event_type[row] == OPERATION_FREE;
	struct memory_series *s;

	if (!c->pairs.all[pair].wanted || ev->bytes[row] < 0 ||
	    (!freed && ev->event_type[row] != OPERATION_ALLOCATION))
		return;
	s = series_of(c, c->pairs.all[pair].device, ev->src_kind ? ev->src_kind[row] : ID_NONE);
	MEM_GROW(s->changes, s->cap, s->count + 1);
	s->changes[s->count++] = (struct memory_change){
		ev->start_ns[row], freed ? -ev->bytes[row] : ev->bytes[row], freed};
}

static void collect(struct collecting *c)
{
	uint32_t *order = sort_new_order(c->ev->start_ns, c->ev->count);

	for (uint64_t i = 0; i < c->ev->count; i++)
		add_change(c, order[i]);
	free(order);
	idmap_free(&c->numbers);
	process_gpus_close(&c->pairs);
}

static void find_missing(const struct trace *t, struct err *ret)
{
	static const enum trace_column needed[] = {COL_START, COL_BYTES, COL_EVENT_TYPE};

	if (!t->events[TRACE_ALLOCATIONS].count) {
		err_set(ret, ERR_INPUT, "memory in use was not recorded: capture with %s",
			trace_kind_flag(TRACE_ALLOCATIONS));
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		if (trace_require_column(t, TRACE_ALLOCATIONS, needed[i], ret) < 0) {
			err_wrap(ret, "memory in use is unknown");
			return;
		}
	}
}

int memory_changes_read(struct trace *t, const struct scope *p, struct memory_changes *ret,
			struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COLS_PROCESS_DEVICE | COL_BIT(COL_BYTES) |
				 COL_BIT(COL_SRC_KIND) | COL_BIT(COL_EVENT_TYPE);
	struct collecting c = {.ev = &t->events[TRACE_ALLOCATIONS], .to = ret};

	*ret = (struct memory_changes){0};
	if (trace_load(t, TRACE_ALLOCATIONS, columns, e) < 0)
		return -1;
	find_missing(t, &ret->missing);
	if (ret->missing.code)
		return 0;
	if (process_gpus_open(&c.pairs, t, p, e) < 0)
		return -1;
	collect(&c);
	return 0;
}

void memory_changes_free(struct memory_changes *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->all[i].changes);
	free(c->all);
	*c = (struct memory_changes){0};
}
