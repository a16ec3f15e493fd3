/* Which rows of a table are meant, in which order, and which number of them? */
#include "ask/chosen_rows.h"

#include "ask/said_name.h"
#include "base/buf.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Words of any question: no row is meant by them, though names of rows may have them. */
static const char common_words[] =
	"kernel time gpu cuda device host step launch call memory thread process stream rank "
	"range "
	"gap idle total average duration percentage share long longest short shortest slow slowest "
	"fast fastest large largest big biggest small smallest high highest low lowest most least "
	"first last top many number count run running ran operation op ops event work busy wait "
	"nvtx api function line code data bytes size rate bandwidth throughput window capture "
	"trace profile program single instance overall each compute computing computation cpu "
	"expensive worst best median maximum minimum peak begin end start take used use order name "
	"called named between during pass phase part section on in at of second seconds ms us s "
	"utilization active activity occur happen spend spent get list show much often group type "
	"kind version model average mean typical typically whole entire collective communication "
	"compared more less faster slower longer shorter larger smaller biggest";

bool word_is_common(const struct word *w)
{
	return str_is_listed(str_of(w->text), common_words) ||
	       str_is_listed(str_of(w->stem), common_words);
}

int rows_name_column(const struct table *t)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].unit == UNIT_KERNEL)
			return (int)c;
	}
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->columns[c].unit == UNIT_NAME)
			return (int)c;
	}
	return -1;
}

static double number_of(const struct cell *c)
{
	return c->kind == CELL_INT ? (double)c->i : c->kind == CELL_REAL ? c->r : NAN;
}

/* The words of a key: "exposed_comm_ns" is exposed, comm, ns. */
static bool key_has(const char *key, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = key; (at = strstr(at, word)); at++) {
		if ((at == key || at[-1] == '_') && (at[len] == '_' || at[len] == '\0'))
			return true;
	}
	return false;
}

bool column_adds_up(const struct column *c)
{
	static const char never[] = "avg p50 p90 p99 min max median mean longest stddev per pct at "
				    "start end from to depth peak";
	const char *list = never;

	if (c->unit != UNIT_NS && c->unit != UNIT_COUNT && c->unit != UNIT_BYTES &&
	    c->unit != UNIT_US)
		return false;
	for (struct str next; (next = str_next_word(&list)).len;) {
		char word[16] = "";

		memcpy(word, next.s, next.len);
		if (key_has(c->key, word))
			return false;
	}
	return true;
}

/* Of one event, the largest of all. */
static bool is_extreme(const struct column *c)
{
	return key_has(c->key, "max") || key_has(c->key, "longest") || key_has(c->key, "peak");
}

/* Whether a column is of the sort that the measure asks for. */
static bool fits_measure(const struct column *c, enum measure m)
{
	const bool is_time = c->unit == UNIT_NS || c->unit == UNIT_US;

	switch (m) {
	case MEASURE_COUNT:
		return c->unit == UNIT_COUNT;
	case MEASURE_TIME:
		return is_time && column_adds_up(c);
	case MEASURE_MEAN:
		return key_has(c->key, "avg") || key_has(c->key, "mean");
	case MEASURE_MEDIAN:
		return key_has(c->key, "p50");
	case MEASURE_P90:
		return key_has(c->key, "p90");
	case MEASURE_P99:
		return key_has(c->key, "p99");
	case MEASURE_MOST:
		return is_extreme(c);
	case MEASURE_LEAST:
		return key_has(c->key, "min");
	case MEASURE_SHARE:
		return c->unit == UNIT_PERCENT || c->unit == UNIT_UTILISATION;
	case MEASURE_BYTES:
		return c->unit == UNIT_BYTES;
	case MEASURE_RATE:
		return c->unit == UNIT_BYTES_PER_S || key_has(c->key, "per");
	case MEASURE_MOMENT:
		return c->unit == UNIT_TIME_NS;
	default:
		return false;
	}
}

bool table_tells(const struct table *t, enum measure m)
{
	bool fits = m == MEASURE_ANY;

	for (size_t c = 0; c < t->column_count && !fits; c++)
		fits = fits_measure(&t->columns[c], m);
	return fits;
}

