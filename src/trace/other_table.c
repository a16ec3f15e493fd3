/* What do the rows of a table say that is no kind of event? */
#include "trace/other_table.h"

#include "base/mem.h"

int trace_read_rows(struct trace *t, const char *table, const char *const *columns, size_t count,
		    const struct sqlite_reader *reader, struct err *e)
{
	const struct sqlite_table *found = sqlitefile_find_table(t->file, table);
	SCOPED int *sql = mem_alloc(count, sizeof(*sql));
	struct sqlite_scan *scan;
	uint64_t rows;
	int result;
	TRACE_LOCK_SCOPE(t);

	for (size_t i = 0; i < count; i++) {
		sql[i] = found ? sqlite_table_find_column(found, columns[i]) : -1;
		if (sql[i] < 0)
			return 0;
	}
	if (sqlite_scan_open(&scan, t->file, found, sql, count, &rows, e) < 0)
		return -1;
	result = reader->begin ? reader->begin(reader->ctx, rows, e) : 0;
	if (result == 0)
		result = sqlite_scan_run(scan, reader->batch, reader->ctx, e);
	sqlite_scan_close(scan);
	return result;
}
