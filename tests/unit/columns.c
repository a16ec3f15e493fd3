/* Do our reader and libsqlite3 see the same values in every column of these files? */
#include "base/mem.h"
#include "sqlitefile/sqlitefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* A table's values, column by column. */
struct contents {
	uint8_t **type;
	int64_t **num;
	const char ***s;
	uint64_t rows;
	size_t count;
};

static int keep_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct contents *c = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < c->count; i++) {
		const struct sqlite_values *v = &b->values[i];

		memcpy(c->type[i] + b->first_row, v->type, b->rows * sizeof(*v->type));
		memcpy(c->num[i] + b->first_row, v->num, b->rows * sizeof(*v->num));
		memcpy(c->s[i] + b->first_row, v->s, b->rows * sizeof(*v->s));
	}
	return 0;
}

static void contents_alloc(struct contents *c)
{
	c->type = mem_zalloc(c->count, sizeof(*c->type));
	c->num = mem_zalloc(c->count, sizeof(*c->num));
	c->s = mem_zalloc(c->count, sizeof(*c->s));
	for (size_t i = 0; i < c->count; i++) {
		c->type[i] = mem_alloc(c->rows, sizeof(*c->type[i]));
		c->num[i] = mem_alloc(c->rows, sizeof(*c->num[i]));
		c->s[i] = mem_alloc(c->rows, sizeof(*c->s[i]));
	}
}

static void contents_free(struct contents *c)
{
	for (size_t i = 0; i < c->count && c->type; i++) {
		free(c->type[i]);
		free(c->num[i]);
		free(c->s[i]);
	}
	free(c->type);
	free(c->num);
	free(c->s);
}

static int contents_read(struct contents *c, struct sqlitefile *f, const struct sqlite_table *t,
			 struct err *e)
{
	int *columns = mem_alloc(t->column_count, sizeof(*columns));
	struct sqlite_scan *scan;
	int rc;

	c->count = t->column_count;
	for (size_t i = 0; i < c->count; i++)
		columns[i] = (int)i;
	rc = sqlite_scan_open(&scan, f, t, columns, c->count, &c->rows, e);
	if (rc == 0) {
		contents_alloc(c);
		rc = sqlite_scan_run(scan, keep_batch, c, e);
		sqlite_scan_close(scan);
	}
	free(columns);
	return rc;
}

static bool same_value(const struct contents *a, const struct contents *b, size_t column,
		       uint64_t row)
{
	uint8_t type = a->type[column][row];
	int64_t num = a->num[column][row];
	const char *s = a->s[column][row];

	if (type != b->type[column][row] || num != b->num[column][row])
		return false;
	if (type != SQLITE_IS_TEXT && type != SQLITE_IS_BLOB)
		return !s && !b->s[column][row];
	return num == 0 || memcmp(s, b->s[column][row], (size_t)num) == 0;
}

static int compare_values(const char *path, const struct sqlite_table *t, const struct contents *a,
			  const struct contents *b)
{
	if (a->rows != b->rows) {
		printf("%s: %s: %llu rows, libsqlite3 says %llu\n", path, t->name,
		       (unsigned long long)a->rows, (unsigned long long)b->rows);
		return -1;
	}
	for (size_t i = 0; i < a->count; i++)
		for (uint64_t row = 0; row < a->rows; row++)
			if (!same_value(a, b, i, row)) {
				printf("%s: %s.%s: row %llu differs\n", path, t->name,
				       t->columns[i].name, (unsigned long long)row);
				return -1;
			}
	return 0;
}

/* libsqlite3 writes the standard types in capitals, however they were declared. */
static int compare_columns(const char *path, const struct sqlite_table *a,
			   const struct sqlite_table *b)
{
	if (strcmp(a->name, b->name) != 0 || a->column_count != b->column_count) {
		printf("%s: %s has %zu columns, libsqlite3 says %s has %zu\n", path, a->name,
		       a->column_count, b->name, b->column_count);
		return -1;
	}
	for (size_t i = 0; i < a->column_count; i++)
		if (strcmp(a->columns[i].name, b->columns[i].name) != 0 ||
		    strcasecmp(a->columns[i].type, b->columns[i].type) != 0) {
			printf("%s: %s: column '%s' '%s', libsqlite3 says '%s' '%s'\n", path,
			       a->name, a->columns[i].name, a->columns[i].type, b->columns[i].name,
			       b->columns[i].type);
			return -1;
		}
	return 0;
}

/* A table that neither can read is no difference. */
static int compare_table(struct sqlitefile *ours, struct sqlitefile *theirs, size_t i)
{
	const struct sqlite_table *t = sqlitefile_table(ours, i), *u = sqlitefile_table(theirs, i);
	const char *path = sqlitefile_path(ours);
	struct contents a = {0}, b = {0};
	struct err e = {0}, e2 = {0};
	int rc;

	if (compare_columns(path, t, u) < 0)
		return -1;
	rc = contents_read(&a, ours, t, &e);
	if (rc != contents_read(&b, theirs, u, &e2)) {
		printf("%s: %s: only one can read it: %s\n", path, t->name,
		       rc < 0 ? e.message : e2.message);
		rc = -1;
	} else if (rc == 0) {
		rc = compare_values(path, t, &a, &b);
	} else {
		rc = 0;
	}
	contents_free(&a);
	contents_free(&b);
	return rc;
}

static int compare_tables(struct sqlitefile *ours, struct sqlitefile *theirs)
{
	size_t count = sqlitefile_table_count(ours);

	if (count != sqlitefile_table_count(theirs)) {
		printf("%s: %zu tables, libsqlite3 says %zu\n", sqlitefile_path(ours), count,
		       sqlitefile_table_count(theirs));
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (compare_table(ours, theirs, i) < 0)
			return -1;
	return 0;
}

static int compare_file(const char *path)
{
	struct sqlitefile *ours = NULL, *theirs = NULL;
	struct err e = {0};
	int rc;

	if (sqlitefile_open(&ours, path, &e) < 0 ||
	    sqlitefile_open_with_library(&theirs, path, &e) < 0) {
		printf("%s: %s\n", path, e.message);
		rc = -1;
	} else {
		rc = compare_tables(ours, theirs);
	}
	sqlitefile_close(ours);
	sqlitefile_close(theirs);
	return rc;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (compare_file(argv[i]) < 0)
			return 1;
	return 0;
}
