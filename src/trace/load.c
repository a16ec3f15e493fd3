/* How do the wanted columns of a table become arrays, decoded once and on all cores? */
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/saturate.h"
#include "trace/intern.h"
#include "trace/kinds.h"
#include "trace/strings.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_FIELDS = 24 };

/*
 * Texts repeat: each worker numbers those it meets, and the trace's own numbers are given once, in
 * the order of rows, so that they do not depend on who met what.
 */
struct local_texts {
	struct strtab met;
	uint32_t *number; /* in the trace; NAME_NONE: not yet given */
};

/* Of a text's number; the worker's is in the bits above. */
enum { LOCAL_BITS = 26 };
_Static_assert(PARALLEL_MAX <= 1 << (32 - LOCAL_BITS), "a worker's number has no room");

struct loaded_field {
	const struct field *field;
	int value; /* which wanted SQL column feeds it */
	void *array;
	bool is_cleared; /* nobody else has written to it: where all is 0 nothing needs writing */
	struct intern *intern; /* FIELD_PROCESS, FIELD_THREAD */
	size_t interned_before;
	struct intern_cache *caches; /* one per worker */
	struct local_texts *locals;  /* FIELD_TEXT: one per worker */
	uint32_t *local_numbers; /* per row: a worker and a number of its own; NAME_NONE: no text */
};

struct load {
	struct trace *trace;
	const struct sqlite_table *table;
	const struct kind *kind;
	struct events *events;
	int start; /* which wanted SQL column is "start"; -1 */
	struct loaded_field fields[MAX_FIELDS];
	size_t field_count;
	int sql_columns[MAX_FIELDS + 1];
	size_t sql_count;
	uint64_t rows;
	atomic_bool has_nodes; /* of graphs */
};

/* Most columns of most batches are: then nothing has to be asked of each value. */
static bool all_ints(const struct sqlite_values *v)
{
	return v->all == SQLITE_IS_INT;
}

static void fill_int(const struct sqlite_values *v, size_t rows, int64_t none, int64_t *out)
{
	if (all_ints(v)) {
		memcpy(out, v->num, rows * sizeof(*out));
		return;
	}
	for (size_t i = 0; i < rows; i++)
		out[i] = v->type[i] == SQLITE_IS_INT ? v->num[i] : none;
}

/* Durations that need no care; false where some do. No early exit: see fill_usual_ids(). */
static bool fill_usual_durations(const int64_t *restrict start, const int64_t *restrict end,
				 size_t rows, int64_t *restrict out)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t d = (uint64_t)end[i] - (uint64_t)start[i];

		beyond |= d | -(uint64_t)(end[i] < start[i]);
		out[i] = (int64_t)d;
	}
	return beyond >> 63 == 0;
}

static void fill_duration(const struct sqlite_values *start, const struct sqlite_values *end,
			  size_t rows, int64_t *out)
{
	if (all_ints(start) && all_ints(end) &&
	    fill_usual_durations(start->num, end->num, rows, out))
		return;
	for (size_t i = 0; i < rows; i++) {
		if (start->type[i] == SQLITE_IS_INT && end->type[i] == SQLITE_IS_INT)
			out[i] = event_duration(start->num[i], end->num[i]);
		else
			out[i] = DURATION_NONE;
	}
}

/* A column of one device, or of one process, is never written to, and so takes no memory. */
static bool all_zero(const struct sqlite_values *v, size_t rows)
{
	uint64_t any = 0;

	if (!rows || !all_ints(v) || v->num[0] != 0)
		return false;
	for (size_t i = 1; i < rows; i++)
		any |= (uint64_t)v->num[i];
	return any == 0;
}

/* No early exit: the compiler turns the loop into a few vector instructions. */
static bool fill_usual_ids(const int64_t *restrict num, size_t rows, uint32_t *restrict out)
{
	uint64_t beyond = 0;

	for (size_t i = 0; i < rows; i++) {
		/* −1 is how exports write that there is none. */
		beyond |= (uint64_t)num[i] + 1;
		out[i] = (uint32_t)num[i];
	}
	return beyond >> 32 == 0;
}

