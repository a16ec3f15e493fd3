/* Which API call launched which GPU op? The ops are numbered first, then the calls are read. */
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/sort.h"
#include "trace/calls/launch.h"
#include "trace/calls/thread_calls.h"
#include "trace/strings.h"

#include <stdlib.h>

/* Where a worker is: rows nearly always are of the same process as those before. */
struct call_cursor {
	struct launch_cursor launch;
	uint64_t process_key;
	uint32_t process;
	bool known;
};

/* A call whose launch has one already. */
struct extra {
	uint32_t launch, row;
	struct api_call call;
};

struct launch_join {
	struct trace *trace;
	struct launches *out;
	bool one_process; /* some ops name no process: they belong to the only one */
	struct launch_numbers numbers;
	struct call_cursor *cursors; /* one per worker */
	struct call_origins origins;
	pthread_mutex_t lock; /* of what follows, and of overflow values */
	struct extra *extras;
	size_t extra_count, extra_cap;
};

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

static int load_ops(struct launch_join *j, struct err *e)
{
	struct trace *t = j->trace;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (!(j->out->kinds & 1u << kind))
			continue;
		if (trace_load(t, kind, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION), e) < 0 ||
		    trace_require_column(t, kind, COL_CORRELATION, e) < 0)
			return -1;
	}
	return launches_one_process(t, j->out->kinds, &j->one_process, e);
}

/* Whether the op says what launched it. */
static bool op_pair(const struct launch_join *j, const struct events *ops, uint64_t i,
		    uint32_t *ret_process)
{
	*ret_process = j->one_process ? 0 : ops->process[i];
	return ops->correlation[i] != ID_NONE && *ret_process != ID_NONE;
}

/* What is done with the ops of one kind, by many workers. */
struct kind_of_ops {
	const struct launch_join *join;
	const struct events *ops;
	struct pair_list *lists; /* one for PARALLEL_ROWS ops each */
	uint32_t *launch_of_op;
};

static void list_launches(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct kind_of_ops *k = ctx;
	struct pair_list *list = &k->lists[begin / PARALLEL_ROWS];
	uint32_t process;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (op_pair(k->join, k->ops, i, &process))
			pair_list_add(list, process, k->ops->correlation[i]);
	}
	pair_list_settle(list);
}

static void find_launches(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct kind_of_ops *k = ctx;
	const struct launch_join *j = k->join;
	struct launch_cursor c = {0};
	uint32_t process;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		k->launch_of_op[i] = op_pair(j, k->ops, i, &process)
					     ? launch_numbers_find(&j->numbers, &c, process,
								   k->ops->correlation[i])
					     : LAUNCH_NONE;
}

static uint64_t ops_of_kind(const struct launch_join *j, int kind)
{
	return j->out->kinds & 1u << kind ? j->trace->events[kind].count : 0;
}

static uint64_t count_ops(const struct launch_join *j)
{
	uint64_t count = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		count += ops_of_kind(j, kind);
	return count;
}

static void for_ops_of_kind(struct launch_join *j, int kind, parallel_each_fn *fn,
			    struct pair_list *lists)
{
	struct launches *l = j->out;
	struct kind_of_ops k = {j, &j->trace->events[kind], lists,
				l->launch_of_op ? l->launch_of_op + l->begin[kind] : NULL};

	parallel_each(ops_of_kind(j, kind), PARALLEL_ROWS, fn, &k);
}

static void list_all_launches(struct launch_join *j)
{
	size_t most = count_ops(j) / PARALLEL_ROWS + TRACE_GPU_KINDS, count = 0;
	struct pair_list *lists = mem_zalloc(most, sizeof(*lists));

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for_ops_of_kind(j, kind, list_launches, lists + count);
		count += (ops_of_kind(j, kind) + PARALLEL_ROWS - 1) / PARALLEL_ROWS;
	}
	launch_numbers_make(&j->numbers, lists, count);
	free(lists);
}

/* Loads the ops of out->kinds and says which launch each is of. */
static int number_ops(struct launch_join *j, struct err *e)
{
	struct launches *l = j->out;

	if (load_ops(j, e) < 0)
		return -1;
	if (count_ops(j) >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s' has more than 4 billion GPU ops",
			       j->trace->path);
	list_all_launches(j);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		l->begin[kind] = l->op_count;
		l->op_count += ops_of_kind(j, kind);
	}
	l->launch_count = j->numbers.count;
	l->launch_of_op = mem_alloc(l->op_count, sizeof(*l->launch_of_op));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		for_ops_of_kind(j, kind, find_launches, NULL);
	l->row_of_launch = new_ids(l->launch_count);
	return 0;
}

