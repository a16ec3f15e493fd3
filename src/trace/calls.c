/* Which CUDA calls did the host make, and when? */
#include "trace/calls.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/shared_joins.h"
#include "trace/strings.h"

#include <stdlib.h>

enum { WANT_START, WANT_END, WANT_TID, WANT_NAME, WANT_CORRELATION, WANTED };

struct reading {
	struct trace *trace;
	struct calls *out;
	const struct calls_hook *hook;
	struct call_origins origins;
	int value_of[WANTED]; /* which column of a batch; −1: the export has none */
	pthread_mutex_t wide_lock;
};

int64_t calls_wide_duration(const struct calls *c, size_t i)
{
	return c->length[i] == LENGTH_NONE ? DURATION_NONE : c->wide_ns[idmap_get(&c->wide, i)];
}

void calls_alloc(struct calls *c, size_t count)
{
	c->count = count;
	c->start_ns = mem_alloc_large(count * sizeof(*c->start_ns));
	c->length = mem_alloc_large(count * sizeof(*c->length));
	c->origin = mem_alloc_large(count * sizeof(*c->origin));
}

static void put_wide(struct calls *c, size_t i, int64_t duration_ns, pthread_mutex_t *lock)
{
	uint32_t at;

	pthread_mutex_lock(lock);
	at = idmap_add(&c->wide, i, (uint32_t)c->wide_count);
	if (at == c->wide_count) {
		MEM_GROW(c->wide_ns, c->wide_cap, c->wide_count + 1);
		c->wide_count++;
	}
	c->wide_ns[at] = duration_ns;
	pthread_mutex_unlock(lock);
}

static void put_duration(struct calls *c, size_t i, int64_t duration_ns, pthread_mutex_t *lock)
{
	if ((uint64_t)duration_ns < LENGTH_WIDE) {
		c->length[i] = (uint32_t)duration_ns;
	} else if (duration_ns == DURATION_NONE) {
		c->length[i] = LENGTH_NONE;
	} else {
		put_wide(c, i, duration_ns, lock);
		c->length[i] = LENGTH_WIDE;
	}
}

void calls_put(struct calls *c, size_t i, const struct api_call *call, pthread_mutex_t *lock)
{
	c->start_ns[i] = call->start_ns;
	c->origin[i] = call->origin;
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
		put_duration(c, row, duration, &r->wide_lock);
	}
}

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct reading *r = ctx;
	const struct sqlite_values *tid = column(r, b, WANT_TID);
	const struct sqlite_values *name = column(r, b, WANT_NAME);

	(void)e;
	put_times(r, b);
	call_origins_number_all(&r->origins, worker, tid, name, b->rows,
				r->out->origin + b->first_row);
	if (r->hook)
		r->hook->batch(r->hook->ctx, b, column(r, b, WANT_CORRELATION), tid, worker);
	progress_add(b->rows);
	return 0;
}

static int begin(void *ctx, uint64_t rows, struct err *e)
{
	struct reading *r = ctx;
	struct calls known = *r->out;

	if (rows >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s': table %s has over 4 billion rows",
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
	progress_begin("CUDA API calls", rows);
	return 0;
}

/* The columns that the export has, in the order in which a batch has them. */
static size_t choose_columns(struct reading *r, int columns[WANTED])
{
	static const char *const names[WANTED] = {"start", "end", "globalTid", "nameId",
						  "correlationId"};
	const struct sqlite_table *table = r->trace->events[TRACE_API].table;
	size_t count = 0;

	for (int i = 0; i < WANTED; i++) {
		int found = sqlite_table_find_column(table, names[i]);

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
	pthread_mutex_init(&r->wide_lock, NULL);
	result = sqlitefile_read(t->file, t->events[TRACE_API].table, columns, count, &reader, e);
	progress_end();
	if (result == 0) {
		r->out->origins = call_origins_settle(&r->origins, &r->out->origin_count);
	} else {
		call_origins_forget(&r->origins);
		calls_free(r->out);
	}
	pthread_mutex_destroy(&r->wide_lock);
	call_origins_end(&r->origins);
	return result;
}

int calls_read_with(struct trace *t, struct calls *ret, const struct calls_hook *hook,
		    struct err *e)
{
	struct reading r = {.trace = t, .out = ret, .hook = hook};

	*ret = (struct calls){0};
	if (!t->events[TRACE_API].table)
		return 0;
	return strings_load(t, e) < 0 ? -1 : read_rows(&r, e);
}

int calls_read(struct trace *t, struct calls *ret, struct err *e)
{
	int result;

	if (shared_calls(t, ret))
		return 0;
	trace_lock(t);
	result = calls_read_with(t, ret, NULL, e);
	trace_unlock(t);
	return result;
}

int calls_require(struct trace *t, uint32_t columns, struct err *e)
{
	static const struct {
		enum trace_column column;
		const char *name;
	} known[] = {{COL_START, "start"},
		     {COL_DURATION, "end"},
		     {COL_THREAD, "globalTid"},
		     {COL_NAME, "nameId"}};
	const struct sqlite_table *table = t->events[TRACE_API].table;

	for (size_t i = 0; table && i < ARRAY_LEN(known); i++) {
		if (!(columns & COL_BIT(known[i].column)) ||
		    sqlite_table_find_column(table, known[i].name) >= 0)
			continue;
		err_set(e, ERR_INPUT, "'%s': table %s lacks the column %s", t->path, table->name,
			known[i].name);
		e->absent = true;
		return err_hint(e, "export the report again with a recent Nsight Systems");
	}
	return 0;
}

void calls_free(struct calls *c)
{
	if (!c->shared) {
		mem_free_large(c->start_ns);
		mem_free_large(c->length);
		mem_free_large(c->origin);
		free(c->origins);
		idmap_free(&c->wide);
		free(c->wide_ns);
	}
	*c = (struct calls){0};
}
