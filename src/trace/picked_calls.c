/* Which calls launched these kernels? */
#include "trace/picked_calls.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/slots.h"

#include <stdlib.h>

enum { WANT_START, WANT_TID, WANT_CORRELATION, WANTED };

/* The earliest call of a slot so far. */
struct earliest {
	int64_t start_ns;
	uint64_t row, tid;
	bool found;
};

/* Where a worker is: rows nearly always are of the same process as those before. */
struct place {
	struct slot_cursor slots;
	uint64_t process_key;
	uint32_t process;
	bool known;
};

struct search {
	struct trace *trace;
	struct slots slots;
	struct earliest *of_slot;
	struct place *places; /* one per worker */
	pthread_mutex_t lock; /* of what slots hold: few calls are wanted */
};

static bool pair_of(const struct events *ev, uint32_t row)
{
	return ev->process && ev->correlation && ev->process[row] != ID_NONE &&
	       ev->correlation[row] != ID_NONE;
}

static void number_slots(struct search *s, const uint32_t *rows, size_t count)
{
	const struct events *ev = &s->trace->events[TRACE_KERNELS];
	struct slot_list list = {0};

	for (size_t i = 0; i < count; i++) {
		if (pair_of(ev, rows[i]))
			slot_list_add(&list, ev->process[rows[i]], ev->correlation[rows[i]]);
	}
	slot_list_settle(&list);
	slots_number(&s->slots, &list, 1);
	s->of_slot = mem_zalloc(s->slots.count, sizeof(*s->of_slot));
}

static void offer(struct search *s, uint32_t slot, const struct earliest *call)
{
	struct earliest *kept = &s->of_slot[slot];

	pthread_mutex_lock(&s->lock);
	if (!kept->found || call->start_ns < kept->start_ns ||
	    (call->start_ns == kept->start_ns && call->row < kept->row))
		*kept = *call;
	pthread_mutex_unlock(&s->lock);
}

static uint32_t slot_of(const struct search *s, struct place *p, uint64_t tid, int64_t correlation)
{
	uint64_t key = tid >> 24;

	if (!p->known || p->process_key != key) {
		p->process_key = key;
		p->process = idmap_get(&s->trace->process_keys.map, key);
		p->known = true;
	}
	if (p->process == IDMAP_NONE || (uint64_t)correlation >= ID_NONE)
		return SLOT_NONE;
	return slots_find(&s->slots, &p->slots, p->process, (uint32_t)correlation);
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct sqlite_values *v = b->values;
	struct search *s = ctx;
	struct place place = s->places[worker];

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t slot;

		if (v[WANT_START].type[i] != SQLITE_IS_INT ||
		    v[WANT_TID].type[i] != SQLITE_IS_INT ||
		    v[WANT_CORRELATION].type[i] != SQLITE_IS_INT)
			continue;
		slot = slot_of(s, &place, (uint64_t)v[WANT_TID].num[i], v[WANT_CORRELATION].num[i]);
		if (slot != SLOT_NONE)
			offer(s, slot,
			      &(struct earliest){v[WANT_START].num[i], b->first_row + i,
						 (uint64_t)v[WANT_TID].num[i], true});
	}
	s->places[worker] = place;
	progress_add(b->rows);
	return 0;
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	memset(s->of_slot, 0, s->slots.count * sizeof(*s->of_slot));
	progress_begin("looking for launches", rows);
	return 0;
}

static int read_calls(struct search *s, struct err *e)
{
	static const char *const names[WANTED] = {"start", "globalTid", "correlationId"};
	const struct sqlite_reader reader = {begin_calls, take_calls, s};
	const struct sqlite_table *table = s->trace->events[TRACE_API].table;
	int columns[WANTED], result;

	for (int i = 0; i < WANTED; i++) {
		columns[i] = sqlite_table_find_column(table, names[i]);
		if (columns[i] < 0)
			return 0;
	}
	pthread_mutex_init(&s->lock, NULL);
	s->places = mem_zalloc(parallel_workers(), sizeof(*s->places));
	result = sqlitefile_read(s->trace->file, table, columns, WANTED, &reader, e);
	progress_end();
	free(s->places);
	pthread_mutex_destroy(&s->lock);
	return result;
}

static struct picked_call answer(const struct search *s, struct slot_cursor *c, uint32_t row)
{
	const struct events *ev = &s->trace->events[TRACE_KERNELS];
	struct picked_call none = {.thread = ID_NONE};
	const struct earliest *call;
	uint32_t thread;

	if (!pair_of(ev, row))
		return none;
	call = &s->of_slot[slots_find(&s->slots, c, ev->process[row], ev->correlation[row])];
	if (!call->found)
		return none;
	thread = idmap_get(&s->trace->thread_keys.map, call->tid);
	return (struct picked_call){true, call->start_ns, thread == IDMAP_NONE ? ID_NONE : thread};
}

int picked_calls_find(struct trace *t, const uint32_t *rows, size_t count, struct picked_call *out,
		      struct err *e)
{
	struct search s = {.trace = t};
	struct slot_cursor c = {0};
	int result = 0;

	trace_lock(t);
	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e) < 0) {
		trace_unlock(t);
		return -1;
	}
	number_slots(&s, rows, count);
	if (t->events[TRACE_API].table && s.slots.count)
		result = read_calls(&s, e);
	for (size_t i = 0; result == 0 && i < count; i++)
		out[i] = answer(&s, &c, rows[i]);
	trace_unlock(t);
	slots_free(&s.slots);
	free(s.of_slot);
	return result;
}