static bool is_number_unit(enum unit u)
{
	return u != UNIT_NAME && u != UNIT_KERNEL && u != UNIT_COMMAND && u != UNIT_BOOL;
}

/* "over all ranks", "of each rank": says of which rows, not which number. */
static bool is_scope(const struct question *q, size_t i)
{
	return i && (words_at(&q->words, i - 1, "all") || words_at(&q->words, i - 1, "each") ||
		     words_at(&q->words, i - 1, "every") || words_at(&q->words, i - 1, "across"));
}

/* How many of the words that were said the column's key and title have. */
static int words_of(const struct column *c, const struct question *q)
{
	struct words title;
	SCOPED_BUF text = {0};
	int shared = 0;

	buf_addf(&text, "%s ", c->title);
	for (const char *k = c->key; *k; k++)
		buf_addc(&text, *k == '_' ? ' ' : *k);
	words_read(&title, buf_str(&text));
	for (size_t i = 0; i < q->words.count; i++) {
		bool found = false;

		for (size_t j = 0; j < title.count && !q->words.all[i].is_stop && !is_scope(q, i) &&
				   !q->is_place[i];
		     j++)
			found |= strcmp(title.all[j].stem, q->words.all[i].stem) == 0;
		shared += found;
	}
	words_free(&title);
	return shared;
}

/* The column that is asked for: of the right sort, and called as the question says. */
static int choose_column(const struct table *t, const struct topic *topic, const struct question *q,
			 bool *ret_is_asked)
{
	const int by = topic->by ? table_column(t, topic->by) : -1;
	int best = -1, most = 0;

	*ret_is_asked = false;
	for (size_t c = 0; c < t->column_count; c++) {
		const bool fits = fits_measure(&t->columns[c], q->measure);
		const int words = words_of(&t->columns[c], q);
		const int score = (fits ? 7 : 0) + 8 * words + ((int)c == by) +
				  (q->is_extreme && is_extreme(&t->columns[c]) ? 3 : 0) +
				  (q->is_large && t->columns[c].unit == UNIT_BYTES ? 2 : 0) -
				  (t->columns[c].show == MACHINE_ONLY);

		if (!is_number_unit(t->columns[c].unit) || t->columns[c].unit == UNIT_ID ||
		    score <= most || (!fits && !words))
			continue;
		most = score;
		best = (int)c;
		*ret_is_asked = fits || words;
	}
	return best >= 0 ? best : by;
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
static void sort_rows(struct chosen_rows *r, int column, bool least)
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

/* "longer than 1 ms": of the column that ranks rows. */
static void keep_beyond(struct chosen_rows *r, const struct topic *topic, const struct threshold *h)
{
	const int column = topic->by ? table_column(r->table, topic->by) : -1;
	const enum unit unit = column >= 0 ? r->table->columns[column].unit : UNIT_NAME;
	struct cell *cells;
	size_t n = 0;

	if (!h->is_given || h->is_bytes != (unit == UNIT_BYTES) ||
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
	r->by_name = true;
	free(cells);
}

/* Keeps the rows whose name fits best; false where none does, and all are kept. */
static bool keep_named(struct chosen_rows *r, int column, const struct str *said, size_t count,
		       enum name_fit least)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	enum name_fit *fits = mem_alloc(r->count + 1, sizeof(*fits));
	struct name_fits known = {0};
	bool *is_kept = mem_zalloc(r->count + 1, sizeof(*is_kept)), any = false;
	size_t n = 0;

	for (size_t s = 0; s < count; s++) {
		enum name_fit best = least;

		name_fits_begin(&known, said[s]);
		for (size_t i = 0; i < r->count; i++) {
			r->table->row(r->table->ctx, r->rows[i], cells);
			fits[i] = cells[column].kind == CELL_TEXT
					  ? name_fits_find(&known, cells[column].s)
					  : FIT_NONE;
			best = fits[i] > best ? fits[i] : best;
		}
		for (size_t i = 0; i < r->count; i++) {
			is_kept[i] |= fits[i] >= best && fits[i] > FIT_NONE;
			any |= is_kept[i];
		}
	}
	for (size_t i = 0; any && i < r->count; i++) {
		if (is_kept[i])
			r->rows[n++] = r->rows[i];
	}
	r->count = any ? n : r->count;
	r->by_name |= any;
	name_fits_end(&known);
	free(is_kept);
	free(fits);
	free(cells);
	return any;
}

/* What a word that is no name by its looks may be part of: "gemm", "forward"; empty: of nothing. */
static struct str plain_name(const struct question *q, size_t i, bool *ret_is_common)
{
	const struct word *w = &q->words.all[i];

	*ret_is_common = word_is_common(w);
	if (w->is_stop || w->is_quoted || q->is_used[i] || q->is_place[i] || strlen(w->text) < 3 ||
	    (w->text[0] >= '0' && w->text[0] <= '9'))
		return (struct str){0};
	/* "memsets" is a memset, "copies" are a copy. */
	return str_of(strncmp(w->text, w->stem, strlen(w->stem)) == 0 ||
				      str_ends(str_of(w->text), "ies")
			      ? w->stem
			      : w->text);
}

/* What was said in place of a term may be the name: "attn" is attention, and a range. */
static bool keep_said(struct chosen_rows *r, int column, const struct question *q, size_t i,
		      struct str name)
{
	const struct word *w = &q->words.all[i];
	/* "gemm kernels": who says so means part of a name. Any word is part of some name. */
	const bool may_be_part = i + 1 < q->words.count &&
				 str_is_listed(str_of(q->words.all[i + 1].stem),
					       "kernel rang call copy function collective");

	return keep_named(r, column, &name, 1, may_be_part ? FIT_PART : FIT_WORD) ||
	       (w->said.len > name.len &&
		keep_named(r, column, &(struct str){w->text, strlen(w->text)}, 1, FIT_WORD)) ||
	       (w->is_term && w->said.len >= 3 && keep_named(r, column, &w->said, 1, FIT_WORD));
}

static bool joins_names(const struct question *q, size_t i)
{
	return words_at(&q->words, i, "and") || words_at(&q->words, i, "or");
}

/* "which of fwd, bwd and opt": what another row is called, and none of those that are kept. */
static bool add_named(struct chosen_rows *r, int column, const uint64_t *all, size_t count,
		      struct str name)
{
	struct cell *cells = mem_alloc(r->table->column_count, sizeof(*cells));
	const size_t before = r->count;

	for (size_t i = 0; r->by_name && i < count; i++) {
		r->table->row(r->table->ctx, all[i], cells);
		if (cells[column].kind == CELL_TEXT && name_fit(cells[column].s, name) == FIT_WHOLE)
			r->rows[r->count++] = all[i];
	}
	free(cells);
	return r->count > before;
}

/* Ops are of a class: "the first kernel" is no copy and no memset. */
static void drop_class(struct chosen_rows *r, struct str class)
{
	const int column = table_column(r->table, "class");
	struct cell *cells;
	size_t n = 0;

	if (column < 0)
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		if (cells[column].kind != CELL_TEXT || !str_eq(cells[column].s, class))
			r->rows[n++] = r->rows[i];
	}
	r->count = n;
	free(cells);
}