/*
 * What is no 32-bit id is none, whether it is a NULL, a text or a number beyond: cut to size it
 * would join rows that do not belong together, and one such row is no reason to refuse the others.
 */
static void fill_id(const struct loaded_field *lf, const struct sqlite_values *v, size_t rows,
		    uint32_t *out)
{
	if (lf->is_cleared && all_zero(v, rows))
		return;
	if (all_ints(v) && fill_usual_ids(v->num, rows, out))
		return;
	for (size_t i = 0; i < rows; i++) {
		bool is_id = v->type[i] == SQLITE_IS_INT && (uint64_t)v->num[i] < ID_NONE;

		out[i] = is_id ? (uint32_t)v->num[i] : ID_NONE;
	}
}

/*
 * 0 is how some exports write that an op is no node. Graphs are one more than their number until
 * all is read, so that a capture without any, as most are, leaves the column as it came.
 */
static void fill_graph(struct load *l, const struct sqlite_values *v, size_t rows, uint32_t *out)
{
	bool any = false;

	if (v->all == SQLITE_IS_NULL || all_zero(v, rows))
		return;
	for (size_t i = 0; i < rows; i++) {
		if (v->type[i] != SQLITE_IS_INT || v->num[i] == 0)
			continue;
		out[i] = (uint32_t)((uint64_t)v->num[i] >> 32) + 1;
		any = true;
	}
	if (any)
		atomic_store_explicit(&l->has_nodes, true, memory_order_relaxed);
}

static void fill_name(const struct load *l, const struct sqlite_values *v, size_t rows,
		      uint32_t *out)
{
	const struct trace *t = l->trace;

	for (size_t i = 0; i < rows; i++)
		out[i] = v->type[i] == SQLITE_IS_INT ? strings_number(t, v->num[i]) : NAME_NONE;
}

static int fill_text(const struct load *l, const struct loaded_field *lf,
		     const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct sqlite_values *v = &b->values[lf->value];
	struct strtab *met = &lf->locals[worker].met;
	uint32_t *out = lf->local_numbers + b->first_row;

	for (size_t i = 0; i < b->rows; i++) {
		bool text = v->type[i] == SQLITE_IS_TEXT || v->type[i] == SQLITE_IS_BLOB;
		struct str s = text ? (struct str){v->s[i], (size_t)v->num[i]} : STR_LIT("");

		out[i] = text ? worker << LOCAL_BITS | strtab_add(met, s) : NAME_NONE;
	}
	if (met->count >> LOCAL_BITS)
		return err_set(e, ERR_INPUT, "'%s': table %s has too many different texts",
			       l->trace->path, l->table->name);
	return 0;
}

/* Whether all rows have the same integer: nearly always, for rows of one page are neighbours. */
static bool all_same(const struct sqlite_values *v, size_t rows)
{
	uint64_t differs = 0;

	for (size_t i = 1; i < rows; i++)
		differs |= (uint64_t)(v->num[i] ^ v->num[0]);
	return rows && all_ints(v) && differs == 0;
}

static void fill_interned(const struct loaded_field *lf, const struct sqlite_values *v, size_t rows,
			  unsigned worker, uint32_t *out)
{
	struct intern_cache *cache = &lf->caches[worker];
	int shift = lf->field->type == FIELD_PROCESS ? 24 : 0;

	if (all_same(v, rows)) {
		uint32_t number = intern_number(lf->intern, cache, (uint64_t)v->num[0] >> shift);

		for (size_t i = 0; i < rows && (number || !lf->is_cleared); i++)
			out[i] = number;
		return;
	}
	for (size_t i = 0; i < rows; i++) {
		if (v->type[i] != SQLITE_IS_INT)
			out[i] = ID_NONE;
		else if (i && v->num[i] == v->num[i - 1] && out[i - 1] != ID_NONE)
			out[i] = out[i - 1];
		else
			out[i] = intern_number(lf->intern, cache, (uint64_t)v->num[i] >> shift);
	}
}

