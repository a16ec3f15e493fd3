/* Which GPU, rank, stream, process or step does a question name? */
#include "ask/question/slot.h"

#include "base/mem.h"

#include <ctype.h>

static void add_id(struct asked_ids *ids, double value)
{
	if (ids->count < ASKED_MOST && value >= 0 && value < UINT32_MAX)
		ids->all[ids->count++] = (uint32_t)value;
}

static bool joins_numbers(const struct question *q, size_t i)
{
	return slot_text(q, i)[0] && str_is_listed(str_of(slot_text(q, i)), "and or to compared");
}

/* "gpu 1", "gpu1", "gpus 0 and 1": what the words before a number say that it is. */
static size_t take_ids(struct question *q, size_t i, const char *const *words,
		       struct asked_ids *ids)
{
	const char *word = slot_text(q, i);
	size_t next = i + 1;

	for (; *words; words++) {
		const size_t len = strlen(*words);

		if (strncmp(word, *words, len) != 0)
			continue;
		if (isdigit((unsigned char)word[len]) && slot_whole_number(word + len) >= 0) {
			add_id(ids, slot_whole_number(word + len));
			return 1;
		}
		if (word[len] == '\0' || strcmp(word + len, "s") == 0)
			break;
	}
	if (!*words)
		return 0;
	while (strcmp(slot_text(q, next), "number") == 0 || strcmp(slot_text(q, next), "no") == 0 ||
	       strcmp(slot_text(q, next), "id") == 0 || strcmp(slot_text(q, next), "index") == 0)
		next++;
	/* "steps of 30 ms", "a step 200 ms long": no number of a step. */
	if (!slot_is_id(q, next))
		return 0;
	do {
		add_id(ids, slot_whole_number(slot_text(q, next++)));
		/* "ranks 0, 1 and 3"; "GPU 0 and GPU 1": that next one is found by itself. */
		next += joins_numbers(q, next) && slot_is_id(q, next + 1);
	} while (slot_is_id(q, next) && ids->count < ASKED_MOST);
	return next - i;
}

/* "how long is step 3", "duration of step 3": the step is what is asked about, and no place. */
static bool is_asked_of(const struct question *q, size_t i)
{
	static const char asks[] = "is was did does were are between compared than with has take";

	if (i && str_is_listed(str_of(slot_text(q, i - 1)), asks))
		return true;
	return i > 1 && words_at(&q->words, i - 1, "of") &&
	       str_is_listed(str_of(slot_text(q, i - 2)), "duration time length");
}

/* "leaving out step 0", "except steps 0 and 1": the word before says so. */
bool slot_is_left_out(const struct question *q, size_t i)
{
	static const char words[] = "excluding except without ignoring skipping omitting besides";

	if (!i)
		return false;
	if (words_at(&q->words, i - 1, "the"))
		return slot_is_left_out(q, i - 1);
	return str_is_listed(str_of(slot_text(q, i - 1)), words) ||
	       (i > 1 && (words_at(&q->words, i - 2, "leaving out") ||
			  words_at(&q->words, i - 2, "leave out") ||
			  words_at(&q->words, i - 2, "leaving aside") ||
			  words_at(&q->words, i - 2, "not counting") ||
			  words_at(&q->words, i - 2, "other than")));
}

/* "compare step 2 to step 4" names two, "from step 2 to step 4" all between them, too. */
static bool compares(const struct question *q)
{
	static const char words[] = "compare compared comparing comparison differ difference "
				    "differs versus vs than slower faster";

	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(slot_text(q, i)), words))
			return true;
	}
	return false;
}

/* Whether the steps from the one before the last to the last are named: "steps 2 to 4" with its
 * words from i on, or "step 2 to step 4", where i is the second "step". */