/* A word may say what a row is by another text of it: "pinned" is where a copy comes from. */
static void keep_described(struct chosen_rows *r, int name_column, const struct topic *topic,
			   struct str word)
{
	for (size_t c = 0; c < r->table->column_count; c++) {
		const struct column *column = &r->table->columns[c];
		SCOPED_BUF told = {0};

		buf_addf(&told, "{%s}", column->key);
		if ((int)c != name_column && !is_number_unit(column->unit) &&
		    strstr(topic->row, told.s) && keep_named(r, (int)c, &word, 1, FIT_WORD))
			return;
	}
}

/* What is compared is two: where words name one row alone, the other is not known by its name. */
static void keep_both(struct chosen_rows *r, int column, const struct str *said, size_t count)
{
	uint64_t *all = mem_alloc(r->count + 1, sizeof(*all));
	const size_t before = r->count;

	memcpy(all, r->rows, before * sizeof(*all));
	if (keep_named(r, column, said, count, FIT_PART) && r->count == 1) {
		memcpy(r->rows, all, before * sizeof(*all));
		r->count = before;
	}
	free(all);
}

/* Each word says more of what is meant; in a comparison each is another one. */
static void keep_plain(struct chosen_rows *r, int column, const struct topic *topic,
		       const struct question *q)
{
	uint64_t *all = mem_alloc(r->count + 1, sizeof(*all));
	const size_t before = r->count;
	struct str together[ASKED_MOST * 2];
	size_t count = 0, named = 0; /* after the last one that names rows */

	memcpy(all, r->rows, before * sizeof(*all));

	for (size_t i = 0; i < q->words.count; i++) {
		bool is_common;
		const struct str name = plain_name(q, i, &is_common);

		if (!name.len)
			continue;
		/* Any question has such words: they are a row's name, or mean none. */
		if (is_common) {
			if (strcmp(r->table->columns[column].key, "kind") == 0)
				keep_named(r, column, &name, 1, FIT_PART);
			else if (str_eq(name, STR_LIT("kernel")))
				drop_class(r, STR_LIT("copy"));
		} else if (q->intent != ASKS_COMPARE) {
			const size_t after = i - (i && joins_names(q, i - 1));
			const bool is_next = named && named == after;

			if (keep_said(r, column, q, i, name) ||
			    (is_next && add_named(r, column, all, before, q->words.all[i].said)))
				named = i + 1;
			else
				keep_described(r, column, topic, str_of(q->words.all[i].text));
		} else if (count + 1 < ASKED_MOST * 2) {
			together[count++] = name;
			if (q->words.all[i].is_term && q->words.all[i].said.len >= 3)
				together[count++] = q->words.all[i].said;
		}
	}
	if (count)
		keep_both(r, column, together, count);
	free(all);
}

