/* Which GPU, rank, stream, step or stretch of time does a question name, and how many rows? */
#include "ask/question/question.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const char *text_at(const struct question *q, size_t i)
{
	return i < q->words.count && !q->words.all[i].is_quoted ? q->words.all[i].text : "";
}

static void use(struct question *q, size_t from, size_t count)
{
	for (size_t i = from; i < from + count && i < q->words.count; i++)
		q->is_used[i] = true;
}

/* "during step 3" says no more than "in step 3". */
static void use_preposition(struct question *q, size_t i)
{
	if (i && words_at(&q->words, i - 1, "during"))
		q->is_used[i - 1] = true;
}

static void add_id(struct asked_ids *ids, double value)
{
	if (ids->count < ASKED_MOST && value >= 0 && value < UINT32_MAX)
		ids->all[ids->count++] = (uint32_t)value;
}

/* "three", "3", "3rd": a whole number, or -1. */
static double whole_number(const char *word)
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

static const struct unit_word {
	const char *word;
	double factor;
	bool is_bytes;
} units[] = {
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

static const struct unit_word *find_unit(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(word, units[i].word) == 0)
			return &units[i];
	}
	return NULL;
}

/* "10 ms", "10ms", "10": how many words it is, 0 for none. A number without unit has unit NULL. */
static size_t amount_at(const struct question *q, size_t i, double *ret,
			const struct unit_word **ret_unit)
{
	const char *word = text_at(q, i);
	char *end;

	*ret_unit = NULL;
	/* "one millisecond" */
	if (whole_number(word) > 0 && !isdigit((unsigned char)word[0]) &&
	    strlen(text_at(q, i + 1)) > 1) {
		*ret = whole_number(word);
		*ret_unit = find_unit(text_at(q, i + 1));
		return *ret_unit ? 2 : 0;
	}
	if (!isdigit((unsigned char)word[0]))
		return 0;
	*ret = strtod(word, &end);
	if (*end) {
		*ret_unit = find_unit(end);
		return *ret_unit ? 1 : 0;
	}
	*ret_unit = find_unit(text_at(q, i + 1));
	return *ret_unit ? 2 : 1;
}

static bool is_number(const struct question *q, size_t i)
{
	return whole_number(text_at(q, i)) >= 0;
}

/* A number without a unit. */
static bool is_id(const struct question *q, size_t i)
{
	return isdigit((unsigned char)text_at(q, i)[0]) && is_number(q, i) &&
	       !find_unit(text_at(q, i + 1));
}

static bool joins_numbers(const struct question *q, size_t i)
{
	return text_at(q, i)[0] && str_is_listed(str_of(text_at(q, i)), "and or to compared");
}

/* "gpu 1", "gpu1", "gpus 0 and 1": what the words before a number say that it is. */
static size_t take_ids(struct question *q, size_t i, const char *const *words,
		       struct asked_ids *ids)
{
	const char *word = text_at(q, i);
	size_t next = i + 1;

	for (; *words; words++) {
		const size_t len = strlen(*words);

		if (strncmp(word, *words, len) != 0)
			continue;
		if (isdigit((unsigned char)word[len]) && whole_number(word + len) >= 0) {
			add_id(ids, whole_number(word + len));
			return 1;
		}
		if (word[len] == '\0' || strcmp(word + len, "s") == 0)
			break;
	}
	if (!*words)
		return 0;
	while (strcmp(text_at(q, next), "number") == 0 || strcmp(text_at(q, next), "no") == 0 ||
	       strcmp(text_at(q, next), "id") == 0 || strcmp(text_at(q, next), "index") == 0)
		next++;
	/* "steps of 30 ms", "a step 200 ms long": no number of a step. */
	if (!is_id(q, next))
		return 0;
	do {
		add_id(ids, whole_number(text_at(q, next++)));
		/* "ranks 0, 1 and 3"; "GPU 0 and GPU 1": that next one is found by itself. */
		next += joins_numbers(q, next) && is_id(q, next + 1);
	} while (is_id(q, next) && ids->count < ASKED_MOST);
	return next - i;
}

/* "how long is step 3", "duration of step 3": the step is what is asked about, and no place. */
static bool is_asked_of(const struct question *q, size_t i)
{
	static const char asks[] = "is was did does were are between compared than with has take";

	if (i && str_is_listed(str_of(text_at(q, i - 1)), asks))
		return true;
	return i > 1 && words_at(&q->words, i - 1, "of") &&
	       str_is_listed(str_of(text_at(q, i - 2)), "duration time length");
}

