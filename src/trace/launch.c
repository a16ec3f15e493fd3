/* Which API call launched which GPU op? */
#include "trace/launch.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/sort.h"
#include "trace/intern.h"
#include "trace/shared_joins.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { LOCKS = 256 };
enum { WANT_START, WANT_END, WANT_TID, WANT_CORRELATION, WANT_NAME, WANTED };

struct join {
	struct trace *trace;
	struct launches *out;
	unsigned kinds;	  /* bits */
	bool one_process; /* some ops name no process: they belong to the only one */
	struct slots slots;
	struct slot_cursor *cursors; /* one per worker */
	size_t threads_before;
	struct intern origins; /* thread << 32 | name */
	struct intern_cache *thread_caches, *origin_caches;
	pthread_mutex_t locks[LOCKS]; /* of slots, by number */
	pthread_mutex_t more_lock;
	size_t more_cap, more_slot_cap;
};

/* Whether the op says what launched it. */
static bool op_pair(const struct join *j, const struct events *ops, uint64_t i,
		    uint32_t *ret_process)
{
	*ret_process = j->one_process ? 0 : ops->process[i];
	return ops->correlation[i] != ID_NONE && *ret_process != ID_NONE;
}

static void add_slots(struct join *j, const struct events *ops)
{
	struct slot_cursor c = {0};
	uint32_t process;

	for (uint64_t i = 0; i < ops->count; i++) {
		if (op_pair(j, ops, i, &process))
			slots_add(&j->slots, &c, process, ops->correlation[i]);
	}
}

static void find_slots(struct join *j, const struct events *ops, uint32_t *slot_of_op)
{
	struct slot_cursor c = {0};
	uint32_t process;

	for (uint64_t i = 0; i < ops->count; i++)
		slot_of_op[i] = op_pair(j, ops, i, &process)
					? slots_find(&j->slots, &c, process, ops->correlation[i])
					: SLOT_NONE;
}

static uint64_t count_ops(const struct join *j)
{
	uint64_t count = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		count += j->kinds & 1u << kind ? j->trace->events[kind].count : 0;
	return count;
}

static void number_slots(struct join *j)
{
	const struct events *events = j->trace->events;
	struct launches *l = j->out;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		l->begin[kind] = l->op_count;
		if (j->kinds & 1u << kind) {
			add_slots(j, &events[kind]);
			l->op_count += events[kind].count;
		}
	}
	slots_number(&j->slots);
	l->slot_count = j->slots.count;
	l->slot_of_op = mem_alloc_large(l->op_count * sizeof(*l->slot_of_op));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (j->kinds & 1u << kind)
			find_slots(j, &events[kind], l->slot_of_op + l->begin[kind]);
	}
	l->calls = mem_alloc_large(l->slot_count * sizeof(*l->calls));
	for (size_t i = 0; i < l->slot_count; i++)
		l->calls[i].row = ID_NONE;
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

static bool is_earlier(const struct api_call *a, const struct api_call *b)
{
	return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->row < b->row;
}

/* The earliest call takes the slot, whichever worker comes first. */
static void put_call(struct join *j, uint32_t slot, struct api_call call)
{
	pthread_mutex_t *lock = &j->locks[slot / 16 % LOCKS];
	struct api_call *place = &j->out->calls[slot], displaced;

	pthread_mutex_lock(lock);
	displaced = *place;
	if (displaced.row == ID_NONE || is_earlier(&call, &displaced))
		*place = call;
	else
		displaced = call;
	pthread_mutex_unlock(lock);
	if (displaced.row != ID_NONE)
		add_more(j, slot, &displaced);
}

static uint32_t call_slot(const struct join *j, const struct sqlite_values *v, size_t i,
			  unsigned worker)
{
	uint64_t tid = (uint64_t)v[WANT_TID].num[i];
	uint64_t correlation = (uint64_t)v[WANT_CORRELATION].num[i];
	uint32_t process = 0;

	if (v[WANT_TID].type[i] != SQLITE_IS_INT || v[WANT_CORRELATION].type[i] != SQLITE_IS_INT ||
	    correlation >= ID_NONE || v[WANT_START].type[i] != SQLITE_IS_INT ||
	    v[WANT_END].type[i] != SQLITE_IS_INT)
		return SLOT_NONE;
	if (!j->one_process)
		process = idmap_get(&j->trace->process_keys.map, tid >> 24);
	if (process == IDMAP_NONE)
		return SLOT_NONE;
	return slots_find(&j->slots, &j->cursors[worker], process, (uint32_t)correlation);
}

