/* How is it told which single work on the GPU an answer is about, and that there is none? */
#include "ask/asking.h"

#include "base/mem.h"
#include "text/units.h"

/* "Host-to-Device copies", "kernel launches or memsets", "GPU ops". */
static void add_work(struct buf *b, const struct asked_work *w)
{
	static const char *const names[] = {"kernel launches", "copies", "memsets"};
	bool any = false;

	if (w->each == EACH_CALL || w->each == EACH_RANGE) {
		buf_adds(b, w->each == EACH_CALL ? "calls" : "ranges");
		return;
	}
	if (w->direction)
		buf_addf(b, "%s ", w->direction);
	if (w->other_direction)
		buf_addf(b, "or %s ", w->other_direction);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!(w->kinds >> i & 1))
			continue;
		buf_addf(b, "%s%s", any ? " or " : "", names[i]);
		any = true;
	}
	if (!any)
		buf_adds(b, "GPU ops");
}

void asking_add_threshold(struct buf *b, const struct threshold *h)
{
	if (!h->is_given)
		return;
	if (h->has_equal)
		buf_adds(b, h->is_below ? " of at most " : " of at least ");
	else
		buf_addf(b, " %s than ",
			 h->is_bytes ? (h->is_below ? "smaller" : "larger")
				     : (h->is_below ? "shorter" : "longer"));
	if (h->is_bytes)
		units_add_bytes(b, h->value);
	else
		units_add_ns(b, h->value);
}

void asking_tell_work(struct asking *a)
{
	const struct question *q = &a->question;
	SCOPED_BUF b = {0};

	if (q->work.each != EACH_BEYOND && q->work.each != EACH_SPREAD)
		return;
	add_work(&b, &q->work);
	asking_add_threshold(&b, &q->threshold);
	sentences_addf(&a->told, "Single %s, not sums of them:", b.s);
}

/* How many and how large is 0 where there is none, and whether is no; how long they take is not
 * known. */
static bool is_number_of_none(const struct question *q)
{
	return q->measure == MEASURE_COUNT || q->measure == MEASURE_BYTES ||
	       q->intent == ASKS_WHETHER || q->threshold.is_given || q->has_window ||
	       question_names_steps(q);
}

void asking_keep_zeros(struct asking *a, const char *table)
{
	const struct question *q = &a->question;

	sentences_keep_zero(&a->told, table, "count", UNIT_COUNT);
	if (q->measure == MEASURE_BYTES)
		sentences_keep_zero(&a->told, table, "bytes", UNIT_BYTES);
	if (q->measure == MEASURE_TIME)
		sentences_keep_zero(&a->told, table, "total_ns", UNIT_NS);
}

void asking_tell_no_work(struct asking *a, const char *table)
{
	const struct question *q = &a->question;
	SCOPED_BUF b = {0};

	a->has_no_work = true;
	if (!is_number_of_none(q))
		a->answer->status = "cannot_tell";
	add_work(&b, &q->work);
	asking_add_threshold(&b, &q->threshold);
	sentences_addf(&a->told, "There are no %s in this window.", b.s);
	asking_keep_zeros(a, table);
}
