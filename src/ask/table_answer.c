/* What do the rows of a table say to a question? */
#include "ask/asking.h"

#include "ask/asked_column.h"
#include "base/mem.h"
#include "text/text.h"

#include <ctype.h>
#include <stdlib.h>

/* Rows that sentences tell, and that the evidence shows. */
enum { TOLD_ROWS = 5, SHOWN_ROWS = 5, LISTED_ROWS = 8 };

/* Rows of another table, in an order of their own. */
struct row_view {
	const struct table *of;
	uint64_t *rows;
};

static void view_row(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct row_view *v = ctx;

	v->of->row(v->of->ctx, v->rows[i], cells);
}

void asking_show_rows(struct asking *a, const struct chosen_rows *r)
{
	struct arena *arena = &a->report->arena;
	struct row_view *v = arena_zalloc(arena, 1, sizeof(*v));
	struct table *t = arena_zalloc(arena, 1, sizeof(*t));
	const size_t most = a->question.top > SHOWN_ROWS ? (size_t)a->question.top : SHOWN_ROWS;
	const size_t count = r->count < most ? r->count : most;

	v->of = r->table;
	v->rows = arena_alloc(arena, count + 1, sizeof(*v->rows));
	memcpy(v->rows, r->rows, count * sizeof(*v->rows));
	*t = *r->table;
	t->title = NULL;
	t->rows = count;
	t->total_rows = r->count;
	t->rest = "the command above shows them all";
	t->row = view_row;
	t->ctx = v;
	report_table(a->report, t);
}

/* How the sum of all rows is told; NULL: it means nothing. Another topic of the table may know. */
static const char *sum_of(const struct asked_analysis *asked)
{
	const char *sum = asked->topic->sum;

	for (const struct topic *o = asked->analysis->topics; !sum && o->questions; o++)
		sum = o->table && strcmp(o->table, asked->topic->table) == 0 &&
				      str_same(o->flag, asked->topic->flag)
			      ? o->sum
			      : NULL;
	return sum;
}

/* "kernel time of step 2 compared with step 5": one number of each. */
static bool compares_steps(const struct question *q, const struct chosen_rows *r)
{
	return q->intent == ASKS_COMPARE && q->steps.count > 1 && !q->names.count && !q->top &&
	       !r->by_name && strcmp(r->table->name, "iterations") != 0;
}

static bool says_both_ends(const struct question *q)
{
	const uint32_t ends = 1u << MEASURE_MOST | 1u << MEASURE_LEAST;

	return (q->measures & ends) == ends && !q->names.count && !q->top && !q->nth;
}

/* "min and max kernel duration": of all of them, and not of the row that has the one or the other.
 */
static bool asks_both_ends(const struct question *q)
{
	return says_both_ends(q) && !question_says_any(q, ANY_OF("which", "top", "list"));
}

/* Steps one after the other are told together, and all steps by their median. */
static bool is_one_of_steps(const struct question *q, const struct chosen_rows *r)
{
	return strcmp(r->table->name, "iterations") != 0 || q->measure == MEASURE_COUNT ||
	       (q->step_span.is_given && q->step_span.last != UINT32_MAX) || q->not_steps.count;
}

/* One number of all rows, or rows? */
static bool wants_sum(const struct question *q, const char *sum, const struct chosen_rows *r)
{
	if (sum && compares_steps(q, r))
		return true;
	if (!is_one_of_steps(q, r))
		return false;
	if (sum && r->count > 1 && asks_both_ends(q) && strstr(sum, "{min"))
		return true;
	if (!sum || q->intent == ASKS_COMPARE || r->count == 1 || q->nth)
		return false;
	if (r->column >= 0 && !column_adds_up(&r->table->columns[r->column]) &&
	    !str_is_listed(str_of(r->table->columns[r->column].key), "avg_ns avg_bytes"))
		return false;
	return q->intent == ASKS_AMOUNT && !q->wants_rows && !q->top;
}

