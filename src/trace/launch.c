/* Which API call launched which GPU op? */
#include "trace/launch.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/sort.h"
#include "trace/intern.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { LOCKS = 256 };
enum { WANT_START, WANT_END, WANT_TID, WANT_CORRELATION, WANT_NAME, WANTED };

struct join {
	struct trace *trace;
	struct launches *out;
	struct idmap slots; /* process << 32 | correlation → slot */
	bool any_process;   /* the ops name no process and the trace has one: it is theirs */
	struct intern_cache *thread_caches;
	pthread_mutex_t locks[LOCKS]; /* of slots, by number */
	pthread_mutex_t more_lock;
	size_t more_cap, more_slot_cap;
};

static uint64_t slot_key(uint32_t process, uint32_t correlation)
{
	return (uint64_t)process << 32 | correlation;
}

static void number_slots(struct join *j, const struct events *ops)
{
	struct launches *out = j->out;

	out->op_count = ops->count;
	out->slot_of_op = mem_alloc(ops->count, sizeof(*out->slot_of_op));
	idmap_reserve(&j->slots, ops->count / 2);
	for (uint64_t i = 0; i < ops->count; i++) {
		uint32_t process = j->any_process ? 0 : ops->process[i];

		out->slot_of_op[i] = ID_NONE;
		if (ops->correlation[i] != ID_NONE && process != ID_NONE)
			out->slot_of_op[i] =
				idmap_add(&j->slots, slot_key(process, ops->correlation[i]),
					  (uint32_t)j->slots.count);
	}
	out->slot_count = j->slots.count;
	out->calls = mem_alloc(out->slot_count, sizeof(*out->calls));
	for (size_t i = 0; i < out->slot_count; i++)
		out->calls[i].row = ID_NONE;
}

static void add_more(struct join *j, uint32_t slot, const struct api_call *call)
{
	struct launches *out = j->out;

	pthread_mutex_lock(&j->more_lock);
	MEM_GROW(out->more, j->more_cap, out->more_count + 1);
	MEM_GROW(out->more_slot, j->more_slot_cap, out->more_count + 1);
	out->more[out->more_count] = *call;
	out->more_slot[out->more_count++] = slot;
	pthread_mutex_unlock(&j->more_lock);
}

/* The earliest row takes the slot, whichever worker comes first. */
static void put_call(struct join *j, uint32_t slot, struct api_call call)
{
	pthread_mutex_t *lock = &j->locks[slot % LOCKS];
	struct api_call *place = &j->out->calls[slot], displaced;

	pthread_mutex_lock(lock);
	displaced = *place;
	if (displaced.row == ID_NONE || call.row < displaced.row)
		*place = call;
	else
		displaced = call;
	pthread_mutex_unlock(lock);
	if (displaced.row != ID_NONE)
		add_more(j, slot, &displaced);
}

static uint32_t call_slot(const struct join *j, const struct sqlite_values *v, size_t i)
{
	uint64_t tid = (uint64_t)v[WANT_TID].num[i];
	uint64_t correlation = (uint64_t)v[WANT_CORRELATION].num[i];
	uint32_t process = 0;

	if (v[WANT_TID].type[i] != SQLITE_IS_INT || v[WANT_CORRELATION].type[i] != SQLITE_IS_INT ||
	    correlation >= ID_NONE || v[WANT_START].type[i] != SQLITE_IS_INT ||
	    v[WANT_END].type[i] != SQLITE_IS_INT)
		return ID_NONE;
	if (!j->any_process)
		process = idmap_get(&j->trace->process_keys.map, tid >> 24);
	if (process == IDMAP_NONE)
		return ID_NONE;
	return idmap_get(&j->slots, slot_key(process, (uint32_t)correlation));
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct join *j = ctx;
	const struct sqlite_values *v = b->values;

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t slot = call_slot(j, v, i);
		struct api_call call;

		if (slot == ID_NONE)
			continue;
		call.start_ns = v[WANT_START].num[i];
		if (__builtin_sub_overflow(v[WANT_END].num[i], call.start_ns, &call.duration_ns))
			continue;
		call.thread = intern_number(&j->trace->thread_keys, &j->thread_caches[worker],
					    (uint64_t)v[WANT_TID].num[i]);
		call.name = v[WANT_NAME].type[i] == SQLITE_IS_INT
				    ? strings_number(j->trace, v[WANT_NAME].num[i])
				    : NAME_NONE;
		call.row = (uint32_t)(b->first_row + i);
		put_call(j, slot, call);
	}
	progress_add(b->rows);
	return 0;
}

