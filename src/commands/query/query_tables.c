/* What do a query's ready-made tables hold? */
#include "commands/query/query_tables.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/strtab.h"
#include "trace/code/sample_marks.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

#define SPAN                                                                                  \
	(EVENT_BIT(EVENT_NAME) | EVENT_BIT(EVENT_START_NS) | EVENT_BIT(EVENT_END_NS) |        \
	 EVENT_BIT(EVENT_DURATION_NS) | EVENT_BIT(EVENT_DURATION_US) | EVENT_BIT(EVENT_PID) | \
	 EVENT_BIT(EVENT_TID) | EVENT_BIT(EVENT_RANGE) | EVENT_BIT(EVENT_NVTX_PATH))

#define GPU_OP                                                                                 \
	(SPAN | EVENT_BIT(EVENT_DEVICE) | EVENT_BIT(EVENT_STREAM) | EVENT_BIT(EVENT_CONTEXT) | \
	 EVENT_BIT(EVENT_CORRELATION) | EVENT_BIT(EVENT_GRAPH) | EVENT_BIT(EVENT_API) |        \
	 EVENT_BIT(EVENT_API_START_NS) | EVENT_BIT(EVENT_API_END_NS) | EVENT_BIT(EVENT_QUEUE_NS))

#define LAUNCH                                                                            \
	(EVENT_BIT(EVENT_GRID_X) | EVENT_BIT(EVENT_GRID_Y) | EVENT_BIT(EVENT_GRID_Z) |    \
	 EVENT_BIT(EVENT_BLOCK_X) | EVENT_BIT(EVENT_BLOCK_Y) | EVENT_BIT(EVENT_BLOCK_Z) | \
	 EVENT_BIT(EVENT_REGISTERS) | EVENT_BIT(EVENT_STATIC_SMEM) |                      \
	 EVENT_BIT(EVENT_DYNAMIC_SMEM))

#define COPY (EVENT_BIT(EVENT_BYTES) | EVENT_BIT(EVENT_SRC_KIND) | EVENT_BIT(EVENT_DST_KIND))

#define COPIES (NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS))

const struct query_table_kind query_table_kinds[QUERY_TABLES] = {
	{"kernels", NEEDS(TRACE_KERNELS), GPU_OP | LAUNCH | EVENT_BIT(EVENT_CLASS)},
	{"copies", COPIES, GPU_OP | COPY | EVENT_BIT(EVENT_TYPE)}, /* and memsets */
	{"api", NEEDS(TRACE_API), SPAN | EVENT_BIT(EVENT_CORRELATION)},
	{"ranges", NEEDS(TRACE_NVTX), SPAN | EVENT_BIT(EVENT_TYPE)}, /* and marks */
	{"gpu_ops", NEEDS(TRACE_KERNELS) | COPIES | NEEDS(TRACE_GRAPHS),
	 GPU_OP | LAUNCH | COPY | EVENT_BIT(EVENT_TYPE) | EVENT_BIT(EVENT_CLASS)},
};

/* In the order in which people want to see them. */
static const enum event_field field_order[] = {
	EVENT_NAME,	    EVENT_TYPE,		EVENT_CLASS,	EVENT_START_NS,	 EVENT_END_NS,
	EVENT_DURATION_NS,  EVENT_DURATION_US,	EVENT_BYTES,	EVENT_DEVICE,	 EVENT_STREAM,
	EVENT_PID,	    EVENT_TID,		EVENT_RANGE,	EVENT_NVTX_PATH, EVENT_API,
	EVENT_API_START_NS, EVENT_API_END_NS,	EVENT_QUEUE_NS, EVENT_SRC_KIND,	 EVENT_DST_KIND,
	EVENT_CORRELATION,  EVENT_CONTEXT,	EVENT_GRAPH,	EVENT_GRID_X,	 EVENT_GRID_Y,
	EVENT_GRID_Z,	    EVENT_BLOCK_X,	EVENT_BLOCK_Y,	EVENT_BLOCK_Z,	 EVENT_REGISTERS,
	EVENT_STATIC_SMEM,  EVENT_DYNAMIC_SMEM,
};

static const char *type_of(enum event_field field)
{
	return event_field_is_text(field)   ? "TEXT"
	       : field == EVENT_DURATION_US ? "REAL"
					    : "INTEGER";
}