/* "which", without what says that some come first. */
static bool lists_all(const struct question *q)
{
	return q->intent == ASKS_WHAT && q->wants_several && question_says(q, "which") &&
	       !q->is_ranked && !q->least_first && !question_says(q, "most") &&
	       !question_says(q, "largest") && !question_says(q, "top");
}

/* How many rows are told: those that are asked for, and those that are first as well. */
static size_t rows_to_tell(const struct question *q, const struct chosen_rows *r)
{
	size_t told =
		q->top ? (size_t)q->top
		: q->intent == ASKS_COMPARE || r->by_name || (q->wants_rows && q->wants_several)
			? 3
			: 1;

	if (told == 1 && q->wants_rows)
		told = r->firsts;
	/* "per range": each of them, as far as sentences go. */
	if (!q->top && q->is_each_group && question_group(q) &&
	    !str_is_listed(str_of(question_group(q)), "process rank"))
		told = TOLD_ROWS;
	/* "which calls were made": all of them, where they are few. */
	if (!q->top && lists_all(q) && r->count <= LISTED_ROWS)
		return r->count;
	told = told > TOLD_ROWS ? TOLD_ROWS : told;
	return told > r->count ? r->count : told;
}

/* By all of its name another may come first than by a single one: both may be meant. */
static void tell_longest_single(struct asking *a, const struct asked_analysis *asked,
				const struct chosen_rows *r)
{
	struct chosen_rows single = *r;

	if (r->also < 0)
		return;
	single.rows = mem_alloc(r->count + 1, sizeof(*single.rows));
	memcpy(single.rows, r->rows, r->count * sizeof(*single.rows));
	single.column = r->also;
	rows_sort(&single, r->also, false);
	if (single.rows[0] == r->rows[0]) {
		sentences_addf(&a->told, "It has the longest single one, too.");
	} else {
		sentences_addf(&a->told,
			       "That is the one that takes most in all. The longest single one:");
		sentences_add_row(&a->told, asked->topic, &single, 0);
	}
	free(single.rows);
}

/* Whether both are first of all about the same. */
static bool shares_subject(const struct topic *a, const struct topic *b)
{
	const char *x = a->subject, *y = b->subject;

	return x && y && str_eq(str_next_word(&x), str_next_word(&y));
}

/*
 * The mean of single ones (steps, gaps), where no column has it: of this table, or of the one of
 * the analysis that has a row for each.
 */
static void tell_mean(struct asking *a, const struct asked_analysis *asked)
{
	const struct question *q = &a->question;

	for (const struct topic *o = asked->analysis->topics; o->questions; o++) {
		const struct table *t = o->table && o->row && o->by
						? report_find_table(&asked->report, o->table)
						: NULL;
		struct chosen_rows r;

		if (!t || !t->rows || table_is_cut(t) || strstr(o->row, "{count}") ||
		    !shares_subject(o, asked->topic))
			continue;
		rows_choose(&r, t, o, q);
		if (r.count)
			sentences_add_mean(&a->told, &r, table_column(t, o->by));
		a->has_mean = true;
		rows_free(&r);
		return;
	}
}

/* The first ones together. */
static void tell_top_sum(struct asking *a, const char *sum, const struct chosen_rows *r)
{
	struct chosen_rows top = *r;

	top.count = a->question.top < r->count ? (size_t)a->question.top : r->count;
	sentences_addf(&a->told, "Together:");
	sentences_add_sum(&a->told, sum, &top);
}

/* Whether one number of several rows that share a name is asked for: all of them may be meant. */
static bool may_be_all(const struct question *q)
{
	const uint32_t ends = 1u << MEASURE_MOST | 1u << MEASURE_LEAST;

	return q->intent == ASKS_AMOUNT || !q->wants_rows ||
	       (q->names.count == 1 && q->measures & ends && !question_says(q, "which"));
}

