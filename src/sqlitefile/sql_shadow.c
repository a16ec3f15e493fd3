/* What of a table may be seen, when some of its values may not? */
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "sqlitefile/sql_internal.h"

#include <stdlib.h>

enum { MOST_SHADOW_COLUMNS = 64, IS_HIDDEN = 0x7f };

/* A column by row: as in struct sqlite_values. */
struct shown {
	uint8_t *type; /* enum sqlite_type, or IS_HIDDEN */
	int64_t *num;
	const char **s;
};

struct shadow {
	struct shadow *next;
	struct sql *sql;
	const struct sqlite_table *source;
	const struct sql_hidden *rule;
	int rowid; /* the column that has it, or -1 */
	struct sql_table table;
	struct sql_table_column columns[MOST_SHADOW_COLUMNS];
	struct shown all[MOST_SHADOW_COLUMNS];
	uint64_t rows;
};

/* Columns of a table of the file, while they are read. */
struct reading {
	struct shown *to;
	size_t count;
	uint64_t rows;
};

static void free_columns(struct shown *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(columns[i].type);
		free(columns[i].num);
		free(columns[i].s);
		columns[i] = (struct shown){0};
	}
}

static int begin_reading(void *ctx, uint64_t rows, struct err *e)
{
	struct reading *r = ctx;

	if (rows >= UINT32_MAX)
		return err_set(e, ERR_INPUT, "over 4 billion rows");
	free_columns(r->to, r->count);
	for (size_t i = 0; i < r->count; i++)
		r->to[i] = (struct shown){
			.type = mem_alloc(rows, sizeof(*r->to->type)),
			.num = mem_alloc(rows, sizeof(*r->to->num)),
			.s = mem_alloc(rows, sizeof(*r->to->s)),
		};
	r->rows = rows;
	return 0;
}

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct reading *r = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < r->count; i++) {
		const struct shown *to = &r->to[i];

		memcpy(to->type + b->first_row, b->values[i].type, b->rows * sizeof(*to->type));
		memcpy(to->num + b->first_row, b->values[i].num, b->rows * sizeof(*to->num));
		memcpy(to->s + b->first_row, b->values[i].s, b->rows * sizeof(*to->s));
	}
	return 0;
}

static int read_columns(const struct shadow *s, const struct sqlite_table *t, const int *columns,
			struct reading *r, struct err *e)
{
	struct sqlite_reader reader = {begin_reading, take_batch, r};

	return sqlitefile_read(s->sql->file, t, columns, r->count, &reader, e);
}

/* The keys of rows that are hidden: integers, in order; what is none is the key of no row. */
static int read_keys(const struct shadow *s, struct shown *ret, uint64_t *ret_count, struct err *e)
{
	const struct sqlite_table *t = sqlitefile_find_table(s->sql->file, s->rule->of_table);
	const int column = sqlite_table_find_column(t, s->rule->of_column);
	struct reading r = {.to = ret, .count = 1};
	SCOPED int64_t *scratch = NULL;

	if (read_columns(s, t, &column, &r, e) < 0)
		return -1;
	for (uint64_t i = 0; i < r.rows; i++) {
		if (ret->type[i] != SQLITE_IS_INT)
			ret->num[i] = INT64_MIN;
	}
	scratch = mem_alloc(r.rows, sizeof(*scratch));
	sort_i64(ret->num, scratch, r.rows);
	*ret_count = r.rows;
	return 0;
}

static bool holds_key(const int64_t *keys, uint64_t count, int64_t key)
{
	const size_t at = BISECT(0, count, i, keys[i] < key);

	return at < count && keys[at] == key;
}

/* Nothing is hidden in an empty text, which may well be somebody's name. */
static void hide_keyed(struct shadow *s, int key, const int64_t *keys, uint64_t count)
{
	struct shown *v = &s->all[sqlite_table_find_column(s->source, s->rule->column)];
	const struct shown *ids = &s->all[key];

	for (uint64_t i = 0; i < s->rows; i++) {
		const bool is_empty = v->type[i] == SQLITE_IS_NULL ||
				      (v->type[i] == SQLITE_IS_TEXT && !v->num[i]);

		if (!is_empty && ids->type[i] == SQLITE_IS_INT &&
		    holds_key(keys, count, ids->num[i]))
			v->type[i] = IS_HIDDEN;
	}
}

/* Without a key it cannot be told which values are meant: then all are. */
static int hide(struct shadow *s, struct err *e)
{
	const int column = sqlite_table_find_column(s->source, s->rule->column);
	const int key = s->rule->key ? sqlite_table_find_column(s->source, s->rule->key) : -1;
	struct shown keys = {0};
	uint64_t count;
	int result;

	if (key < 0) {
		memset(s->all[column].type, IS_HIDDEN, s->rows);
		return 0;
	}
	result = read_keys(s, &keys, &count, e);
	if (result == 0)
		hide_keyed(s, key, keys.num, count);
	free_columns(&keys, 1);
	return result;
}

