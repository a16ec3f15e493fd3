/* Which CUDA calls did the host make, and when? */
#include "trace/calls/calls.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/calls/launch.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { ORIGIN_CACHE = 256 };

/*
 * Of one worker: the export's own numbers of late. The few functions that a thread calls have
 * numbers near one another, and so places of their own.
 */
struct origin_cache {
	int64_t tid[ORIGIN_CACHE], name[ORIGIN_CACHE];
	uint32_t number[ORIGIN_CACHE]; /* ID_NONE: unused */
};

static void clear_caches(struct call_origins *o)
{
	for (unsigned w = 0; w < parallel_workers(); w++)
		memset(o->caches[w].number, 0xff, sizeof(o->caches[w].number));
}

void call_origins_begin(struct call_origins *o, struct trace *t)
{
	*o = (struct call_origins){.trace = t, .threads_before = t->thread_keys.count};
	intern_init(&o->pairs);
	o->caches = mem_alloc(parallel_workers(), sizeof(*o->caches));
	clear_caches(o);
}

static uint32_t add_locked(struct intern *in, uint64_t key)
{
	uint32_t number;

	pthread_mutex_lock(&in->lock);
	number = intern_add(in, key);
	pthread_mutex_unlock(&in->lock);
	return number;
}

static uint32_t number_anew(struct call_origins *o, const struct sqlite_values *tid,
			    const struct sqlite_values *name, size_t i)
{
	uint32_t thread = ID_NONE, function = NAME_NONE;

	if (tid && tid->type[i] == SQLITE_IS_INT)
		thread = add_locked(&o->trace->thread_keys, (uint64_t)tid->num[i]);
	if (name && name->type[i] == SQLITE_IS_INT)
		function = strings_number(o->trace, name->num[i]);
	return add_locked(&o->pairs, (uint64_t)thread << 32 | function);
}

static size_t cache_slot(int64_t tid, int64_t name)
{
	return ((uint64_t)name + ((uint64_t)tid * 0x9e3779b97f4a7c15u >> 56)) % ORIGIN_CACHE;
}

static inline uint32_t number_cached(struct call_origins *o, struct origin_cache *c,
				     const struct sqlite_values *tid,
				     const struct sqlite_values *name, size_t i)
{
	size_t slot = cache_slot(tid->num[i], name->num[i]);

	if (c->number[slot] == ID_NONE || c->tid[slot] != tid->num[i] ||
	    c->name[slot] != name->num[i]) {
		c->number[slot] = number_anew(o, tid, name, i);
		c->tid[slot] = tid->num[i];
		c->name[slot] = name->num[i];
	}
	return c->number[slot];
}

uint32_t call_origins_number(struct call_origins *o, unsigned worker,
			     const struct sqlite_values *tid, const struct sqlite_values *name,
			     size_t i)
{
	if (!tid || !name || tid->type[i] != SQLITE_IS_INT || name->type[i] != SQLITE_IS_INT)
		return number_anew(o, tid, name, i);
	return number_cached(o, &o->caches[worker], tid, name, i);
}

/* The same for `count` rows from `first` on. */
static void call_origins_number_some(struct call_origins *o, unsigned worker,
				     const struct sqlite_values *tid,
				     const struct sqlite_values *name, size_t first, size_t count,
				     uint32_t *out)
{
	bool usual = tid && name && tid->all == SQLITE_IS_INT && name->all == SQLITE_IS_INT;

	for (size_t i = 0; i < count; i++)
		out[i] = usual ? number_cached(o, &o->caches[worker], tid, name, first + i)
			       : call_origins_number(o, worker, tid, name, first + i);
}

void call_origins_forget(struct call_origins *o)
{
	intern_forget(&o->pairs, 0);
	intern_forget(&o->trace->thread_keys, o->threads_before);
	clear_caches(o);
}

/* Threads were numbered as they came: settle them like a loaded column, in the few origins. */
struct call_origin *call_origins_settle(struct call_origins *o, size_t *ret_count)
{
	size_t count = o->pairs.count;
	uint32_t *threads = mem_alloc(count, sizeof(*threads));
	struct call_origin *origins = mem_alloc(count, sizeof(*origins));

	for (size_t i = 0; i < count; i++)
		threads[i] = (uint32_t)(o->pairs.keys[i] >> 32);
	intern_settle(&o->trace->thread_keys, o->threads_before, threads, count);
	for (size_t i = 0; i < count; i++)
		origins[i] = (struct call_origin){threads[i], (uint32_t)o->pairs.keys[i]};
	free(threads);
	trace_number_processes(o->trace);
	*ret_count = count;
	return origins;
}