static int fill_field(struct load *l, const struct loaded_field *lf, const struct sqlite_batch *b,
		      unsigned worker, struct err *e)
{
	const struct sqlite_values *v = &b->values[lf->value];
	int64_t *wide = (int64_t *)lf->array + b->first_row;
	uint32_t *narrow = (uint32_t *)lf->array + b->first_row;

	switch (lf->field->type) {
	case FIELD_TIME: /* a row without a start has no duration either, and is left out by that */
		fill_int(v, b->rows, 0, wide);
		return 0;
	case FIELD_INT:
		fill_int(v, b->rows, INT_NONE, wide);
		return 0;
	case FIELD_DURATION:
		fill_duration(&b->values[l->start], v, b->rows, wide);
		return 0;
	case FIELD_ID:
		fill_id(lf, v, b->rows, narrow);
		return 0;
	case FIELD_GRAPH:
		fill_graph(l, v, b->rows, narrow);
		return 0;
	case FIELD_PROCESS:
	case FIELD_THREAD:
		fill_interned(lf, v, b->rows, worker, narrow);
		return 0;
	case FIELD_NAME:
		fill_name(l, v, b->rows, narrow);
		return 0;
	case FIELD_TEXT:
		return fill_text(l, lf, b, worker, e);
	}
	return 0;
}

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct load *l = ctx;

	for (size_t i = 0; i < l->field_count; i++) {
		if (fill_field(l, &l->fields[i], b, worker, e) < 0)
			return -1;
	}
	progress_add(b->rows);
	return 0;
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

static void **field_slot(struct events *ev, const struct field *f)
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

static void prepare_texts(const struct load *l, struct loaded_field *lf)
{
	lf->locals = mem_zalloc(parallel_workers(), sizeof(*lf->locals));
	lf->local_numbers = mem_alloc(l->rows, sizeof(*lf->local_numbers));
}

static void allocate_fields(struct load *l, struct events *ev)
{
	for (size_t i = 0; i < l->field_count; i++) {
		struct loaded_field *lf = &l->fields[i];
		void **slot = field_slot(ev, lf->field);

		lf->is_cleared = !*slot && comes_cleared(lf->field);
		if (!*slot) {
			*slot = (lf->is_cleared ? arena_zalloc : arena_alloc)(
				&l->trace->arena, l->rows, field_size(lf->field->type));
			/* Rows without a text keep their id's name, or none. */
			if (lf->field->type == FIELD_TEXT)
				memset(*slot, 0xff, l->rows * sizeof(uint32_t));
		}
		if (lf->field->type == FIELD_TEXT)
			prepare_texts(l, lf);
		lf->array = *slot;
		if (lf->field->type == FIELD_PROCESS || lf->field->type == FIELD_THREAD)
			prepare_interning(l, lf);
	}
}

/* A text and a registered string of the same bytes are one name: texts get the string's number. */
static void number_texts(const struct load *l, const struct loaded_field *lf)
{
	uint32_t *names = lf->array;

	for (unsigned w = 0; w < parallel_workers(); w++) {
		struct local_texts *local = &lf->locals[w];

		local->number = mem_alloc(local->met.count, sizeof(*local->number));
		memset(local->number, 0xff, local->met.count * sizeof(*local->number));
	}
	for (uint64_t i = 0; i < l->rows; i++) {
		struct local_texts *local;
		uint32_t text;

		if (lf->local_numbers[i] == NAME_NONE)
			continue;
		local = &lf->locals[lf->local_numbers[i] >> LOCAL_BITS];
		text = lf->local_numbers[i] & ((1u << LOCAL_BITS) - 1);
		if (local->number[text] == NAME_NONE)
			local->number[text] = strings_add_text(l->trace, local->met.items[text]);
		names[i] = local->number[text];
	}
}

