/* Does any file whatever make the reader crash, hang or eat memory? */
#include "base/mem.h"
#include "sqlitefile/sqlitefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink;

/* Touches every value, so that a sanitizer sees every byte that is handed out. */
static int touch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	size_t columns = *(size_t *)ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < columns; i++) {
		const struct sqlite_values *v = &b->values[i];

		for (size_t row = 0; row < b->rows; row++) {
			if (v->all != SQLITE_IS_ANY && v->all != v->type[row])
				abort();
			sink += (uint64_t)v->num[row] + v->type[row];
			for (int64_t at = 0; v->s[row] && at < v->num[row]; at++)
				sink += (uint8_t)v->s[row][at];
		}
	}
	return 0;
}

static void read_table(struct sqlitefile *f, const struct sqlite_table *t)
{
	size_t count = t->column_count;
	int *columns = mem_alloc(count, sizeof(*columns));
	struct sqlite_scan *scan;
	struct err e = {0};
	uint64_t rows;

	for (size_t i = 0; i < count; i++)
		columns[i] = (int)i;
	if (sqlite_scan_open(&scan, f, t, columns, count, &rows, &e) == 0) {
		sqlite_scan_run(scan, touch, &count, &e);
		sqlite_scan_close(scan);
	}
	free(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sqlitefile *f;
	struct err e = {0};
	char path[64];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sqlitefile_open(&f, path, &e) == 0) {
		for (size_t i = 0; i < sqlitefile_table_count(f); i++)
			read_table(f, sqlitefile_table(f, i));
		sqlitefile_close(f);
	}
	close(fd);
	return 0;
}