static void keep_meant(struct chosen_rows *r, const struct topic *topic, const struct question *q)
{
	const int column = rows_name_column(r->table);

	if (column < 0) {
		r->has_missed = q->names.count > 0;
		return;
	}
	if (!q->names.count) {
		keep_plain(r, column, topic, q);
		return;
	}
	/* "is few_blocks among the top 4": the first ones are asked for, it may be one. */
	if (q->top > q->names.count && q->names.is_whole[0])
		return;
	r->has_missed = !keep_named(r, column, q->names.all, q->names.count,
				    q->names.is_whole[0] ? FIT_WORD : FIT_NEAR);
	r->missed = q->names.all[0];
}

/* "the longest memset", where one row is of all memsets: the longest one of these. */
static void choose_longest(struct chosen_rows *r, const struct question *q)
{
	if (!r->by_name || r->count != 1 || !q->is_ranked || q->least_first)
		return;
	for (size_t c = 0; c < r->table->column_count; c++) {
		const struct column *column = &r->table->columns[c];

		if (is_extreme(column) && (column->unit == UNIT_NS || column->unit == UNIT_US)) {
			r->column = (int)c;
			r->is_asked_column = true;
			return;
		}
	}
}

void rows_choose(struct chosen_rows *ret, const struct table *t, const struct topic *topic,
		 const struct question *q)
{
	const uint64_t count = t->rows < MOST_ROWS ? t->rows : MOST_ROWS;

	*ret = (struct chosen_rows){.table = t,
				    .rows = mem_alloc(count + 1, sizeof(*ret->rows)),
				    .count = count,
				    .firsts = 1};
	ret->column = choose_column(t, topic, q, &ret->is_asked_column);
	for (uint64_t i = 0; i < count; i++)
		ret->rows[i] = i;
	keep_ids(ret, "device", &q->devices);
	keep_ids(ret, "rank", &q->ranks);
	keep_ids(ret, "stream", &q->streams);
	keep_ids(ret, "iteration", &q->steps);
	keep_ids(ret, "pid", &q->pids);
	keep_beyond(ret, topic, &q->threshold);
	keep_meant(ret, topic, q);
	choose_longest(ret, q);
	if (q->is_earliest && table_column(t, "start_ns") >= 0)
		sort_rows(ret, table_column(t, "start_ns"), true);
	else if (q->is_latest && table_column(t, "end_ns") >= 0)
		sort_rows(ret, table_column(t, "end_ns"), false);
	else if (ret->column >= 0 && (q->wants_rows || topic->by))
		sort_rows(ret,
			  q->wants_rows || !topic->by ? ret->column : table_column(t, topic->by),
			  q->least_first);
}

void rows_free(struct chosen_rows *r)
{
	free(r->rows);
	*r = (struct chosen_rows){0};
}