/* The sum of rows that are told one by one, too. */
static void tell_sum_besides(struct asking *a, const char *sum, const struct chosen_rows *r)
{
	const struct question *q = &a->question;
	const bool counts = q->measure == MEASURE_COUNT || q->threshold.is_given;
	const bool of_name = may_be_all(q) && q->intent != ASKS_COMPARE && r->count > 1 &&
			     !q->top && !q->nth && r->by_name;
	/* "How many GPUs": one. */
	const bool is_one = counts && r->count == 1 && strstr(sum, "{#}") &&
			    (!r->by_name || !strstr(sum, "{count}") || q->is_distinct);
	/* "kernels in step 7?", "calls longer than 1 ms": how many there are, and what they take,
	 * may be meant. */
	const bool may_mean_all =
		q->intent == ASKS_WHAT && !q->wants_rows && r->count > 1 &&
		(q->threshold.is_given || (q->measure == MEASURE_ANY && !r->by_name));

	if (q->wants_top_sum && r->count > 1)
		tell_top_sum(a, sum, r);
	else if (of_name || is_one || may_mean_all)
		sentences_add_sum(&a->told, sum, r);
}

/* "calls that wait, or look like it": those that wait are told apart, where there are others. */
static void tell_parts(struct asking *a, const struct asked_analysis *asked,
		       const struct chosen_rows *whole)
{
	const struct topic part = {.row = asked->topic->part};
	const struct table *t = asked->topic->parts && !whole->by_name
					? report_find_table(&asked->report, asked->topic->parts)
					: NULL;
	struct chosen_rows r;
	size_t n = 0;

	if (!t)
		return;
	rows_take_all(&r, t, table_column(t, asked->topic->by));
	for (size_t i = 0; i < r.count; i++) {
		if (table_cell(t, r.rows[i], asked->topic->by).i)
			r.rows[n++] = r.rows[i];
	}
	r.count = n;
	for (size_t i = 0; n > 1 && i < n; i++)
		sentences_add_row(&a->told, &part, &r, i);
	rows_free(&r);
}

static void tell_nth(struct asking *a, const struct asked_analysis *asked,
		     const struct chosen_rows *r)
{
	const size_t nth = (size_t)a->question.nth;

	if (nth <= r->count) {
		sentences_add_row(&a->told, asked->topic, r, nth - 1);
		return;
	}
	a->answer->status = "cannot_tell";
	sentences_addf(&a->told, "There are only %zu of them.", r->count);
}

/* "longest and shortest step", where each row is one: the last one is the other end. */
static void tell_other_end(struct asking *a, const struct asked_analysis *asked,
			   const struct chosen_rows *r, size_t told)
{
	if (says_both_ends(&a->question) && r->count > told && r->column >= 0 && !r->by_name &&
	    table_column(r->table, "count") < 0 && column_adds_up(&r->table->columns[r->column]))
		sentences_add_row(&a->told, asked->topic, r, r->count - 1);
}

/* One row, or all together. */
static void tell_part(struct asking *a, const struct asked_analysis *asked,
		      const struct question *of, const struct table *t, const char *sum)
{
	struct chosen_rows part;

	rows_choose(&part, t, asked->topic, of);
	if (part.count == 1)
		sentences_add_row(&a->told, asked->topic, &part, 0);
	else
		sentences_add_sum(&a->told, sum, &part);
	rows_free(&part);
}

/* "elementwise vs gemm", each of which is several rows: all of the one, and all of the other.
 * False: that is not asked. */