/* "leaving out step 0", "except steps 0 and 1": the word before says so. */
static bool is_left_out(const struct question *q, size_t i)
{
	static const char words[] = "excluding except without ignoring skipping omitting besides";

	if (!i)
		return false;
	if (words_at(&q->words, i - 1, "the"))
		return is_left_out(q, i - 1);
	return str_is_listed(str_of(text_at(q, i - 1)), words) ||
	       (i > 1 && (words_at(&q->words, i - 2, "leaving out") ||
			  words_at(&q->words, i - 2, "leave out") ||
			  words_at(&q->words, i - 2, "other than")));
}

/* "compare step 2 to step 4" names two, "from step 2 to step 4" all between them, too. */
static bool compares(const struct question *q)
{
	static const char words[] = "compare compared comparing comparison differ difference "
				    "differs versus vs than slower faster";

	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(text_at(q, i)), words))
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

	if (taken == 1 && (!had || i < 2 || !is_id(q, i - 2)))
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
	const bool is_not_meant = is_left_out(q, i);
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

/* "steps 2, 3 and 4 without step 3" */
static void drop_steps_left_out(struct question *q)
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

static bool find_ids(struct question *q, size_t i)
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
			use(q, i + (used > 1), used > 1 ? used - 1 : 0);
			q->is_place[i] = !is_asked_of(q, i) || kinds[k].ids != &q->steps;
			if (kinds[k].ids == &q->steps)
				take_steps(q, i, used, had);
			use_preposition(q, i);
			return true;
		}
	}
	/* "the 3rd step" */
	if (is_number(q, i) && !isdigit((unsigned char)text_at(q, i)[strlen(text_at(q, i)) - 1]) &&
	    isdigit((unsigned char)text_at(q, i)[0]) && words_at(&q->words, i + 1, "step")) {
		add_id(&q->steps, whole_number(text_at(q, i)));
		use(q, i, 1);
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
	return i && (str_is_listed(str_of(text_at(q, i - 1)), ends) ||
		     (words_at(&q->words, i - 1, "and") && question_says(q, "between")));
}

