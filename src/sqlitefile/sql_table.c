/* How does SQLite read a table that is none of its own? */
#include "base/buf.h"
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <stdlib.h>

/* How the rows of a scan are found: idxNum. */
enum {
	SCAN_ALL,
	SCAN_ROWID,  /* the one of that number */
	SCAN_LOOKUP, /* those where columns have certain values */
};

/* Of the constraints of a query, those by which rows are found. */
struct lookup {
	int scan;
	int count;
	int constraint[ARRAY_LEN(((struct sql_match *)0)->column)];
};

/* A table as one connection knows it. */
struct known_table {
	struct known_table *next;
	struct sql *sql;
	const struct sql_table *table;
	bool is_counted;
	uint64_t rows;
	uint64_t open; /* columns */
	struct sql_orders orders;
};

struct vtab {
	sqlite3_vtab base;
	struct known_table *known;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const uint32_t *order; /* NULL: as they lie */
	uint64_t at, end;
};

static int fail(struct known_table *k, const struct err *e)
{
	k->sql->failed = *e;
	return SQLITE_ERROR;
}

/* The columns of a file may be called anything. */
static void add_quoted(struct buf *b, const char *name)
{
	buf_addc(b, '"');
	for (; *name; name++)
		buf_addf(b, *name == '"' ? "\"\"" : "%c", *name);
	buf_addc(b, '"');
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **message)
{
	struct known_table *k = aux;
	SCOPED_BUF sql = {0};
	struct vtab *v;
	int rc;

	(void)argc;
	(void)argv;
	(void)message;
	buf_adds(&sql, "CREATE TABLE x(");
	for (size_t i = 0; i < k->table->column_count; i++) {
		buf_adds(&sql, i ? ", " : "");
		add_quoted(&sql, k->table->columns[i].name);
		buf_addf(&sql, " %s", k->table->columns[i].type);
	}
	buf_adds(&sql, ")");
	rc = sqlite3_declare_vtab(db, sql.s);
	if (rc != SQLITE_OK)
		return rc;
	v = mem_zalloc(1, sizeof(*v));
	v->known = k;
	*ret = &v->base;
	return SQLITE_OK;
}

/* Another function than connect(): else its module's name, too, would be a table's. */
static int create(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		  char **message)
{
	return connect(db, aux, argc, argv, ret, message);
}

static int disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int count_rows(struct known_table *k)
{
	struct err e;

	if (k->is_counted)
		return SQLITE_OK;
	if (k->table->count(k->table->ctx, &k->rows, &e) < 0)
		return fail(k, &e);
	k->is_counted = true;
	return SQLITE_OK;
}

static bool can_look_up(const struct sql_table *t, sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];
	const char *type = t->columns[c->iColumn].type;

	return strcmp(type, "INTEGER") == 0 ||
	       (strcmp(type, "TEXT") == 0 &&
		sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0);
}

/* What is compared with a constant is quicker to go through than to sort. */
static struct lookup find_lookup(const struct sql_table *t, sqlite3_index_info *info)
{
	struct lookup l = {.scan = SCAN_ALL};

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		sqlite3_value *constant = NULL;

		if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (c->iColumn < 0 || t->columns[c->iColumn].is_rowid)
			return (struct lookup){SCAN_ROWID, 1, {i}};
		if (l.count < (int)ARRAY_LEN(l.constraint) && can_look_up(t, info, i) &&
		    sqlite3_vtab_rhs_value(info, i, &constant) != SQLITE_OK) {
			l.scan = SCAN_LOOKUP;
			l.constraint[l.count++] = i;
		}
	}
	return l;
}

/* "3+ 5-", or "" where SQLite has to sort. */
static void add_order(struct buf *terms, const sqlite3_index_info *info)
{
	for (int i = 0; i < info->nOrderBy; i++) {
		if (info->aOrderBy[i].iColumn < 0) {
			buf_clear(terms);
			return;
		}
		buf_addf(terms, "%s%d%c", i ? " " : "", info->aOrderBy[i].iColumn,
			 info->aOrderBy[i].desc ? '-' : '+');
	}
}

/* A plan is for people up to its '#': SQLite shows it to them. */
static void add_words(struct buf *b, const struct sql_table *t, const struct lookup *l,
		      const sqlite3_index_info *info)
{
	if (l->scan == SCAN_ROWID)
		buf_adds(b, "looked up by rowid ");
	for (int i = 0; l->scan == SCAN_LOOKUP && i < l->count; i++)
		buf_addf(b, "%s%s ", i ? "and " : "looked up by ",
			 t->columns[info->aConstraint[l->constraint[i]].iColumn].name);
	for (int i = 0; info->orderByConsumed && i < info->nOrderBy; i++)
		buf_addf(b, "%s%s%s ", i ? "then " : "in order of ",
			 t->columns[info->aOrderBy[i].iColumn].name,
			 info->aOrderBy[i].desc ? " DESC" : "");
}

