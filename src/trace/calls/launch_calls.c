/* Which API call made each launch? */
#include "trace/calls/launch_join.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/sort.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { WANT_START, WANT_END, WANT_TID, WANT_CORRELATION, WANT_NAME, WANTED };

/* Where a worker is: rows nearly always are of the same process as those before. */
struct place {
	struct launch_cursor cursor;
	uint64_t process_key;
	uint32_t process;
	bool known;
};

/* A call whose launch has one already. */
struct extra {
	uint32_t launch, row;
	struct api_call call;
};

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

static uint32_t process_of(const struct launch_join *j, struct place *p, uint64_t key)
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

static inline uint32_t launch_of_row(const struct launch_join *j, struct place *place,
				     const struct sqlite_values *tid,
				     const struct sqlite_values *correlation, size_t i)
{
	uint32_t process;

	if (tid->type[i] != SQLITE_IS_INT || correlation->type[i] != SQLITE_IS_INT ||
	    (uint64_t)correlation->num[i] >= ID_NONE)
		return LAUNCH_NONE;
	process = process_of(j, place, (uint64_t)tid->num[i] >> 24);
	if (process == IDMAP_NONE)
		return LAUNCH_NONE;
	return launch_numbers_find(&j->numbers, &place->cursor, process,
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
	struct place place = j->places[worker];

	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		uint32_t launch = launch_of_row(j, &place, &b->values[WANT_TID],
						&b->values[WANT_CORRELATION], i);

		if (launch != LAUNCH_NONE)
			keep_call(j, b, i, launch, worker);
	}
	j->places[worker] = place;
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
	struct place place = j->places[worker];

	for (size_t i = 0; i < b->rows; i++) {
		uint32_t launch = launch_of_row(j, &place, tid, correlation, i);
		uint32_t row = (uint32_t)(b->first_row + i);

		if (launch != LAUNCH_NONE && j->out->calls.length[row] != LENGTH_NONE &&
		    !take_launch(j, launch, row))
			add_extra(j, (struct extra){.launch = launch, .row = row});
	}
	j->places[worker] = place;
}

static int read_all(struct launch_join *j, struct err *e)
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
	j->places = mem_zalloc(parallel_workers(), sizeof(*j->places));
	result = j->out->has_all_calls ? read_all(j, e) : read_launching(j, columns, e);
	if (result == 0)
		settle_extras(j);
	pthread_mutex_destroy(&j->lock);
	free(j->places);
	free(j->extras);
	return result;
}

static int join(struct launch_join *j, struct err *e)
{
	struct launches *l = j->out;
	int result = 0;

	if (launch_join_ops(j, e) < 0)
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
