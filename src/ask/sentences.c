/* How is a row, or the sum of many, told in a sentence? */
#include "ask/sentences.h"

#include "ask/asked_column.h"
#include "ask/named_rows.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "report/cell_text.h"
#include "text/strtab.h"
#include "text/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Names are cut: a sentence has to be read. The evidence has them in full. */
enum { NAME_COLUMNS = 80 };

struct telling {
	struct sentences *to;
	const struct table *table;
	const struct cell *cells;     /* by column */
	const char *row;	      /* what the row is called; NULL: it is a sum */
	uint64_t rows;		      /* that are added up */
	int wanted[MORE_COLUMNS + 1]; /* columns that must be told; -1: none */
	bool is_begun;		      /* a part has been told */
};

void sentences_free(struct sentences *s)
{
	buf_free(&s->text);
	free(s->values);
}

static void keep_value(struct telling *t, int column)
{
	struct sentences *s = t->to;
	struct answer_value *v;
	struct cell value = t->cells[column];

	if (value.kind == CELL_TEXT)
		value.s = arena_str(&s->report->arena, value.s);
	MEM_GROW(s->values, s->cap, s->count + 1);
	v = &s->values[s->count++];
	*v = (struct answer_value){s->evidence,
				   t->table->name,
				   t->table->columns[column].key,
				   t->row,
				   t->table->columns[column].unit,
				   value};
}

static void keep_number(struct sentences *s, const char *table, const char *column, enum unit unit,
			int64_t number)
{
	MEM_GROW(s->values, s->cap, s->count + 1);
	s->values[s->count++] =
		(struct answer_value){s->evidence, table, column, NULL, unit, cell_int(number)};
}

/* How many rows there are is a value as well. */
static void keep_count(struct sentences *s, const char *table, uint64_t rows)
{
	keep_number(s, table, "rows", UNIT_COUNT, (int64_t)rows);
}

void sentences_keep_zero(struct sentences *s, const char *table, const char *column, enum unit unit)
{
	keep_number(s, table, column, unit, 0);
}

void sentences_add_count(struct sentences *s, const struct chosen_rows *r)
{
	SCOPED_BUF b = {0};

	cell_add_human(&b, UNIT_COUNT, cell_int((int64_t)r->count));
	sentences_addf(s, "%s in all.", b.s);
	keep_count(s, r->table->name, r->count);
}

void sentences_add_mean(struct sentences *s, const struct chosen_rows *r, int column)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	const struct column *c = &r->table->columns[column];
	SCOPED_BUF b = {0}, rows = {0};
	struct cell mean;
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[column].kind != CELL_INT && cells[column].kind != CELL_REAL)
			continue;
		sum += cells[column].kind == CELL_INT ? (double)cells[column].i : cells[column].r;
		n++;
	}
	free(cells);
	if (!n)
		return;
	mean = cell_real(sum / (double)n);
	cell_add_human(&b, c->unit, mean);
	cell_add_human(&rows, UNIT_COUNT, cell_int((int64_t)n));
	sentences_addf(s, "The mean of %s rows of '%s' is %s.", rows.s, r->table->name, b.s);
	MEM_GROW(s->values, s->cap, s->count + 1);
	s->values[s->count++] =
		(struct answer_value){s->evidence, r->table->name, c->key, NULL, c->unit, mean};
}

void sentences_add_per_step(struct sentences *s, const struct chosen_rows *r, int column,
			    uint64_t steps)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	const struct column *c = &r->table->columns[column];
	SCOPED_BUF b = {0}, all = {0};
	double sum = 0;

	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		sum += cells[column].kind == CELL_INT	 ? (double)cells[column].i
		       : cells[column].kind == CELL_REAL ? cells[column].r
							 : 0;
	}
	free(cells);
	cell_add_human(&b, c->unit, cell_real(sum / (double)steps));
	cell_add_human(&all, UNIT_COUNT, cell_int((int64_t)steps));
	sentences_addf(s, "All together: %s a step, over %s steps.", b.s, all.s);
	MEM_GROW(s->values, s->cap, s->count + 1);
	s->values[s->count++] = (struct answer_value){
		s->evidence, r->table->name, c->key, NULL, c->unit, cell_real(sum / (double)steps)};
}

