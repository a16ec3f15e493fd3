/* What of a table may be seen, when some of its values may not? */
#include "base/mem.h"
#include "base/sort.h"
#include "sqlitefile/sql_internal.h"
#include "sqlitefile/sql_table.h"

#include <stdlib.h>

enum { MOST_SHADOW_COLUMNS = 64, NO_COLUMN = -1, IS_HIDDEN = 0x7f };

/* A column by row: as in struct sqlite_values. */
struct shown {
	uint8_t *type; /* enum sqlite_type, or IS_HIDDEN; NULL: nobody has asked for it */
	int64_t *num;
	const char **s;
};

struct shadow {
	struct shadow *next;
	struct sql *sql;
	const struct sqlite_table *source;
	const struct sqlite_table *of_table; /* whose column has the keys, or NULL */
	int of_column;
	int hidden, key, rowid; /* columns */
	struct sql_table table;
	struct sql_table_column columns[MOST_SHADOW_COLUMNS];
	struct shown all[MOST_SHADOW_COLUMNS];
	uint64_t rows;
};

/* Columns that are being loaded. */
struct loading {
	struct shadow *shadow;
	int columns[MOST_SHADOW_COLUMNS];
	size_t count;
};

static int count_rows(void *ctx, uint64_t *ret, struct err *e)
{
	struct shadow *s = ctx;

	if (sqlitefile_count_rows(s->sql->file, s->source, &s->rows, e) < 0)
		return -1;
	if (s->rows >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "%s: more than 4 billion rows", s->source->name);
	*ret = s->rows;
	return 0;
}

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct loading *l = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < l->count; i++) {
		const struct shown *to = &l->shadow->all[l->columns[i]];

		memcpy(to->type + b->first_row, b->values[i].type, b->rows * sizeof(*to->type));
		memcpy(to->num + b->first_row, b->values[i].num, b->rows * sizeof(*to->num));
		memcpy(to->s + b->first_row, b->values[i].s, b->rows * sizeof(*to->s));
	}
	return 0;
}

static int load(struct loading *l, struct err *e)
{
	struct shadow *s = l->shadow;
	struct sqlite_scan *scan = NULL;
	uint64_t rows = 0;
	int result;

	if (sqlite_scan_open(&scan, s->sql->file, s->source, l->columns, l->count, &rows, e) < 0)
		return -1;
	if (rows != s->rows) {
		sqlite_scan_close(scan);
		return err_set(e, ERR_INPUT, "'%s': the rows of %s do not agree",
			       sqlitefile_path(s->sql->file), s->source->name);
	}
	for (size_t i = 0; i < l->count; i++) {
		struct shown *to = &s->all[l->columns[i]];

		to->type = mem_alloc(rows, sizeof(*to->type));
		to->num = mem_alloc(rows, sizeof(*to->num));
		to->s = mem_alloc(rows, sizeof(*to->s));
	}
	result = sqlite_scan_run(scan, take_batch, l, e);
	sqlite_scan_close(scan);
	return result;
}

/* The keys of rows that are hidden. */
struct keys {
	int64_t *all;
	uint64_t count;
};

static int take_keys(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct keys *k = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++)
		k->all[b->first_row + i] =
			b->values[0].type[i] == SQLITE_IS_INT ? b->values[0].num[i] : INT64_MIN;
	return 0;
}

static int read_keys(const struct shadow *s, struct keys *k, struct err *e)
{
	struct sqlite_scan *scan = NULL;
	int64_t *scratch;
	int result;

	if (sqlite_scan_open(&scan, s->sql->file, s->of_table, &s->of_column, 1, &k->count, e) < 0)
		return -1;
	k->all = mem_alloc(k->count, sizeof(*k->all));
	result = sqlite_scan_run(scan, take_keys, k, e);
	sqlite_scan_close(scan);
	scratch = mem_alloc(k->count, sizeof(*scratch));
	if (result == 0)
		sort_i64(k->all, scratch, k->count);
	free(scratch);
	return result;
}