static bool tell_each_name(struct asking *a, const struct asked_analysis *asked,
			   const struct chosen_rows *r, const char *sum)
{
	const struct question *q = &a->question;
	const bool is_number = q->intent == ASKS_COMPARE || q->intent == ASKS_AMOUNT;

	if (q->names.count < 2 || !sum || !is_number || q->top || q->nth ||
	    r->count <= q->names.count || asked->topic->filters ||
	    table_column(r->table, "count") < 0)
		return false;
	for (size_t i = 0; i < q->names.count; i++) {
		struct question of = *q;
		SCOPED_BUF name = {0};

		of.names = (struct asked_names){.all = {q->names.all[i]},
						.is_quoted = {q->names.is_quoted[i]},
						.is_whole = {q->names.is_whole[i]},
						.is_pattern = {q->names.is_pattern[i]},
						.count = 1};
		text_add_safe(&name, q->names.all[i]);
		sentences_addf(&a->told, "%s:", name.s);
		tell_part(a, asked, &of, r->table, sum);
	}
	return true;
}

/* "stream 7 vs stream 13", each of which several processes have: all of the one, and all of the
 * other. False: that is not asked. */
static bool tell_each_stream(struct asking *a, const struct asked_analysis *asked,
			     const struct chosen_rows *r, const char *sum)
{
	const struct question *q = &a->question;

	if (q->streams.count < 2 || r->count <= q->streams.count || !sum || q->top || q->nth ||
	    q->wants_rows || q->pids.count || q->ranks.count ||
	    table_column(r->table, "stream") < 0)
		return false;
	for (size_t i = 0; i < q->streams.count; i++) {
		struct question of = *q;

		of.streams = (struct asked_ids){{q->streams.all[i]}, 1};
		sentences_addf(&a->told, "Stream %u:", q->streams.all[i]);
		tell_part(a, asked, &of, r->table, sum);
	}
	return true;
}

static void tell_rows(struct asking *a, const struct asked_analysis *asked,
		      const struct chosen_rows *r)
{
	const struct question *q = &a->question;
	const char *sum = sum_of(asked);
	const size_t told = rows_to_tell(q, r);

	if (q->measures >> MEASURE_MEAN & 1 && !a->has_mean && !table_tells(r->table, MEASURE_MEAN))
		tell_mean(a, asked);
	if (tell_each_name(a, asked, r, sum) || tell_each_stream(a, asked, r, sum))
		return;
	if (wants_sum(q, sum, r)) {
		tell_parts(a, asked, r);
		sentences_add_sum(&a->told, sum, r);
		for (size_t i = 0; r->by_name && r->count <= TOLD_ROWS && i < told; i++)
			sentences_add_row(&a->told, asked->topic, r, i);
		return;
	}
	if (sum)
		tell_sum_besides(a, sum, r);
	/* "the second longest": that one alone. */
	if (q->nth && !q->top) {
		tell_nth(a, asked, r);
		return;
	}
	for (size_t i = 0; i < told; i++)
		sentences_add_row(&a->told, asked->topic, r, i);
	tell_longest_single(a, asked, r);
	asking_tell_template(a, r);
	tell_other_end(a, asked, r, told);
	if (q->measure == MEASURE_COUNT && !sum && r->count != told)
		sentences_add_count(&a->told, r);
}

/* Of the topics of an analysis, the one that was meant, or where it has no rows another that has.
 */
static const struct table *find_table(struct asked_analysis *asked)
{
	const struct table *t = report_find_table(&asked->report, asked->topic->table);

	for (const struct topic *o = asked->analysis->topics; (!t || !t->rows) && o->questions;
	     o++) {
		const struct table *other =
			o->table && o->row ? report_find_table(&asked->report, o->table) : NULL;

		if (other && other->rows && shares_subject(o, asked->topic)) {
			asked->topic = o;
			t = other;
		}
	}
	return t;
}

static void tell_nothing(struct asking *a, const struct topic *topic)
{
	const struct question *q = &a->question;

	asking_keep_zeros(a, topic->table);
	/* That there is none is an answer to whether, and to how many. */
	if (q->ranks.count || q->devices.count || q->streams.count || q->pids.count ||
	    (q->intent != ASKS_WHETHER && q->measure != MEASURE_COUNT && !q->has_window &&
	     !question_names_steps(q)))
		a->answer->status = "cannot_tell";
	sentences_addf(&a->told, "%c%s.",
		       toupper((unsigned char)(topic->none ? topic->none[0] : 'N')),
		       topic->none ? topic->none + 1 : "othing is there");
}

