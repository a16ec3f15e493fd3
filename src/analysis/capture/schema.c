/* Which tables and columns does the export have, and what refers to what? */
#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "base/mem.h"

static const struct column table_columns[] = {
	{"table", "Table", UNIT_NAME, 0, "", SHOW},
	{"rows", "Rows", UNIT_COUNT, 0, NULL, SHOW},
	{"columns", "Columns", UNIT_COUNT, 0, NULL, SHOW},
	{"comment", "Contents", UNIT_NAME, 0, NULL, SHOW},
};

static const struct column column_columns[] = {
	{"table", "Table", UNIT_NAME, 0, "", SHOW},
	{"column", "Column", UNIT_NAME, 0, "", SHOW},
	{"type", "Type", UNIT_NAME, 0, NULL, SHOW},
	{"references", "Refers to", UNIT_NAME, 0, NULL, SHOW},
	{"comment", "Contents", UNIT_NAME, 0, NULL, SHOW},
};

/* Without --sort a table stays in the order of the file. */
static int arrange(struct rows *rows, const struct row_choice *c, bool *sorted, struct err *e)
{
	bool mine = c->sort && table_has_column(&rows->table, c->sort);

	*sorted |= mine;
	if (mine)
		return rows_arrange(rows, c, c->sort, e);
	if (c->limit && c->limit < rows->table.rows)
		rows->table.rows = c->limit;
	return 0;
}

static int add_tables(struct trace *t, struct report *r, struct rows **ret, struct err *e)
{
	struct rows *rows =
		report_new_rows(r, "tables", "Tables", table_columns, ARRAY_LEN(table_columns));

	for (size_t i = 0; i < sqlitefile_table_count(t->file); i++) {
		const struct sqlite_table *table = sqlitefile_table(t->file, i);
		uint64_t count = 0;

		/* A view's rows are another table's: counting them would run somebody's SQL. */
		if (!table->is_view && trace_count_rows(t, table, &count, e) < 0)
			return -1;
		rows_add(rows, cell_text(table->name));
		rows_add(rows, table->is_view ? cell_null() : cell_int((int64_t)count));
		rows_add(rows, cell_int((int64_t)table->column_count));
		rows_add(rows, word_or_null(table->comment));
	}
	*ret = rows;
	return 0;
}

static struct rows *add_columns(struct trace *t, struct report *r)
{
	struct rows *rows =
		report_new_rows(r, "columns", "Columns", column_columns, ARRAY_LEN(column_columns));

	rows->table.kind = "column";
	for (size_t i = 0; i < sqlitefile_table_count(t->file); i++) {
		const struct sqlite_table *table = sqlitefile_table(t->file, i);

		for (size_t c = 0; c < table->column_count; c++) {
			rows_add(rows, cell_text(table->name));
			rows_add(rows, cell_text(table->columns[c].name));
			rows_add(rows, cell_text(table->columns[c].type));
			rows_add(rows, word_or_null(table->columns[c].references));
			rows_add(rows, word_or_null(table->columns[c].comment));
		}
	}
	return rows;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct row_choice *c = args;
	struct rows *tables, *columns;
	bool sorted = !c->sort;

	report_heading(r, "%s", self->title);
	if (add_tables(t, r, &tables, e) < 0)
		return -1;
	columns = add_columns(t, r);
	if (arrange(tables, c, &sorted, e) < 0 || arrange(columns, c, &sorted, e) < 0)
		return -1;
	return sorted ? 0 : rows_arrange(tables, c, c->sort, e);
}

const struct analysis analysis_schema = {
	.name = "schema",
	.title = "Schema of the export",
	.summary = "tables of the export: columns, types, row counts, references",
	.options = &row_options,
	.all_rows = true,
	.run = run,
};
