/* Has an answer told all that is asked for, or half of it? */
#include "ask/asked_column.h"
#include "ask/asking.h"
#include "ask/said_name.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>

/* Numbers that one column tells; the longest one may be a row of single ones. */
static const enum measure telling[] = {MEASURE_COUNT,  MEASURE_TIME,  MEASURE_MEAN,
				       MEASURE_MEDIAN, MEASURE_P90,   MEASURE_P99,
				       MEASURE_SHARE,  MEASURE_BYTES, MEASURE_RATE};

static const char *const measure_names[MEASURES] = {[MEASURE_COUNT] = "how many",
						    [MEASURE_TIME] = "how long",
						    [MEASURE_MEAN] = "the mean",
						    [MEASURE_MEDIAN] = "the median",
						    [MEASURE_P90] = "the 90th percentile",
						    [MEASURE_P99] = "the 99th percentile",
						    [MEASURE_SHARE] = "the share",
						    [MEASURE_BYTES] = "bytes",
						    [MEASURE_RATE] = "a rate"};

/* "and", "+": more than one number may be asked for. */
static bool joins(const struct question *q)
{
	bool any = false;

	for (size_t i = 0; i < q->words.count; i++) {
		const char *end = q->words.all[i].said.s + q->words.all[i].said.len;

		any |= words_at(&q->words, i, "and") || words_at(&q->words, i, "plus");
		any |= i + 1 < q->words.count &&
		       memchr(end, '+',
			      q->words.all[i + 1].said.s > end
				      ? (size_t)(q->words.all[i + 1].said.s - end)
				      : 0);
	}
	return any;
}

static bool tells_measure(const struct asking *a, enum measure m)
{
	bool found = m == MEASURE_MEAN && (a->has_mean || a->question.is_per_step);

	for (size_t i = 0; i < a->told.count && !found; i++) {
		const struct answer_value *v = &a->told.values[i];
		const struct column c = {.key = v->column, .title = "", .unit = v->unit};

		found = column_fits(&c, m) || (m == MEASURE_SHARE && v->unit == UNIT_PERCENT);
	}
	return found;
}

/* Whether a row that is told has the name. */
static bool tells_name(const struct asking *a, struct str name)
{
	bool found = false;

	for (size_t i = 0; i < a->told.count && !found; i++) {
		const struct answer_value *v = &a->told.values[i];

		found = (v->row && name_fit(str_of(v->row), name) != FIT_NONE) ||
			(v->value.kind == CELL_TEXT && name_fit(v->value.s, name) != FIT_NONE);
	}
	return found;
}

/* "rank 3", "Stream 7:", in what is told. */
static bool tells_place(const struct asking *a, const char *noun, uint32_t id)
{
	const struct str text = buf_str(&a->told.text);
	char place[32];
	bool found = false;

	snprintf(place, sizeof(place), "%s %u", noun, id);
	for (size_t at = 0; at + strlen(place) <= text.len && !found; at++) {
		const size_t end = at + strlen(place);

		found = memcmp(text.s + at, place, strlen(place)) == 0 &&
			(end == text.len || !isdigit((unsigned char)text.s[end]));
	}
	return found;
}

/* Whether each of several ranks, or streams, is told of. */
static bool tells_each(const struct asking *a, const char *noun, const struct asked_ids *ids)
{
	bool tells = true;

	for (size_t i = 0; i < ids->count && ids->count > 1; i++)
		tells &= tells_place(a, noun, ids->all[i]);
	return tells;
}

/* "per rank": of each of them. */
static bool asks_each_rank(const struct question *q)
{
	const char *by = question_group(q);

	return by && strcmp(by, "rank") == 0 && q->is_each_group;
}

/* The first column that tells it of all the rows; NULL: none does. */
static const struct column *column_of_all(const struct chosen_rows *r, enum measure m)
{
	for (size_t i = 0; i < r->table->column_count; i++) {
		const struct column *c = &r->table->columns[i];

		if (column_fits(c, m) && (r->count == 1 || column_adds_up(c)))
			return c;
	}
	return NULL;
}

void asking_tell_besides(struct asking *a, const struct chosen_rows *r)
{
	/* That number alone: of what else is asked for the sum may mean nothing. */
	struct chosen_rows alone = *r;

	alone.column = -1;
	for (size_t i = 0; i < MORE_COLUMNS; i++)
		alone.more[i] = -1;
	for (size_t i = 0; i < ARRAY_LEN(telling) && joins(&a->question); i++) {
		const struct column *c = column_of_all(r, telling[i]);
		SCOPED_BUF pattern = {0};

		if (!(a->question.measures >> telling[i] & 1) || tells_measure(a, telling[i]) || !c)
			continue;
		buf_addf(&pattern, "%s: {%s}", c->title, c->key);
		sentences_add_sum(&a->told, pattern.s, &alone);
	}
}

void asking_doubt_halves(struct asking *a)
{
	const struct question *q = &a->question;

	if (!str_is_listed(str_of(a->answer->status), "answered unsure") || !a->told.count ||
	    a->has_no_work)
		return;
	if (q->names.count && asks_each_rank(q) && !tells_place(a, "ank", 0) &&
	    !tells_place(a, "ank", 1)) {
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This does not tell them apart by rank.");
		return;
	}
	if (!tells_each(a, "ank", &q->ranks) || !tells_each(a, "tream", &q->streams)) {
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This does not tell them apart by %s.",
			       q->ranks.count > 1 ? "rank" : "stream");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(telling) && joins(q); i++) {
		if (!(q->measures >> telling[i] & 1) || tells_measure(a, telling[i]))
			continue;
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This does not tell %s.", measure_names[telling[i]]);
		return;
	}
	for (size_t i = 0; i < q->names.count && q->names.count > 1; i++) {
		if (tells_name(a, q->names.all[i]))
			continue;
		a->answer->status = "unsure";
		sentences_addf(&a->told, "This tells nothing of '%.*s'.",
			       (int)(q->names.all[i].len < 60 ? q->names.all[i].len : 60),
			       q->names.all[i].s);
		return;
	}
}