/* Whether the number that is asked for was not measured for any of the rows. */
static bool is_unmeasured(const struct chosen_rows *r)
{
	struct cell *cells;
	bool any = false;

	if (r->column < 0 || !r->is_asked_column)
		return false;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count && !any; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		any = cells[r->column].kind != CELL_NULL;
	}
	free(cells);
	return !any;
}

static void tell_unmeasured(struct asking *a, const struct asked_analysis *asked,
			    const struct chosen_rows *r)
{
	a->answer->status = "cannot_tell";
	if (!asking_tell_unrecorded(a, asked->topic))
		sentences_addf(&a->told, "This capture cannot tell: it has no value of \"%s\".",
			       r->table->columns[r->column].title);
	/* What the analysis says of how to get it. */
	for (size_t i = 0; i < asked->report.block_count; i++) {
		const struct block *b = &asked->report.blocks[i];

		if ((b->kind == BLOCK_NOTE || b->kind == BLOCK_WARNING) && strstr(b->text, "--"))
			sentences_addf(&a->told, "%s", b->text);
	}
}

void asking_add_table(struct asking *a, struct asked_analysis *asked)
{
	const struct table *t = report_find_table(&asked->report, asked->topic->table);
	struct chosen_rows r;

	if (!t || !t->rows || table_is_cut(t))
		return;
	rows_choose(&r, t, asked->topic, &a->question);
	if (r.count && !r.has_missed && !is_unmeasured(&r) && a->question.nth <= r.count) {
		tell_rows(a, asked, &r);
		asking_show_rows(a, &r);
	}
	rows_free(&r);
}

/* Kernels and a range may have one name: who asks about the one may mean the other. */
static void tell_range_besides(struct asking *a, const struct asked_analysis *asked,
			       const struct chosen_rows *r)
{
	const struct words *w = &a->question.words;

	if (strcmp(asked->analysis->name, "kernels") != 0)
		return;
	for (size_t i = 0; i < w->count; i++) {
		SCOPED_BUF name = {0};

		if (!r->reads[i] || !asking_is_range(a->trace, w->all[i].said))
			continue;
		text_add_safe(&name, w->all[i].said);
		sentences_addf(&a->told,
			       "That is of kernels with this in their names; a range is called "
			       "'%s', too: gpuwhy nvtx shows its GPU time.",
			       name.s);
		return;
	}
}

/* "on average" of what is told per step is of the steps: what is counted or added up in each. */
static struct question without_mean(const struct question *q)
{
	struct question of = *q;

	of.measures &= ~(1U << MEASURE_MEAN);
	if (of.measure == MEASURE_MEAN)
		of.measure = of.measures >> MEASURE_BYTES & 1  ? MEASURE_BYTES
			     : of.measures >> MEASURE_TIME & 1 ? MEASURE_TIME
							       : MEASURE_COUNT;
	return of;
}

/* "copies per step": their sum by how many steps the window has. Ranges lie in ranges: of several
 * no sum is told. */
static void tell_per_step(struct asking *a, const struct asked_analysis *asked,
			  const struct chosen_rows *r)
{
	const struct question *q = &a->question, of = without_mean(q);
	bool is_asked;
	const int column = column_choose(r->table, asked->topic, &of, &is_asked);

	if (q->is_per_step && column >= 0 && column_adds_up(&r->table->columns[column]) &&
	    (r->count == 1 || sum_of(asked)) && asked->report.window_steps &&
	    asked->report.has_window)
		sentences_add_per_step(&a->told, r, column, asked->report.window_steps);
}

