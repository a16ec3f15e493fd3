/* What are the names behind the numbers, and which do events have? */
#include "trace/strings.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "trace/kinds.h"
#include "trace/trace.h"

#include <assert.h>
#include <stdlib.h>

struct pairs {
	struct str *values;
	int64_t *ids;
};

static int take_pairs(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct pairs *p = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		const struct sqlite_values *id = &b->values[0], *value = &b->values[1];
		bool text = value->type[i] == SQLITE_IS_TEXT || value->type[i] == SQLITE_IS_BLOB;

		p->ids[b->first_row + i] = id->type[i] == SQLITE_IS_INT ? id->num[i] : INT64_MIN;
		p->values[b->first_row + i] =
			text ? (struct str){value->s[i], (size_t)value->num[i]} : STR_LIT("");
	}
	return 0;
}

/* StringIds, or in exports of other tools any table with an id and a value. */
static const struct sqlite_table *find_table(const struct trace *t)
{
	const struct sqlite_table *found = sqlitefile_find_table(t->file, "StringIds");

	for (size_t i = 0; !found && i < sqlitefile_table_count(t->file); i++) {
		const struct sqlite_table *table = sqlitefile_table(t->file, i);

		if (strncasecmp(table->name, "ENUM_", 5) != 0 &&
		    sqlite_table_find_column(table, "id") >= 0 &&
		    sqlite_table_find_column(table, "value") >= 0)
			found = table;
	}
	return found;
}

bool trace_has_strings(const struct trace *t)
{
	return find_table(t) != NULL;
}

static int read_pairs(struct trace *t, const struct sqlite_table *table, struct pairs *p,
		      uint64_t *ret_rows, struct err *e)
{
	int columns[] = {sqlite_table_find_column(table, "id"),
			 sqlite_table_find_column(table, "value")};
	struct sqlite_scan *scan = NULL;
	int result;

	if (columns[0] < 0 || columns[1] < 0)
		return trace_refuse_column(t, table, columns[0] < 0 ? "id" : "value", e);
	if (sqlite_scan_open(&scan, t->file, table, columns, 2, ret_rows, e) < 0)
		return -1;
	p->values = mem_alloc(*ret_rows, sizeof(*p->values));
	p->ids = mem_alloc(*ret_rows, sizeof(*p->ids));
	result = sqlite_scan_run(scan, take_pairs, p, e);
	sqlite_scan_close(scan);
	return result;
}

/* Exports number their strings 0, 1, 2, …: an array then maps them without hashing. */
static void map_ids(struct trace *t, const struct pairs *p, uint64_t rows)
{
	size_t small = rows * 2 + 1024;

	t->name_by_id = new_ids(small);
	t->name_by_id_count = small;
	for (uint64_t i = 0; i < rows; i++) {
		uint32_t number = strtab_add(&t->names, p->values[i]);

		if ((uint64_t)p->ids[i] < small)
			t->name_by_id[p->ids[i]] = number;
		else
			idmap_add(&t->name_ids, (uint64_t)p->ids[i], number);
	}
}

int strings_load(struct trace *t, struct err *e)
{
	const struct sqlite_table *table = find_table(t);
	struct pairs p = {0};
	uint64_t rows = 0;
	int result = 0;
	TRACE_LOCK_SCOPE(t);

	if (t->names_loaded)
		return 0;
	if (table)
		result = read_pairs(t, table, &p, &rows, e);
	if (result == 0 && rows >= NAME_NONE)
		result = err_set(e, ERR_INPUT, "'%s': too many strings", t->path);
	if (result == 0) {
		map_ids(t, &p, rows);
		t->names_loaded = true;
	}
	free(p.values);
	free(p.ids);
	return result;
}

uint32_t strings_add_text(struct trace *t, struct str text)
{
	assert(trace_is_locked(t));
	return strtab_add(&t->names, text);
}

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

static void mark_loaded(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct marking *m = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		mark(m->trace, m->used, m->column[i]);
}

static int begin_reading(void *ctx, uint64_t rows, struct err *e)
{
	const struct marking *m = ctx;

	(void)e;
	memset(m->used, 0, names_used_size(m->trace));
	progress_begin_reading(trace_kinds[m->kind].title, rows);
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
	if (!m.column)
		return ev->table ? read_names(t, &m, e) : 0;
	parallel_each(ev->count, PARALLEL_ROWS, mark_loaded, &m);
	return 0;
}
