/* Which API call launched which GPU op? */
#include "trace/calls/launch.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/sort.h"
#include "trace/ranges/shared_joins.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { WANT_START, WANT_END, WANT_TID, WANT_CORRELATION, WANT_NAME, WANTED };

/* Where a worker is: rows nearly always are of the same process as those before. */
struct place {
	struct slot_cursor slots;
	uint64_t process_key;
	uint32_t process;
	bool known;
};

/* A call whose slot has one already. */
struct extra {
	uint32_t slot, row;
	struct api_call call;
};

struct join {
	struct trace *trace;
	struct launches *out;
	unsigned kinds;	  /* bits */
	bool one_process; /* some ops name no process: they belong to the only one */
	struct slots slots;
	struct place *places; /* one per worker */
	struct call_origins origins;
	pthread_mutex_t lock; /* of what follows, and of durations kept aside */
	struct extra *extras;
	size_t extra_count, extra_cap;
};

/* Whether the op says what launched it. */
static bool op_pair(const struct join *j, const struct events *ops, uint64_t i,
		    uint32_t *ret_process)
{
	*ret_process = j->one_process ? 0 : ops->process[i];
	return ops->correlation[i] != ID_NONE && *ret_process != ID_NONE;
}

/* What is done with the ops of one kind, by many workers. */
struct kind_of_ops {
	const struct join *join;
	const struct events *ops;
	struct slot_list *lists; /* one for PARALLEL_ROWS ops each */
	uint32_t *slot_of_op;
};

static int list_slots(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct kind_of_ops *k = ctx;
	struct slot_list *list = &k->lists[begin / PARALLEL_ROWS];
	uint32_t process;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++) {
		if (op_pair(k->join, k->ops, i, &process))
			slot_list_add(list, process, k->ops->correlation[i]);
	}
	slot_list_settle(list);
	return 0;
}

static int find_slots(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct kind_of_ops *k = ctx;
	const struct join *j = k->join;
	struct slot_cursor c = {0};
	uint32_t process;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		k->slot_of_op[i] =
			op_pair(j, k->ops, i, &process)
				? slots_find(&j->slots, &c, process, k->ops->correlation[i])
				: SLOT_NONE;
	return 0;
}

static uint64_t ops_of_kind(const struct join *j, int kind)
{
	return j->kinds & 1u << kind ? j->trace->events[kind].count : 0;
}

static uint64_t count_ops(const struct join *j)
{
	uint64_t count = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		count += ops_of_kind(j, kind);
	return count;
}

static void for_ops_of_kind(struct join *j, int kind, parallel_fn *fn, struct slot_list *lists)
{
	struct launches *l = j->out;
	struct kind_of_ops k = {j, &j->trace->events[kind], lists,
				l->slot_of_op ? l->slot_of_op + l->begin[kind] : NULL};
	struct err never;

	parallel_for(ops_of_kind(j, kind), PARALLEL_ROWS, fn, &k, &never);
}

static void list_all_slots(struct join *j)
{
	size_t most = count_ops(j) / PARALLEL_ROWS + TRACE_GPU_KINDS, count = 0;
	struct slot_list *lists = mem_zalloc(most, sizeof(*lists));

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for_ops_of_kind(j, kind, list_slots, lists + count);
		count += (ops_of_kind(j, kind) + PARALLEL_ROWS - 1) / PARALLEL_ROWS;
	}
	slots_number(&j->slots, lists, count);
	free(lists);
}

static void number_slots(struct join *j)
{
	struct launches *l = j->out;

	list_all_slots(j);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		l->begin[kind] = l->op_count;
		l->op_count += ops_of_kind(j, kind);
	}
	l->slot_count = j->slots.count;
	l->slot_of_op = mem_alloc_large(l->op_count * sizeof(*l->slot_of_op));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		for_ops_of_kind(j, kind, find_slots, NULL);
	l->row_of_slot = mem_alloc_large(l->slot_count * sizeof(*l->row_of_slot));
	memset(l->row_of_slot, 0xff, l->slot_count * sizeof(*l->row_of_slot));
}