/* Copies, memsets, single ops: that there are none is a number. */
static bool is_answered_by_none(const struct topic *topic, const struct question *q)
{
	return topic->filters || (topic->work && (q->work.kinds & (WORK_COPY | WORK_MEMSET)));
}

/* 1: another analysis may know the name. */
static int answer_without_rows(struct asking *a, const struct asked_analysis *asked)
{
	if (asking_tell_unrecorded(a, asked->topic)) {
		a->answer->status = "cannot_tell";
		return 0;
	}
	if (is_answered_by_none(asked->topic, &a->question)) {
		asking_tell_no_work(a, asked->topic->table);
		return 0;
	}
	if (a->question.names.count)
		return 1;
	tell_nothing(a, asked->topic);
	return 0;
}

/* None is longer, or larger, than was asked for: that is a number. */
static void tell_none_beyond(struct asking *a, const struct chosen_rows *r)
{
	SCOPED_BUF beyond = {0};

	asking_add_threshold(&beyond, &a->question.threshold);
	sentences_addf(&a->told, "There is none%s.", beyond.s);
	asking_keep_zeros(a, r->table->name);
}

bool asking_wants_stream_of(const struct question *q)
{
	const char *by = question_group(q);

	return by && strcmp(by, "stream") == 0 && q->names_kernels;
}

/* 1: what has no such name or stream is not what was meant: another may have it. */
static int answer_with_rows(struct asking *a, struct asked_analysis *asked,
			    const struct chosen_rows *r)
{
	if ((asked->ignores && strcmp(asked->ignores, "stream") == 0) ||
	    ((asking_wants_stream_of(&a->question) || a->question.is_of_samples) && !r->by_name))
		return 1;
	if (r->has_no_work) {
		asking_tell_no_work(a, r->table->name);
	} else if (r->has_missed || (!r->count && a->question.streams.count)) {
		return 1;
	} else if (!r->count && a->question.threshold.is_given && r->is_beyond &&
		   !strstr(asked->topic->row, "{count}")) {
		tell_none_beyond(a, r);
	} else if (!r->count) {
		a->answer->status = "cannot_tell";
		sentences_addf(&a->told, "There is none of that here.");
	} else if (is_unmeasured(r)) {
		tell_unmeasured(a, asked, r);
	} else {
		asking_tell_doubts(a, asked, r);
		asking_head_evidence(a);
		if (asked->topic->filters)
			asking_tell_work(a);
		tell_rows(a, asked, r);
		asking_tell_besides(a, r);
		tell_per_step(a, asked, r);
		tell_range_besides(a, asked, r);
		asking_show_rows(a, r);
	}
	return 0;
}

/* Of tables that tell the same work apart, the one that tells the number that is asked for. */
static const struct table *prefer_telling(struct asked_analysis *asked, const struct question *q,
					  const struct table *t)
{
	const struct topic *meant = asked->topic;

	if (!t || !meant->work || table_tells_question(t, q))
		return t;
	for (const struct topic *o = asked->analysis->topics; o->questions; o++) {
		const struct table *other = o->work && o->row && str_same(o->flag, meant->flag)
						    ? report_find_table(&asked->report, o->table)
						    : NULL;

		if (!other || !other->rows || !table_tells_question(other, q))
			continue;
		asked->topic = o;
		return other;
	}
	return t;
}

int asking_answer_table(struct asking *a, struct asked_analysis *asked)
{
	const struct table *t = prefer_telling(asked, &a->question, find_table(asked));
	struct chosen_rows r;
	int result;

	if (asked->topic->needs_all && asking_tell_unrecorded(a, asked->topic)) {
		a->answer->status = "cannot_tell";
		return 0;
	}
	if (!t || !t->rows)
		return answer_without_rows(a, asked);
	rows_choose(&r, t, asked->topic, &a->question);
	result = answer_with_rows(a, asked, &r);
	rows_free(&r);
	return result;
}
