/* Is this an Nsight Systems export, and which events does it hold? */
#include "trace/trace.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "text/pattern.h"
#include "trace/intern.h"
#include "trace/joined.h"
#include "trace/kinds.h"
#include "trace/small_table.h"
#include "trace/trace_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

static bool has_span(const struct sqlite_table *table)
{
	return sqlite_table_find_column(table, "start") >= 0 &&
	       sqlite_table_find_column(table, "end") >= 0;
}

static bool name_holds(const char *name, const char *part)
{
	return strcasestr(name, part) != NULL;
}

static const struct sqlite_table *find_kind(const struct sqlitefile *f, const struct kind *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(kind->tables) && kind->tables[i]; i++) {
		const struct sqlite_table *table = sqlitefile_find_table(f, kind->tables[i]);

		if (table)
			return table;
	}
	for (size_t i = 0; kind->name_holds && i < sqlitefile_table_count(f); i++) {
		const struct sqlite_table *table = sqlitefile_table(f, i);

		if (name_holds(table->name, kind->name_holds) && has_span(table))
			return table;
	}
	return NULL;
}

static bool looks_like_export(const struct trace *t)
{
	static const char *const marks[] = {"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA",
					    "TARGET_INFO_GPU", "ANALYSIS_DETAILS"};

	for (int k = 0; k < TRACE_KINDS; k++) {
		if (t->events[k].table)
			return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		if (sqlitefile_find_table(t->file, marks[i]))
			return true;
	}
	return false;
}

static const char *join_text(struct trace *t, const struct value *v, const char *before)
{
	if (v->type != SQLITE_IS_TEXT || !v->s.len)
		return before;
	return arena_printf(&t->arena, "%s%s%.*s", before ? before : "", before ? " " : "",
			    STR_FMT(v->s));
}

/* Versions are key–value rows of a table that was renamed in 2023.3 and is absent before 2021.5. */
static int read_versions(struct trace *t, struct err *e)
{
	static const char *const columns[] = {"name", "value", NULL};
	static const char *const tables[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};
	const struct value *product = NULL, *version = NULL, *schema = NULL;
	struct small_table s;

	for (size_t k = 0; k < ARRAY_LEN(tables); k++) {
		if (trace_read_small(t, tables[k], columns, &s, e) < 0)
			return -1;
		for (size_t i = 0; i < s.rows; i++) {
			struct str name = small_value(&s, i, 0)->s;

			if (str_eq(name, STR_LIT("EXPORT_PRODUCT_NAME")))
				product = small_value(&s, i, 1);
			else if (str_eq(name, STR_LIT("EXPORT_PRODUCT_VERSION")))
				version = small_value(&s, i, 1);
			else if (str_eq(name, STR_LIT("EXPORT_SCHEMA_VERSION")))
				schema = small_value(&s, i, 1);
		}
	}
	if (product)
		t->meta.tool = join_text(t, product, NULL);
	if (version)
		t->meta.tool = join_text(t, version, t->meta.tool);
	if (schema)
		t->meta.schema = join_text(t, schema, NULL);
	return 0;
}

/*
 * Times in an export count from the start of the capture; startTime and stopTime are on the
 * machine's clock, and only their difference means anything here.
 */