static void add_extra(struct join *j, struct extra x)
{
	pthread_mutex_lock(&j->lock);
	MEM_GROW(j->extras, j->extra_cap, j->extra_count + 1);
	j->extras[j->extra_count++] = x;
	pthread_mutex_unlock(&j->lock);
}

/* Whether the slot had no call yet: whoever comes first takes it, and settle_extras() judges. */
static bool take_slot(struct join *j, uint32_t slot, uint32_t row)
{
	uint32_t none = ID_NONE;

	return __atomic_compare_exchange_n(&j->out->row_of_slot[slot], &none, row, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint32_t process_of(const struct join *j, struct place *p, uint64_t key)
{
	if (j->one_process)
		return 0;
	if (!p->known || p->process_key != key) {
		p->process_key = key;
		p->process = idmap_get(&j->trace->process_keys.map, key);
		p->known = true;
	}
	return p->process;
}

static inline uint32_t call_slot(const struct join *j, struct place *place,
				 const struct sqlite_values *tid,
				 const struct sqlite_values *correlation, size_t i)
{
	uint32_t process;

	if (tid->type[i] != SQLITE_IS_INT || correlation->type[i] != SQLITE_IS_INT ||
	    (uint64_t)correlation->num[i] >= ID_NONE)
		return SLOT_NONE;
	process = process_of(j, place, (uint64_t)tid->num[i] >> 24);
	if (process == IDMAP_NONE)
		return SLOT_NONE;
	return slots_find(&j->slots, &place->slots, process, (uint32_t)correlation->num[i]);
}

/* Calls by slot: those that launched something are kept. */

static void keep_call(struct join *j, const struct sqlite_batch *b, size_t i, uint32_t slot,
		      unsigned worker)
{
	const struct sqlite_values *v = b->values;
	struct extra x = {.slot = slot, .row = (uint32_t)(b->first_row + i)};

	if (v[WANT_START].type[i] != SQLITE_IS_INT || v[WANT_END].type[i] != SQLITE_IS_INT)
		return;
	x.call = (struct api_call){
		.start_ns = v[WANT_START].num[i],
		.duration_ns = event_duration(v[WANT_START].num[i], v[WANT_END].num[i]),
		.origin = call_origins_number(&j->origins, worker, &v[WANT_TID], &v[WANT_NAME], i),
	};
	if (take_slot(j, slot, x.row))
		calls_put(&j->out->calls, slot, &x.call, &j->lock);
	else
		add_extra(j, x);
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct join *j = ctx;
	struct place place = j->places[worker];

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t slot =
			call_slot(j, &place, &b->values[WANT_TID], &b->values[WANT_CORRELATION], i);

		if (slot != SLOT_NONE)
			keep_call(j, b, i, slot, worker);
	}
	j->places[worker] = place;
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

static void forget_calls(void *ctx)
{
	struct join *j = ctx;

	memset(j->out->row_of_slot, 0xff, j->out->slot_count * sizeof(*j->out->row_of_slot));
	j->extra_count = 0;
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct join *j = ctx;

	(void)e;
	forget_calls(j);
	call_origins_forget(&j->origins);
	progress_begin("joining launches", rows);
	return 0;
}

static int read_launching(struct join *j, const int *columns, struct err *e)
{
	const struct sqlite_reader reader = {begin_calls, take_calls, j};
	struct launches *l = j->out;
	struct trace *t = j->trace;
	int result;

	if (strings_load(t, e) < 0)
		return -1;
	calls_alloc(&l->calls, l->slot_count);
	call_origins_begin(&j->origins, t);
	result = sqlitefile_read(t->file, t->events[TRACE_API].table, columns, WANTED, &reader, e);
	progress_end();
	if (result == 0)
		l->calls.origins = call_origins_settle(&j->origins, &l->calls.origin_count);
	else
		call_origins_forget(&j->origins);
	call_origins_end(&j->origins);
	return result;
}

/* All calls of the trace, for those who ask about others too. */

static void join_batch(void *ctx, const struct sqlite_batch *b,
		       const struct sqlite_values *correlation, const struct sqlite_values *tid,
		       unsigned worker)
{
	struct join *j = ctx;
	struct place place = j->places[worker];

	for (size_t i = 0; i < b->rows; i++) {
		uint32_t slot = call_slot(j, &place, tid, correlation, i);
		uint32_t row = (uint32_t)(b->first_row + i);

		if (slot != SLOT_NONE && j->out->calls.length[row] != LENGTH_NONE &&
		    !take_slot(j, slot, row))
			add_extra(j, (struct extra){.slot = slot, .row = row});
	}
	j->places[worker] = place;
}

static int read_all(struct join *j, struct err *e)
{
	const struct calls_hook hook = {join_batch, forget_calls, j};

	if (calls_read_with(j->trace, &j->out->calls, &hook, e) < 0)
		return -1;
	for (size_t i = 0; i < j->extra_count; i++)
		j->extras[i].call = calls_at(&j->out->calls, j->extras[i].row);
	return 0;
}

static int compare_extras(const void *a, const void *b, void *ctx)
{
	const struct extra *x = a, *y = b;

	(void)ctx;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static bool is_earlier(const struct extra *a, const struct extra *b)
{
	return a->call.start_ns != b->call.start_ns ? a->call.start_ns < b->call.start_ns
						    : a->row < b->row;
}

/* Puts the earliest of a slot's calls into the slot, in exchange for the one that is there. */
static void choose_earliest(struct join *j, struct extra *x, size_t count)
{
	struct launches *l = j->out;
	struct extra kept = {.slot = x->slot, .row = l->row_of_slot[x->slot]};
	struct extra *first = x;

	launches_slot_call(l, x->slot, &kept.call);
	for (size_t i = 1; i < count; i++) {
		if (is_earlier(&x[i], first))
			first = &x[i];
	}
	if (is_earlier(&kept, first))
		return;
	l->row_of_slot[x->slot] = first->row;
	if (!l->has_all_calls)
		calls_put(&l->calls, x->slot, &first->call, &j->lock);
	*first = kept;
}

/* Which call came first must not depend on which worker did. */
static void settle_extras(struct join *j)
{
	struct launches *l = j->out;
	size_t end;

	sort_stable(j->extras, j->extra_count, sizeof(*j->extras), compare_extras, NULL);
	for (size_t i = 0; i < j->extra_count; i = end) {
		end = i + 1;
		while (end < j->extra_count && j->extras[end].slot == j->extras[i].slot)
			end++;
		choose_earliest(j, &j->extras[i], end - i);
	}
	sort_stable(j->extras, j->extra_count, sizeof(*j->extras), compare_extras, NULL);
	l->more_count = j->extra_count;
	l->more = mem_alloc(l->more_count, sizeof(*l->more));
	l->more_slot = mem_alloc(l->more_count, sizeof(*l->more_slot));
	for (size_t i = 0; i < l->more_count; i++) {
		l->more[i] = j->extras[i].call;
		l->more_slot[i] = j->extras[i].slot;
	}
}

static int read_calls(struct join *j, struct err *e)
{
	int columns[WANTED], result;

	if (find_columns(j->trace, columns, e) < 0)
		return -1;
	pthread_mutex_init(&j->lock, NULL);
	j->places = mem_zalloc(parallel_workers(), sizeof(*j->places));
	result = j->out->has_all_calls ? read_all(j, e) : read_launching(j, columns, e);
	if (result == 0)
		settle_extras(j);
	pthread_mutex_destroy(&j->lock);
	free(j->places);
	free(j->extras);
	return result;
}

int launches_one_process(struct trace *t, unsigned kinds, bool *ret, struct err *e)
{
	*ret = false;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		*ret |= kinds & 1u << kind && t->events[kind].count && !t->events[kind].process;
	if (!*ret || !t->events[TRACE_API].table)
		return 0;
	if (trace_load(t, TRACE_API, COL_BIT(COL_THREAD), e) < 0)
		return -1;
	if (t->process_keys.count <= 1)
		return 0;
	err_set(e, ERR_INPUT, "'%s': its GPU work is not linked to any of its %zu processes",
		t->path, t->process_keys.count);
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
	}
	return launches_one_process(t, j->kinds, &j->one_process, e);
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
	int result;

	if (shared_launches(t, kinds, ret))
		return 0;
	trace_lock(t);
	result = launches_join_anew(t, kinds, false, ret, e);
	trace_unlock(t);
	return result;
}

int launches_join_anew(struct trace *t, unsigned kinds, bool keep_all_calls, struct launches *ret,
		       struct err *e)
{
	struct join j = {.trace = t, .out = ret, .kinds = kinds};
	int result = 0;

	*ret = (struct launches){.kinds = kinds, .has_all_calls = keep_all_calls};
	if (load_ops(&j, e) < 0)
		return -1;
	if (count_ops(&j) >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s' has more than 4 billion GPU ops", t->path);
	number_slots(&j);
	if (t->events[TRACE_API].table && (ret->slot_count || keep_all_calls))
		result = read_calls(&j, e);
	slots_free(&j.slots);
	if (result < 0)
		launches_free(ret);
	return result;
}

bool launches_found_any(const struct launches *l)
{
	for (size_t i = 0; i < l->slot_count; i++) {
		if (l->row_of_slot[i] != ID_NONE)
			return true;
	}
	return false;
}

/* `more` is sorted by slot. */
size_t launches_first_more(const struct launches *l, uint32_t slot)
{
	return BISECT(0, l->more_count, at, l->more_slot[at] < slot);
}

void launches_forget_ops(struct launches *l)
{
	if (!l->shared)
		mem_free_large(l->slot_of_op);
	l->slot_of_op = NULL;
}

/* A column of all calls, and what is to be kept of it. */
struct picking {
	const struct launches *launches;
	size_t width; /* of a value, in bytes */
	const void *from;
	void *to;
};

static int pick_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct picking *p = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++) {
		uint32_t row = p->launches->row_of_slot[i];

		if (row == ID_NONE)
			continue;
		if (p->width == sizeof(int64_t))
			((int64_t *)p->to)[i] = ((const int64_t *)p->from)[row];
		else if (p->width == sizeof(uint32_t))
			((uint32_t *)p->to)[i] = ((const uint32_t *)p->from)[row];
		else
			((uint16_t *)p->to)[i] = ((const uint16_t *)p->from)[row];
	}
	return 0;
}

static void *pick(const struct launches *l, void *column, size_t width)
{
	struct picking p = {l, width, column, mem_alloc_large(l->slot_count * width)};
	struct err never;

	parallel_for(l->slot_count, PARALLEL_ROWS, pick_some, &p, &never);
	mem_free_large(column);
	return p.to;
}

void launches_forget_calls(struct launches *l)
{
	struct calls *c = &l->calls;

	/* The largest comes last, when the others have made room. */
	c->length = pick(l, c->length, sizeof(*c->length));
	c->origin = pick(l, c->origin, sizeof(*c->origin));
	c->start_ns = pick(l, c->start_ns, sizeof(*c->start_ns));
	aside_renumber(&c->wide, l->row_of_slot, l->slot_count);
	aside_renumber(&c->far, l->row_of_slot, l->slot_count);
	c->count = l->slot_count;
	l->has_all_calls = false;
}

void launches_free(struct launches *l)
{
	if (!l->shared) {
		mem_free_large(l->slot_of_op);
		mem_free_large(l->row_of_slot);
		calls_free(&l->calls);
		free(l->more);
		free(l->more_slot);
	}
	*l = (struct launches){0};
}