static bool is_span(const struct question *q, size_t i, size_t used, size_t had)
{
	const size_t taken = q->steps.count - had;
	const size_t to = taken == 2 ? i + used - 2 : i - 1;

	if (taken == 1 && (!had || i < 2 || !slot_is_id(q, i - 2)))
		return false;
	return taken && taken <= 2 && q->steps.count > 1 &&
	       (words_at(&q->words, to, "to") || words_at(&q->words, to, "through")) &&
	       q->steps.all[q->steps.count - 2] < q->steps.all[q->steps.count - 1] && !compares(q);
}

/* Whether all of them found room: else it is as if nothing had been said of leaving them out. */
static bool leave_out(struct question *q, struct asked_span s)
{
	if (s.last - s.first >= ASKED_MOST - q->not_steps.count)
		return false;
	for (uint32_t step = s.first; step <= s.last; step++)
		add_id(&q->not_steps, step);
	return true;
}

/* Of the steps that were named last, those after `had`: a span of them, those after one, or such
 * as are not meant. */
static void take_steps(struct question *q, size_t i, size_t used, size_t had)
{
	const struct asked_ids all = q->steps;
	const bool is_all_between = is_span(q, i, used, had);
	const bool is_not_meant = slot_is_left_out(q, i);
	bool is_heeded = is_not_meant;

	if (is_not_meant && is_all_between && all.count - had == 2) {
		is_heeded = leave_out(q, (struct asked_span){true, all.all[had], all.all[had + 1]});
		q->steps.count = had;
	} else if (is_not_meant) {
		for (size_t k = had; k < all.count; k++)
			is_heeded &=
				leave_out(q, (struct asked_span){true, all.all[k], all.all[k]});
		q->steps.count = had;
	} else if (is_all_between && !q->step_span.is_given) {
		q->steps.count -= 2;
		q->step_span =
			(struct asked_span){true, all.all[all.count - 2], all.all[all.count - 1]};
	} else if (i && words_at(&q->words, i - 1, "after") && had < all.count) {
		q->steps.count = had;
		q->step_span = (struct asked_span){true, all.all[had] + 1, UINT32_MAX};
		is_heeded = true;
	}
	if (is_heeded)
		q->is_used[i - 1] = true;
}

void slot_drop_steps_left_out(struct question *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->steps.count; i++) {
		bool is_out = false;

		for (size_t k = 0; k < q->not_steps.count; k++)
			is_out |= q->steps.all[i] == q->not_steps.all[k];
		if (!is_out)
			q->steps.all[n++] = q->steps.all[i];
	}
	q->steps.count = n;
}

bool slot_find_ids(struct question *q, size_t i)
{
	static const char *const devices[] = {"gpu", "device", "dev", "cuda", NULL};
	static const char *const ranks[] = {"rank", NULL};
	static const char *const streams[] = {"stream", NULL};
	static const char *const steps[] = {"step", NULL};
	static const char *const pids[] = {"pid", "process", NULL};
	const struct {
		const char *const *words;
		struct asked_ids *ids;
	} kinds[] = {{devices, &q->devices},
		     {ranks, &q->ranks},
		     {streams, &q->streams},
		     {steps, &q->steps},
		     {pids, &q->pids}};

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		const size_t had = kinds[k].ids->count;
		const size_t used = take_ids(q, i, kinds[k].words, kinds[k].ids);

		if (used) {
			/* The word itself stays one: "how long is step 3" is about steps. */
			slot_use(q, i + (used > 1), used > 1 ? used - 1 : 0);
			q->is_place[i] = !is_asked_of(q, i) || kinds[k].ids != &q->steps;
			if (kinds[k].ids == &q->steps)
				take_steps(q, i, used, had);
			slot_use_preposition(q, i);
			return true;
		}
	}
	if (slot_is_ordinal(q, i) && words_at(&q->words, i + 1, "step")) {
		add_id(&q->steps, slot_whole_number(slot_text(q, i)));
		slot_use(q, i, 1);
		return true;
	}
	return false;
}