static uint32_t call_origin(struct join *j, const struct sqlite_values *v, size_t i,
			    unsigned worker)
{
	uint32_t thread = intern_number(&j->trace->thread_keys, &j->thread_caches[worker],
					(uint64_t)v[WANT_TID].num[i]);
	uint32_t name = v[WANT_NAME].type[i] == SQLITE_IS_INT
				? strings_number(j->trace, v[WANT_NAME].num[i])
				: NAME_NONE;

	return intern_number(&j->origins, &j->origin_caches[worker], (uint64_t)thread << 32 | name);
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct join *j = ctx;
	const struct sqlite_values *v = b->values;

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t slot = call_slot(j, v, i, worker);
		struct api_call call;

		if (slot == SLOT_NONE)
			continue;
		call.start_ns = v[WANT_START].num[i];
		if (__builtin_sub_overflow(v[WANT_END].num[i], call.start_ns, &call.duration_ns))
			continue;
		call.origin = call_origin(j, v, i, worker);
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
			e->absent = true;
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

/* Threads were numbered as they came: settle them like a loaded column, in the few origins. */
static void keep_origins(struct join *j, size_t threads_before)
{
	struct launches *l = j->out;
	uint32_t *threads = mem_alloc(j->origins.count, sizeof(*threads));

	l->origin_count = j->origins.count;
	l->origins = mem_alloc(l->origin_count, sizeof(*l->origins));
	for (size_t i = 0; i < l->origin_count; i++)
		threads[i] = (uint32_t)(j->origins.keys[i] >> 32);
	intern_settle(&j->trace->thread_keys, threads_before, threads, l->origin_count);
	for (size_t i = 0; i < l->origin_count; i++)
		l->origins[i] = (struct call_origin){threads[i], (uint32_t)j->origins.keys[i]};
	free(threads);
	trace_number_processes(j->trace);
}

static struct intern_cache *new_caches(void)
{
	struct intern_cache *caches = mem_alloc(parallel_workers(), sizeof(*caches));

	for (unsigned w = 0; w < parallel_workers(); w++)
		intern_cache_init(&caches[w]);
	return caches;
}

static void begin_join(struct join *j)
{
	intern_init(&j->origins);
	j->thread_caches = new_caches();
	j->origin_caches = new_caches();
	j->cursors = mem_zalloc(parallel_workers(), sizeof(*j->cursors));
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&j->locks[i], NULL);
	pthread_mutex_init(&j->more_lock, NULL);
}

static void end_join(struct join *j)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_destroy(&j->locks[i]);
	pthread_mutex_destroy(&j->more_lock);
	free(j->thread_caches);
	free(j->origin_caches);
	free(j->cursors);
	intern_free(&j->origins);
}

static void forget_calls(struct join *j)
{
	struct launches *l = j->out;

	for (size_t i = 0; i < l->slot_count; i++)
		l->calls[i].row = ID_NONE;
	l->more_count = 0;
	intern_forget(&j->origins, 0);
	intern_forget(&j->trace->thread_keys, j->threads_before);
	for (unsigned w = 0; w < parallel_workers(); w++) {
		intern_cache_init(&j->thread_caches[w]);
		intern_cache_init(&j->origin_caches[w]);
	}
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	(void)e;
	forget_calls(ctx);
	progress_begin("joining launches", rows);
	return 0;
}

static int read_calls(struct join *j, struct err *e)
{
	const struct sqlite_reader reader = {begin_calls, take_calls, j};
	struct trace *t = j->trace;
	int columns[WANTED], result;

	if (find_columns(t, columns, e) < 0 || strings_load(t, e) < 0)
		return -1;
	begin_join(j);
	result = sqlitefile_read(t->file, t->events[TRACE_API].table, columns, WANTED, &reader, e);
	progress_end();
	if (result == 0) {
		keep_origins(j, j->threads_before);
		sort_more(j->out);
	} else {
		forget_calls(j);
	}
	end_join(j);
	return result;
}

/* Ops that name no process can only be the only one's. */
static int check_one_process(struct join *j, struct err *e)
{
	struct trace *t = j->trace;

	if (!j->one_process || !t->events[TRACE_API].table)
		return 0;
	if (trace_load(t, TRACE_API, COL_BIT(COL_THREAD), e) < 0)
		return -1;
	if (t->process_keys.count <= 1)
		return 0;
	err_set(e, ERR_INPUT,
		"'%s': its GPU work does not say to which of %zu processes it belongs", t->path,
		t->process_keys.count);
	e->absent = true;
	return err_hint(e, "export the report again with a recent Nsight Systems");
}

static int load_ops(struct join *j, struct err *e)
{
	struct trace *t = j->trace;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (!(j->kinds & 1u << kind))
			continue;
		if (trace_load(t, kind, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e) < 0 ||
		    trace_require_column(t, kind, COL_CORRELATION, e) < 0)
			return -1;
		j->one_process |= t->events[kind].count && !t->events[kind].process;
	}
	return check_one_process(j, e);
}

uint32_t launches_columns(const struct trace *t)
{
	return t->joins ? 0 : COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION);
}

int launches_join(struct trace *t, enum trace_kind kind, struct launches *ret, struct err *e)
{
	return launches_join_kinds(t, 1u << kind, ret, e);
}

int launches_join_kinds(struct trace *t, unsigned kinds, struct launches *ret, struct err *e)
{
	return shared_launches(t, kinds, ret) ? 0 : launches_join_anew(t, kinds, ret, e);
}

int launches_join_anew(struct trace *t, unsigned kinds, struct launches *ret, struct err *e)
{
	struct join j = {.trace = t, .out = ret, .kinds = kinds};
	int result = 0;

	*ret = (struct launches){.kinds = kinds};
	if (load_ops(&j, e) < 0)
		return -1;
	if (count_ops(&j) >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s' has over 4 billion GPU ops", t->path);
	j.threads_before = t->thread_keys.count;
	number_slots(&j);
	if (ret->slot_count && t->events[TRACE_API].table)
		result = read_calls(&j, e);
	slots_free(&j.slots);
	if (result < 0)
		launches_free(ret);
	return result;
}

/* `more` is sorted by slot. */
size_t launches_first_more(const struct launches *l, uint32_t slot)
{
	size_t low = 0, high = l->more_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->more_slot[mid] < slot)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void launches_forget_ops(struct launches *l)
{
	if (!l->shared)
		free(l->slot_of_op);
	l->slot_of_op = NULL;
}

void launches_free(struct launches *l)
{
	if (!l->shared) {
		free(l->slot_of_op);
		free(l->calls);
		free(l->origins);
		free(l->more);
		free(l->more_slot);
	}
	*l = (struct launches){0};
}