static void name_columns(struct query_table *q)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(field_order); i++) {
		enum event_field field = field_order[i];

		if (!(q->kind->fields & EVENT_BIT(field)))
			continue;
		q->field_of[count] = field;
		q->columns[count++] = (struct sql_table_column){.name = event_columns[field].key,
								.type = type_of(field)};
	}
	q->table.columns = q->columns;
	q->table.column_count = count;
}

/* Copies are absent from a trace of CUDA when the program made none: that is no reason to refuse.
 */
static int require(struct query_table *q, struct err *e)
{
	struct trace *t = q->trace;
	int last = 0;

	if (q->kind->kinds == COPIES && t->events[TRACE_KERNELS].table)
		return 0;
	for (int kind = TRACE_KINDS - 1; kind >= 0; kind--) {
		if (!(q->kind->kinds & NEEDS(kind)))
			continue;
		if (t->events[kind].table)
			return 0;
		last = kind;
	}
	return trace_require(t, (enum trace_kind)last, e);
}

static int pick_ranges(struct query_table *q, uint64_t *ret, struct err *e)
{
	const struct events *ev = &q->trace->events[TRACE_NVTX];
	struct sample_marks samples;
	uint64_t count = 0;

	if (trace_load(q->trace, TRACE_NVTX, COL_BIT(COL_EVENT_TYPE), e) < 0 ||
	    sample_marks_find(&samples, q->trace, e) < 0)
		return -1;
	q->nvtx_rows = mem_alloc(ev->count, sizeof(*q->nvtx_rows));
	for (uint64_t i = 0; i < ev->count; i++) {
		if (ev->event_type && nvtx_is_event(ev->event_type[i]) &&
		    !is_sample_mark(&samples, i))
			q->nvtx_rows[count++] = (uint32_t)i;
	}
	sample_marks_free(&samples);
	*ret = count;
	return 0;
}

static int count_kind(struct query_table *q, enum trace_kind kind, uint64_t *ret, struct err *e)
{
	const struct sqlite_table *table = q->trace->events[kind].table;

	*ret = 0;
	if (!table)
		return 0;
	if (kind == TRACE_NVTX)
		return pick_ranges(q, ret, e);
	return trace_count_rows(q->trace, table, ret, e);
}

static int count_rows(void *ctx, uint64_t *ret, struct err *e)
{
	struct query_table *q = ctx;

	*ret = 0;
	if (!q->trace)
		return 0;
	if (require(q, e) < 0)
		return -1;
	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		uint64_t rows = 0;

		if (q->kind->kinds & NEEDS(kind) &&
		    count_kind(q, (enum trace_kind)kind, &rows, e) < 0)
			return -1;
		q->begin[kind + 1] = q->begin[kind] + rows;
	}
	*ret = q->begin[TRACE_KINDS];
	return *ret < UINT32_MAX
		       ? 0
		       : err_set(e, ERR_INPUT, "%s: more than 4 billion rows", q->kind->name);
}

static int open_columns(void *ctx, uint64_t columns, struct err *e)
{
	struct query_table *q = ctx;
	uint64_t fields = 0;

	for (size_t i = 0; i < q->table.column_count; i++)
		fields |= columns & UINT64_C(1) << i ? EVENT_BIT(q->field_of[i]) : 0;
	if (q->is_open)
		event_fields_close(&q->fields);
	q->is_open = true;
	return event_fields_open(&q->fields, q->trace, q->kind->kinds, fields, &q->scope, e);
}

static struct event_ref ref_of(const struct query_table *q, uint64_t row)
{
	int kind = 0;

	while (row >= q->begin[kind + 1])
		kind++;
	row -= q->begin[kind];
	if (kind == TRACE_NVTX)
		row = q->nvtx_rows[row];
	return (struct event_ref){(enum trace_kind)kind, (uint32_t)row};
}

/* Names of ranges go when another column of theirs is opened; all others are the trace's. */
static bool lasts(const struct query_table *q, enum event_field field)
{
	return field != EVENT_RANGE && field != EVENT_NVTX_PATH &&
	       (field != EVENT_NAME || !(q->kind->kinds & NEEDS(TRACE_NVTX)));
}

