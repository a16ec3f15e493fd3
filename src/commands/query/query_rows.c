/* What does a query answer? */
#include "commands/query/query_rows.h"

#include "base/buf.h"
#include "base/mem.h"
#include "text/strtab.h"
#include "text/text.h"

#include <stdlib.h>
#include <strings.h>

/* Which kinds of cells a column has: bits 1 << enum cell_kind. */
typedef uint8_t cell_kinds;

enum { LONGEST_KEY = 60 };

/* How names end whose numbers have a unit; the first that fits counts. */
static const struct {
	const char *ending; /* the whole name, or what follows a '_' */
	enum unit unit;
} endings[] = {
	{"start_ns", UNIT_TIME_NS}, {"end_ns", UNIT_TIME_NS}, {"time_ns", UNIT_TIME_NS},
	{"at_ns", UNIT_TIME_NS},    {"ns", UNIT_NS},	      {"bytes_per_s", UNIT_BYTES_PER_S},
	{"bytes", UNIT_BYTES},	    {"pct", UNIT_PERCENT},    {"percent", UNIT_PERCENT},
	{"ratio", UNIT_RATIO},	    {"us", UNIT_RATIO},	      {"ms", UNIT_RATIO},
	{"s", UNIT_RATIO},	    {"count", UNIT_COUNT},    {"count(*)", UNIT_COUNT},
	{"calls", UNIT_COUNT},	    {"rows", UNIT_COUNT},     {"instances", UNIT_COUNT},
	{"launches", UNIT_COUNT},   {"n", UNIT_COUNT},
};

static const char *ending_of(const char *name, const char *ending)
{
	size_t len = strlen(name), n = strlen(ending);

	if (len < n || strcasecmp(name + len - n, ending) != 0)
		return NULL;
	return len == n || name[len - n - 1] == '_' ? name + len - n : NULL;
}

/* The unit that a column of this name most likely has; UNIT_BOOL: the name does not tell. */
static enum unit guess_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		if (ending_of(name, endings[i].ending))
			return endings[i].unit;
	}
	return UNIT_BOOL;
}

/* What its cells are, where its name does not tell. */
static enum unit unit_by_kinds(cell_kinds kinds)
{
	if (kinds & 1u << CELL_TEXT)
		return UNIT_NAME;
	return kinds & 1u << CELL_REAL ? UNIT_RATIO : kinds & 1u << CELL_INT ? UNIT_ID : UNIT_NAME;
}

static bool is_name(const char *name)
{
	return strcasecmp(name, "name") == 0 || strcasecmp(name, "kernel") == 0;
}

static enum unit unit_of(const char *name, cell_kinds kinds, const struct query_shape *shape)
{
	enum unit by_name = guess_unit(name), by_kinds = unit_by_kinds(kinds);

	if (by_kinds == UNIT_NAME)
		return shape->names_are_kernels && is_name(name) ? UNIT_KERNEL : UNIT_NAME;
	return by_name == UNIT_BOOL ? by_kinds : by_name;
}

static const struct column_said *find_said(const struct query_shape *shape, const char *name)
{
	for (size_t i = 0; i < shape->said_count; i++) {
		if (strcasecmp(shape->said[i].name, name) == 0)
			return &shape->said[i];
	}
	return NULL;
}