static int read_span(struct trace *t, struct err *e)
{
	static const char *const columns[] = {"duration", "startTime", "stopTime", NULL};
	struct small_table s;

	if (trace_read_small(t, "ANALYSIS_DETAILS", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		const struct value *duration = small_value(&s, i, 0),
				   *start = small_value(&s, i, 1), *stop = small_value(&s, i, 2);
		int64_t length =
			duration->type == SQLITE_IS_INT ? duration->i : sat_sub(stop->i, start->i);
		bool said = duration->type == SQLITE_IS_INT ||
			    (start->type == SQLITE_IS_INT && stop->type == SQLITE_IS_INT);

		if (said && length > t->meta.span_ns)
			t->meta.span_ns = length;
		t->meta.has_span |= said;
	}
	return 0;
}

int trace_open(struct trace **ret, const char *path, struct sqlitefile *file, struct err *e)
{
	struct trace *t = mem_zalloc(1, sizeof(*t));

	*ret = t;
	trace_cache_init(t);
	t->file = file;
	t->path = arena_strdup(&t->arena, path);
	intern_init(&t->process_keys);
	intern_init(&t->thread_keys);
	for (int k = 0; k < TRACE_KINDS; k++)
		t->events[k].table = find_kind(file, &trace_kinds[k]);
	if (!looks_like_export(t)) {
		err_set(e, ERR_INPUT, "'%s' is a SQLite database, but not an Nsight Systems export",
			path);
		err_hint(e, "make one with: nsys export --type sqlite -o trace.sqlite "
			    "report.nsys-rep");
	} else if (read_versions(t, e) == 0 && read_span(t, e) == 0) {
		return 0;
	}
	trace_close(t);
	*ret = NULL;
	return -1;
}

int trace_add_comm(struct trace *t, const char *regex, struct err *e)
{
	return pattern_compile(&t->comm, str_of(regex), 0, e) < 0
		       ? err_wrap(e, "--comm '%s'", regex)
		       : 0;
}

void trace_set_stop(struct trace *t, bool (*stop)(void))
{
	sqlitefile_set_stop(t->file, stop);
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	trace_cache_free(t);
	free(t->never_closed);
	strtab_free(&t->names);
	free(t->name_by_id);
	idmap_free(&t->name_ids);
	intern_free(&t->process_keys);
	intern_free(&t->thread_keys);
	sqlitefile_close(t->file);
	joined_free(t->joined);
	idmap_free(&t->given_ranks);
	pattern_free(t->comm);
	arena_free(&t->arena);
	free(t);
}

uint32_t *new_ids(size_t count)
{
	uint32_t *ids = mem_alloc(count, sizeof(*ids));

	memset(ids, 0xff, count * sizeof(*ids));
	return ids;
}

const char *trace_kind_title(enum trace_kind kind)
{
	return trace_kinds[kind].title;
}

const char *trace_kind_flag(enum trace_kind kind)
{
	return trace_kinds[kind].flag;
}

/* Copies are absent from a trace of CUDA when the program made none. */
static bool was_traced(const struct trace *t, enum trace_kind kind)
{
	return (kind == TRACE_MEMCPYS || kind == TRACE_MEMSETS) && t->events[TRACE_KERNELS].table;
}

static int refuse(const struct trace *t, enum trace_kind kind, const char *what, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' %s %s", t->path, what, trace_kinds[kind].title);
	e->absent = true;
	if (was_traced(t, kind))
		return err_hint(
			e,
			"CUDA was traced, but the program made no CUDA calls during the capture");
	if ((kind == TRACE_KERNELS || kind == TRACE_GRAPHS) && t->events[TRACE_API].table)
		return err_hint(
			e, "CUDA calls were recorded, but no GPU activity: either no kernel was "
			   "launched during the capture, or the driver records none (WSL2, "
			   "missing permissions); gpuwhy api lists the calls");
	return err_hint(e, "capture again with: nsys profile %s …", trace_kinds[kind].flag);
}

int trace_count_rows(struct trace *t, const struct sqlite_table *table, uint64_t *ret,
		     struct err *e)
{
	TRACE_LOCK_SCOPE(t);

	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		*ret = t->events[kind].count;
		if (t->events[kind].table == table && *ret)
			return 0;
	}
	return sqlitefile_count_rows(t->file, table, ret, e);
}

int trace_require(struct trace *t, enum trace_kind kind, struct err *e)
{
	const struct sqlite_table *table = t->events[kind].table;
	bool has_rows;
	TRACE_LOCK_SCOPE(t);

	if (!table)
		return refuse(t, kind, "does not contain", e);
	if (sqlitefile_has_rows(t->file, table, &has_rows, e) < 0)
		return -1;
	return has_rows ? 0 : refuse(t, kind, "has a table, but no rows, for", e);
}