#define ENDS (EVENT_BIT(EVENT_END_NS) | EVENT_BIT(EVENT_DURATION_NS) | EVENT_BIT(EVENT_DURATION_US))

/* Elsewhere a range that the capture never saw close ends with the last one, and it is said. */
static struct cell cell_at(struct query_table *q, uint64_t row, enum event_field field)
{
	struct event_ref at = ref_of(q, row);
	struct cell c;

	if (at.kind == TRACE_NVTX && ENDS & EVENT_BIT(field) &&
	    range_never_closed(q->trace, at.row))
		return cell_null();
	c = event_field_get(&q->fields, at, field);
	return c.kind == CELL_INT && c.i == INT_NONE ? cell_null() : c;
}

static struct sql_value value_at(void *ctx, uint64_t row, size_t column, bool *ret_lasts)
{
	struct query_table *q = ctx;
	struct cell c = cell_at(q, row, q->field_of[column]);

	switch (c.kind) {
	case CELL_INT:
		return (struct sql_value){.type = SQLITE_IS_INT, .i = c.i};
	case CELL_REAL:
		return (struct sql_value){.type = SQLITE_IS_REAL, .r = c.r};
	case CELL_TEXT:
		*ret_lasts = lasts(q, q->field_of[column]);
		return (struct sql_value){.type = SQLITE_IS_TEXT, .s = c.s};
	default:
		return (struct sql_value){.type = SQLITE_IS_NULL};
	}
}

enum { NO_TEXT = -1 };

/* Of text: distinct ones are few, and sorted once. A zeroed struct is to be begun. */
struct text_keys {
	struct arena arena;
	struct strtab texts;
	struct idmap known; /* kind and number → text + 1 */
	int64_t *keys;	    /* texts by row; -1: NULL */
	uint64_t rows;
};

/* Rows of millions are sorted by numbers that sort as the values of a column do; NULL first. */
static int64_t cell_key(struct cell c)
{
	if (c.kind == CELL_INT)
		return c.i;
	return c.kind == CELL_REAL ? sort_key_of_double(c.r) : INT64_MIN;
}

static void text_keys_begin(struct text_keys *k, uint64_t rows)
{
	k->rows = rows;
	k->keys = mem_alloc(rows, sizeof(*k->keys));
}

static uint64_t known_key(enum trace_kind kind, uint32_t number)
{
	return (uint64_t)kind << 32 | number;
}

/* Takes the key of an earlier row whose text had this number; false: there is none. */
static bool text_keys_repeat(struct text_keys *k, uint64_t row, enum trace_kind kind,
			     uint32_t number)
{
	uint32_t text = idmap_get(&k->known, known_key(kind, number));

	if (text == IDMAP_NONE)
		return false;
	k->keys[row] = (int64_t)text - 1;
	return true;
}

/* The text lives no longer than the call. */
static void text_keys_add(struct text_keys *k, uint64_t row, struct cell text)
{
	uint32_t before = (uint32_t)k->texts.count, number;

	k->keys[row] = NO_TEXT;
	if (text.kind != CELL_TEXT)
		return;
	number = strtab_add(&k->texts, text.s);
	if (number == before)
		k->texts.items[number] = arena_str(&k->arena, text.s);
	k->keys[row] = number;
}

static void text_keys_remember(struct text_keys *k, uint64_t row, enum trace_kind kind,
			       uint32_t number)
{
	idmap_add(&k->known, known_key(kind, number), (uint32_t)(k->keys[row] + 1));
}

