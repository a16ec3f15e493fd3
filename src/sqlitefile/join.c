/* How are the tables of several files one table each? */
#include "sqlitefile/join.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "sqlitefile/internal.h"

#include <stdlib.h>
#include <strings.h>

/* A table as one of the files has it. */
struct part {
	const struct sqlite_table *table; /* NULL: it has none */
	int *column_of;			  /* its column for each of the joined table; -1: none */
};

struct joined_table {
	struct part *parts;	 /* by file */
	struct join_rule *rules; /* by column */
};

struct join {
	struct sqlitefile **files;
	size_t count;
	struct join_rules rules;
	struct joined_table *tables; /* as the file's own are */
};

/* A table of a file, on the way to the one that it is a part of. */
struct found {
	const struct sqlite_table *table;
	size_t file;
};

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	const int order = strcasecmp(x->table->name, y->table->name);

	return order ? order : (x->file > y->file) - (x->file < y->file);
}

/* Views are no tables of their own: what they show is somewhere else. */
static struct found *find_tables(const struct join *j, size_t *ret)
{
	struct found *all;
	size_t most = 0;

	*ret = 0;
	for (size_t i = 0; i < j->count; i++)
		most += sqlitefile_table_count(j->files[i]);
	all = mem_alloc(most, sizeof(*all));
	for (size_t i = 0; i < j->count; i++) {
		for (size_t k = 0; k < sqlitefile_table_count(j->files[i]); k++) {
			const struct sqlite_table *t = sqlitefile_table(j->files[i], k);

			if (!t->is_view)
				all[(*ret)++] = (struct found){t, i};
		}
	}
	if (*ret)
		qsort(all, *ret, sizeof(*all), compare_found);
	return all;
}

/* Files of one tool have the same columns in the same order: that is looked at first. */
static size_t place_column(const struct sqlite_column *columns, size_t count, const char *name,
			   size_t expected)
{
	if (expected < count && strcasecmp(columns[expected].name, name) == 0)
		return expected;
	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(columns[i].name, name) == 0)
			return i;
	}
	return count;
}

/* The columns of all parts, in the order in which they are met. */
static void join_columns(struct arena *a, struct table *t, const struct found *parts, size_t count)
{
	struct sqlite_column *columns;
	size_t most = 0, known = 0;

	for (size_t i = 0; i < count; i++)
		most += parts[i].table->column_count;
	columns = arena_alloc(a, most, sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		const struct sqlite_table *part = parts[i].table;

		for (size_t k = 0; k < part->column_count; k++) {
			const size_t at = place_column(columns, known, part->columns[k].name, k);

			if (at == known)
				columns[known++] = part->columns[k];
		}
	}
	t->pub = *parts[0].table;
	t->pub.columns = columns;
	t->pub.column_count = known;
	t->rowid_column = -1;
}

static void join_table(struct sqlitefile *f, size_t number, const struct found *parts, size_t count)
{
	const struct join *j = f->join;
	struct table *t = &f->tables[number];
	struct joined_table *joined = &j->tables[number];

	join_columns(&f->arena, t, parts, count);
	joined->parts = arena_zalloc(&f->arena, j->count, sizeof(*joined->parts));
	for (size_t i = 0; i < count; i++) {
		struct part *part = &joined->parts[parts[i].file];

		part->table = parts[i].table;
		part->column_of =
			arena_alloc(&f->arena, t->pub.column_count, sizeof(*part->column_of));
		for (size_t k = 0; k < t->pub.column_count; k++) {
			const size_t own =
				place_column(part->table->columns, part->table->column_count,
					     t->pub.columns[k].name, k);

			part->column_of[k] = own < part->table->column_count ? (int)own : -1;
		}
	}
	joined->rules = arena_alloc(&f->arena, t->pub.column_count, sizeof(*joined->rules));
	for (size_t k = 0; k < t->pub.column_count; k++)
		joined->rules[k] = j->rules.of(j->rules.ctx, &t->pub, k);
}

static void join_tables(struct sqlitefile *f)
{
	size_t count, end;
	struct found *all = find_tables(f->join, &count);

	f->tables = mem_zalloc(count, sizeof(*f->tables));
	f->join->tables = arena_zalloc(&f->arena, count, sizeof(*f->join->tables));
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1;
		     end < count && strcasecmp(all[end].table->name, all[i].table->name) == 0;)
			end++;
		join_table(f, f->table_count++, all + i, end - i);
	}
	free(all);
}

void sqlitefile_join(struct sqlitefile **ret, struct sqlitefile *const *files, size_t count,
		     const struct join_rules *rules)
{
	struct sqlitefile *f = mem_zalloc(1, sizeof(*f));

	f->path = mem_strdup(sqlitefile_path(files[0]));
	pthread_mutex_init(&f->text_lock, NULL);
	f->join = mem_zalloc(1, sizeof(*f->join));
	f->join->files = mem_alloc(count, sizeof(struct sqlitefile *));
	memcpy(f->join->files, files, count * sizeof(struct sqlitefile *));
	f->join->count = count;
	f->join->rules = *rules;
	join_tables(f);
	*ret = f;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	free(j->files);
	free(j);
}