enum { WANT_START, WANT_END, WANT_TID, WANT_CORRELATION, WANT_NAME, WANTED };

static void add_extra(struct launch_join *j, struct extra x)
{
	pthread_mutex_lock(&j->lock);
	MEM_GROW(j->extras, j->extra_cap, j->extra_count + 1);
	j->extras[j->extra_count++] = x;
	pthread_mutex_unlock(&j->lock);
}

/* Whether the launch had no call yet: whoever comes first takes it, and settle_extras() judges. */
static bool take_launch(struct launch_join *j, uint32_t launch, uint32_t row)
{
	uint32_t none = ID_NONE;

	return __atomic_compare_exchange_n(&j->out->row_of_launch[launch], &none, row, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static uint32_t process_of(const struct launch_join *j, struct call_cursor *p, uint64_t key)
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

static inline uint32_t launch_of_row(const struct launch_join *j, struct call_cursor *at,
				     const struct sqlite_values *tid,
				     const struct sqlite_values *correlation, size_t i)
{
	uint32_t process;

	if (tid->type[i] != SQLITE_IS_INT || correlation->type[i] != SQLITE_IS_INT ||
	    (uint64_t)correlation->num[i] >= ID_NONE)
		return LAUNCH_NONE;
	process = process_of(j, at, (uint64_t)tid->num[i] >> 24);
	if (process == IDMAP_NONE)
		return LAUNCH_NONE;
	return launch_numbers_find(&j->numbers, &at->launch, process,
				   (uint32_t)correlation->num[i]);
}

/* Calls by launch: those that launched something are kept. */

static void keep_call(struct launch_join *j, const struct sqlite_batch *b, size_t i,
		      uint32_t launch, unsigned worker)
{
	const struct sqlite_values *v = b->values;
	struct extra x = {.launch = launch, .row = (uint32_t)(b->first_row + i)};

	if (v[WANT_START].type[i] != SQLITE_IS_INT || v[WANT_END].type[i] != SQLITE_IS_INT)
		return;
	x.call = (struct api_call){
		.start_ns = v[WANT_START].num[i],
		.duration_ns = event_duration(v[WANT_START].num[i], v[WANT_END].num[i]),
		.origin = call_origins_number(&j->origins, worker, &v[WANT_TID], &v[WANT_NAME], i),
	};
	if (take_launch(j, launch, x.row))
		calls_put(&j->out->calls, launch, &x.call, &j->lock);
	else
		add_extra(j, x);
}

static int take_calls(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct launch_join *j = ctx;
	struct call_cursor at = j->cursors[worker];

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t launch = launch_of_row(j, &at, &b->values[WANT_TID],
						&b->values[WANT_CORRELATION], i);

		if (launch != LAUNCH_NONE)
			keep_call(j, b, i, launch, worker);
	}
	j->cursors[worker] = at;
	progress_add(b->rows);
	return 0;
}

static int find_columns(const struct trace *t, int columns[WANTED], struct err *e)
{
	static const enum trace_column wanted[WANTED] = {COL_START, COL_DURATION, COL_THREAD,
							 COL_CORRELATION, COL_NAME};

	for (int i = 0; i < WANTED; i++) {
		columns[i] = trace_sql_column(t, TRACE_API, wanted[i]);
		if (columns[i] < 0)
			return trace_refuse_column(t, t->events[TRACE_API].table,
						   trace_lacks_column(t, TRACE_API, wanted[i]), e);
	}
	return 0;
}

static void forget_calls(void *ctx)
{
	struct launch_join *j = ctx;

	memset(j->out->row_of_launch, 0xff, j->out->launch_count * sizeof(*j->out->row_of_launch));
	j->extra_count = 0;
}

static int begin_calls(void *ctx, uint64_t rows, struct err *e)
{
	struct launch_join *j = ctx;

	(void)e;
	forget_calls(j);
	call_origins_forget(&j->origins);
	progress_begin("joining launches", rows);
	return 0;
}

static int read_launching(struct launch_join *j, const int *columns, struct err *e)
{
	const struct sqlite_reader reader = {begin_calls, take_calls, j};
	struct launches *l = j->out;
	struct trace *t = j->trace;
	int result;

	if (strings_load(t, e) < 0)
		return -1;
	calls_alloc(&l->calls, l->launch_count);
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
	struct launch_join *j = ctx;
	struct call_cursor at = j->cursors[worker];

	for (size_t i = 0; i < b->rows; i++) {
		uint32_t launch = launch_of_row(j, &at, tid, correlation, i);
		uint32_t row = (uint32_t)(b->first_row + i);

		if (launch != LAUNCH_NONE && j->out->calls.length[row] != LENGTH_NONE &&
		    !take_launch(j, launch, row))
			add_extra(j, (struct extra){.launch = launch, .row = row});
	}
	j->cursors[worker] = at;
}

static int read_all(struct launch_join *j, struct err *e)
{
	const struct calls_hook hook = {join_batch, forget_calls, j};

	if (calls_read_with(j->trace, &j->out->calls, &hook, e) < 0)
		return -1;
	j->out->calls.in_order =
		thread_calls_lie_in_order(&j->out->calls, j->trace->thread_keys.count);
	for (size_t i = 0; i < j->extra_count; i++)
		j->extras[i].call = calls_at(&j->out->calls, j->extras[i].row);
	return 0;
}

static int compare_extras(const void *a, const void *b, void *ctx)
{
	const struct extra *x = a, *y = b;

	(void)ctx;
	if (x->launch != y->launch)
		return x->launch < y->launch ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static bool is_earlier(const struct extra *a, const struct extra *b)
{
	return a->call.start_ns != b->call.start_ns ? a->call.start_ns < b->call.start_ns
						    : a->row < b->row;
}

/* Makes the earliest of a launch's calls its own, in exchange for the one that is there. */
static void choose_earliest(struct launch_join *j, struct extra *x, size_t count)
{
	struct launches *l = j->out;
	struct extra kept = {.launch = x->launch, .row = l->row_of_launch[x->launch]};
	struct extra *first = x;

	launches_earliest_call(l, x->launch, &kept.call);
	for (size_t i = 1; i < count; i++) {
		if (is_earlier(&x[i], first))
			first = &x[i];
	}
	if (is_earlier(&kept, first))
		return;
	l->row_of_launch[x->launch] = first->row;
	if (!l->has_all_calls)
		calls_put(&l->calls, x->launch, &first->call, &j->lock);
	*first = kept;
}

/* Which call came first must not depend on which worker did. */
static void settle_extras(struct launch_join *j)
{
	struct launches *l = j->out;
	size_t end;

	sort_stable(j->extras, j->extra_count, sizeof(*j->extras), compare_extras, NULL);
	for (size_t i = 0; i < j->extra_count; i = end) {
		end = i + 1;
		while (end < j->extra_count && j->extras[end].launch == j->extras[i].launch)
			end++;
		choose_earliest(j, &j->extras[i], end - i);
	}
	sort_stable(j->extras, j->extra_count, sizeof(*j->extras), compare_extras, NULL);
	l->more_count = j->extra_count;
	l->more = mem_alloc(l->more_count, sizeof(*l->more));
	l->more_launch = mem_alloc(l->more_count, sizeof(*l->more_launch));
	for (size_t i = 0; i < l->more_count; i++) {
		l->more[i] = j->extras[i].call;
		l->more_launch[i] = j->extras[i].launch;
	}
}

static int read_calls(struct launch_join *j, struct err *e)
{
	int columns[WANTED], result;

	if (find_columns(j->trace, columns, e) < 0)
		return -1;
	pthread_mutex_init(&j->lock, NULL);
	j->cursors = mem_zalloc(parallel_workers(), sizeof(*j->cursors));
	result = j->out->has_all_calls ? read_all(j, e) : read_launching(j, columns, e);
	if (result == 0)
		settle_extras(j);
	pthread_mutex_destroy(&j->lock);
	free(j->cursors);
	free(j->extras);
	return result;
}

static int join(struct launch_join *j, struct err *e)
{
	struct launches *l = j->out;
	int result = 0;

	if (number_ops(j, e) < 0)
		return -1;
	if (j->trace->events[TRACE_API].table && (l->launch_count || l->has_all_calls))
		result = read_calls(j, e);
	launch_numbers_free(&j->numbers);
	if (result < 0)
		launches_free(l);
	return result;
}

int launches_join_anew(struct trace *t, unsigned kinds, bool keep_all_calls, struct launches *ret,
		       struct err *e)
{
	struct launch_join j = {.trace = t, .out = ret};
	TRACE_LOCK_SCOPE(t);

	*ret = (struct launches){.kinds = kinds, .has_all_calls = keep_all_calls};
	return join(&j, e);
}