/* "since the first step", "time to the first step", "between the start and the first step": that is
 * no step that is asked about. */
static bool is_only_an_end(const struct question *q, size_t i)
{
	static const char *const ends = "before until till to since than as";

	if (i && words_at(&q->words, i - 1, "the"))
		i--;
	return i && (str_is_listed(str_of(slot_text(q, i - 1)), ends) ||
		     (words_at(&q->words, i - 1, "and") && question_says(q, "between")));
}

void slot_find_step_ends(struct question *q)
{
	static const char firsts[] = "first initial", lasts[] = "last final";
	size_t first = 0, last = 0;

	while (first < q->words.count && !str_is_listed(str_of(slot_text(q, first)), firsts))
		first++;
	while (last < q->words.count && !str_is_listed(str_of(slot_text(q, last)), lasts))
		last++;
	if (first + 1 >= q->words.count || last >= q->words.count || !compares(q) ||
	    !(words_at(&q->words, first + 1, "step") || words_at(&q->words, last + 1, "step")) ||
	    !(words_at(&q->words, first + 1, "step") || first + 2 == last || first > last))
		return;
	q->step_edge = (struct asked_edge){.is_given = true, .is_both = true, .count = 1};
	q->is_used[first] = q->is_used[last] = true;
}

/* "in the last 3 steps", "first step", "without the first two steps". Who compares, or asks why,
 * asks about that step and all others. */
bool slot_find_step_edge(struct question *q, size_t i)
{
	const bool is_last = str_is_listed(str_of(slot_text(q, i)), "last final");
	const double said = slot_whole_number(slot_text(q, i + 1));
	const size_t at = said > 0 ? i + 2 : i + 1;
	const size_t before = i && words_at(&q->words, i - 1, "the") ? i - 1 : i;

	if (!slot_text(q, i)[0] ||
	    (!is_last && !str_is_listed(str_of(slot_text(q, i)), "first initial")) ||
	    q->step_edge.is_given || said > UINT16_MAX || is_only_an_end(q, i) || compares(q) ||
	    question_says(q, "why") ||
	    !(words_at(&q->words, at, "step") || words_at(&q->words, at, "steps")))
		return false;
	q->step_edge =
		(struct asked_edge){.is_given = true,
				    .is_last = is_last,
				    .is_left_out = slot_is_left_out(q, i),
				    .is_passed = before && words_at(&q->words, before - 1, "after"),
				    .count = said > 0 ? (uint32_t)said : 1};
	slot_use(q, i, at - i);
	q->is_place[at] = !is_asked_of(q, before);
	if (q->step_edge.is_left_out || q->step_edge.is_passed)
		q->is_used[before - 1] = true;
	slot_use_preposition(q, before);
	return true;
}

bool question_place_edge(struct question *q, uint32_t first, uint32_t last)
{
	const struct asked_edge e = q->step_edge;
	const uint32_t most = last - first + 1, count = e.count < most ? e.count : most;
	const struct asked_span at_end = {true, last - (count - 1), last},
				at_begin = {true, first, first + (count - 1)};
	const struct asked_span meant = e.is_last ? at_end : at_begin;
	const bool is_outside = e.is_left_out || e.is_passed;

	q->step_edge.is_given = false;
	if (q->step_span.is_given || (q->steps.count && (e.is_both || is_outside || count > 1)))
		return false;
	if (e.is_both) {
		add_id(&q->steps, first);
		add_id(&q->steps, last);
	} else if (is_outside && (count == most || (e.is_passed && e.is_last))) {
		return false; /* none of the steps are left */
	} else if (is_outside && e.is_last) {
		q->step_span = (struct asked_span){true, first, meant.first - 1};
	} else if (is_outside) {
		q->step_span = (struct asked_span){true, meant.last + 1, UINT32_MAX};
	} else if (count == 1) {
		add_id(&q->steps, meant.first);
	} else {
		q->step_span = meant;
	}
	return true;
}