void join_set_stop(const struct join *j, bool (*stop)(void))
{
	for (size_t i = 0; i < j->count; i++)
		sqlitefile_set_stop(j->files[i], stop);
}

uint64_t join_size_bytes(const struct join *j)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < j->count; i++)
		bytes += sqlitefile_size_bytes(j->files[i]);
	return bytes;
}

static const struct joined_table *joined_of(const struct sqlitefile *f, const struct table *t)
{
	return &f->join->tables[t - f->tables];
}

int join_count_rows(const struct sqlitefile *f, const struct table *t, uint64_t *ret, struct err *e)
{
	const struct joined_table *joined = joined_of(f, t);

	*ret = 0;
	for (size_t i = 0; i < f->join->count; i++) {
		uint64_t rows = 0;

		if (joined->parts[i].table &&
		    sqlitefile_count_rows(f->join->files[i], joined->parts[i].table, &rows, e) < 0)
			return -1;
		*ret += rows;
	}
	return 0;
}

int join_has_rows(const struct sqlitefile *f, const struct table *t, bool *ret, struct err *e)
{
	const struct joined_table *joined = joined_of(f, t);

	*ret = false;
	for (size_t i = 0; i < f->join->count && !*ret; i++) {
		if (joined->parts[i].table &&
		    sqlitefile_has_rows(f->join->files[i], joined->parts[i].table, ret, e) < 0)
			return -1;
	}
	return 0;
}

/* Where the values of an asked column come from: places in the batches of a part. */
struct source {
	size_t at, beside; /* NOWHERE: the part lacks it */
	unsigned kind;	   /* of the rule */
};

#define NOWHERE SIZE_MAX

struct part_scan {
	struct join_scan *all;
	size_t file;
	struct sqlite_scan *scan; /* NULL: it has no such table */
	uint64_t first_row;
	struct source *sources; /* by asked column */
};

/* One thread's arrays. */
struct join_worker {
	struct sqlite_values *values; /* by asked column */
	int64_t **mapped;	      /* by asked column; NULL where nothing is mapped */
	size_t room;		      /* rows */
	uint8_t *null_type;
	int64_t *zeros;
	const char **null_bytes;
};

struct join_scan {
	const struct join *join;
	size_t count; /* of columns */
	struct part_scan *parts;
	uint64_t rows;
	struct join_worker *workers;
	sqlite_batch_fn *fn;
	sqlite_wants_fn *wants;
	void *ctx;
};

static size_t add_wanted(int *wanted, size_t *count, int column)
{
	if (column < 0)
		return NOWHERE;
	for (size_t i = 0; i < *count; i++) {
		if (wanted[i] == column)
			return i;
	}
	wanted[*count] = column;
	return (*count)++;
}

/* Which columns of its own a part is asked for. Returns how many. */
static size_t choose_columns(struct part_scan *p, const struct joined_table *t, const int *columns,
			     int *wanted)
{
	const struct part *part = &t->parts[p->file];
	const size_t asked = p->all->count;
	size_t count = 0;

	p->sources = mem_alloc(asked, sizeof(*p->sources));
	for (size_t i = 0; i < asked; i++)
		p->sources[i] = (struct source){
			.at = add_wanted(wanted, &count, part->column_of[columns[i]]),
			.beside = NOWHERE,
			.kind = t->rules[columns[i]].kind};
	for (size_t i = 0; i < asked; i++) {
		const int beside = t->rules[columns[i]].beside;

		if (p->sources[i].kind && beside >= 0)
			p->sources[i].beside = add_wanted(wanted, &count, part->column_of[beside]);
	}
	/* Its rows count, whatever it has to say. */
	if (!count)
		wanted[count++] = 0;
	return count;
}

static int open_part(struct part_scan *p, const struct joined_table *t, const int *columns,
		     bool guess, struct err *e)
{
	SCOPED int *wanted = mem_alloc(2 * p->all->count + 1, sizeof(*wanted));

	return scan_open(&p->scan, p->all->join->files[p->file], t->parts[p->file].table, wanted,
			 choose_columns(p, t, columns, wanted), guess, e);
}

int join_scan_open(struct join_scan **ret, const struct sqlitefile *f, const struct table *t,
		   const int *columns, size_t count, bool guess, struct err *e)
{
	const struct joined_table *joined = joined_of(f, t);
	struct join_scan *s = mem_zalloc(1, sizeof(*s));

	*ret = s;
	s->join = f->join;
	s->count = count;
	s->parts = mem_zalloc(f->join->count, sizeof(*s->parts));
	s->workers = mem_zalloc(parallel_workers(), sizeof(*s->workers));
	for (size_t i = 0; i < f->join->count; i++) {
		struct part_scan *p = &s->parts[i];

		p->all = s;
		p->file = i;
		p->first_row = s->rows;
		if (!joined->parts[i].table)
			continue;
		if (open_part(p, joined, columns, guess, e) < 0)
			return -1;
		s->rows += scan_rows(p->scan);
	}
	return 0;
}