static int find_columns(const struct trace *t, int columns[WANTED], struct err *e)
{
	static const char *const names[WANTED] = {"start", "end", "globalTid", "correlationId",
						  "nameId"};
	const struct sqlite_table *table = t->events[TRACE_API].table;

	for (int i = 0; i < WANTED; i++) {
		columns[i] = sqlite_table_find_column(table, names[i]);
		if (columns[i] < 0) {
			err_set(e, ERR_INPUT, "'%s': table %s lacks the column %s", t->path,
				table->name, names[i]);
			return err_hint(e, "export the report again with a recent Nsight Systems");
		}
	}
	return 0;
}

struct extra {
	uint32_t slot;
	struct api_call call;
};

static int compare_extra(const void *a, const void *b, void *ctx)
{
	const struct extra *x = a, *y = b;

	(void)ctx;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->call.row > y->call.row) - (x->call.row < y->call.row);
}

static void sort_more(struct launches *l)
{
	struct extra *all = mem_alloc(l->more_count, sizeof(*all));

	for (size_t i = 0; i < l->more_count; i++)
		all[i] = (struct extra){l->more_slot[i], l->more[i]};
	sort_stable(all, l->more_count, sizeof(*all), compare_extra, NULL);
	for (size_t i = 0; i < l->more_count; i++) {
		l->more_slot[i] = all[i].slot;
		l->more[i] = all[i].call;
	}
	free(all);
}

/* Threads were numbered as they came: settle them like a loaded column. */
static void settle_threads(struct join *j, size_t before)
{
	struct launches *l = j->out;
	size_t n = l->slot_count + l->more_count;
	uint32_t *threads = mem_alloc(n, sizeof(*threads));

	for (size_t i = 0; i < n; i++) {
		const struct api_call *c =
			i < l->slot_count ? &l->calls[i] : &l->more[i - l->slot_count];

		threads[i] = c->row == ID_NONE ? ID_NONE : c->thread;
	}
	intern_settle(&j->trace->thread_keys, before, threads, n);
	for (size_t i = 0; i < n; i++) {
		struct api_call *c = i < l->slot_count ? &l->calls[i] : &l->more[i - l->slot_count];

		c->thread = threads[i];
	}
	free(threads);
}

static int scan_calls(struct join *j, struct err *e)
{
	struct trace *t = j->trace;
	size_t threads_before = t->thread_keys.count;
	struct sqlite_scan *scan = NULL;
	int columns[WANTED], result;
	uint64_t rows;

	if (find_columns(t, columns, e) < 0 || strings_load(t, e) < 0 ||
	    sqlite_scan_open(&scan, t->file, t->events[TRACE_API].table, columns, WANTED, &rows,
			     e) < 0)
		return -1;
	j->thread_caches = mem_alloc(parallel_workers(), sizeof(*j->thread_caches));
	for (unsigned w = 0; w < parallel_workers(); w++)
		intern_cache_init(&j->thread_caches[w]);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&j->locks[i], NULL);
	pthread_mutex_init(&j->more_lock, NULL);
	progress_begin("joining launches", rows);
	result = sqlite_scan_run(scan, take_calls, j, e);
	progress_end();
	sqlite_scan_close(scan);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&j->locks[i]);
	pthread_mutex_destroy(&j->more_lock);
	free(j->thread_caches);
	sort_more(j->out);
	settle_threads(j, threads_before);
	trace_number_processes(t);
	return result;
}

int launches_join(struct trace *t, enum trace_kind kind, struct launches *ret, struct err *e)
{
	struct events *ops = &t->events[kind];
	struct join j = {.trace = t, .out = ret};
	int result = 0;

	*ret = (struct launches){0};
	if (trace_load(t, kind, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e) < 0 ||
	    trace_require_column(t, kind, COL_CORRELATION, e) < 0)
		return -1;
	j.any_process = !ops->process;
	if (ops->count)
		number_slots(&j, ops);
	if (ret->slot_count && t->events[TRACE_API].table)
		result = scan_calls(&j, e);
	idmap_free(&j.slots);
	if (result < 0)
		launches_free(ret);
	return result;
}

void launches_free(struct launches *l)
{
	free(l->slot_of_op);
	free(l->calls);
	free(l->more);
	free(l->more_slot);
	*l = (struct launches){0};
}
