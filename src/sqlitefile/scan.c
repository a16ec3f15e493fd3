/* How do the wanted columns of a whole table reach the caller, on all cores? */
#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "sqlitefile/leaf.h"

#include <assert.h>
#include <stdlib.h>

enum { RUN_BYTES = 2 << 20, SMALL_RUN_BYTES = 64 << 10, BATCH_BYTES = 8 << 20, CACHE_LINE = 64 };

#define OUT_ROWID SIZE_MAX

struct sqlite_scan {
	struct plan plan; /* empty but for file and table when by_library */
	bool by_library;
	struct join_scan *join; /* of several files, which does it all; or NULL */
	int *columns;		/* as asked, `count` of them */
	size_t count;
	size_t *out_of; /* which want of the plan each of them is, or OUT_ROWID */
	bool guess;	/* rows counted from the keys above them will do */
	uint64_t rows;
	size_t batch_rows;
	struct worker *workers;
	unsigned worker_count;
	sqlite_batch_fn *fn;
	sqlite_wants_fn *wants; /* NULL: all batches are handed out */
	void *ctx;
};

/* One thread's arrays, allocated at its first run. */
struct worker {
	struct leaf_reader reader;
	struct out rowid;
	struct sqlite_values *values; /* one per asked column */
};

static int compare_wants(const void *a, const void *b)
{
	const struct want *x = a, *y = b;

	return (x->column > y->column) - (x->column < y->column);
}

static void drop_repeats(struct plan *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->want_count; i++)
		if (kept == 0 || p->wants[i].column != p->wants[kept - 1].column)
			p->wants[kept++] = p->wants[i];
	p->want_count = kept;
}

/* What to take out of the records of p->t for these columns. */
static void plan_make(struct plan *p, const int *columns, size_t count)
{
	const struct table *t = p->t;

	p->wants = mem_alloc(count, sizeof(*p->wants));
	for (size_t i = 0; i < count; i++) {
		int c = columns[i];

		/* The rowid is no part of the record. */
		if (c == t->rowid_column)
			p->wants_rowid = true;
		else
			p->wants[p->want_count++] = (struct want){
				.column = (uint32_t)c,
				.is_real = t->rules[c].is_real,
				.has_default = t->rules[c].has_default,
			};
	}
	qsort(p->wants, p->want_count, sizeof(*p->wants), compare_wants);
	drop_repeats(p);
	if (p->want_count)
		p->columns = p->wants[p->want_count - 1].column + 1;
}

static bool plan_has_default(const struct plan *p)
{
	for (size_t i = 0; i < p->want_count; i++)
		if (p->wants[i].has_default)
			return true;
	return false;
}

static void worker_start(struct sqlite_scan *s, struct worker *w)
{
	leaf_reader_start(&w->reader, &s->plan, s->batch_rows);
	w->rowid.num = w->reader.rowids;
	w->rowid.type = mem_alloc(s->batch_rows, sizeof(*w->rowid.type));
	memset(w->rowid.type, SQLITE_IS_INT, s->batch_rows);
	w->rowid.s = mem_zalloc(s->batch_rows, sizeof(*w->rowid.s));
	w->rowid.all = SQLITE_IS_INT;
	w->values = mem_alloc(s->count, sizeof(*w->values));
}

static void worker_free(struct worker *w)
{
	leaf_reader_free(&w->reader);
	free(w->rowid.type);
	free(w->rowid.s);
	free(w->values);
}

/* Of the i-th column that was asked for. */
static struct sqlite_values values_of(const struct sqlite_scan *s, const struct worker *w, size_t i)
{
	const struct out *out =
		s->out_of[i] == OUT_ROWID ? &w->rowid : &w->reader.outs[s->out_of[i]];

	return (struct sqlite_values){out->type, out->num, out->s, out->all};
}

/* Whether the rows that were found are worth reading. */
static bool is_wanted(const struct sqlite_scan *s, struct worker *w, uint32_t rows)
{
	if (!s->wants)
		return true;
	if (s->out_of[0] != OUT_ROWID)
		leaf_read_want(&w->reader, s->out_of[0], rows);
	w->values[0] = values_of(s, w, 0);
	return s->wants(s->ctx, &w->values[0], rows);
}