/* "words #columns;3 7;5-": looked up by columns 3 and 7, in order of 5 descending. */
static char *new_plan(const struct sql_table *t, const struct lookup *l,
		      const sqlite3_index_info *info, const char *order)
{
	SCOPED_BUF plan = {0};

	add_words(&plan, t, l, info);
	buf_addf(&plan, "#%llx;", (unsigned long long)info->colUsed);
	for (int i = 0; l->scan == SCAN_LOOKUP && i < l->count; i++)
		buf_addf(&plan, "%s%d", i ? " " : "", info->aConstraint[l->constraint[i]].iColumn);
	buf_addf(&plan, ";%s", order);
	return sqlite3_mprintf("%s", plan.s);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct known_table *k = ((struct vtab *)base)->known;
	SCOPED_BUF order = {0};
	struct lookup l;
	int rc = count_rows(k);

	if (rc == SQLITE_OK && sql_must_end(k->sql))
		rc = SQLITE_INTERRUPT;
	if (rc != SQLITE_OK)
		return rc;
	l = find_lookup(k->table, info);
	if (l.scan != SCAN_ROWID && !k->table->is_mixed)
		add_order(&order, info);
	for (int i = 0; i < l.count; i++)
		info->aConstraintUsage[l.constraint[i]].argvIndex = i + 1;
	info->orderByConsumed = order.len > 0;
	info->idxNum = l.scan;
	info->idxStr = new_plan(k->table, &l, info, buf_str(&order).s);
	info->needToFreeIdxStr = 1;
	info->estimatedRows = l.scan == SCAN_ALL ? (sqlite3_int64)k->rows + 1 : 1;
	info->estimatedCost = l.scan == SCAN_ALL ? (double)k->rows + 1 : 20;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

static uint64_t columns_of(const char *plan)
{
	uint64_t bits = 0;

	while (*plan) {
		if (*plan >= '0' && *plan <= '9')
			bits |= UINT64_C(1) << (strtoul(plan, (char **)&plan, 10) & 63);
		else
			plan++;
	}
	return bits;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = mem_zalloc(1, sizeof(*c));

	(void)base;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int open_columns(struct known_table *k, uint64_t columns)
{
	struct err e;

	if (!k->table->open || (!(columns & ~k->open) && k->open))
		return SQLITE_OK;
	if (k->table->open(k->table->ctx, k->open | columns, &e) < 0)
		return fail(k, &e);
	k->open |= columns;
	return SQLITE_OK;
}

static bool whole_value(sqlite3_value *v, int64_t *ret)
{
	double r;

	if (sqlite3_value_type(v) == SQLITE_INTEGER) {
		*ret = sqlite3_value_int64(v);
		return true;
	}
	if (sqlite3_value_type(v) != SQLITE_FLOAT)
		return false;
	r = sqlite3_value_double(v);
	if (!(r > -9e18 && r < 9e18))
		return false;
	*ret = (int64_t)r;
	return (double)*ret == r;
}

/*
 * False for a value that may be equal to one of the column's only once SQLite has converted it:
 * then rows are gone through, and SQLite compares.
 */
static bool match_add(struct sql_match *m, const struct sql_table *t, size_t column,
		      sqlite3_value *v)
{
	struct sql_value *wanted = &m->value[m->count];

	if (strcmp(t->columns[column].type, "TEXT") == 0) {
		const char *text = (const char *)sqlite3_value_text(v);

		if (sqlite3_value_type(v) != SQLITE_TEXT || !text)
			return false;
		*wanted = (struct sql_value){
			.type = SQLITE_IS_TEXT,
			.s = {text, (size_t)sqlite3_value_bytes(v)},
		};
	} else {
		wanted->type = SQLITE_IS_INT;
		if (!whole_value(v, &wanted->i))
			return false;
	}
	m->column[m->count++] = column;
	return true;
}

static void seek_row(const struct known_table *k, struct cursor *c, sqlite3_value *v)
{
	bool found;
	int64_t i;

	if (!whole_value(v, &i))
		return; /* SQLite compares */
	if (k->table->find)
		found = k->table->find(k->table->ctx, i, &c->at);
	else if ((found = i >= 1 && (uint64_t)i <= k->rows))
		c->at = (uint64_t)i - 1;
	c->end = found ? c->at + 1 : 0;
}

/* Rows that match lie together, and among them in the order that is asked for. */
static void seek_matches(struct known_table *k, struct cursor *c, const struct sql_match *m,
			 const char *order)
{
	SCOPED_BUF terms = {0};

	for (size_t i = 0; i < m->count; i++)
		buf_addf(&terms, "%zu+ ", m->column[i]);
	buf_adds(&terms, order);
	c->order = sql_orders_get(&k->orders, k->table, k->rows, terms.s);
	if (m->count)
		sql_order_find(k->table, c->order, k->rows, m, &c->at, &c->end);
}

static void look_up(struct known_table *k, struct cursor *c, const char *columns, int argc,
		    sqlite3_value **argv)
{
	struct sql_match m = {0};
	char *at = (char *)columns;
	bool all = true;

	for (int i = 0; i < argc && all; i++) {
		size_t column = strtoul(at, &at, 10);

		if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
			c->end = 0; /* is equal to nothing */
			return;
		}
		all = match_add(&m, k->table, column, argv[i]);
	}
	seek_matches(k, c, &m, strchr(columns, ';') + 1);
}

static int filter(sqlite3_vtab_cursor *base, int scan, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)base;
	struct known_table *k = ((struct vtab *)base->pVtab)->known;
	char *columns;
	uint64_t wanted = strtoull(strchr(plan, '#') + 1, &columns, 16);
	int rc = count_rows(k);

	if (rc == SQLITE_OK)
		rc = open_columns(k, wanted | columns_of(columns));
	if (rc != SQLITE_OK)
		return rc;
	c->at = 0;
	c->end = k->rows;
	c->order = NULL;
	if (scan == SCAN_ROWID)
		seek_row(k, c, argv[0]);
	else
		look_up(k, c, columns + 1, argc, argv);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	return c->at >= c->end;
}

