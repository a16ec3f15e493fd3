/* How many rows does a question ask for, and which are long enough? */
#include "ask/question/slot.h"

#include <ctype.h>

bool slot_find_threshold(struct question *q, size_t i)
{
	static const char above[] = "longer larger bigger greater more above over exceeding "
				    "least slower higher exceeds exceed exceeding";
	static const char below[] = "shorter smaller less below under fewer most faster lower";
	const struct str word = str_of(slot_text(q, i));
	const bool is_above = word.len && str_is_listed(word, above);
	const struct slot_unit *unit;
	size_t next = i + 1, used;
	double value;

	if (!is_above && !(word.len && str_is_listed(word, below)))
		return false;
	if (words_at(&q->words, next, "than") || words_at(&q->words, next, "as"))
		next++;
	used = slot_amount(q, next, &value, &unit);
	if (!used || !unit)
		return false;
	q->threshold = (struct threshold){.is_given = true,
					  .is_below = !is_above,
					  .is_bytes = unit->is_bytes,
					  .has_equal = str_is_listed(word, "least most"),
					  .value = value * unit->factor};
	slot_use(q, i, next - i + used);
	return true;
}

static bool has_superlative(const struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(slot_text(q, i)), "slowest fastest longest shortest top "
							   "worst best most least first last"))
			return true;
	}
	return false;
}

/* "five GPU functions": what describes them is not what they are. */
static size_t noun_after(const struct question *q, size_t i)
{
	return i + (str_is_listed(str_of(slot_text(q, i + 1)), "gpu cuda nvtx api") ? 2 : 1);
}

/* "top 5", "five slowest", "the 3 longest", "first three". */
bool slot_find_top(struct question *q, size_t i)
{
	static const char ranking[] =
		"slowest fastest longest shortest largest biggest smallest top most worst "
		"busiest expensive costliest heaviest hottest highest lowest kernel gap call range "
		"operation step stream copy collective kernels gaps calls ranges steps streams "
		"copies collectives function functions";
	const char *word = slot_text(q, i);
	/* "the 3rd slowest" is one. */
	const double before = slot_is_ordinal(q, i) ? -1 : slot_whole_number(word),
		     after = slot_whole_number(slot_text(q, i + 1));

	if (q->top)
		return false;
	if (strncmp(word, "top", 3) == 0 && slot_whole_number(word + 3) > 0) {
		q->top = (uint64_t)slot_whole_number(word + 3);
		slot_use(q, i, 1);
		return true;
	}
	if ((strcmp(word, "top") == 0 || strcmp(word, "first") == 0 || strcmp(word, "worst") == 0 ||
	     strcmp(word, "slowest") == 0 || strcmp(word, "longest") == 0 ||
	     strcmp(word, "biggest") == 0 || strcmp(word, "largest") == 0) &&
	    after > 0 && !slot_unit_of(slot_text(q, i + 2))) {
		q->top = (uint64_t)after;
		slot_use(q, i + 1, 1);
		if (strcmp(word, "top") == 0 || strcmp(word, "first") == 0)
			slot_use(q, i, 1);
		return true;
	}
	if (before > 0 &&
	    (words_at(&q->words, i + 1, "of them") || words_at(&q->words, i + 1, "are enough") ||
	     words_at(&q->words, i + 1, "is enough"))) {
		q->top = (uint64_t)before;
		slot_use(q, i, 3);
		return true;
	}
	/* "the ten steps" are all there are, "the ten slowest steps" are not. */
	if (before > 0 && str_starts(str_of(slot_text(q, i + 1)), "step") && !has_superlative(q)) {
		slot_use(q, i, 1);
		return true;
	}
	if (before > 0 && before <= 1000 &&
	    str_is_listed(str_of(slot_text(q, noun_after(q, i))), ranking)) {
		q->top = (uint64_t)before;
		slot_use(q, i, 1);
		return true;
	}
	return false;
}