/* Most columns never hold text: their `s` stays all NULL and costs nothing. */
static void clear_bytes(const struct sqlite_scan *s, struct worker *w)
{
	for (size_t i = 0; i < s->plan.want_count; i++) {
		struct out *out = &w->reader.outs[i];

		if (out->has_bytes)
			memset(out->s, 0, s->batch_rows * sizeof(*out->s));
		out->has_bytes = false;
	}
}

static int scan_leaf(struct sqlite_scan *s, size_t leaf, struct worker *w, unsigned worker,
		     struct err *e)
{
	const struct leaves *l = &s->plan.t->leaves;
	uint32_t rows = (uint32_t)(l->first_row[leaf + 1] - l->first_row[leaf]);

	/* A wrong guess is no error: it is told apart by having no code. */
	if (l->guessed && !btree_leaf_has(s->plan.f, l->pages[leaf], rows))
		return -1;
	for (uint32_t begin = 0; begin < rows; begin += (uint32_t)s->batch_rows) {
		uint32_t n = rows - begin;
		struct sqlite_batch batch;

		if (n > s->batch_rows)
			n = (uint32_t)s->batch_rows;
		clear_bytes(s, w);
		if (leaf_find(&w->reader, l->pages[leaf], begin, n, e) < 0)
			return -1;
		if (!is_wanted(s, w, n))
			continue;
		leaf_read(&w->reader, n);
		for (size_t i = 0; i < s->count; i++)
			w->values[i] = values_of(s, w, i);
		batch = (struct sqlite_batch){l->first_row[leaf] + begin, n, w->values};
		if (s->fn && s->fn(s->ctx, &batch, worker, e) < 0)
			return -1;
	}
	return 0;
}

/* Processors look ahead within 4 KiB, as long as a page is: each began with a wait for memory. */
static void fetch_ahead(const struct sqlite_scan *s, size_t leaf)
{
	const uint8_t *page = page_at(s->plan.f, s->plan.t->leaves.pages[leaf]);

	for (size_t at = 0; at < s->plan.f->page_size; at += CACHE_LINE)
		__builtin_prefetch(page + at);
}

static int scan_run(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct sqlite_scan *s = ctx;
	struct worker *w = &s->workers[worker];
	int rc = 0;

	if (s->plan.f->stop && s->plan.f->stop())
		return err_set(e, ERR_SYSTEM, "'%s': reading was stopped", s->plan.f->path);
	if (!w->values)
		worker_start(s, w);
	for (size_t i = begin; i < end && rc == 0; i++) {
		if (i + 1 < end)
			fetch_ahead(s, i + 1);
		rc = scan_leaf(s, i, w, worker, e);
	}
	map_forget_pages(s->plan.f, s->plan.t->leaves.pages + begin, end - begin);
	return rc;
}

/* Small tables are shared among the workers too, as long as it is worth their while. */
static size_t run_pages(const struct sqlite_scan *s)
{
	uint32_t page_size = s->plan.f->page_size;
	size_t most = 1 + RUN_BYTES / page_size, least = 1 + SMALL_RUN_BYTES / page_size;
	size_t fair = s->plan.t->leaves.count / (4 * (size_t)parallel_workers());

	return fair > most ? most : fair < least ? least : fair;
}

static int scan_in_order(struct sqlite_scan *s, struct err *e)
{
	const size_t count = s->plan.t->leaves.count, grain = run_pages(s);
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i += grain)
		rc = scan_run(s, i, count - i < grain ? count : i + grain, 0, e);
	return rc;
}

static int scan_leaves(struct sqlite_scan *s, sqlite_batch_fn *fn, void *ctx, bool in_order,
		       struct err *e)
{
	const struct sqlitefile *f = s->plan.f;
	int rc;

	s->fn = fn;
	s->ctx = ctx;
	/* Twice: a header that overflows is walked before its values are. */
	atomic_store(&s->plan.overflow_allowed, 2 * (long long)f->page_count);
	rc = in_order ? scan_in_order(s, e)
		      : parallel_for(s->plan.t->leaves.count, run_pages(s), scan_run, s, e);
	map_forget_all(f);
	return rc;
}