static int settle_some_graphs(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	uint32_t *graphs = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		graphs[i]--;
	return 0;
}

/* A column that says millions of times that there is no graph is as good as none. */
static void settle_graphs(struct load *l, const struct field *f)
{
	uint32_t **column = (uint32_t **)field_slot(l->events, f);
	struct err never;

	if (l->has_nodes) {
		parallel_for(l->rows, PARALLEL_ROWS, settle_some_graphs, *column, &never);
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
			number_texts(l, lf);
		if (lf->intern)
			intern_settle(lf->intern, lf->interned_before, lf->array, l->rows);
		if (lf->field->type == FIELD_THREAD)
			trace_number_processes(l->trace);
		if (lf->field->type == FIELD_GRAPH)
			settle_graphs(l, lf->field);
	}
}

static void free_texts(struct loaded_field *lf)
{
	for (unsigned w = 0; lf->locals && w < parallel_workers(); w++) {
		strtab_free(&lf->locals[w].met);
		free(lf->locals[w].number);
	}
	free(lf->locals);
	free(lf->local_numbers);
	lf->locals = NULL;
	lf->local_numbers = NULL;
}

static void free_scratch(struct load *l)
{
	for (size_t i = 0; i < l->field_count; i++) {
		free(l->fields[i].caches);
		l->fields[i].caches = NULL;
		free_texts(&l->fields[i]);
	}
}

/* Undoes what an attempt at reading has left, so that nobody takes it for columns. */
static void forget_attempt(struct load *l)
{
	for (size_t i = 0; i < l->field_count; i++) {
		struct loaded_field *lf = &l->fields[i];

		if (lf->array)
			*field_slot(l->events, lf->field) = NULL;
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
	if (rows >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "'%s': table %s has over 4 billion rows",
			       l->trace->path, l->table->name);
	l->rows = rows;
	allocate_fields(l, l->events);
	progress_begin(l->kind->title, rows);
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
	if (l->events->count != l->rows)
		l->events->count = l->rows;
	finish_fields(l);
	free_scratch(l);
	return 0;
}

#define COLS_OF_NAMES                                                             \
	(COL_BIT(COL_NAME) | COL_BIT(COL_BASE_NAME) | COL_BIT(COL_MANGLED_NAME) | \
	 COL_BIT(COL_PAYLOAD))

static int load_columns(struct trace *t, enum trace_kind which, uint32_t columns, struct err *e)
{
	const struct kind *kind = &trace_kinds[which];
	struct events *ev = &t->events[which];
	struct load l = {.trace = t, .table = ev->table, .kind = kind, .events = ev};

	columns &= ~ev->loaded;
	if (!ev->table || !columns)
		return 0;
	if (columns & COLS_OF_NAMES && strings_load(t, e) < 0)
		return -1;
	choose_fields(&l, kind, columns);
	if (l.sql_count == 0 && !ev->loaded &&
	    sqlitefile_count_rows(t->file, l.table, &ev->count, e) < 0)
		return -1;
	if (l.sql_count > 0 && read_table(&l, e) < 0)
		return -1;
	ev->loaded |= columns;
	return 0;
}

int trace_load(struct trace *t, enum trace_kind which, uint32_t columns, struct err *e)
{
	int result;

	trace_lock(t);
	result = load_columns(t, which, columns, e);
	trace_unlock(t);
	return result;
}

void trace_unload(struct trace *t, enum trace_kind which, uint32_t columns)
{
	const struct kind *kind = &trace_kinds[which];
	struct events *ev = &t->events[which];

	columns &= ~t->keeps_columns[which];
	if (!columns)
		return;
	trace_lock(t);
	for (size_t i = 0; i < kind->field_count; i++) {
		void **slot = field_slot(ev, &kind->fields[i]);

		if (!(columns & COL_BIT(kind->fields[i].column)))
			continue;
		arena_drop(&t->arena, *slot);
		*slot = NULL;
	}
	ev->loaded &= ~columns;
	trace_unlock(t);
}
