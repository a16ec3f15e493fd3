/* Which rows of a table are meant, in which order, and which number of them? */
#include "ask/chosen_rows.h"

#include "ask/asked_column.h"
#include "ask/named_rows.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

static double number_of(const struct cell *c)
{
	return c->kind == CELL_INT ? (double)c->i : c->kind == CELL_REAL ? c->r : NAN;
}

struct sorted_row {
	uint64_t row;
	double value;
};

static int most_first(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

static int least_first(const void *a, const void *b)
{
	const struct sorted_row *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Rows without a value come last. */
void rows_sort(struct chosen_rows *r, int column, bool least)
{
	struct sorted_row *all = mem_alloc(r->count + 1, sizeof(*all));
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));

	for (size_t i = 0; i < r->count; i++) {
		double value;

		r->table->row(r->table->ctx, r->rows[i], cells);
		value = number_of(&cells[column]);
		all[i] = (struct sorted_row){r->rows[i],
					     isnan(value) ? (least ? INFINITY : -INFINITY) : value};
	}
	qsort(all, r->count, sizeof(*all), least ? least_first : most_first);
	while (r->firsts < r->count && isfinite(all[0].value) && all[0].value != 0 &&
	       all[r->firsts].value == all[0].value)
		r->firsts++;
	for (size_t i = 0; i < r->count; i++)
		r->rows[i] = all[i].row;
	free(cells);
	free(all);
}

static bool is_asked_id(const struct asked_ids *ids, const struct cell *c)
{
	for (size_t i = 0; i < ids->count; i++) {
		if (c->kind == CELL_INT && c->i == (int64_t)ids->all[i])
			return true;
	}
	return false;
}

/* Keeps rows whose column is one of the numbers, where the table has such a column. */
static void keep_ids(struct chosen_rows *r, const char *key, const struct asked_ids *ids)
{
	const int column = table_column(r->table, key);
	struct cell *cells;
	size_t n = 0;

	if (column < 0 || !ids->count)
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (is_asked_id(ids, &cells[column]))
			r->rows[n++] = r->rows[i];
	}
	r->count = n;
	r->by_name = true;
	free(cells);
}

/* "how many streams run kernels", "how many threads call CUDA": what says of a row that it does. */
static const char *column_of_work(const struct chosen_rows *r, const struct question *q)
{
	if (strcmp(r->table->name, "threads") == 0)
		return question_says_any(q, ANY_OF("call", "calls", "cuda")) ? "calls" : "";
	return table_column(r->table, "stream") < 0 || q->streams.count ? ""
	       : q->work.kinds == WORK_KERNEL				? "kernel_ns"
	       : q->work.kinds == WORK_COPY				? "copy_ns"
									: "";
}

/* Rows that have none of it are not meant. */
static void keep_working(struct chosen_rows *r, const struct question *q)
{
	const int column = table_column(r->table, column_of_work(r, q));
	struct cell *cells;
	size_t n = 0;

	if (column < 0)
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (number_of(&cells[column]) > 0)
			r->rows[n++] = r->rows[i];
	}
	r->count = n;
	free(cells);
}

/* "leaving out step 0", "after step 3", "steps 2 to 4". */
static void drop_steps(struct chosen_rows *r, const struct question *q)
{
	const int column = table_column(r->table, "iteration");
	struct cell *cells;
	size_t n = 0;

	if (column < 0 || (!q->not_steps.count && !q->step_span.is_given))
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[column].kind == CELL_INT && question_means_step(q, cells[column].i))
			r->rows[n++] = r->rows[i];
	}
	r->count = n;
	/* "steps 2 to 4" are named, each of them. */
	r->by_name |= q->step_span.is_given && q->step_span.last != UINT32_MAX;
	free(cells);
}