static void find_outs(struct sqlite_scan *s)
{
	s->out_of = mem_alloc(s->count, sizeof(*s->out_of));
	for (size_t i = 0; i < s->count; i++) {
		size_t out = 0;

		while (out < s->plan.want_count &&
		       s->plan.wants[out].column != (uint32_t)s->columns[i])
			out++;
		s->out_of[i] = out < s->plan.want_count ? out : OUT_ROWID;
	}
}

static int open_native(struct sqlite_scan *s, struct err *e)
{
	struct table *t = s->plan.t;
	bool has_default;
	size_t row_bytes;

	plan_make(&s->plan, s->columns, s->count);
	find_outs(s);
	row_bytes = 17 * (s->plan.want_count + 1);
	has_default = plan_has_default(&s->plan);
	if (btree_leaves(s->plan.f, t, s->guess && !has_default, e) < 0)
		return -1;
	s->rows = t->leaves.first_row[t->leaves.count];
	s->batch_rows = t->leaves.max_rows ? t->leaves.max_rows : 1;
	if (s->batch_rows > BATCH_BYTES / row_bytes)
		s->batch_rows = BATCH_BYTES / row_bytes;
	s->worker_count = parallel_workers();
	s->workers = mem_zalloc(s->worker_count, sizeof(*s->workers));
	/* Rows older than the column have its default value only in the schema. */
	if (has_default) {
		if (scan_leaves(s, NULL, NULL, false, e) < 0)
			return -1;
		s->by_library = atomic_load(&s->plan.lacks_default);
	}
	return 0;
}

static int open_scan(struct sqlite_scan *s, struct err *e)
{
	struct sqlitefile *f = s->plan.f;
	struct table *t = s->plan.t;

	if (f->join) {
		if (join_scan_open(&s->join, f, t, s->columns, s->count, s->guess, e) < 0)
			return -1;
		s->rows = join_scan_rows(s->join);
		return 0;
	}
	s->by_library = f->declined || t->declined;
	if (!s->by_library && open_native(s, e) < 0)
		return -1;
	if (s->by_library)
		return db_count_rows(f, t, &s->rows, e);
	return 0;
}

int scan_open(struct sqlite_scan **ret, struct sqlitefile *f, const struct sqlite_table *t,
	      const int *columns, size_t count, bool guess, struct err *e)
{
	struct sqlite_scan *s = mem_zalloc(1, sizeof(*s));

	s->guess = guess;
	s->count = count;
	s->columns = mem_alloc(count, sizeof(*s->columns));
	for (size_t i = 0; i < count; i++) {
		assert(columns[i] >= 0 && (size_t)columns[i] < t->column_count);
		s->columns[i] = columns[i];
	}
	s->plan.f = f;
	s->plan.t = (struct table *)t;
	if (open_scan(s, e) < 0) {
		sqlite_scan_close(s);
		return -1;
	}
	*ret = s;
	return 0;
}

int sqlite_scan_open(struct sqlite_scan **ret, struct sqlitefile *f, const struct sqlite_table *t,
		     const int *columns, size_t count, uint64_t *ret_rows, struct err *e)
{
	if (scan_open(ret, f, t, columns, count, false, e) < 0)
		return -1;
	*ret_rows = (*ret)->rows;
	return 0;
}

/* The library knows no other way than in order. */
static int run_scan(struct sqlite_scan *s, sqlite_batch_fn *fn, void *ctx, bool in_order,
		    struct err *e)
{
	if (s->join)
		return join_scan_run(s->join, fn, s->wants, ctx, in_order, e);
	if (s->by_library)
		return db_scan(s->plan.f, s->plan.t, s->columns, s->count, s->rows, fn, ctx, e);
	return scan_leaves(s, fn, ctx, in_order, e);
}

int sqlite_scan_run(struct sqlite_scan *s, sqlite_batch_fn *fn, void *ctx, struct err *e)
{
	return run_scan(s, fn, ctx, false, e);
}

