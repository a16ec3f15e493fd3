/* What does a query answer? */
#include "commands/query/query_rows.h"

#include "base/buf.h"
#include "base/mem.h"
#include "commands/query/query_columns.h"
#include "text/strtab.h"

#include <stdlib.h>

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

static void row(const void *ctx, uint64_t i, struct cell *cells)
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
		.columns = query_columns_make(r, q, shape, a->kinds),
		.column_count = a->column_count,
		.rows = a->cells / a->column_count,
		.total_rows = total,
		.total_is_least = is_least,
		.row = row,
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