/* "is the first step slower than the last": these two. */
static void find_step_ends(struct question *q)
{
	static const char firsts[] = "first initial", lasts[] = "last final";
	size_t first = 0, last = 0;

	while (first < q->words.count && !str_is_listed(str_of(text_at(q, first)), firsts))
		first++;
	while (last < q->words.count && !str_is_listed(str_of(text_at(q, last)), lasts))
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
static bool find_step_edge(struct question *q, size_t i)
{
	const bool is_last = str_is_listed(str_of(text_at(q, i)), "last final");
	const double said = whole_number(text_at(q, i + 1));
	const size_t at = said > 0 ? i + 2 : i + 1;
	const size_t before = i && words_at(&q->words, i - 1, "the") ? i - 1 : i;

	if (!text_at(q, i)[0] ||
	    (!is_last && !str_is_listed(str_of(text_at(q, i)), "first initial")) ||
	    q->step_edge.is_given || said > UINT16_MAX || is_only_an_end(q, i) || compares(q) ||
	    question_says(q, "why") ||
	    !(words_at(&q->words, at, "step") || words_at(&q->words, at, "steps")))
		return false;
	q->step_edge =
		(struct asked_edge){.is_given = true,
				    .is_last = is_last,
				    .is_left_out = is_left_out(q, i),
				    .is_passed = before && words_at(&q->words, before - 1, "after"),
				    .count = said > 0 ? (uint32_t)said : 1};
	use(q, i, at - i);
	q->is_place[at] = !is_asked_of(q, before);
	if (q->step_edge.is_left_out || q->step_edge.is_passed)
		q->is_used[before - 1] = true;
	use_preposition(q, before);
	return true;
}

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
static bool find_window(struct question *q, size_t i)
{
	const struct unit_word *first, *second;
	double from, to;
	const size_t used = amount_at(q, i, &from, &first);
	const size_t joined = used ? between_ends(q, i + used) : 0;
	const size_t more = used ? amount_at(q, i + used + joined, &to, &second) : 0;

	if (!more || !second || second->is_bytes || (first && first->is_bytes) ||
	    (!joined && !first))
		return false;
	set_window(q, from * (first ? first : second)->factor, to * second->factor);
	use(q, i, used + joined + more);
	return q->has_window;
}

/* "at 1.2 s": what is there then. */
static bool find_moment(struct question *q, size_t i)
{
	const struct unit_word *unit;
	double at;
	size_t used;

	if (!words_at(&q->words, i, "at") && !words_at(&q->words, i, "around"))
		return false;
	used = amount_at(q, i + 1, &at, &unit);
	/* "at 4 ms per token" is how long one takes. */
	if (!used || !unit || unit->is_bytes || q->has_window ||
	    str_is_listed(str_of(text_at(q, i + 1 + used)), "per token each step request a every"))
		return false;
	set_window(q, at * unit->factor, at * unit->factor + 1);
	q->is_moment = q->has_window;
	use(q, i, used + 1);
	return true;
}

/* "the first 50 ms", "after 2 s", "before 1 s". */
static bool find_edge(struct question *q, size_t i)
{
	const bool from_start = words_at(&q->words, i, "first") || words_at(&q->words, i, "before");
	const struct unit_word *unit;
	double at;
	size_t used;

	if (!from_start && !words_at(&q->words, i, "after") && !words_at(&q->words, i, "since"))
		return false;
	used = amount_at(q, i + 1, &at, &unit);
	/* "the first second" */
	if (!used && words_at(&q->words, i, "first") && find_unit(text_at(q, i + 1))) {
		unit = find_unit(text_at(q, i + 1));
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
	use(q, i, used + 1);
	use_preposition(q, i && words_at(&q->words, i - 1, "the") ? i - 1 : i);
	return q->has_window;
}

/* "the last 50 ms": where they begin only the trace knows. */
static bool find_tail(struct question *q, size_t i)
{
	const struct unit_word *unit;
	double length;
	size_t used;

	if (!words_at(&q->words, i, "last") && !words_at(&q->words, i, "final"))
		return false;
	used = amount_at(q, i + 1, &length, &unit);
	if (!used || !unit || unit->is_bytes || q->has_window || !(length > 0))
		return false;
	set_window(q, -length * unit->factor, 0);
	use(q, i, used + 1);
	return q->has_window;
}

static bool find_threshold(struct question *q, size_t i)
{
	static const char above[] = "longer larger bigger greater more above over exceeding "
				    "least slower higher exceeds exceed exceeding";
	static const char below[] = "shorter smaller less below under fewer most faster lower";
	const struct str word = str_of(text_at(q, i));
	const bool is_above = word.len && str_is_listed(word, above);
	const struct unit_word *unit;
	size_t next = i + 1, used;
	double value;

	if (!is_above && !(word.len && str_is_listed(word, below)))
		return false;
	if (words_at(&q->words, next, "than") || words_at(&q->words, next, "as"))
		next++;
	used = amount_at(q, next, &value, &unit);
	if (!used || !unit)
		return false;
	q->threshold = (struct threshold){.is_given = true,
					  .is_below = !is_above,
					  .is_bytes = unit->is_bytes,
					  .has_equal = str_is_listed(word, "least most"),
					  .value = value * unit->factor};
	use(q, i, next - i + used);
	return true;
}

static bool has_superlative(const struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(text_at(q, i)), "slowest fastest longest shortest top "
							 "worst best most least first last"))
			return true;
	}
	return false;
}

/* "five GPU functions": what describes them is not what they are. */
static size_t noun_after(const struct question *q, size_t i)
{
	return i + (str_is_listed(str_of(text_at(q, i + 1)), "gpu cuda nvtx api") ? 2 : 1);
}