/* "longer than 1 ms": of the column that ranks rows. */
static void keep_beyond(struct chosen_rows *r, const struct topic *topic, const struct threshold *h)
{
	const int column = topic->by ? table_column(r->table, topic->by) : -1;
	const enum unit unit = column >= 0 ? r->table->columns[column].unit : UNIT_NAME;
	struct cell *cells;
	size_t n = 0;

	/* A filter has chosen them. */
	r->is_beyond = topic->filters;
	/* What is the total of many is longer than each of them. */
	if (topic->is_total && !topic->filters)
		return;
	if (!h->is_given || topic->filters || h->is_bytes != (unit == UNIT_BYTES) ||
	    (!h->is_bytes && unit != UNIT_NS && unit != UNIT_US))
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		double value;

		r->table->row(r->table->ctx, r->rows[i], cells);
		value = number_of(&cells[column]) * (unit == UNIT_US ? 1e3 : 1);
		if (h->is_below ? value < h->value : value > h->value)
			r->rows[n++] = r->rows[i];
	}
	r->count = n;
	r->by_name = r->is_beyond = true;
	free(cells);
}

/* As ops are called: copies and memsets by what the tool puts in brackets. */
static unsigned work_of(struct str name)
{
	return str_starts(name, "[CUDA memcpy")	  ? WORK_COPY
	       : str_starts(name, "[CUDA memset") ? WORK_MEMSET
						  : WORK_KERNEL;
}

static bool has_direction(struct str name, const char *direction)
{
	return direction && memmem(name.s, name.len, direction, strlen(direction)) != NULL;
}

static bool is_asked_work(const struct asked_work *w, struct str name)
{
	return (work_of(name) & w->kinds) && (!w->direction || has_direction(name, w->direction) ||
					      has_direction(name, w->other_direction));
}

/* "memsets", "host to device": where rows tell work apart, other work is not meant. */
static void keep_work(struct chosen_rows *r, const struct topic *topic, const struct question *q)
{
	const int column = topic->work ? table_column(r->table, topic->work) : -1;
	const unsigned of_rows = WORK_COPY | WORK_MEMSET;
	struct cell *cells;
	size_t n = 0;

	/* "copies between kernels": of what the rows are not it is only said where. */
	if (column < 0 || !(q->work.kinds & (topic->filters ? ~0u : of_rows)))
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[column].kind == CELL_TEXT && is_asked_work(&q->work, cells[column].s))
			r->rows[n++] = r->rows[i];
	}
	r->has_no_work = r->count && !n;
	r->count = n;
	r->by_name |= q->work.direction || q->work.kinds == WORK_MEMSET;
	free(cells);
}

/* "the longest memset", where one row is of all memsets: the longest one of these. */
static void choose_longest(struct chosen_rows *r, const struct question *q)
{
	if (!r->by_name || r->count != 1 || !q->is_ranked || q->least_first)
		return;
	for (size_t c = 0; c < r->table->column_count; c++) {
		const struct column *column = &r->table->columns[c];

		if (column_is_extreme(column) &&
		    (column->unit == UNIT_NS || column->unit == UNIT_US)) {
			r->column = (int)c;
			r->is_asked_column = true;
			return;
		}
	}
}

/* "shortest and longest", "p99 and the mean": each is told. */
static void choose_more(struct chosen_rows *r, const struct question *q)
{
	static const enum measure single[] = {MEASURE_MEAN, MEASURE_MEDIAN, MEASURE_P90,
					      MEASURE_P99,  MEASURE_MOST,   MEASURE_LEAST};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(single) && n < MORE_COLUMNS; i++) {
		const int column =
			q->measures >> single[i] & 1 ? column_for_measure(r->table, single[i]) : -1;

		if (column >= 0 && column != r->column)
			r->more[n++] = column;
	}
	if (question_group(q) && n < MORE_COLUMNS) {
		const char *by = question_group(q);

		r->more[n++] = table_column(r->table, strcmp(by, "process") == 0 ? "pid" : by);
	}
	while (n < MORE_COLUMNS)
		r->more[n++] = -1;
}

