/* How do the wanted columns of a table become arrays, decoded once and on all cores? */
#include "trace/load.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/strings.h"

#include <stdlib.h>

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct load *l = ctx;

	for (size_t i = 0; i < l->field_count; i++) {
		if (load_field(l, &l->fields[i], b, worker, e) < 0)
			return -1;
	}
	progress_add(b->rows);
	return l->hook ? l->hook->batch(l->hook->ctx, b, worker, e) : 0;
}

static int want_column(struct load *l, int sql_column)
{
	for (size_t i = 0; i < l->sql_count; i++) {
		if (l->sql_columns[i] == sql_column)
			return (int)i;
	}
	l->sql_columns[l->sql_count] = sql_column;
	return (int)l->sql_count++;
}

static void choose_fields(struct load *l, const struct kind *kind, uint32_t columns)
{
	int start = sqlite_table_find_column(l->table, "start");

	l->start = -1;
	for (size_t i = 0; i < kind->field_count; i++) {
		const struct field *f = &kind->fields[i];
		int sql = sqlite_table_find_column(l->table, f->sql_name);

		if (!(columns & COL_BIT(f->column)) || sql < 0)
			continue;
		if (f->type == FIELD_DURATION) {
			if (start < 0)
				continue;
			l->start = want_column(l, start);
		}
		l->fields[l->field_count++] = (struct loaded_field){
			.field = f,
			.value = want_column(l, sql),
		};
	}
}

static void choose_hook_columns(struct load *l)
{
	for (size_t i = 0; l->hook && i < l->hook->count; i++)
		l->hook->at[i] = (size_t)want_column(l, l->hook->columns[i]);
}

/* Where all rows have 0 more often than not; others get memory that was used before, if there is.
 */
static bool comes_cleared(const struct field *f)
{
	return f->type == FIELD_GRAPH || f->type == FIELD_PROCESS || f->column == COL_DEVICE;
}

static size_t field_size(enum field_type type)
{
	return type == FIELD_TIME || type == FIELD_DURATION || type == FIELD_INT ? sizeof(int64_t)
										 : sizeof(uint32_t);
}

static void **field_array(struct events *ev, const struct field *f)
{
	return (void **)((char *)ev + f->offset);
}

static void prepare_interning(struct load *l, struct loaded_field *lf)
{
	struct trace *t = l->trace;

	lf->intern = lf->field->type == FIELD_PROCESS ? &t->process_keys : &t->thread_keys;
	lf->interned_before = lf->intern->count;
	lf->caches = mem_alloc(parallel_workers(), sizeof(*lf->caches));
	for (unsigned w = 0; w < parallel_workers(); w++)
		intern_cache_init(&lf->caches[w]);
}

static void allocate_fields(struct load *l, struct events *ev)
{
	for (size_t i = 0; i < l->field_count; i++) {
		struct loaded_field *lf = &l->fields[i];
		void **array = field_array(ev, lf->field);

		lf->is_cleared = !*array && comes_cleared(lf->field);
		if (!*array) {
			*array = (lf->is_cleared ? arena_zalloc : arena_alloc)(
				&l->trace->arena, l->rows, field_size(lf->field->type));
			/* Rows without a text keep their id's name, or none. */
			if (lf->field->type == FIELD_TEXT)
				memset(*array, 0xff, l->rows * sizeof(uint32_t));
		}
		if (lf->field->type == FIELD_TEXT)
			lf->texts = text_numbers_new(l->rows);
		lf->array = *array;
		if (lf->field->type == FIELD_PROCESS || lf->field->type == FIELD_THREAD)
			prepare_interning(l, lf);
	}
}

static void settle_some_graphs(void *ctx, size_t begin, size_t end, unsigned worker)
{
	uint32_t *graphs = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		graphs[i]--;
}

/* A column that says millions of times that there is no graph is as good as none. */
static void settle_graphs(struct load *l, const struct field *f)
{
	uint32_t **column = (uint32_t **)field_array(l->events, f);

	if (l->has_nodes) {
		parallel_each(l->rows, PARALLEL_ROWS, settle_some_graphs, *column);
		return;
	}
	arena_drop(&l->trace->arena, *column);
	*column = NULL;
}