/* "Count(DISTINCT x)" → "count_distinct_x" */
static void add_key(struct buf *b, const char *name)
{
	size_t begin = b->len;

	for (; *name && b->len - begin < LONGEST_KEY; name++) {
		char c = (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
		bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (b->len == begin && !(c >= 'a' && c <= 'z'))
			continue;
		if (plain || (c == '_' && b->len > begin))
			buf_addc(b, c);
		else if (b->len > begin && b->s[b->len - 1] != '_')
			buf_addc(b, '_');
	}
	while (b->len > begin + 1 && b->s[b->len - 1] == '_')
		b->s[--b->len] = '\0';
	if (b->len == begin)
		buf_adds(b, "column");
}

/* Keys that are taken, and by which number each was told apart last. */
struct keys {
	struct arena *arena; /* of their bytes */
	struct strtab taken;
	size_t *last; /* by number in taken */
	size_t last_cap;
};

/* The number of the key; *ret_new: nobody had it. */
static uint32_t take_key(struct keys *k, struct str key, bool *ret_new)
{
	uint32_t before = (uint32_t)k->taken.count, number = strtab_add(&k->taken, key);

	*ret_new = number == before;
	if (*ret_new) {
		k->taken.items[number] = arena_str(k->arena, key);
		MEM_GROW(k->last, k->last_cap, k->taken.count);
		k->last[number] = 1;
	}
	return number;
}

static void keys_begin(struct keys *k, struct arena *a)
{
	bool is_new;

	*k = (struct keys){.arena = a};
	take_key(k, str_of("key"), &is_new); /* which each row of a JSON answer has */
}

static void keys_free(struct keys *k)
{
	strtab_free(&k->taken);
	free(k->last);
}

/* "a", "a_2", "a_3": thousands of columns may have one name, so no number is tried twice. */
static const char *new_key(struct keys *k, const char *name)
{
	struct buf key = {0};
	uint32_t first, number;
	bool is_new;
	size_t len;

	add_key(&key, name);
	len = key.len;
	first = number = take_key(k, buf_str(&key), &is_new);
	while (!is_new) {
		key.len = len;
		buf_addf(&key, "_%zu", ++k->last[first]);
		number = take_key(k, buf_str(&key), &is_new);
	}
	buf_free(&key);
	return k->taken.items[number].s;
}

/* People see "12.3 ms": a "_ns" in the title would be wrong. */
static const char *new_title(struct arena *a, const char *name, enum unit unit)
{
	const char *ending = NULL;
	struct buf title = {0};
	const char *safe;

	if (unit == UNIT_NS || unit == UNIT_TIME_NS)
		ending = ending_of(name, "ns");
	else if (unit == UNIT_PERCENT)
		ending = ending_of(name, "pct");
	if (ending && ending > name)
		text_add_safe(&title, (struct str){name, (size_t)(ending - name) - 1});
	else
		text_add_safe(&title, str_of(name));
	if (unit == UNIT_PERCENT && ending)
		buf_adds(&title, " %");
	safe = arena_strdup(a, title.len ? title.s : "");
	buf_free(&title);
	return safe;
}

/*
 * Columns in the report's arena. Keys are snake_case and differ from one another, whatever the
 * query calls them.
 */
static struct column *columns_make(struct report *r, const struct sql_query *q,
				   const struct query_shape *shape, const cell_kinds *kinds)
{
	size_t count = sql_column_count(q);
	struct column *columns = arena_zalloc(&r->arena, count, sizeof(*columns));
	struct keys keys;

	keys_begin(&keys, &r->arena);
	for (size_t i = 0; i < count; i++) {
		const char *name = sql_column_name(q, i);
		const struct column_said *said = find_said(shape, name);
		enum unit unit = said ? said->unit : unit_of(name, kinds[i], shape);

		columns[i] = (struct column){
			.key = new_key(&keys, name),
			.title = said && said->title ? arena_strdup(&r->arena, said->title)
						     : new_title(&r->arena, name, unit),
			.unit = unit,
			/* A name that somebody said to be one tells rows apart. */
			.id = said && (unit == UNIT_NAME || unit == UNIT_KERNEL) ? "" : NULL,
			.show = SHOW,
		};
	}
	keys_free(&keys);
	return columns;
}

/* An answer may have millions of rows: its cells take 9 bytes each, its texts what they differ. */
enum { CHUNK_CELLS = 1 << 16, LONGEST_BLOB = 1000 };

static const uint64_t most_bytes = UINT64_C(2) << 30;

struct chunk {
	int64_t values[CHUNK_CELLS]; /* a number, a double's bits, or the number of a text */
	uint8_t kinds[CHUNK_CELLS];  /* enum cell_kind */
};

struct chunk_place {
	struct chunk *chunk;
};

struct answer {
	struct arena arena; /* of texts */
	struct strtab texts;
	struct chunk_place *chunks;
	size_t chunk_count, chunk_cap;
	uint64_t cells;
	uint64_t bytes;
	size_t column_count;
	cell_kinds *kinds; /* by column */
};

static void free_answer(void *ctx)
{
	struct answer *a = ctx;

	for (size_t i = 0; i < a->chunk_count; i++)
		free(a->chunks[i].chunk);
	free(a->chunks);
	free(a->kinds);
	strtab_free(&a->texts);
	arena_free(&a->arena);
	free(a);
}

static int64_t add_text(struct answer *a, struct str s)
{
	size_t before = a->texts.count;
	uint32_t number = strtab_add(&a->texts, s);

	if (number == before) {
		a->texts.items[number] = arena_str(&a->arena, s);
		a->bytes += s.len + 32;
	}
	return number;
}

/* Bytes as SQL writes them: X'00ff'. */
static int64_t add_blob(struct answer *a, struct str s)
{
	size_t shown = s.len < LONGEST_BLOB ? s.len : LONGEST_BLOB;
	struct buf text = {0};
	int64_t number;

	buf_adds(&text, "X'");
	for (size_t i = 0; i < shown; i++)
		buf_addf(&text, "%02x", (unsigned char)s.s[i]);
	buf_adds(&text, shown < s.len ? "…'" : "'");
	number = add_text(a, buf_str(&text));
	buf_free(&text);
	return number;
}

static void add_cell(struct answer *a, size_t column, const struct sql_value *v)
{
	size_t at = a->cells % CHUNK_CELLS;
	enum cell_kind kind = CELL_NULL;
	struct chunk *c;
	int64_t n = 0;

	switch (v->type) {
	case SQLITE_IS_NULL:
		break;
	case SQLITE_IS_INT:
		kind = CELL_INT;
		n = v->i;
		break;
	case SQLITE_IS_REAL:
		kind = CELL_REAL;
		memcpy(&n, &v->r, sizeof(n));
		break;
	case SQLITE_IS_TEXT:
		kind = CELL_TEXT;
		n = add_text(a, v->s);
		break;
	case SQLITE_IS_BLOB:
		kind = CELL_TEXT;
		n = add_blob(a, v->s);
		break;
	}
	if (at == 0) {
		MEM_GROW(a->chunks, a->chunk_cap, a->chunk_count + 1);
		a->chunks[a->chunk_count++].chunk = mem_alloc(1, sizeof(*c));
		a->bytes += sizeof(*c);
	}
	c = a->chunks[a->chunk_count - 1].chunk;
	c->values[at] = n;
	c->kinds[at] = (uint8_t)kind;
	a->kinds[column] |= (cell_kinds)(1u << kind);
	a->cells++;
}

static struct cell cell_at(const struct answer *a, uint64_t i)
{
	const struct chunk *c = a->chunks[i / CHUNK_CELLS].chunk;
	int64_t n = c->values[i % CHUNK_CELLS];
	double r;

	switch (c->kinds[i % CHUNK_CELLS]) {
	case CELL_INT:
		return cell_int(n);
	case CELL_REAL:
		memcpy(&r, &n, sizeof(r));
		return cell_real(r);
	case CELL_TEXT:
		return cell_str(a->texts.items[n]);
	default:
		return cell_null();
	}
}

static void make_row(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct answer *a = ctx;

	for (size_t c = 0; c < a->column_count; c++)
		cells[c] = cell_at(a, i * a->column_count + c);
}

static int too_large(struct err *e)
{
	err_set(e, ERR_SYSTEM, "the result takes more than 2 GB of memory");
	return err_hint(e, "add a LIMIT, or group the rows");
}

static int keep_rows(struct answer *a, struct sql_query *q, uint64_t limit, struct err *e)
{
	uint64_t rows = 0;
	int more = 1;

	while ((limit == 0 || rows < limit) && (more = sql_step(q, e)) > 0) {
		for (size_t c = 0; c < a->column_count; c++) {
			struct sql_value v = sql_column(q, c);

			add_cell(a, c, &v);
		}
		rows++;
		if (a->bytes > most_bytes)
			return too_large(e);
	}
	return more;
}

/*
 * How many rows there are, those that are kept among them; *ret_least: at least. What happens while
 * they are counted takes none of them away.
 */
static uint64_t count_rows(struct report *r, struct sql_query *q, uint64_t kept, bool *ret_least)
{
	uint64_t further = 0;
	struct err e;
	int more = sql_count_rest(q, &further, &e);

	*ret_least = more != 0 && further > 0;
	if (more == 0)
		return kept + further;
	/* The last one was found; whether another follows was not. */
	kept += further ? further - 1 : 0;
	report_warning(r, "%s more than %llu rows%s: counting stopped there%s%s",
		       further ? "there are" : "whether there are", (unsigned long long)kept,
		       further ? "" : " is not known", more < 0 ? ": " : "",
		       more < 0 ? e.message : "");
	return kept;
}

static void add_table(struct report *r, struct answer *a, struct sql_query *q,
		      const struct query_shape *shape, uint64_t total, bool is_least)
{
	struct table *t = arena_zalloc(&r->arena, 1, sizeof(*t));

	*t = (struct table){
		.name = shape->name,
		.title = shape->title,
		.columns = columns_make(r, q, shape, a->kinds),
		.column_count = a->column_count,
		.rows = a->cells / a->column_count,
		.total_rows = total,
		.total_is_least = is_least,
		.row = make_row,
		.ctx = a,
	};
	report_table(r, t);
}

int query_rows_read(struct report *r, struct sql_query *q, const struct query_shape *shape,
		    struct err *e)
{
	struct answer *a = mem_zalloc(1, sizeof(*a));
	bool is_least = false;
	uint64_t total;
	int more;

	report_on_free(r, free_answer, a);
	a->column_count = sql_column_count(q);
	a->kinds = mem_zalloc(a->column_count, sizeof(*a->kinds));
	more = keep_rows(a, q, shape->limit, e);
	if (more < 0)
		return -1;
	total = a->cells / a->column_count;
	if (more > 0)
		total = count_rows(r, q, total, &is_least);
	add_table(r, a, q, shape, total, is_least);
	return 0;
}
