/* How do groups of times become the table that people know? */
#include "analysis/time_table.h"

#include "analysis/cell_values.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"

static const struct column time_columns[] = {
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"avg_ns", "Avg", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"p50_ns", "p50", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"p90_ns", "p90", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"p99_ns", "p99", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"min_ns", "Min", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"max_ns", "Max", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"stddev_ns", "StdDev", UNIT_NS, 0, NULL, MACHINE_ONLY},
};

size_t by_columns(enum group_by by, struct column *out)
{
	size_t n = 0;

	if (by == BY_PROCESS || by == BY_STREAM)
		out[n++] = (struct column){"pid", "PID", UNIT_ID, 0, "pid:", SHOW};
	if (by == BY_DEVICE || by == BY_STREAM)
		out[n++] = (struct column){"device", "Device", UNIT_ID, 0, "dev:", SHOW};
	if (by == BY_STREAM)
		out[n++] = (struct column){"stream", "Stream", UNIT_ID, 0, "stream:", SHOW};
	return n;
}

size_t by_cells(enum group_by by, const struct trace *t, const struct group_key *k,
		struct cell *out)
{
	size_t n = 0;

	if (by == BY_PROCESS || by == BY_STREAM)
		out[n++] = process_pid_cell(t, k->process);
	if (by == BY_DEVICE || by == BY_STREAM)
		out[n++] = id_cell(k->device);
	if (by == BY_STREAM)
		out[n++] = id_cell(k->stream);
	return n;
}

static void add_times(struct rows *rows, const struct summary *s, double all_ns)
{
	rows_add(rows, cell_int(s->total));
	rows_add(rows, cell_real(all_ns > 0 ? (double)s->total * 100 / all_ns : 0));
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, cell_real(s->mean));
	rows_add(rows, cell_real(s->p50));
	rows_add(rows, cell_real(s->p90));
	rows_add(rows, cell_real(s->p99));
	rows_add(rows, cell_int(s->min));
	rows_add(rows, cell_int(s->max));
	rows_add(rows, cell_real(s->stddev));
}

static size_t all_columns(struct report *r, const struct time_table *table,
			  const struct column **ret)
{
	size_t most = 1 + 3 + ARRAY_LEN(time_columns) + table->extra_count + LINE_COLUMNS, n = 0;
	struct column *columns = arena_alloc(&r->arena, most, sizeof(*columns));

	columns[n++] = table->name_column;
	n += by_columns(table->by, columns + n);
	memcpy(columns + n, time_columns, sizeof(time_columns));
	n += ARRAY_LEN(time_columns);
	if (table->extra_count)
		memcpy(columns + n, table->extra, table->extra_count * sizeof(*columns));
	n += table->extra_count;
	*ret = columns;
	return n + line_groups_columns(table->lines, columns + n);
}

void warn_filtered_out(struct report *r, size_t rows, const struct scope *p)
{
	if (rows)
		return;
	if (scope_is_trimmed(p) && !p->has_device && !p->has_pid)
		report_warning(r, "nothing is in the window of --trim; `gpuwhy info` shows how "
				  "long the capture is");
	else if (p->has_device || p->has_pid || scope_is_trimmed(p))
		report_warning(r, "nothing matches --device, --pid and --trim; `gpuwhy info` shows "
				  "the processes, devices and span of the trace");
	else if (p->has_trim)
		report_warning(r, "nothing is in this window; --span all asks about the whole "
				  "capture");
}

int time_table_report(struct report *r, const struct trace *t, const struct table_args *a,
		      const struct time_table *table, struct err *e)
{
	const struct column *columns;
	size_t column_count = all_columns(r, table, &columns);
	struct rows *rows = report_new_rows(r, table->name, table->title, columns, column_count);
	double all_ns = 0;

	rows->table.kind = table->kind;
	for (size_t i = 0; i < table->count; i++)
		all_ns += (double)table->rows[i].s.total;
	for (size_t i = 0; i < table->count; i++) {
		const struct time_row *row = &table->rows[i];
		struct cell by[3], line[LINE_COLUMNS];
		size_t n = by_cells(table->by, t, &row->key, by);

		rows_add(rows, cell_str(row->name));
		for (size_t c = 0; c < n; c++)
			rows_add(rows, by[c]);
		add_times(rows, &row->s, all_ns);
		for (size_t c = 0; c < table->extra_count; c++)
			rows_add(rows, row->extra[c]);
		n = line_groups_cells(table->lines, &r->arena, row->key.name, line);
		for (size_t c = 0; c < n; c++)
			rows_add(rows, line[c]);
	}
	warn_filtered_out(r, table->count, &a->scope);
	return rows_arrange(rows, &a->rows, "total_ns", e);
}