static void finish_fields(struct load *l)
{
	for (size_t i = 0; i < l->field_count; i++) {
		struct loaded_field *lf = &l->fields[i];

		if (lf->field->type == FIELD_TEXT)
			text_numbers_settle(lf->texts, l->trace, lf->array);
		if (lf->intern)
			intern_settle(lf->intern, lf->interned_before, lf->array, l->rows);
		if (lf->field->type == FIELD_THREAD)
			trace_number_processes(l->trace);
		if (lf->field->type == FIELD_GRAPH)
			settle_graphs(l, lf->field);
	}
}

static void free_scratch(struct load *l)
{
	for (size_t i = 0; i < l->field_count; i++) {
		free(l->fields[i].caches);
		text_numbers_free(l->fields[i].texts);
		l->fields[i].caches = NULL;
		l->fields[i].texts = NULL;
	}
}

/* Undoes what an attempt at reading has left, so that nobody takes it for columns. */
static void forget_attempt(struct load *l)
{
	for (size_t i = 0; i < l->field_count; i++) {
		struct loaded_field *lf = &l->fields[i];

		if (lf->array)
			*field_array(l->events, lf->field) = NULL;
		if (lf->caches)
			intern_forget(lf->intern, lf->interned_before);
		lf->array = NULL;
	}
	free_scratch(l);
}

static int begin_load(void *ctx, uint64_t rows, struct err *e)
{
	struct load *l = ctx;

	forget_attempt(l);
	if (l->hook)
		l->hook->begin(l->hook->ctx);
	if (rows >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s': table %s has more than 4 billion rows",
			       l->trace->path, l->table->name);
	l->rows = rows;
	allocate_fields(l, l->events);
	progress_begin_reading(l->kind->title, rows);
	return 0;
}

static int read_table(struct load *l, struct err *e)
{
	const struct sqlite_reader reader = {begin_load, take_batch, l};
	int result =
		sqlitefile_read(l->trace->file, l->table, l->sql_columns, l->sql_count, &reader, e);

	progress_end();
	if (result < 0) {
		forget_attempt(l);
		return -1;
	}
	if (l->events->count != l->rows) /* others may be reading it */
		l->events->count = l->rows;
	finish_fields(l);
	free_scratch(l);
	return 0;
}

#define COLS_OF_NAMES                                                             \
	(COL_BIT(COL_NAME) | COL_BIT(COL_BASE_NAME) | COL_BIT(COL_MANGLED_NAME) | \
	 COL_BIT(COL_PAYLOAD))

int trace_load_with(struct trace *t, enum trace_kind which, uint32_t columns,
		    const struct load_hook *hook, struct err *e)
{
	const struct kind *kind = &trace_kinds[which];
	struct events *ev = &t->events[which];
	struct load l = {.trace = t, .table = ev->table, .kind = kind, .events = ev, .hook = hook};
	TRACE_LOCK_SCOPE(t);

	columns &= ~ev->loaded;
	if (!ev->table || (!columns && !hook))
		return 0;
	if (columns & COLS_OF_NAMES && strings_load(t, e) < 0)
		return -1;
	choose_fields(&l, kind, columns);
	choose_hook_columns(&l);
	if (l.sql_count == 0 && !ev->loaded &&
	    sqlitefile_count_rows(t->file, l.table, &ev->count, e) < 0)
		return -1;
	if (l.sql_count > 0 && read_table(&l, e) < 0)
		return -1;
	if (which == TRACE_NVTX && columns & COL_BIT(COL_DURATION))
		t->ranges_closed = false;
	ev->loaded |= columns;
	return 0;
}

int trace_load(struct trace *t, enum trace_kind which, uint32_t columns, struct err *e)
{
	return trace_load_with(t, which, columns, NULL, e);
}

void trace_note_empty(struct trace *t, enum trace_kind which, enum trace_column column)
{
	TRACE_LOCK_SCOPE(t);

	t->events[which].loaded |= COL_BIT(column);
}

void trace_unload(struct trace *t, enum trace_kind which, uint32_t columns)
{
	const struct kind *kind = &trace_kinds[which];
	struct events *ev = &t->events[which];
	TRACE_LOCK_SCOPE(t);

	columns &= ~t->keeps_columns[which];
	if (!columns)
		return;
	for (size_t i = 0; i < kind->field_count; i++) {
		void **array = field_array(ev, &kind->fields[i]);

		if (!(columns & COL_BIT(kind->fields[i].column)))
			continue;
		arena_drop(&t->arena, *array);
		*array = NULL;
	}
	ev->loaded &= ~columns;
}