uint64_t join_scan_rows(const struct join_scan *s)
{
	return s->rows;
}

void join_scan_confirm_guess(struct join_scan *s)
{
	for (size_t i = 0; i < s->join->count; i++) {
		if (s->parts[i].scan)
			scan_confirm_guess(s->parts[i].scan);
	}
}

static void free_arrays(struct join_worker *w, size_t columns)
{
	for (size_t i = 0; w->mapped && i < columns; i++)
		free(w->mapped[i]);
	free(w->mapped);
	free(w->values);
	free(w->null_type);
	free(w->zeros);
	free(w->null_bytes);
	*w = (struct join_worker){0};
}

static void make_room(struct join_worker *w, const struct part_scan *p, size_t rows)
{
	const size_t columns = p->all->count;

	if (w->room >= rows)
		return;
	free_arrays(w, columns);
	w->room = rows;
	w->values = mem_alloc(columns, sizeof(*w->values));
	w->mapped = mem_alloc(columns, sizeof(*w->mapped));
	for (size_t i = 0; i < columns; i++)
		w->mapped[i] = p->sources[i].kind ? mem_alloc(rows, sizeof(**w->mapped)) : NULL;
	_Static_assert(SQLITE_IS_NULL == 0, "cleared memory holds NULLs");
	w->null_type = mem_zalloc(rows, sizeof(*w->null_type));
	w->zeros = mem_zalloc(rows, sizeof(*w->zeros));
	w->null_bytes = mem_zalloc(rows, sizeof(*w->null_bytes));
}

static void map_values(const struct part_scan *p, size_t column, const struct sqlite_values *own,
		       const struct sqlite_values *beside, size_t rows, int64_t *to)
{
	const struct join_rules *r = &p->all->join->rules;

	r->map(r->ctx, p->file, p->sources[column].kind, own, beside, rows, to);
}

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct part_scan *p = ctx;
	const struct join_scan *s = p->all;
	struct join_worker *w = &s->workers[worker];
	struct sqlite_batch batch;

	make_room(w, p, b->rows);
	for (size_t i = 0; i < s->count; i++) {
		const struct source *from = &p->sources[i];

		if (from->at == NOWHERE) {
			w->values[i] = (struct sqlite_values){w->null_type, w->zeros, w->null_bytes,
							      SQLITE_IS_NULL};
			continue;
		}
		w->values[i] = b->values[from->at];
		if (!from->kind)
			continue;
		map_values(p, i, &b->values[from->at],
			   from->beside == NOWHERE ? NULL : &b->values[from->beside], b->rows,
			   w->mapped[i]);
		w->values[i].num = w->mapped[i];
	}
	batch = (struct sqlite_batch){p->first_row + b->first_row, b->rows, w->values};
	return s->fn(s->ctx, &batch, worker, e);
}

/* The first column's values are those that its caller knows. */
static bool wants_batch(void *ctx, const struct sqlite_values *first, size_t rows)
{
	const struct part_scan *p = ctx;
	SCOPED int64_t *mapped = NULL;
	struct sqlite_values values = *first;

	if (p->sources[0].kind) {
		mapped = mem_alloc(rows, sizeof(*mapped));
		map_values(p, 0, first, NULL, rows, mapped);
		values.num = mapped;
	}
	return p->all->wants(p->all->ctx, &values, rows);
}

int join_scan_run(struct join_scan *s, sqlite_batch_fn *fn, sqlite_wants_fn *wants, void *ctx,
		  bool in_order, struct err *e)
{
	int result = 0;

	s->fn = fn;
	s->wants = wants;
	s->ctx = ctx;
	for (size_t i = 0; i < s->join->count && result == 0; i++) {
		struct part_scan *p = &s->parts[i];

		if (!p->scan)
			continue;
		scan_set_wants(p->scan, wants && p->sources[0].at != NOWHERE ? wants_batch : NULL);
		result = in_order ? sqlite_scan_run_in_order(p->scan, take_batch, p, e)
				  : sqlite_scan_run(p->scan, take_batch, p, e);
	}
	return result;
}

int join_scan_run_row(struct join_scan *s, uint64_t row, sqlite_batch_fn *fn, void *ctx,
		      struct err *e)
{
	size_t i = 0;

	s->fn = fn;
	s->ctx = ctx;
	while (!s->parts[i].scan || row >= s->parts[i].first_row + scan_rows(s->parts[i].scan))
		i++;
	return sqlite_scan_run_row(s->parts[i].scan, row - s->parts[i].first_row, take_batch,
				   &s->parts[i], e);
}

void join_scan_close(struct join_scan *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->join->count; i++) {
		sqlite_scan_close(s->parts[i].scan);
		free(s->parts[i].sources);
	}
	for (unsigned i = 0; i < parallel_workers(); i++)
		free_arrays(&s->workers[i], s->count);
	free(s->parts);
	free(s->workers);
	free(s);
}