void warn_without_times(struct report *r, uint64_t count, enum trace_kind kind)
{
	if (count)
		report_warning(r, "%llu %s have no valid start or end and are left out",
			       (unsigned long long)count, trace_kind_title(kind));
}

struct arrangement {
	size_t column, column_count;
};

static int compare_cells(const struct cell *a, const struct cell *b)
{
	double x, y;

	if (a->kind == CELL_TEXT && b->kind == CELL_TEXT)
		return str_cmp(a->s, b->s);
	if (a->kind == CELL_INT && b->kind == CELL_INT)
		return (a->i < b->i) - (a->i > b->i);
	if (a->kind == CELL_NULL || b->kind == CELL_NULL)
		return (a->kind == CELL_NULL) - (b->kind == CELL_NULL);
	x = a->kind == CELL_INT ? (double)a->i : a->r;
	y = b->kind == CELL_INT ? (double)b->i : b->r;
	return (x < y) - (x > y);
}

/* Equal rows fall back to their other cells, so that the order never depends on chance. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct arrangement *by = ctx;
	const struct cell *x = a, *y = b;
	int c = compare_cells(&x[by->column], &y[by->column]);

	for (size_t i = 0; c == 0 && i < by->column_count; i++)
		c = compare_cells(&x[i], &y[i]);
	return c;
}

static bool is_empty(const struct rows *rows, size_t column)
{
	for (uint64_t i = 0; i < rows->table.rows; i++) {
		if (rows->cells[i * rows->table.column_count + column].kind != CELL_NULL)
			return false;
	}
	return true;
}

void rows_hide_empty(struct rows *rows)
{
	size_t count = rows->table.column_count;
	struct column *columns = arena_alloc(rows->arena, count, sizeof(*columns));

	memcpy(columns, rows->table.columns, count * sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		if (rows->table.rows && is_empty(rows, i))
			columns[i].show = MACHINE_ONLY;
	}
	rows->table.columns = columns;
}

bool table_has_column(const struct table *t, const char *key)
{
	for (size_t i = 0; i < t->column_count; i++) {
		if (strcmp(t->columns[i].key, key) == 0)
			return true;
	}
	return false;
}

static int unknown_column(const struct rows *rows, const char *key, struct err *e)
{
	struct buf keys = {0};

	for (size_t i = 0; i < rows->table.column_count; i++)
		buf_addf(&keys, "%s%s", i ? ", " : "", rows->table.columns[i].key);
	err_set(e, ERR_USAGE, "cannot sort by '%s': %s has no such column", key, rows->table.name);
	err_hint(e, "its columns are %s", keys.s);
	buf_free(&keys);
	return -1;
}

static void cut_rows(struct rows *rows, const struct row_choice *c)
{
	if (c->limit && c->limit < rows->table.rows)
		rows->table.rows = c->limit;
}

int rows_arrange(struct rows *rows, const struct row_choice *c, const char *otherwise,
		 struct err *e)
{
	const char *key = c->sort ? c->sort : otherwise;
	struct arrangement by = {0, rows->table.column_count};

	if (!key) {
		cut_rows(rows, c);
		return 0;
	}
	while (by.column < by.column_count && strcmp(rows->table.columns[by.column].key, key) != 0)
		by.column++;
	if (by.column == by.column_count)
		return unknown_column(rows, key, e);
	sort_stable(rows->cells, rows->table.rows, by.column_count * sizeof(*rows->cells),
		    compare_rows, &by);
	rows->table.sorted_by = rows->table.columns[by.column].key;
	cut_rows(rows, c);
	return 0;
}

void rows_arrange_also(struct rows *rows, const struct row_choice *c, const char *otherwise)
{
	struct row_choice mine = *c;
	struct err never;

	if (c->sort && !table_has_column(&rows->table, c->sort))
		mine.sort = NULL;
	rows_arrange(rows, &mine, otherwise, &never);
}
