/* What are the names behind the numbers? */
#include "trace/strings.h"

#include "base/mem.h"

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

	t->name_by_id = mem_alloc(small, sizeof(*t->name_by_id));
	memset(t->name_by_id, 0xff, small * sizeof(*t->name_by_id));
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
