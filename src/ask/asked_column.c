/* Which number of a table does a question ask for? */
#include "ask/asked_column.h"

#include "base/buf.h"

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

	/* Shares of one whole. */
	if (strcmp(c->key, "pct") == 0 && strcmp(c->title, "Share") == 0)
		return true;
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

bool column_is_extreme(const struct column *c)
{
	return key_has(c->key, "max") || key_has(c->key, "longest") || key_has(c->key, "peak");
}

bool column_is_least(const struct column *c)
{
	return key_has(c->key, "min");
}

bool column_fits(const struct column *c, enum measure m)
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
		return key_has(c->key, "p50") || key_has(c->key, "med");
	case MEASURE_P90:
		return key_has(c->key, "p90");
	case MEASURE_P99:
		return key_has(c->key, "p99");
	case MEASURE_MOST:
		return column_is_extreme(c);
	case MEASURE_LEAST:
		return column_is_least(c);
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

int column_for_measure(const struct table *t, enum measure m)
{
	for (size_t c = 0; c < t->column_count; c++) {
		if ((t->columns[c].unit == UNIT_NS || t->columns[c].unit == UNIT_US) &&
		    column_fits(&t->columns[c], m))
			return (int)c;
	}
	return -1;
}

bool table_tells(const struct table *t, enum measure m)
{
	bool fits = m == MEASURE_ANY;

	for (size_t c = 0; c < t->column_count && !fits; c++)
		fits = column_fits(&t->columns[c], m);
	return fits;
}

bool table_tells_question(const struct table *t, const struct question *q)
{
	const bool wants_size = q->measures >> MEASURE_BYTES & 1;
	bool tells = q->measure == MEASURE_ANY;

	for (size_t c = 0; c < t->column_count && !tells; c++)
		tells = column_fits(&t->columns[c], q->measure) &&
			(!wants_size || t->columns[c].unit == UNIT_BYTES);
	return tells;
}

bool column_is_number(const struct column *c)
{
	const enum unit u = c->unit;

	return u != UNIT_NAME && u != UNIT_KERNEL && u != UNIT_COMMAND && u != UNIT_PAGE &&
	       u != UNIT_BOOL;
}

/* "over all ranks", "of each rank": says of which rows, not which number. */
static bool is_scope(const struct question *q, size_t i)
{
	return i && (words_at(&q->words, i - 1, "all") || words_at(&q->words, i - 1, "each") ||
		     words_at(&q->words, i - 1, "every") || words_at(&q->words, i - 1, "across") ||
		     words_at(&q->words, i - 1, "this"));
}

/* "allreduce" is a collective to the dictionary: who says the one does not say the other. */
static bool is_added(const struct question *q, size_t i)
{
	return i && q->words.all[i].is_term && q->words.all[i - 1].is_term &&
	       q->words.all[i].said.s == q->words.all[i - 1].said.s;
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
				   !is_added(q, i) && !q->is_place[i] && !q->is_used[i];
		     j++)
			found |= strcmp(title.all[j].stem, q->words.all[i].stem) == 0;
		shared += found;
	}
	words_free(&title);
	return shared;
}

/* "mean size": of the means that of bytes. */
static bool is_of_size(const struct question *q, const struct column *c)
{
	return q->measures >> MEASURE_BYTES & 1 && c->unit == UNIT_BYTES;
}

/* Of the right sort, and called as the question says. */
int column_choose(const struct table *t, const struct topic *topic, const struct question *q,
		  bool *ret_is_asked)
{
	const int by = topic->by ? table_column(t, topic->by) : -1;
	int best = -1, most = 0;

	*ret_is_asked = false;
	for (size_t c = 0; c < t->column_count; c++) {
		const bool fits = column_fits(&t->columns[c], q->measure);
		const int words = words_of(&t->columns[c], q);
		const int score = (fits ? 7 : 0) + 8 * words + ((int)c == by) +
				  (q->is_extreme && column_is_extreme(&t->columns[c]) ? 3 : 0) +
				  (q->is_large && t->columns[c].unit == UNIT_BYTES ? 2 : 0) +
				  (fits && is_of_size(q, &t->columns[c]) ? 4 : 0) -
				  (t->columns[c].show == MACHINE_ONLY);

		if (!column_is_number(&t->columns[c]) || t->columns[c].unit == UNIT_ID ||
		    score <= most || (!fits && !words))
			continue;
		most = score;
		best = (int)c;
		*ret_is_asked = fits || words;
	}
	return best >= 0 ? best : by;
}