/* Asked first and once: then everything is read. */
static int count_rows(void *ctx, uint64_t *ret, struct err *e)
{
	struct shadow *s = ctx;
	struct reading r = {.to = s->all, .count = s->table.column_count};
	int columns[MOST_SHADOW_COLUMNS];

	for (size_t i = 0; i < r.count; i++)
		columns[i] = (int)i;
	if (read_columns(s, s->source, columns, &r, e) < 0)
		return -1;
	*ret = s->rows = r.rows;
	return hide(s, e);
}

static struct str text_at(const struct shown *v, uint64_t row)
{
	return (struct str){v->s[row], (size_t)v->num[row]};
}

static struct sql_value shown_value(void *ctx, uint64_t row, size_t column, bool *ret_lasts)
{
	struct shadow *s = ctx;
	const struct shown *v = &s->all[column];
	const int type = v->type[row];

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

static void rank_texts(struct shown *v, uint64_t rows, int64_t *keys)
{
	SCOPED uint32_t *order = mem_alloc(rows, sizeof(*order));
	int64_t rank = 0;
	size_t count = 0;

	for (uint64_t i = 0; i < rows; i++) {
		if (v->type[i] == SQLITE_IS_TEXT)
			order[count++] = (uint32_t)i;
	}
	sort_stable(order, count, sizeof(*order), compare_texts, v);
	for (size_t i = 0; i < count; i++) {
		rank += i && compare_texts(&order[i - 1], &order[i], v) != 0;
		keys[order[i]] = rank;
	}
}

static int64_t *new_keys(void *ctx, size_t column)
{
	struct shadow *s = ctx;
	struct shown *v = &s->all[column];
	int64_t *keys = mem_alloc(s->rows, sizeof(*keys));

	for (uint64_t i = 0; i < s->rows; i++)
		keys[i] = v->type[i] == SQLITE_IS_INT ? v->num[i] : INT64_MIN;
	if (strcmp(s->columns[column].type, "TEXT") == 0)
		rank_texts(v, s->rows, keys);
	return keys;
}

static int64_t rowid_of(void *ctx, uint64_t row)
{
	const struct shadow *s = ctx;

	return s->all[s->rowid].num[row];
}

/* Rows lie in order of their rowids, which as a rule have few gaps. */
static bool find_rowid(void *ctx, int64_t wanted, uint64_t *ret)
{
	const struct shadow *s = ctx;
	const int64_t *ids = s->all[s->rowid].num;
	const uint64_t ahead = s->rows ? (uint64_t)wanted - (uint64_t)ids[0] : 0;

	*ret = ahead < s->rows && ids[ahead] == wanted ? ahead
						       : BISECT(0, s->rows, i, ids[i] < wanted);
	return *ret < s->rows && ids[*ret] == wanted;
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

/* One that cannot be looked into may have any. */
static bool may_have_rows(struct sqlitefile *f, const struct sqlite_table *t)
{
	struct err e;
	bool has;

	return sqlitefile_has_rows(f, t, &has, &e) < 0 || has;
}

/* The table of that name, if it has rows of its own, which a view has not, and the column. */
static const struct table *find_table(struct sqlitefile *f, const char *name, const char *column)
{
	const struct sqlite_table *t = sqlitefile_find_table(f, name);
	const struct table *found = (const struct table *)t;

	return found && found->root && may_have_rows(f, t) &&
			       sqlite_table_find_column(t, column) >= 0
		       ? found
		       : NULL;
}

bool shadow_is_needed(const struct sql *sql, const struct sql_hidden *rule)
{
	return find_table(sql->file, rule->table, rule->column) &&
	       (!rule->key || find_table(sql->file, rule->of_table, rule->of_column));
}

const struct sql_table *shadow_new(struct sql *sql, const struct sql_hidden *rule)
{
	const struct table *t = find_table(sql->file, rule->table, rule->column);
	struct shadow *s;

	if (t->pub.column_count > MOST_SHADOW_COLUMNS)
		return NULL;
	s = mem_zalloc(1, sizeof(*s));
	*s = (struct shadow){
		.next = sql->shadows,
		.sql = sql,
		.source = &t->pub,
		.rule = rule,
		.rowid = t->rowid_column,
		.table =
			{
				.name = t->pub.name,
				.columns = s->columns,
				.column_count = t->pub.column_count,
				.ctx = s,
				.count = count_rows,
				.value = shown_value,
				.keys = new_keys,
				.is_mixed = true,
				.find = t->rowid_column < 0 ? NULL : find_rowid,
				.rowid = t->rowid_column < 0 ? NULL : rowid_of,
			},
	};
	for (size_t i = 0; i < t->pub.column_count; i++)
		s->columns[i] = (struct sql_table_column){
			.name = t->pub.columns[i].name,
			.type = affinity(t->pub.columns[i].type),
			.is_rowid = (int)i == s->rowid,
		};
	sql->shadows = s;
	return &s->table;
}

void shadows_free(struct shadow *s)
{
	while (s) {
		struct shadow *next = s->next;

		free_columns(s->all, MOST_SHADOW_COLUMNS);
		free(s);
		s = next;
	}
}
