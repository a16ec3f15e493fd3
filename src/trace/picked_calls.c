/* Which calls launched these kernels? */
#include "trace/picked_calls.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/launch.h"

#include <stdlib.h>

enum { WANT_START, WANT_END, WANT_TID, WANT_CORRELATION, WANTED };

struct call {
	int64_t start_ns, duration_ns;
	uint64_t row, tid;
};

/* A call whose slot has one already. */
struct extra {
	uint32_t slot;
	struct call call;
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
	bool one_process; /* some kernels name no process: they belong to the only one */
	struct slots slots;
	struct call *of_slot;
	uint8_t *taken;	      /* by slot */
	struct place *places; /* one per worker */
	pthread_mutex_t lock; /* of what follows */
	struct extra *extras;
	size_t extra_count, extra_cap;
};

static bool pair_of(const struct search *s, uint32_t row, uint32_t *ret_process)
{
	const struct events *ev = &s->trace->events[TRACE_KERNELS];

	*ret_process = s->one_process ? 0 : ev->process[row];
	return ev->correlation && ev->correlation[row] != ID_NONE && *ret_process != ID_NONE;
}

/* What is done with the kernels that were picked, by many workers. */
struct picking {
	struct search *search;
	const uint32_t *rows;
	struct slot_list *lists; /* one for PARALLEL_ROWS of them each */
	struct picked_call *out;
};

static int list_slots(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct picking *x = ctx;
	const struct events *ev = &x->search->trace->events[TRACE_KERNELS];
	struct slot_list *list = &x->lists[begin / PARALLEL_ROWS];
	uint32_t process;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++) {
		if (pair_of(x->search, x->rows[i], &process))
			slot_list_add(list, process, ev->correlation[x->rows[i]]);
	}
	slot_list_settle(list);
	return 0;
}

static void number_slots(struct picking *x, size_t count)
{
	struct search *s = x->search;
	size_t lists = count / PARALLEL_ROWS + 1;
	struct err never;

	x->lists = mem_zalloc(lists, sizeof(*x->lists));
	parallel_for(count, PARALLEL_ROWS, list_slots, x, &never);
	slots_number(&s->slots, x->lists, lists);
	free(x->lists);
	s->of_slot = mem_alloc(s->slots.count, sizeof(*s->of_slot));
	s->taken = mem_zalloc(s->slots.count, sizeof(*s->taken));
}

/* Whoever comes first takes the slot; settle_extras() judges. */
static void offer(struct search *s, uint32_t slot, const struct call *call)
{
	if (!__atomic_exchange_n(&s->taken[slot], 1, __ATOMIC_RELAXED)) {
		s->of_slot[slot] = *call;
		return;
	}
	pthread_mutex_lock(&s->lock);
	MEM_GROW(s->extras, s->extra_cap, s->extra_count + 1);
	s->extras[s->extra_count++] = (struct extra){slot, *call};
	pthread_mutex_unlock(&s->lock);
}

/* Which call came first must not depend on which worker did. */
static void settle_extras(struct search *s)
{
	for (size_t i = 0; i < s->extra_count; i++) {
		const struct call *x = &s->extras[i].call;
		struct call *kept = &s->of_slot[s->extras[i].slot];

		if (x->start_ns < kept->start_ns ||
		    (x->start_ns == kept->start_ns && x->row < kept->row))
			*kept = *x;
	}
}

static uint32_t slot_of(const struct search *s, struct place *p, uint64_t tid, int64_t correlation)
{
	uint64_t key = tid >> 24;

	if ((uint64_t)correlation >= ID_NONE)
		return SLOT_NONE;
	if (s->one_process)
		return slots_find(&s->slots, &p->slots, 0, (uint32_t)correlation);
	if (!p->known || p->process_key != key) {
		p->process_key = key;
		p->process = idmap_get(&s->trace->process_keys.map, key);
		p->known = true;
	}
	if (p->process == IDMAP_NONE)
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
		    v[WANT_END].type[i] != SQLITE_IS_INT || v[WANT_TID].type[i] != SQLITE_IS_INT ||
		    v[WANT_CORRELATION].type[i] != SQLITE_IS_INT)
			continue;
		slot = slot_of(s, &place, (uint64_t)v[WANT_TID].num[i], v[WANT_CORRELATION].num[i]);
		if (slot != SLOT_NONE)
			offer(s, slot,
			      &(struct call){
				      v[WANT_START].num[i],
				      event_duration(v[WANT_START].num[i], v[WANT_END].num[i]),
				      b->first_row + i, (uint64_t)v[WANT_TID].num[i]});
	}
	s->places[worker] = place;
	progress_add(b->rows);
	return 0;
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct search *s = ctx;

	(void)e;
	memset(s->taken, 0, s->slots.count * sizeof(*s->taken));
	s->extra_count = 0;
	progress_begin("looking for launches", rows);
	return 0;
}

static int read_calls(struct search *s, struct err *e)
{
	static const char *const names[WANTED] = {"start", "end", "globalTid", "correlationId"};
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
	if (result == 0)
		settle_extras(s);
	free(s->extras);
	free(s->places);
	pthread_mutex_destroy(&s->lock);
	return result;
}

static struct picked_call answer(const struct search *s, struct slot_cursor *c, uint32_t row)
{
	const struct events *ev = &s->trace->events[TRACE_KERNELS];
	struct picked_call none = {.thread = ID_NONE};
	const struct call *call;
	uint32_t process, slot, thread;

	if (!pair_of(s, row, &process))
		return none;
	slot = slots_find(&s->slots, c, process, ev->correlation[row]);
	if (!s->taken[slot])
		return none;
	call = &s->of_slot[slot];
	thread = idmap_get(&s->trace->thread_keys.map, call->tid);
	return (struct picked_call){true, call->start_ns, call->duration_ns,
				    thread == IDMAP_NONE ? ID_NONE : thread};
}

static int answer_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct picking *x = ctx;
	struct slot_cursor c = {0};

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		x->out[i] = answer(x->search, &c, x->rows[i]);
	return 0;
}

static int find(struct search *s, const uint32_t *rows, size_t count, struct picked_call *out,
		struct err *e)
{
	struct picking x = {s, rows, NULL, out};

	number_slots(&x, count);
	if (s->trace->events[TRACE_API].table && s->slots.count && read_calls(s, e) < 0)
		return -1;
	return parallel_for(count, PARALLEL_ROWS, answer_some, &x, e);
}

int picked_calls_find(struct trace *t, const uint32_t *rows, size_t count, struct picked_call *out,
		      struct err *e)
{
	struct search s = {.trace = t};
	int result;

	trace_lock(t);
	result = trace_load(t, TRACE_KERNELS, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e);
	if (result == 0)
		result = launches_one_process(t, 1u << TRACE_KERNELS, &s.one_process, e);
	if (result == 0)
		result = find(&s, rows, count, out, e);
	trace_unlock(t);
	slots_free(&s.slots);
	free(s.of_slot);
	free(s.taken);
	return result;
}
