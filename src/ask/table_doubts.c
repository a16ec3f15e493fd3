/* What was asked for, and is not what the rows of a table tell? Who asks has to know. */
#include "ask/asked_column.h"
#include "ask/asking.h"
#include "base/mem.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that no other number stands for. */
static const char *const only_measures[MEASURES] = {
	[MEASURE_MEDIAN] = "a median",	     [MEASURE_P90] = "a 90th percentile",
	[MEASURE_P99] = "a 99th percentile", [MEASURE_LEAST] = "the least one",
	[MEASURE_SHARE] = "a share",	     [MEASURE_BYTES] = "bytes",
	[MEASURE_RATE] = "a rate",	     [MEASURE_MOMENT] = "a point in time",
};

/* Of many pieces one number, of their lengths or of their sizes. */
static bool is_number_of_each(enum measure m)
{
	return m == MEASURE_MEAN || m == MEASURE_MEDIAN || m == MEASURE_P90 || m == MEASURE_P99 ||
	       m == MEASURE_MOST || m == MEASURE_LEAST;
}

/* A median, a share, bytes are asked for, and the table has none. */
static void tell_missing_measure(struct asking *a, const struct table *t)
{
	const struct question *q = &a->question;
	const bool is_size = q->measures >> MEASURE_BYTES & 1 && q->measure != MEASURE_BYTES;
	const char *measure = only_measures[q->measure];

	if (is_size && is_number_of_each(q->measure))
		measure = "that number of their sizes";
	else if (q->is_of_samples && q->measure == MEASURE_MOST)
		measure = "the largest sample";
	if (!measure || table_tells_question(t, q))
		return;
	a->answer->status = "unsure";
	sentences_addf(&a->told, "This does not tell %s:", measure);
}

/* Steps, or single events beyond a length or size, are asked for; the rows are sums of many. */
static void tell_other_rows(struct asking *a, const struct topic *topic,
			    const struct chosen_rows *r)
{
	const struct question *q = &a->question;
	SCOPED_BUF beyond = {0};

	if (q->is_per_step && strncmp(topic->table, "iteration", strlen("iteration")) != 0) {
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This is not of each step by itself:");
	}
	if (!q->threshold.is_given ||
	    (r->is_beyond && (topic->filters || !strstr(topic->row, "{count}"))))
		return;
	a->answer->status = "unsure";
	asking_add_threshold(&beyond, &q->threshold);
	sentences_addf(&a->told, "This is not of single ones%s alone:", beyond.s);
}

/* Streams of several processes share a number: rows are of each by itself. */
static void tell_processes_apart(struct asking *a, const struct chosen_rows *r)
{
	const struct question *q = &a->question;
	const int column = table_column(r->table, "pid");
	struct cell *cells;
	int64_t first = 0;
	bool are_several = false;

	if (column < 0 || !q->streams.count || q->pids.count || q->ranks.count || !q->wants_rows ||
	    table_column(r->table, "count") < 0)
		return;
	cells = mem_alloc(r->table->column_count, sizeof(*cells));
	for (size_t i = 0; i < r->count; i++) {
		r->table->row(r->table->ctx, r->rows[i], cells);
		first = i ? first : cells[column].i;
		are_several |= cells[column].i != first;
	}
	free(cells);
	if (!are_several)
		return;
	a->answer->status = "unsure";
	sentences_addf(&a->told, "This is of each process by itself:");
}

/* Percentiles of several rows are no percentile of all they are of. */
static void tell_spread_of_each(struct asking *a, const struct chosen_rows *r)
{
	const struct question *q = &a->question;
	const bool is_spread = q->measure == MEASURE_MEDIAN || q->measure == MEASURE_P90 ||
			       q->measure == MEASURE_P99;

	if (!is_spread || r->count < 2 || q->wants_rows || q->intent == ASKS_COMPARE ||
	    table_column(r->table, "count") < 0 || r->column < 0 || !r->is_asked_column)
		return;
	a->answer->status = "unsure";
	sentences_addf(&a->told, "This is of each row by itself, not of all together:");
}

void asking_tell_doubts(struct asking *a, const struct asked_analysis *asked,
			const struct chosen_rows *r)
{
	const struct word *unread = asking_unread_word(a, asked, r);

	if (table_is_cut(r->table)) {
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This is not of all rows:");
	}
	tell_missing_measure(a, r->table);
	tell_other_rows(a, asked->topic, r);
	tell_spread_of_each(a, r);
	tell_processes_apart(a, r);
	if (asked->ignores) {
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This is not of that %s alone:", asked->ignores);
	}
	if (unread) {
		SCOPED_BUF word = {0};

		text_add_safe(&word, unread->said);
		sentences_addf(&a->told, "This does not take account of '%s':", word.s);
		a->answer->status = "unsure";
	}
}