static uint64_t row_of(const struct cursor *c)
{
	return c->order ? c->order[c->at] : c->at;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *out, int i)
{
	const struct cursor *c = (const struct cursor *)base;
	const struct sql_table *t = ((struct vtab *)base->pVtab)->known->table;
	bool lasts = false;
	struct sql_value v = t->value(t->ctx, row_of(c), (size_t)i, &lasts);
	sqlite3_destructor_type keep = lasts ? SQLITE_STATIC : SQLITE_TRANSIENT;

	switch (v.type) {
	case SQLITE_IS_NULL:
		break;
	case SQLITE_IS_INT:
		sqlite3_result_int64(out, v.i);
		break;
	case SQLITE_IS_REAL:
		sqlite3_result_double(out, v.r);
		break;
	case SQLITE_IS_TEXT:
		sqlite3_result_text64(out, v.s.s, v.s.len, keep, SQLITE_UTF8);
		break;
	case SQLITE_IS_BLOB:
		sqlite3_result_blob64(out, v.s.s, v.s.len, keep);
		break;
	}
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	const struct sql_table *t = ((struct vtab *)base->pVtab)->known->table;
	uint64_t row = row_of((const struct cursor *)base);

	*ret = t->rowid ? t->rowid(t->ctx, row) : (sqlite3_int64)row + 1;
	return SQLITE_OK;
}

#define TABLE                                                                                    \
	.xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect,                \
	.xDestroy = disconnect, .xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, \
	.xNext = next, .xEof = is_at_end, .xColumn = column, .xRowid = rowid

/* Without xCreate it is there by its name alone, and nothing can make another. */
static const sqlite3_module added = {TABLE};
static const sqlite3_module replacing = {.xCreate = create, TABLE};

static int cannot(const struct sql *s, struct err *e)
{
	return err_set(e, ERR_SYSTEM, "preparing for SQL: %s", sqlite3_errmsg(s->handle));
}

static struct known_table *know(struct sql *s, const struct sql_table *t)
{
	struct known_table *k = mem_zalloc(1, sizeof(*k));

	k->sql = s;
	k->table = t;
	k->next = s->tables;
	s->tables = k;
	return k;
}

int sql_add_table(struct sql *s, const struct sql_table *t, struct err *e)
{
	if (sqlite3_create_module_v2(s->handle, t->name, &added, know(s, t), NULL) == SQLITE_OK)
		return 0;
	return cannot(s, e);
}

/* Names without a schema mean the temporary one's first. */
int sql_replace_table(struct sql *s, const struct sql_table *t, struct err *e)
{
	SCOPED_BUF module = {0}, statement = {0};
	int rc;

	buf_addf(&module, "shown_%s", t->name);
	buf_adds(&statement, "CREATE VIRTUAL TABLE temp.");
	add_quoted(&statement, t->name);
	buf_adds(&statement, " USING ");
	add_quoted(&statement, module.s);
	rc = sqlite3_create_module_v2(s->handle, module.s, &replacing, know(s, t), NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->handle, statement.s, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : cannot(s, e);
}

void sql_tables_free(struct known_table *k)
{
	while (k) {
		struct known_table *next = k->next;

		sql_orders_free(&k->orders);
		free(k);
		k = next;
	}
}
