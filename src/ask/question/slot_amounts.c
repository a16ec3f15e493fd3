/* Which words of a question are numbers, and of what? */
#include "ask/question/slot.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

const char *slot_text(const struct question *q, size_t i)
{
	return i < q->words.count && !q->words.all[i].is_quoted ? q->words.all[i].text : "";
}

void slot_use(struct question *q, size_t from, size_t count)
{
	for (size_t i = from; i < from + count && i < q->words.count; i++)
		q->is_used[i] = true;
}

void slot_use_preposition(struct question *q, size_t i)
{
	if (i && words_at(&q->words, i - 1, "during"))
		q->is_used[i - 1] = true;
}

double slot_whole_number(const char *word)
{
	static const char *const names[] = {"zero", "one",   "two",   "three", "four", "five",
					    "six",  "seven", "eight", "nine",  "ten"};
	char *end;
	double value;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(word, names[i]) == 0)
			return (double)i;
	}
	if (!isdigit((unsigned char)word[0]))
		return -1;
	value = strtod(word, &end);
	if (*end && strcmp(end, "st") != 0 && strcmp(end, "nd") != 0 && strcmp(end, "rd") != 0 &&
	    strcmp(end, "th") != 0)
		return -1;
	return floor(value) == value && value < 1e15 ? value : -1;
}

static const struct slot_unit units[] = {
	{"ns", 1, false},
	{"nanosecond", 1, false},
	{"nanoseconds", 1, false},
	{"us", 1e3, false},
	{"microsecond", 1e3, false},
	{"microseconds", 1e3, false},
	{"usec", 1e3, false},
	{"ms", 1e6, false},
	{"msec", 1e6, false},
	{"millisecond", 1e6, false},
	{"milliseconds", 1e6, false},
	{"millis", 1e6, false},
	{"s", 1e9, false},
	{"sec", 1e9, false},
	{"secs", 1e9, false},
	{"second", 1e9, false},
	{"seconds", 1e9, false},
	{"sekunde", 1e9, false},
	{"sekunden", 1e9, false},
	{"millisekunden", 1e6, false},
	{"mikrosekunden", 1e3, false},
	{"min", 60e9, false},
	{"minute", 60e9, false},
	{"minutes", 60e9, false},
	{"b", 1, true},
	{"bytes", 1, true},
	{"byte", 1, true},
	{"kb", 1e3, true},
	{"kib", 1024, true},
	{"mb", 1e6, true},
	{"mib", 1048576, true},
	{"gb", 1e9, true},
	{"gib", 1073741824, true},
};

const struct slot_unit *slot_unit_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(word, units[i].word) == 0)
			return &units[i];
	}
	return NULL;
}

/* The unit that a word is; the s of "step 3's" is none. */
static const struct slot_unit *unit_at(const struct question *q, size_t i)
{
	const bool is_owner =
		i && words_at(&q->words, i, "s") && q->words.all[i].said.s[-1] == '\'';

	return is_owner ? NULL : slot_unit_of(slot_text(q, i));
}

size_t slot_amount(const struct question *q, size_t i, double *ret,
		   const struct slot_unit **ret_unit)
{
	const char *word = slot_text(q, i);
	char *end;

	*ret_unit = NULL;
	/* "one millisecond" */
	if (slot_whole_number(word) > 0 && !isdigit((unsigned char)word[0]) &&
	    strlen(slot_text(q, i + 1)) > 1) {
		*ret = slot_whole_number(word);
		*ret_unit = unit_at(q, i + 1);
		return *ret_unit ? 2 : 0;
	}
	if (!isdigit((unsigned char)word[0]))
		return 0;
	*ret = strtod(word, &end);
	if (*end) {
		*ret_unit = slot_unit_of(end);
		return *ret_unit ? 1 : 0;
	}
	*ret_unit = unit_at(q, i + 1);
	return *ret_unit ? 2 : 1;
}

bool slot_is_number(const struct question *q, size_t i)
{
	return slot_whole_number(slot_text(q, i)) >= 0;
}

bool slot_is_ordinal(const struct question *q, size_t i)
{
	const char *word = slot_text(q, i);
	const size_t len = strlen(word);

	if (!len || !isdigit((unsigned char)word[0]) || !slot_is_number(q, i))
		return false;
	return !isdigit((unsigned char)word[len - 1]) ||
	       (i && words_at(&q->words, i - 1, "the") && strcmp(slot_text(q, i + 1), "step") == 0);
}

bool slot_is_id(const struct question *q, size_t i)
{
	return isdigit((unsigned char)slot_text(q, i)[0]) && slot_is_number(q, i) &&
	       !unit_at(q, i + 1);
}
