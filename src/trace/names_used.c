/* What are the events of a kind called? */
#include "trace/names_used.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/kinds.h"
#include "trace/strings.h"

#include <stdlib.h>

struct marking {
	const struct trace *trace;
	const uint32_t *column; /* where it is loaded */
	uint8_t *used;
	enum trace_kind kind;
};

/* Many workers come across the same few names. */
static void mark(const struct trace *t, uint8_t *used, uint32_t name)
{
	used += name == NAME_NONE ? t->names.count : name;
	if (!__atomic_load_n(used, __ATOMIC_RELAXED))
		__atomic_store_n(used, 1, __ATOMIC_RELAXED);
}

static int mark_loaded(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct marking *m = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		mark(m->trace, m->used, m->column[i]);
	return 0;
}

static int begin_reading(void *ctx, uint64_t rows, struct err *e)
{
	const struct marking *m = ctx;

	(void)e;
	memset(m->used, 0, names_used_size(m->trace));
	progress_begin(trace_kinds[m->kind].title, rows);
	return 0;
}

void names_mark_used(const struct trace *t, const struct sqlite_values *v, size_t rows,
		     uint8_t *used)
{
	for (size_t i = 0; i < rows; i++) {
		bool is_id = v->type[i] == SQLITE_IS_INT;

		if (i && is_id && v->type[i - 1] == SQLITE_IS_INT && v->num[i] == v->num[i - 1])
			continue;
		mark(t, used, is_id ? strings_number(t, v->num[i]) : NAME_NONE);
	}
}

static int mark_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct marking *m = ctx;

	(void)worker;
	(void)e;
	names_mark_used(m->trace, &b->values[0], b->rows, m->used);
	progress_add(b->rows);
	return 0;
}

static int read_names(struct trace *t, struct marking *m, struct err *e)
{
	const struct sqlite_reader reader = {begin_reading, mark_batch, m};
	const int column = trace_sql_column(t, m->kind, COL_NAME);
	int result = 0;

	if (column >= 0) {
		result = sqlitefile_read(t->file, t->events[m->kind].table, &column, 1, &reader, e);
		progress_end();
	} else {
		m->used[t->names.count] = 1;
	}
	return result;
}

int names_used(struct trace *t, enum trace_kind kind, uint8_t **ret, struct err *e)
{
	const struct events *ev = &t->events[kind];
	struct marking m = {.trace = t, .kind = kind};
	TRACE_LOCK_SCOPE(t);

	*ret = NULL;
	if (strings_load(t, e) < 0)
		return -1;
	m.used = *ret = mem_zalloc(names_used_size(t), 1);
	m.column = ev->name;
	if (m.column)
		return parallel_for(ev->count, PARALLEL_ROWS, mark_loaded, &m, e);
	return ev->table ? read_names(t, &m, e) : 0;
}
