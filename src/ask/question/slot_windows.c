/* Which stretch of time does a question name? */
#include "ask/question/slot.h"

#include "base/mem.h"

#include <math.h>

/* No capture is as long, and an integer holds it. */
static const double WINDOW_LIMIT = 9e18;

static void set_window(struct question *q, double from_ns, double to_ns)
{
	if (q->has_window || !(to_ns > from_ns) || to_ns > WINDOW_LIMIT || from_ns < -WINDOW_LIMIT)
		return;
	q->has_window = true;
	q->from_ns = (int64_t)llround(from_ns);
	q->to_ns = (int64_t)llround(to_ns);
}

/* How many words stand between the ends of a window: "to", "until t ="; in "[1 s, 2 s]" none. */
static size_t between_ends(const struct question *q, size_t i)
{
	const size_t joined = words_at(&q->words, i, "to") || words_at(&q->words, i, "and") ||
			      words_at(&q->words, i, "until");

	return joined + (joined && words_at(&q->words, i + 1, "t"));
}

/* "10 to 20 ms", "between 1.5s and 1.6s", "10 ms bis 20 ms", "[1.5s, 1.6s]". */
bool slot_find_window(struct question *q, size_t i)
{
	const struct slot_unit *first, *second;
	double from, to;
	const size_t used = slot_amount(q, i, &from, &first);
	const size_t joined = used ? between_ends(q, i + used) : 0;
	const size_t more = used ? slot_amount(q, i + used + joined, &to, &second) : 0;

	if (!more || !second || second->is_bytes || (first && first->is_bytes) ||
	    (!joined && !first))
		return false;
	set_window(q, from * (first ? first : second)->factor, to * second->factor);
	slot_use(q, i, used + joined + more);
	return q->has_window;
}

/* "at 1.2 s": what is there then. */
bool slot_find_moment(struct question *q, size_t i)
{
	const struct slot_unit *unit;
	double at;
	size_t used;

	if (!words_at(&q->words, i, "at") && !words_at(&q->words, i, "around"))
		return false;
	used = slot_amount(q, i + 1, &at, &unit);
	/* "at 4 ms per token" is how long one takes. */
	if (!used || !unit || unit->is_bytes || q->has_window ||
	    str_is_listed(str_of(slot_text(q, i + 1 + used)),
			  "per token each step request a every"))
		return false;
	set_window(q, at * unit->factor, at * unit->factor + 1);
	q->is_moment = q->has_window;
	slot_use(q, i, used + 1);
	return true;
}

/* "the first 50 ms", "after 2 s", "before 1 s". */
bool slot_find_edge(struct question *q, size_t i)
{
	const bool from_start = words_at(&q->words, i, "first") || words_at(&q->words, i, "before");
	const struct slot_unit *unit;
	double at;
	size_t used;

	if (!from_start && !words_at(&q->words, i, "after") && !words_at(&q->words, i, "since"))
		return false;
	used = slot_amount(q, i + 1, &at, &unit);
	/* "the first second" */
	if (!used && words_at(&q->words, i, "first") && slot_unit_of(slot_text(q, i + 1))) {
		unit = slot_unit_of(slot_text(q, i + 1));
		at = used = 1;
	}
	if (!used || !unit || unit->is_bytes)
		return false;
	if (from_start) {
		set_window(q, 0, at * unit->factor);
	} else if (!q->has_window) {
		set_window(q, at * unit->factor, WINDOW_LIMIT);
		q->to_ns = INT64_MAX;
		q->to_end = q->has_window;
	}
	slot_use(q, i, used + 1);
	slot_use_preposition(q, i && words_at(&q->words, i - 1, "the") ? i - 1 : i);
	return q->has_window;
}

/* "the last 50 ms": where they begin only the trace knows. */
bool slot_find_tail(struct question *q, size_t i)
{
	const struct slot_unit *unit;
	double length;
	size_t used;

	if (!words_at(&q->words, i, "last") && !words_at(&q->words, i, "final"))
		return false;
	used = slot_amount(q, i + 1, &length, &unit);
	if (!used || !unit || unit->is_bytes || q->has_window || !(length > 0))
		return false;
	set_window(q, -length * unit->factor, 0);
	slot_use(q, i, used + 1);
	return q->has_window;
}

/* "warm-up", and what is said of it behind; how many words, 0: it is not said. */
static size_t warm_up_at(const struct question *q, size_t i)
{
	return words_at(&q->words, i, "warmup") ? 1 : words_at(&q->words, i, "warm up") ? 2 : 0;
}

/* Words that say that what they follow is not meant: "the warm-up aside", "once it is over". */
static size_t left_out_after(const struct question *q, size_t i)
{
	static const char *const phrases[] = {"aside",	  "left aside", "left out",
					      "excluded", "is over",	"was over",
					      "is done",  "is past",	"not counted"};

	for (size_t p = 0; p < ARRAY_LEN(phrases); p++) {
		if (words_at(&q->words, i, phrases[p]))
			return strchr(phrases[p], ' ') ? 2 : 1;
	}
	return 0;
}

/* "warm steps", "once warm". Where these are a place, as in "in the warm steps", steps are not what
 * is asked about. */
static bool find_warm_steps(struct question *q, size_t i)
{
	const bool is_step =
		words_at(&q->words, i, "warm step") || words_at(&q->words, i, "warm steps");
	const size_t from = i && words_at(&q->words, i - 1, "the") ? i - 1 : i;
	const bool is_place = from && str_is_listed(str_of(slot_text(q, from - 1)),
						    "in during over across within");

	if (!is_step && !words_at(&q->words, i, "once warm") &&
	    !words_at(&q->words, i, "when warm") && !words_at(&q->words, i, "steady state"))
		return false;
	slot_use(q, i, is_step && !is_place ? 1 : 2);
	return true;
}

/* "after the warm-up", "not counting warm-up", "the warm-up aside". */
static bool find_after_warm_up(struct question *q, size_t i)
{
	const size_t used = warm_up_at(q, i), behind = used ? left_out_after(q, i + used) : 0;
	const size_t from = i && words_at(&q->words, i - 1, "the") ? i - 1 : i;
	const bool is_after =
		from && str_is_listed(str_of(slot_text(q, from - 1)), "after past beyond since");
	const bool is_before = is_after || slot_is_left_out(q, i);

	if (!used || !(behind || is_before))
		return false;
	slot_use(q, i, used + behind);
	if (is_before)
		slot_use(q, from - 1, 1);
	if (from > 1 && words_at(&q->words, from - 2, "not"))
		slot_use(q, from - 2, 1);
	return true;
}

bool slot_find_warm(struct question *q, size_t i)
{
	const bool is_said = find_warm_steps(q, i) || find_after_warm_up(q, i);

	q->wants_warm |= is_said;
	return is_said;
}