int sqlite_scan_run_in_order(struct sqlite_scan *s, sqlite_batch_fn *fn, void *ctx, struct err *e)
{
	return run_scan(s, fn, ctx, true, e);
}

int sqlite_scan_run_row(struct sqlite_scan *s, uint64_t row, sqlite_batch_fn *fn, void *ctx,
			struct err *e)
{
	const struct leaves *l = &s->plan.t->leaves;
	size_t leaf;

	if (s->join)
		return join_scan_run_row(s->join, row, fn, ctx, e);
	if (s->by_library)
		return run_scan(s, fn, ctx, true, e);
	assert(row < s->rows);
	leaf = BISECT(0, l->count, at, l->first_row[at + 1] <= row);
	s->fn = fn;
	s->ctx = ctx;
	atomic_store(&s->plan.overflow_allowed, 2 * (long long)s->plan.f->page_count);
	return scan_run(s, leaf, leaf + 1, 0, e);
}

uint64_t scan_rows(const struct sqlite_scan *s)
{
	return s->rows;
}

void scan_set_wants(struct sqlite_scan *s, sqlite_wants_fn *wants)
{
	s->wants = wants;
}

void scan_confirm_guess(struct sqlite_scan *s)
{
	if (s->join)
		join_scan_confirm_guess(s->join);
	else if (!s->by_library)
		s->plan.t->leaves.guessed = false;
}

static int read_once(struct sqlitefile *f, const struct sqlite_table *t, const int *columns,
		     size_t count, const struct sqlite_reader *reader, sqlite_wants_fn *wants,
		     bool guess, struct err *e)
{
	struct sqlite_scan *s;
	int rc;

	if (scan_open(&s, f, t, columns, count, guess, e) < 0)
		return -1;
	scan_set_wants(s, wants);
	rc = reader->begin(reader->ctx, s->rows, e);
	if (rc == 0)
		rc = sqlite_scan_run(s, reader->batch, reader->ctx, e);
	if (rc == 0)
		scan_confirm_guess(s);
	sqlite_scan_close(s);
	return rc;
}

int sqlitefile_read_some(struct sqlitefile *f, const struct sqlite_table *t, const int *columns,
			 size_t count, const struct sqlite_reader *reader, sqlite_wants_fn *wants,
			 struct err *e)
{
	int rc;

	e->code = ERR_NONE;
	rc = read_once(f, t, columns, count, reader, wants, true, e);
	if (rc < 0 && e->code == ERR_NONE)
		rc = read_once(f, t, columns, count, reader, wants, false, e);
	return rc;
}

int sqlitefile_read(struct sqlitefile *f, const struct sqlite_table *t, const int *columns,
		    size_t count, const struct sqlite_reader *reader, struct err *e)
{
	return sqlitefile_read_some(f, t, columns, count, reader, NULL, e);
}

void sqlite_scan_close(struct sqlite_scan *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->worker_count; i++)
		worker_free(&s->workers[i]);
	join_scan_close(s->join);
	free(s->workers);
	free(s->columns);
	free(s->out_of);
	free(s->plan.wants);
	free(s);
}

int sqlitefile_count_rows(struct sqlitefile *f, const struct sqlite_table *table, uint64_t *ret,
			  struct err *e)
{
	struct table *t = (struct table *)table;

	if (f->join)
		return join_count_rows(f, t, ret, e);
	if (f->declined || t->declined)
		return db_count_rows(f, t, ret, e);
	if (btree_leaves(f, t, false, e) < 0)
		return -1;
	*ret = t->leaves.first_row[t->leaves.count];
	return 0;
}

int sqlitefile_has_rows(struct sqlitefile *f, const struct sqlite_table *table, bool *ret,
			struct err *e)
{
	struct table *t = (struct table *)table;
	uint64_t rows = 0;
	int rc;

	if (f->join)
		return join_has_rows(f, t, ret, e);
	if (!f->declined && !t->declined)
		return btree_has_rows(f, t, ret, e);
	rc = db_count_rows(f, t, &rows, e);
	*ret = rows > 0;
	return rc;
}