static int column_like(const struct table *t, bool (*is_it)(const struct column *c))
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (is_it(&t->columns[c]) && t->columns[c].unit == UNIT_NS)
			return (int)c;
	}
	return -1;
}

/*
 * "the shortest kernel" is a single one, whatever all of its name take. "The longest" may be
 * either: the longest single one is told besides.
 */
static void choose_single(struct chosen_rows *r, const struct question *q)
{
	const int least = column_like(r->table, column_is_least),
		  most = column_like(r->table, column_is_extreme);

	r->also = -1;
	if (!q->is_by_length || r->column < 0 || r->count == 1 ||
	    strcmp(r->table->columns[r->column].key, "total_ns") != 0)
		return;
	if (q->least_first && least >= 0)
		r->column = least;
	else if (!q->least_first && !q->wants_several)
		r->also = most;
}

/* "the maximum kernel duration": of all rows the one that has it. */
static bool is_of_extreme(const struct question *q)
{
	return q->measure == MEASURE_MOST || q->measure == MEASURE_LEAST || q->is_extreme;
}

/* "when was the longest one": the longest is first, and not the latest. */
static bool is_by_length(const struct question *q)
{
	return q->measure == MEASURE_MOMENT && (q->is_ranked || q->is_large);
}

/* As they come, and no column of them. */
static void list_rows(struct chosen_rows *ret, const struct table *t)
{
	const uint64_t count = t->rows < MOST_ROWS ? t->rows : MOST_ROWS;

	*ret = (struct chosen_rows){.table = t,
				    .rows = mem_alloc(count + 1, sizeof(*ret->rows)),
				    .count = count,
				    .firsts = 1,
				    .column = -1,
				    .also = -1};
	for (size_t i = 0; i < MORE_COLUMNS; i++)
		ret->more[i] = -1;
	for (uint64_t i = 0; i < count; i++)
		ret->rows[i] = i;
}

void rows_take_all(struct chosen_rows *ret, const struct table *t, int by)
{
	list_rows(ret, t);
	rows_sort(ret, by, false);
}

void rows_choose(struct chosen_rows *ret, const struct table *t, const struct topic *topic,
		 const struct question *q)
{
	list_rows(ret, t);
	ret->column = column_choose(t, topic, q, &ret->is_asked_column);
	keep_work(ret, topic, q);
	keep_ids(ret, "device", &q->devices);
	keep_ids(ret, "rank", &q->ranks);
	keep_ids(ret, "stream", &q->streams);
	keep_ids(ret, "iteration", &q->steps);
	keep_ids(ret, "pid", &q->pids);
	drop_steps(ret, q);
	keep_working(ret, q);
	keep_beyond(ret, topic, &q->threshold);
	/* All ops as one row: a filter has chosen those of the name. */
	if (!(topic->filters && topic->is_total))
		rows_keep_named(ret, topic, q);
	choose_longest(ret, q);
	choose_single(ret, q);
	choose_more(ret, q);
	if (q->is_earliest && table_column(t, "start_ns") >= 0)
		rows_sort(ret, table_column(t, "start_ns"), true);
	else if (q->is_latest && table_column(t, "end_ns") < 0 && table_column(t, "start_ns") >= 0)
		rows_sort(ret, table_column(t, "start_ns"), false);
	else if (q->is_latest && table_column(t, "end_ns") >= 0)
		rows_sort(ret, table_column(t, "end_ns"), false);
	else if (ret->column >= 0 && (q->wants_rows || topic->by))
		rows_sort(ret,
			  !is_by_length(q) && (q->wants_rows || is_of_extreme(q) || !topic->by)
				  ? ret->column
				  : table_column(t, topic->by),
			  q->least_first || q->measure == MEASURE_LEAST);
}

void rows_free(struct chosen_rows *r)
{
	free(r->rows);
	*r = (struct chosen_rows){0};
}