int trace_sql_column(const struct trace *t, enum trace_kind which, enum trace_column column)
{
	const struct kind *kind = &trace_kinds[which];
	int found = -1;

	/* Of several that would do, one is enough. */
	for (size_t i = 0; t->events[which].table && i < kind->field_count && found < 0; i++) {
		if (kind->fields[i].column == column)
			found = sqlite_table_find_column(t->events[which].table,
							 kind->fields[i].sql_name);
	}
	return found;
}

const char *trace_lacks_column(const struct trace *t, enum trace_kind which,
			       enum trace_column column)
{
	const struct kind *kind = &trace_kinds[which];
	size_t i = 0;

	if (!t->events[which].table || trace_sql_column(t, which, column) >= 0)
		return NULL;
	while (i < kind->field_count && kind->fields[i].column != column)
		i++;
	return i < kind->field_count ? kind->fields[i].sql_name : NULL;
}

int trace_refuse_column(const struct trace *t, const struct sqlite_table *table, const char *column,
			struct err *e)
{
	err_set(e, ERR_INPUT, "'%s': table %s lacks the column %s", t->path, table->name, column);
	e->absent = true;
	return err_hint(e, "export the report again with a recent Nsight Systems");
}

int trace_require_columns(const struct trace *t, enum trace_kind kind, uint32_t columns,
			  struct err *e)
{
	const struct events *ev = &t->events[kind];
	const char *lacks;

	/* A duration is the end less the start. */
	if (columns & COL_BIT(COL_DURATION))
		columns |= COL_BIT(COL_START);
	for (int c = 0; c < COL_COUNT && (ev->count || !ev->loaded); c++) {
		lacks = columns & COL_BIT(c) ? trace_lacks_column(t, kind, (enum trace_column)c)
					     : NULL;
		if (lacks)
			return trace_refuse_column(t, ev->table, lacks, e);
	}
	return 0;
}

struct str trace_name(const struct trace *t, uint32_t name)
{
	return name < t->names.count ? t->names.items[name] : STR_LIT("?");
}

void trace_number_processes(struct trace *t)
{
	assert(trace_is_locked(t));
	for (size_t i = 0; i < t->thread_keys.count; i++)
		intern_add(&t->process_keys, t->thread_keys.keys[i] >> 24);
}

uint32_t trace_thread_process(const struct trace *t, uint32_t thread)
{
	if (thread >= t->thread_keys.count)
		return ID_NONE;
	return idmap_get(&t->process_keys.map, t->thread_keys.keys[thread] >> 24);
}

struct str trace_join_names(struct trace *t, struct arena *arena, struct str a, char separator,
			    struct str b)
{
	enum { SHORT = 1000 };
	char *joined;

	assert(trace_is_locked(t));
	if (t->joined_bytes > 8 * sqlitefile_size_bytes(t->file)) {
		a.len = a.len < SHORT ? a.len : SHORT;
		b.len = b.len < SHORT ? b.len : SHORT;
	}
	t->joined_bytes += a.len + b.len;
	joined = arena_alloc(arena, a.len + b.len + 1, 1);
	if (a.len)
		memcpy(joined, a.s, a.len);
	joined[a.len] = separator;
	if (b.len)
		memcpy(joined + a.len + 1, b.s, b.len);
	return (struct str){joined, a.len + b.len + 1};
}

int trace_has_rows(struct trace *t, const char *name, bool *ret, struct err *e)
{
	const struct sqlite_table *table = sqlitefile_find_table(t->file, name);
	int result = 0;

	*ret = false;
	trace_lock(t);
	if (table)
		result = sqlitefile_has_rows(t->file, table, ret, e);
	trace_unlock(t);
	return result;
}

bool trace_has_hosts(const struct trace *t)
{
	for (size_t i = 1; i < t->process_keys.count; i++) {
		if (process_host(t->process_keys.keys[i]) != process_host(t->process_keys.keys[0]))
			return true;
	}
	return false;
}