void call_origins_end(struct call_origins *o)
{
	free(o->caches);
	intern_free(&o->pairs);
	*o = (struct call_origins){0};
}

enum { WANT_START, WANT_END, WANT_TID, WANT_NAME, WANT_CORRELATION, WANTED };

struct reading {
	struct trace *trace;
	struct calls *out;
	const struct calls_hook *hook;
	struct call_origins origins;
	int value_of[WANTED]; /* which column of a batch; −1: the export has none */
	pthread_mutex_t overflow_lock;
};

int64_t calls_wide_duration(const struct calls *c, size_t i)
{
	return c->length[i] == LENGTH_NONE ? DURATION_NONE : overflow_values_get(&c->wide, i);
}

struct api_call calls_rare_at(const struct calls *c, size_t i)
{
	return (struct api_call){c->start_ns[i], calls_duration(c, i), calls_origin(c, i)};
}

void calls_alloc(struct calls *c, size_t count)
{
	c->count = count;
	c->start_ns = mem_alloc(count, sizeof(*c->start_ns));
	c->length = mem_alloc(count, sizeof(*c->length));
	c->origin = mem_alloc(count, sizeof(*c->origin));
}

static void put_overflow(struct overflow_values *a, size_t i, int64_t value, pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	overflow_values_put(a, i, value);
	pthread_mutex_unlock(lock);
}

static void put_duration(struct calls *c, size_t i, int64_t duration_ns, pthread_mutex_t *lock)
{
	if ((uint64_t)duration_ns < LENGTH_WIDE) {
		c->length[i] = (uint32_t)duration_ns;
	} else if (duration_ns == DURATION_NONE) {
		c->length[i] = LENGTH_NONE;
	} else {
		put_overflow(&c->wide, i, duration_ns, lock);
		c->length[i] = LENGTH_WIDE;
	}
}

static void put_origin(struct calls *c, size_t i, uint32_t origin, pthread_mutex_t *lock)
{
	c->origin[i] = origin < ORIGIN_FAR ? (uint16_t)origin : ORIGIN_FAR;
	if (origin >= ORIGIN_FAR)
		put_overflow(&c->far, i, origin, lock);
}

void calls_put(struct calls *c, size_t i, const struct api_call *call, pthread_mutex_t *lock)
{
	c->start_ns[i] = call->start_ns;
	put_origin(c, i, call->origin, lock);
	put_duration(c, i, call->duration_ns, lock);
}

static const struct sqlite_values *column(const struct reading *r, const struct sqlite_batch *b,
					  int wanted)
{
	return r->value_of[wanted] < 0 ? NULL : &b->values[r->value_of[wanted]];
}

static bool all_ints(const struct sqlite_values *v)
{
	return v && v->all == SQLITE_IS_INT;
}

/*
 * The times of calls that take as long as calls do: less than LENGTH_WIDE, which has but
 * LENGTH_NONE above it. False where some do not. No early exit: the loop becomes a few vector
 * instructions.
 */
static bool put_usual_times(struct calls *c, size_t first, const int64_t *restrict start,
			    const int64_t *restrict end, size_t rows)
{
	int64_t *restrict start_ns = c->start_ns + first;
	uint32_t *restrict length = c->length + first;
	uint64_t beyond = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t d = (uint64_t)end[i] - (uint64_t)start[i];

		beyond |= d | (d + 2) | -(uint64_t)(end[i] < start[i]);
		start_ns[i] = start[i];
		length[i] = (uint32_t)d;
	}
	return beyond >> 32 == 0;
}

static void put_times(struct reading *r, const struct sqlite_batch *b)
{
	const struct sqlite_values *start = column(r, b, WANT_START), *end = column(r, b, WANT_END);
	struct calls *c = r->out;

	if (all_ints(start) && all_ints(end) &&
	    put_usual_times(c, b->first_row, start->num, end->num, b->rows))
		return;
	for (size_t i = 0; i < b->rows; i++) {
		size_t row = b->first_row + i;
		bool has_start = start && start->type[i] == SQLITE_IS_INT;
		bool has_end = end && end->type[i] == SQLITE_IS_INT;
		int64_t duration = DURATION_NONE;

		if (has_start && has_end)
			duration = event_duration(start->num[i], end->num[i]);
		c->start_ns[row] = has_start ? start->num[i] : 0;
		put_duration(c, row, duration, &r->overflow_lock);
	}
}