static int compare_texts(const void *a, const void *b, void *ctx)
{
	const struct str *texts = ctx;

	return str_cmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

/* The keys, for the caller to free; all else is freed. */
static int64_t *text_keys_end(struct text_keys *k)
{
	const size_t count = k->texts.count;
	uint32_t *order = mem_alloc(count, sizeof(*order));
	int64_t *rank = mem_alloc(count, sizeof(*rank));

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	sort_stable(order, count, sizeof(*order), compare_texts, k->texts.items);
	for (size_t i = 0; i < count; i++)
		rank[order[i]] = (int64_t)i;
	for (uint64_t i = 0; i < k->rows; i++)
		k->keys[i] = k->keys[i] == NO_TEXT ? INT64_MIN : rank[k->keys[i]];
	free(rank);
	free(order);
	strtab_free(&k->texts);
	idmap_free(&k->known);
	arena_free(&k->arena);
	return k->keys;
}

static int64_t *text_keys(struct query_table *q, enum event_field field)
{
	const uint64_t rows = q->begin[TRACE_KINDS];
	struct text_keys k = {0};
	int64_t *keys;

	text_keys_begin(&k, rows);
	for (uint64_t i = 0; i < rows; i++) {
		struct event_ref at = ref_of(q, i);
		uint32_t number;
		bool numbered = event_field_number(&q->fields, at, field, &number);

		if (numbered && text_keys_repeat(&k, i, at.kind, number))
			continue;
		text_keys_add(&k, i, cell_at(q, i, field));
		if (numbered)
			text_keys_remember(&k, i, at.kind, number);
	}
	keys = text_keys_end(&k);
	return keys;
}

static int64_t *number_keys(struct query_table *q, enum event_field field)
{
	const uint64_t rows = q->begin[TRACE_KINDS];
	int64_t *keys = mem_alloc(rows, sizeof(*keys));

	for (uint64_t i = 0; i < rows; i++)
		keys[i] = cell_key(cell_at(q, i, field));
	return keys;
}

static int64_t *keys(void *ctx, size_t column)
{
	struct query_table *q = ctx;
	enum event_field field = q->field_of[column];

	return event_field_is_text(field) ? text_keys(q, field) : number_keys(q, field);
}

int query_tables_add(struct query_tables *all, struct sql *s, struct trace *t, struct err *e)
{
	*all = (struct query_tables){0};
	for (size_t i = 0; i < QUERY_TABLES; i++) {
		struct query_table *q = &all->all[i];

		q->kind = &query_table_kinds[i];
		q->trace = t;
		q->table = (struct sql_table){.name = q->kind->name,
					      .ctx = q,
					      .count = count_rows,
					      .open = open_columns,
					      .value = value_at,
					      .keys = keys};
		name_columns(q);
		if (t && sqlitefile_find_table(t->file, q->kind->name))
			continue;
		if (sql_add_table(s, &q->table, e) < 0)
			return -1;
	}
	return 0;
}

void query_tables_free(struct query_tables *all)
{
	for (size_t i = 0; i < QUERY_TABLES; i++) {
		if (all->all[i].is_open)
			event_fields_close(&all->all[i].fields);
		free(all->all[i].nvtx_rows);
	}
}

/* Where a query asked for their times; those that were never closed have none. */
static uint64_t count_backwards(const struct query_table *q)
{
	uint64_t count = 0;

	if (!q->trace || !q->is_open || !(q->fields.wanted & ENDS))
		return 0;
	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		const struct events *ev = &q->trace->events[kind];

		if (!(q->kind->kinds & NEEDS(kind)) || !ev->duration_ns)
			continue;
		for (uint64_t i = 0; i < ev->count; i++)
			count += ev->duration_ns[i] < 0 && ev->duration_ns[i] != DURATION_NONE;
	}
	return count;
}

static void warn_backwards(const struct query_table *q, struct report *r)
{
	uint64_t count = count_backwards(q);

	if (count)
		report_warning(r, "%llu of %s end%s before %s: counted with zero duration",
			       (unsigned long long)count, q->kind->name, count == 1 ? "s" : "",
			       count == 1 ? "it begins" : "they begin");
}

void query_tables_warn(const struct query_tables *all, const struct sql_query *query,
		       struct report *r)
{
	for (size_t i = 0; i < QUERY_TABLES; i++) {
		const struct query_table *q = &all->all[i];
		const char *why_not = q->is_open ? q->fields.joins.why_not : NULL;

		if (q->trace && sql_reads(query, q->kind->name) &&
		    sqlitefile_find_table(q->trace->file, q->kind->name))
			report_note(r, "'%s' is the trace's own table, not the built-in one",
				    q->kind->name);
		if (why_not)
			report_warning(r, "%s has no launch calls and ranges: %s", q->kind->name,
				       why_not);
		warn_backwards(q, r);
	}
}

bool query_tables_name_kernels(const struct sql_query *query)
{
	return (sql_reads(query, "kernels") || sql_reads(query, "gpu_ops")) &&
	       !sql_reads(query, "api") && !sql_reads(query, "ranges");
}