void sentences_add_template(struct sentences *s, const struct table *t, int column, struct str name,
			    int64_t sum)
{
	const struct column *c = &t->columns[column];
	const char *row = text_valid(&s->report->arena, name);
	SCOPED_BUF safe = {0}, shown = {0}, told = {0};

	text_add_safe(&safe, name);
	text_add_elided(&shown, buf_str(&safe), NAME_COLUMNS);
	cell_add_human(&told, c->unit, cell_int(sum));
	sentences_addf(s, "With all instances of a template as one, %s takes the most: %s.",
		       shown.s, told.s);
	MEM_GROW(s->values, s->cap, s->count + 1);
	s->values[s->count++] =
		(struct answer_value){s->evidence, t->name, c->key, row, c->unit, cell_int(sum)};
}

static void add_cell(struct buf *b, const struct telling *t, int column)
{
	SCOPED_BUF shown = {0};

	cell_add_human(&shown, t->table->columns[column].unit, t->cells[column]);
	if (t->cells[column].kind == CELL_TEXT) {
		SCOPED_BUF safe = {0};

		text_add_safe(&safe, buf_str(&shown));
		text_add_elided(b, buf_str(&safe), NAME_COLUMNS);
	} else {
		buf_addstr(b, buf_str(&shown));
	}
}

/* "{total_ns}": its column, or -1; the text goes on after it. */
static int column_at(const struct telling *t, const char **text)
{
	const char *const end = strchr(*text, '}');
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)(end - *text - 1), *text + 1);
	*text = end + 1;
	return table_column(t->table, key);
}

/* What joins a part to those before it goes where there are none. */
static struct str first_part(struct str part)
{
	while (part.len && strchr(",;: ", part.s[0]))
		part = (struct str){part.s + 1, part.len - 1};
	return part;
}

/* "launches" after 1 is "launch"; *at goes on after the word. */
static void add_singular(struct buf *b, const char **at, const char *end)
{
	const char *s = *at + 1;
	size_t len = 0;

	if (*at >= end || **at != ' ')
		return;
	while (s + len < end && islower((unsigned char)s[len]))
		len++;
	if (len < 4 || s[len - 1] != 's' || s[len - 2] == 's')
		return;
	*at = s + len;
	if (str_ends((struct str){s, len}, "ies"))
		buf_addf(b, " %.*sy", (int)(len - 3), s);
	else
		buf_addf(b, " %.*s", (int)(len - (str_ends((struct str){s, len}, "ches") ? 2 : 1)),
			 s);
}

static void has_told(struct telling *t, int column)
{
	for (size_t i = 0; i < ARRAY_LEN(t->wanted); i++) {
		if (t->wanted[i] == column)
			t->wanted[i] = -1;
	}
}

static void want(struct telling *t, const struct chosen_rows *r)
{
	t->wanted[0] = r->column;
	memcpy(t->wanted + 1, r->more, sizeof(r->more));
}

/* A part between bars; false where a cell of it has no value, and nothing is told. */
static bool tell_part(struct telling *t, struct str part)
{
	const size_t kept = t->to->count;
	SCOPED_BUF b = {0};
	const char *at = part.s;

	while (at < part.s + part.len) {
		int column;

		if (*at != '{') {
			buf_addc(&b, *at++);
			continue;
		}
		if (strncmp(at, "{#}", 3) == 0) {
			cell_add_human(&b, UNIT_COUNT, cell_int((int64_t)t->rows));
			keep_count(t->to, t->table->name, t->rows);
			at += 3;
			if (t->rows == 1)
				add_singular(&b, &at, part.s + part.len);
			continue;
		}
		column = column_at(t, &at);
		if (column < 0 || t->cells[column].kind == CELL_NULL) {
			t->to->count = kept;
			return false;
		}
		add_cell(&b, t, column);
		keep_value(t, column);
		has_told(t, column);
		if (t->table->columns[column].unit == UNIT_COUNT &&
		    t->cells[column].kind == CELL_INT && t->cells[column].i == 1)
			add_singular(&b, &at, part.s + part.len);
	}
	buf_addstr(&t->to->text, t->is_begun ? buf_str(&b) : first_part(buf_str(&b)));
	t->is_begun = true;
	return true;
}

static void begin_sentence(struct sentences *s)
{
	if (s->text.len)
		buf_addc(&s->text, ' ');
}

static void add_wanted(struct telling *t, int column)
{
	const char *title = t->table->columns[column].title;
	const bool is_acronym = isupper((unsigned char)title[1]);

	buf_addf(&t->to->text, "; %c%s: ", is_acronym ? title[0] : tolower((unsigned char)title[0]),
		 title + 1);
	add_cell(&t->to->text, t, column);
	keep_value(t, column);
}