/* False where some are far. No early exit, as above. */
static bool put_near_origins(struct calls *c, size_t first, const uint32_t *restrict numbers,
			     size_t count)
{
	uint16_t *restrict origin = c->origin + first;
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++) {
		most = numbers[i] > most ? numbers[i] : most;
		origin[i] = (uint16_t)numbers[i];
	}
	return most < ORIGIN_FAR;
}

static void put_origins(struct reading *r, const struct sqlite_batch *b, unsigned worker)
{
	uint32_t numbers[256];

	for (size_t first = 0; first < b->rows; first += ARRAY_LEN(numbers)) {
		const size_t left = b->rows - first;
		const size_t count = left < ARRAY_LEN(numbers) ? left : ARRAY_LEN(numbers);

		call_origins_number_some(&r->origins, worker, column(r, b, WANT_TID),
					 column(r, b, WANT_NAME), first, count, numbers);
		if (put_near_origins(r->out, b->first_row + first, numbers, count))
			continue;
		for (size_t i = 0; i < count; i++)
			put_origin(r->out, b->first_row + first + i, numbers[i], &r->overflow_lock);
	}
}

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct reading *r = ctx;

	(void)e;
	put_times(r, b);
	put_origins(r, b, worker);
	if (r->hook)
		r->hook->batch(r->hook->ctx, b, column(r, b, WANT_CORRELATION),
			       column(r, b, WANT_TID), worker);
	progress_add(b->rows);
	return 0;
}

static int begin(void *ctx, uint64_t rows, struct err *e)
{
	struct reading *r = ctx;
	struct calls known = *r->out;

	if (rows >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s': table %s has more than 4 billion rows",
			       r->trace->path, r->trace->events[TRACE_API].table->name);
	calls_free(r->out);
	r->out->has_times = known.has_times;
	r->out->has_threads = known.has_threads;
	r->out->has_names = known.has_names;
	r->trace->events[TRACE_API].count = rows;
	call_origins_forget(&r->origins);
	calls_alloc(r->out, rows);
	if (r->hook)
		r->hook->begin(r->hook->ctx);
	progress_begin_reading("CUDA API calls", rows);
	return 0;
}

/* The columns that the export has, in the order in which a batch has them. */
static size_t choose_columns(struct reading *r, int columns[WANTED])
{
	static const enum trace_column wanted[WANTED] = {COL_START, COL_DURATION, COL_THREAD,
							 COL_NAME, COL_CORRELATION};
	size_t count = 0;

	for (int i = 0; i < WANTED; i++) {
		int found = trace_sql_column(r->trace, TRACE_API, wanted[i]);

		r->value_of[i] = -1;
		if (found < 0 || (i == WANT_CORRELATION && !r->hook))
			continue;
		r->value_of[i] = (int)count;
		columns[count++] = found;
	}
	r->out->has_times = r->value_of[WANT_START] >= 0 && r->value_of[WANT_END] >= 0;
	r->out->has_threads = r->value_of[WANT_TID] >= 0;
	r->out->has_names = r->value_of[WANT_NAME] >= 0;
	return count;
}

static int read_rows(struct reading *r, struct err *e)
{
	const struct sqlite_reader reader = {begin, take_batch, r};
	struct trace *t = r->trace;
	int columns[WANTED], result;
	size_t count = choose_columns(r, columns);

	if (!count)
		return 0;
	call_origins_begin(&r->origins, t);
	pthread_mutex_init(&r->overflow_lock, NULL);
	result = sqlitefile_read(t->file, t->events[TRACE_API].table, columns, count, &reader, e);
	progress_end();
	if (result == 0) {
		r->out->origins = call_origins_settle(&r->origins, &r->out->origin_count);
	} else {
		call_origins_forget(&r->origins);
		calls_free(r->out);
	}
	pthread_mutex_destroy(&r->overflow_lock);
	call_origins_end(&r->origins);
	return result;
}

int calls_read_with(struct trace *t, struct calls *ret, const struct calls_hook *hook,
		    struct err *e)
{
	struct reading r = {.trace = t, .out = ret, .hook = hook};
	TRACE_LOCK_SCOPE(t);

	*ret = (struct calls){0};
	if (!t->events[TRACE_API].table)
		return 0;
	return strings_load(t, e) < 0 ? -1 : read_rows(&r, e);
}

int calls_read(struct trace *t, struct calls *ret, struct err *e)
{
	return launches_share_calls(t, ret) ? 0 : calls_read_with(t, ret, NULL, e);
}

void calls_free(struct calls *c)
{
	if (!c->shared) {
		free(c->start_ns);
		free(c->length);
		free(c->origin);
		free(c->origins);
		overflow_values_free(&c->wide);
		overflow_values_free(&c->far);
	}
	*c = (struct calls){0};
}