/* "top 5", "five slowest", "the 3 longest", "first three". */
static bool find_top(struct question *q, size_t i)
{
	static const char ranking[] =
		"slowest fastest longest shortest largest biggest smallest top most worst "
		"busiest expensive costliest heaviest hottest highest lowest kernel gap call range "
		"operation step stream copy collective kernels gaps calls ranges steps streams "
		"copies collectives function functions";
	const char *word = text_at(q, i);
	/* "the 3rd slowest" is one. */
	const bool is_ordinal =
		isdigit((unsigned char)word[0]) && !isdigit((unsigned char)word[strlen(word) - 1]);
	const double before = is_ordinal ? -1 : whole_number(word),
		     after = whole_number(text_at(q, i + 1));

	if (q->top)
		return false;
	if (strncmp(word, "top", 3) == 0 && whole_number(word + 3) > 0) {
		q->top = (uint64_t)whole_number(word + 3);
		use(q, i, 1);
		return true;
	}
	if ((strcmp(word, "top") == 0 || strcmp(word, "first") == 0 || strcmp(word, "worst") == 0 ||
	     strcmp(word, "slowest") == 0 || strcmp(word, "longest") == 0 ||
	     strcmp(word, "biggest") == 0 || strcmp(word, "largest") == 0) &&
	    after > 0 && !find_unit(text_at(q, i + 2))) {
		q->top = (uint64_t)after;
		use(q, i + 1, 1);
		if (strcmp(word, "top") == 0 || strcmp(word, "first") == 0)
			use(q, i, 1);
		return true;
	}
	if (before > 0 &&
	    (words_at(&q->words, i + 1, "of them") || words_at(&q->words, i + 1, "are enough") ||
	     words_at(&q->words, i + 1, "is enough"))) {
		q->top = (uint64_t)before;
		use(q, i, 3);
		return true;
	}
	/* "the ten steps" are all there are, "the ten slowest steps" are not. */
	if (before > 0 && str_starts(str_of(text_at(q, i + 1)), "step") && !has_superlative(q)) {
		use(q, i, 1);
		return true;
	}
	if (before > 0 && before <= 1000 &&
	    str_is_listed(str_of(text_at(q, noun_after(q, i))), ranking)) {
		q->top = (uint64_t)before;
		use(q, i, 1);
		return true;
	}
	return false;
}

/* "in this trace", of which nothing but "here" is left. */
static bool says_capture(const struct question *q, size_t i)
{
	static const char *const words[] = {"capture", "trace", "profile", "recording"};
	const struct word *w = &q->words.all[i];
	bool any = false;

	for (size_t n = 0; w->is_term && strcmp(w->text, "here") == 0 && n < ARRAY_LEN(words); n++)
		any |= str_ends(w->said, words[n]);
	return any;
}

static bool find_whole(struct question *q, size_t i)
{
	static const char *const phrases[] = {"whole capture",
					      "entire capture",
					      "whole trace",
					      "entire trace",
					      "whole run",
					      "entire run",
					      "whole recording",
					      "whole profile",
					      "entire profile",
					      "entire recording",
					      "complete capture",
					      "complete trace",
					      "full capture",
					      "full trace",
					      "including warmup",
					      "including warm up",
					      "including the warm up",
					      "whole file",
					      "whole program",
					      "entire program",
					      "with warmup",
					      "incl warmup",
					      "whole aufnahme"};

	q->names_capture |= says_capture(q, i) || words_at(&q->words, i, "recorded");
	for (size_t p = 0; p < ARRAY_LEN(phrases); p++) {
		if (words_at(&q->words, i, phrases[p])) {
			q->wants_all = true;
			use(q, i, 2);
			return true;
		}
	}
	return false;
}

/* "over all ranks", "across GPUs": of all of them, and not about them. */
static void mark_scope_words(struct question *q)
{
	for (size_t i = 1; i < q->words.count; i++)
		q->is_place[i] |= (words_at(&q->words, i - 1, "all") ||
				   words_at(&q->words, i - 1, "across")) &&
				  str_is_listed(str_of(text_at(q, i)), "ranks gpus processes");
}

/* "the window from 1 s to 2 s" is not about windows. */
static void mark_window_words(struct question *q)
{
	for (size_t i = 0; q->has_window && i < q->words.count; i++)
		q->is_place[i] |= str_is_listed(str_of(text_at(q, i)),
						"window stretch interval span section slot frame");
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

void question_find_slots(struct question *q)
{
	/* "the first 100 ms, that is from 1.0 to 1.1 s": both ends say more than one. */
	for (size_t i = 0; i < q->words.count && !q->has_window; i++) {
		if (!q->words.all[i].is_quoted)
			find_window(q, i);
	}
	find_step_ends(q);
	for (size_t i = 0; i < q->words.count; i++) {
		if (q->is_used[i] || q->words.all[i].is_quoted)
			continue;
		if (find_moment(q, i) || find_edge(q, i) || find_tail(q, i) ||
		    find_step_edge(q, i) || find_threshold(q, i) || find_top(q, i) ||
		    find_ids(q, i))
			continue;
		find_whole(q, i);
	}
	drop_steps_left_out(q);
	mark_window_words(q);
	mark_scope_words(q);
}