/* What is asked for is told even where the pattern has no place for it. */
static void tell(struct telling *t, const char *pattern)
{
	begin_sentence(t->to);
	while (*pattern) {
		const struct str part = {pattern, strcspn(pattern, "|")};

		tell_part(t, part);
		pattern += part.len + (pattern[part.len] == '|');
	}
	for (size_t i = 0; i < ARRAY_LEN(t->wanted); i++) {
		const int column = t->wanted[i];

		if (column < 0 || t->cells[column].kind == CELL_NULL)
			continue;
		add_wanted(t, column);
		has_told(t, column);
	}
	buf_addc(&t->to->text, '.');
}

void sentences_add_row(struct sentences *s, const struct topic *topic, const struct chosen_rows *r,
		       size_t i)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	const int name = rows_name_column(r->table);
	struct telling t = {.to = s, .table = r->table, .cells = cells, .row = "", .rows = 1};

	r->table->row(r->table->ctx, r->rows[i], cells);
	if (name >= 0 && cells[name].kind == CELL_TEXT)
		t.row = text_valid(&s->report->arena, cells[name].s);
	want(&t, r);
	tell(&t, topic->row);
	free(cells);
}

static double number_of(const struct cell *c)
{
	return c->kind == CELL_INT ? (double)c->i : c->r;
}

static bool is_more(const struct cell *a, const struct cell *b)
{
	return number_of(a) > number_of(b);
}

/* Of all rows the sum; of what is the most or the least of each, the most or the least of all. */
static void add_up(struct cell *sum, const struct column *column, const struct cell *more)
{
	const bool is_most = column_is_extreme(column), is_least = column_is_least(column);

	if ((!column_adds_up(column) && !is_most && !is_least) || more->kind == CELL_NULL ||
	    more->kind == CELL_TEXT)
		return;
	if (sum->kind == CELL_NULL || (is_most && is_more(more, sum)) ||
	    (is_least && is_more(sum, more)))
		*sum = *more;
	else if (is_most || is_least)
		return;
	else if (sum->kind == CELL_INT && more->kind == CELL_INT)
		sum->i = sat_add(sum->i, more->i);
	else
		*sum = cell_real(number_of(sum) + number_of(more));
}

/* The mean of all is what all take, or have, by how many they are. */
static void add_mean(const struct table *t, const char *mean_key, const char *total_key,
		     struct cell *sums)
{
	const int mean = table_column(t, mean_key), total = table_column(t, total_key),
		  count = table_column(t, "count");

	if (mean >= 0 && total >= 0 && count >= 0 && sums[total].kind == CELL_INT &&
	    sums[count].kind == CELL_INT && sums[count].i > 0)
		sums[mean] = cell_real((double)sums[total].i / (double)sums[count].i);
}

/* Kernels, where a row is of a kernel on a stream: as many as there are names. */
static uint64_t count_names(struct arena *arena, const struct chosen_rows *r)
{
	const int name = rows_name_column(r->table);
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	struct strtab names = {0};
	uint64_t count = r->count;

	if (name >= 0 && r->table->columns[name].unit == UNIT_KERNEL &&
	    table_column(r->table, "count") >= 0) {
		for (size_t i = 0; i < r->count; i++) {
			r->table->row(r->table->ctx, r->rows[i], cells);
			if (cells[name].kind == CELL_TEXT)
				strtab_keep(&names, arena, cells[name].s);
		}
		count = names.count ? names.count : count;
	}
	strtab_free(&names);
	free(cells);
	return count;
}

void sentences_add_sum(struct sentences *s, const char *pattern, const struct chosen_rows *r)
{
	const size_t columns = r->table->column_count;
	struct cell *cells = mem_alloc(columns, sizeof(*cells));
	struct cell *sums = mem_alloc(columns, sizeof(*sums));
	struct telling t = {.to = s,
			    .table = r->table,
			    .cells = sums,
			    .rows = count_names(&s->report->arena, r)};

	for (size_t c = 0; c < columns; c++)
		sums[c] = cell_null();
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		for (size_t c = 0; c < columns; c++)
			add_up(&sums[c], &r->table->columns[c], &cells[c]);
	}
	add_mean(r->table, "avg_ns", "total_ns", sums);
	add_mean(r->table, "avg_bytes", "bytes", sums);
	want(&t, r);
	tell(&t, pattern);
	free(sums);
	free(cells);
}

void sentences_take_back(struct sentences *s, size_t length, size_t values)
{
	s->text.len = length;
	if (s->text.s)
		s->text.s[length] = '\0';
	s->count = values;
}

void sentences_addf(struct sentences *s, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	begin_sentence(s);
	buf_adds(&s->text, text);
}