static int compare_keys(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Nothing is hidden in an empty text, which may well be somebody's name. */
static void hide_rows(struct shadow *s, const struct keys *k)
{
	struct shown *values = &s->all[s->hidden];
	const struct shown *ids = &s->all[s->key];

	for (uint64_t i = 0; i < s->rows; i++) {
		if (values->type[i] == SQLITE_IS_NULL ||
		    (values->type[i] == SQLITE_IS_TEXT && !values->num[i]))
			continue;
		if (ids->type[i] == SQLITE_IS_INT &&
		    bsearch(&ids->num[i], k->all, k->count, sizeof(*k->all), compare_keys))
			values->type[i] = IS_HIDDEN;
	}
}

static int hide_keyed(struct shadow *s, struct err *e)
{
	struct keys k = {0};
	int result = read_keys(s, &k, e);

	if (result == 0)
		hide_rows(s, &k);
	free(k.all);
	return result;
}

static void want(struct loading *l, int column)
{
	if (column == NO_COLUMN || l->shadow->all[column].type)
		return;
	for (size_t i = 0; i < l->count; i++) {
		if (l->columns[i] == column)
			return;
	}
	l->columns[l->count++] = column;
}

/* A column of which nothing is shown is never read. */
static int open_columns(void *ctx, uint64_t columns, struct err *e)
{
	struct shadow *s = ctx;
	struct loading l = {.shadow = s};
	bool hides = s->of_table && columns & UINT64_C(1) << s->hidden && !s->all[s->hidden].type;

	for (size_t i = 0; i < s->table.column_count; i++) {
		if (columns & UINT64_C(1) << i && ((int)i != s->hidden || s->of_table))
			want(&l, (int)i);
	}
	want(&l, s->rowid);
	if (hides)
		want(&l, s->key);
	if (l.count && load(&l, e) < 0)
		return -1;
	return hides ? hide_keyed(s, e) : 0;
}

static struct str text_at(const struct shown *v, uint64_t row)
{
	return (struct str){v->s[row], (size_t)v->num[row]};
}

static struct sql_value value(void *ctx, uint64_t row, size_t column, bool *ret_lasts)
{
	struct shadow *s = ctx;
	const struct shown *v = &s->all[column];
	int type = v->type ? v->type[row] : IS_HIDDEN;

	*ret_lasts = true;
	switch (type) {
	case SQLITE_IS_NULL:
		return (struct sql_value){.type = SQLITE_IS_NULL};
	case SQLITE_IS_INT:
		return (struct sql_value){.type = SQLITE_IS_INT, .i = v->num[row]};
	case SQLITE_IS_REAL:
		return (struct sql_value){.type = SQLITE_IS_REAL, .r = sqlite_real(v->num[row])};
	case SQLITE_IS_TEXT:
	case SQLITE_IS_BLOB:
		return (struct sql_value){.type = (enum sqlite_type)type, .s = text_at(v, row)};
	default:
		s->sql->met_hidden = true;
		return (struct sql_value){.type = SQLITE_IS_NULL};
	}
}

static int compare_texts(const void *a, const void *b, void *ctx)
{
	return str_cmp(text_at(ctx, *(const uint32_t *)a), text_at(ctx, *(const uint32_t *)b));
}

/* The rows that hold text, sorted by it. */
static uint32_t *sorted_texts(struct shown *v, uint64_t rows, size_t *ret_count)
{
	uint32_t *order = mem_alloc(rows, sizeof(*order));
	size_t count = 0;

	for (uint64_t i = 0; i < rows; i++) {
		if (v->type[i] == SQLITE_IS_TEXT)
			order[count++] = (uint32_t)i;
	}
	sort_stable(order, count, sizeof(*order), compare_texts, v);
	*ret_count = count;
	return order;
}

static int64_t *text_keys(struct shown *v, uint64_t rows)
{
	int64_t *keys = mem_alloc_large(rows * sizeof(*keys)), rank = 0;
	size_t count;
	uint32_t *order = sorted_texts(v, rows, &count);

	for (uint64_t i = 0; i < rows; i++)
		keys[i] = INT64_MIN;
	for (size_t i = 0; i < count; i++) {
		rank += i && str_cmp(text_at(v, order[i - 1]), text_at(v, order[i])) != 0;
		keys[order[i]] = rank;
	}
	free(order);
	return keys;
}

static int64_t *keys(void *ctx, size_t column)
{
	struct shadow *s = ctx;
	struct shown *v = &s->all[column];
	int64_t *keys;

	if (v->type && strcmp(s->columns[column].type, "TEXT") == 0)
		return text_keys(v, s->rows);
	keys = mem_alloc_large(s->rows * sizeof(*keys));
	for (uint64_t i = 0; i < s->rows; i++)
		keys[i] = v->type && v->type[i] == SQLITE_IS_INT ? v->num[i] : INT64_MIN;
	return keys;
}

static int64_t rowid(void *ctx, uint64_t row)
{
	const struct shadow *s = ctx;

	return s->all[s->rowid].num[row];
}

/* Rows lie in order of their rowids, which as a rule have few gaps. */
static bool find(void *ctx, int64_t wanted, uint64_t *ret)
{
	const struct shadow *s = ctx;
	const int64_t *ids = s->all[s->rowid].num;
	uint64_t low = 0, high = s->rows, ahead;

	if (s->rows && wanted >= ids[0]) {
		ahead = (uint64_t)wanted - (uint64_t)ids[0];
		low = ahead < s->rows && ids[ahead] == wanted ? ahead : 0;
	}
	while (low < high && ids[low] != wanted) {
		uint64_t middle = low + (high - low) / 2;

		if (ids[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = low;
	return low < s->rows && ids[low] == wanted;
}

/* As SQLite tells affinity: a declared type may be any text. */
static const char *affinity(const char *declared)
{
	static const struct {
		const char *part, *type;
	} parts[] = {
		{"INT", "INTEGER"}, {"CHAR", "TEXT"}, {"CLOB", "TEXT"}, {"TEXT", "TEXT"},
		{"BLOB", ""},	    {"REAL", "REAL"}, {"FLOA", "REAL"}, {"DOUB", "REAL"},
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (strcasestr(declared, parts[i].part))
			return parts[i].type;
	}
	return declared[0] ? "NUMERIC" : "";
}

static void set_table(struct shadow *s)
{
	for (size_t i = 0; i < s->source->column_count; i++)
		s->columns[i] = (struct sql_table_column){
			.name = s->source->columns[i].name,
			.type = affinity(s->source->columns[i].type),
			.is_rowid = (int)i == s->rowid,
		};
	s->table = (struct sql_table){
		.name = s->source->name,
		.columns = s->columns,
		.column_count = s->source->column_count,
		.ctx = s,
		.count = count_rows,
		.open = open_columns,
		.value = value,
		.keys = keys,
		.is_mixed = true,
		.find = s->rowid == NO_COLUMN ? NULL : find,
		.rowid = s->rowid == NO_COLUMN ? NULL : rowid,
	};
}

/* One that cannot be looked into may have any. */
static bool may_have_rows(struct sqlitefile *f, const struct sqlite_table *t)
{
	struct err e;
	bool has;

	return sqlitefile_has_rows(f, t, &has, &e) < 0 || has;
}

/* The table of that name with rows of its own; a view has none. */
static const struct table *find_table(struct sqlitefile *f, const char *name)
{
	const struct sqlite_table *t = sqlitefile_find_table(f, name);
	const struct table *found = (const struct table *)t;

	return found && found->root && may_have_rows(f, t) ? found : NULL;
}

bool shadow_is_needed(const struct sql *sql, const struct sql_hidden *rule)
{
	const struct table *t = find_table(sql->file, rule->table), *of;

	if (!t || sqlite_table_find_column(&t->pub, rule->column) < 0)
		return false;
	if (!rule->key)
		return true;
	of = find_table(sql->file, rule->of_table);
	return of && sqlite_table_find_column(&of->pub, rule->of_column) >= 0;
}

/* Without a key it cannot be told which values are meant: then all are. */
const struct sql_table *shadow_new(struct sql *sql, const struct sql_hidden *rule)
{
	const struct table *t = find_table(sql->file, rule->table);
	int key = rule->key ? sqlite_table_find_column(&t->pub, rule->key) : NO_COLUMN;
	struct shadow *s;

	if (t->pub.column_count > MOST_SHADOW_COLUMNS)
		return NULL;
	s = mem_zalloc(1, sizeof(*s));
	s->next = sql->shadows;
	s->sql = sql;
	s->source = &t->pub;
	s->hidden = sqlite_table_find_column(&t->pub, rule->column);
	s->key = key;
	s->rowid = t->rowid_column;
	if (key >= 0) {
		s->of_table = sqlitefile_find_table(sql->file, rule->of_table);
		s->of_column = sqlite_table_find_column(s->of_table, rule->of_column);
	}
	sql->shadows = s;
	set_table(s);
	return &s->table;
}

void shadows_free(struct shadow *s)
{
	while (s) {
		struct shadow *next = s->next;

		for (size_t i = 0; i < s->table.column_count; i++) {
			free(s->all[i].type);
			free(s->all[i].num);
			free(s->all[i].s);
		}
		free(s);
		s = next;
	}
}
