/* Which rows come first, how many are meant, and are they meant together? */
#include "ask/question/question.h"

#include "base/mem.h"

/* "the last kernel", not "how long does it last"; "the first 10 ms" is a window. */
static bool has_nth(const struct question *q, const char *words)
{
	for (size_t i = 0; i + 1 < q->words.count; i++) {
		if (!q->is_used[i] && !q->words.all[i + 1].is_stop &&
		    str_is_listed(str_of(q->words.all[i].text), words))
			return true;
	}
	return false;
}

/* "second", "3rd": 2, 3; 0: the word is none. */
static uint64_t ordinal_at(const struct question *q, size_t i)
{
	static const char *const ordinals[][2] = {
		{"second", "2nd"}, {"third", "3rd"}, {"fourth", "4th"},
		{"fifth", "5th"},  {"sixth", "6th"}, {"seventh", "7th"},
		{"eighth", "8th"}, {"ninth", "9th"}, {"tenth", "10th"}};

	for (size_t n = 0; n < ARRAY_LEN(ordinals); n++) {
		if (words_at(&q->words, i, ordinals[n][0]) ||
		    words_at(&q->words, i, ordinals[n][1]))
			return n + 2;
	}
	return 0;
}

/* "per second", "in one second": no place in an order. */
static bool is_time(const struct question *q, size_t i)
{
	return words_at(&q->words, i, "second") && i &&
	       (str_is_listed(str_of(q->words.all[i - 1].text), "per a an each every one") ||
		(q->words.all[i - 1].text[0] >= '0' && q->words.all[i - 1].text[0] <= '9'));
}

/* "the second longest", "which is third in total time"; 0: none is said. */
static uint64_t find_nth(struct question *q)
{
	static const char ranking[] =
		"most longest slowest largest biggest heaviest costliest "
		"worst highest shortest fastest smallest least lowest busiest";
	static const char places[] = "in by place position overall ranked";

	for (size_t i = 0; i < q->words.count; i++) {
		const uint64_t nth = is_time(q, i) ? 0 : ordinal_at(q, i);
		const struct str next =
			i + 1 < q->words.count ? str_of(q->words.all[i + 1].text) : (struct str){0};
		const bool is_last =
			!next.len && i &&
			str_is_listed(str_of(q->words.all[i - 1].text), "is comes came ranks");
		const bool is_place = is_last || str_is_listed(next, places);

		if (!nth || q->is_used[i] || (!str_is_listed(next, ranking) && !is_place))
			continue;
		q->is_used[i] = true;
		return nth;
	}
	return 0;
}

/* "the top 3 kernels together", "total of the five slowest": what they take in all, and not only
 * which they are. */
static bool asks_top_sum(const struct question *q)
{
	size_t i = 0;

	if (q->top < 2)
		return false;
	if (question_says_any(q, ANY_OF("together", "combined", "altogether", "jointly", "in all",
					"make up", "account for", "accounts for", "add up to")))
		return true;
	/* "by total time" says which ones they are. */
	while (i < q->words.count &&
	       !str_is_listed(str_of(q->words.all[i].text), "total sum percentage share"))
		i++;
	return i < q->words.count && !(i && words_at(&q->words, i - 1, "by")) &&
	       !question_says_any(q, ANY_OF("which", "list", "show", "each", "rank", "by total"));
}

/* As they were said: the dictionary has no word for them. */
static bool says_distinct(const struct question *q)
{
	static const char *const words[] = {"different", "distinct", "unique", "verschieden"};

	for (size_t i = 0; i < q->words.count; i++) {
		for (size_t n = 0; n < ARRAY_LEN(words); n++) {
			const struct str said = q->words.all[i].said;

			if (memmem(said.s, said.len, words[n], strlen(words[n])))
				return true;
		}
	}
	return false;
}

/* As it was said: "most time" is a sum, though the dictionary has "slowest" for it. */
static bool says_length(const struct question *q)
{
	static const char words[] = "longest shortest slowest fastest quickest briefest";

	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(q->words.all[i].text), words) &&
		    str_eq_any_case(q->words.all[i].said, q->words.all[i].text))
			return !question_says_any(
				q, ANY_OF("total", "time", "altogether", "combined"));
	}
	return false;
}

/* "the mean time per kernel launch" is one number. */
static bool is_per_single(const struct question *q)
{
	return question_says(q, "per token") ||
	       (q->measure == MEASURE_MEAN &&
		question_says_any(q, ANY_OF("per kernel", "per launch", "per call", "per copy",
					    "per operation")));
}

/* "the kernel dominating the GPU time" is the first one; what follows "by" dominates others. */
static bool says_dominates(const struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (str_is_listed(str_of(q->words.all[i].stem), "dominat dominant") &&
		    !words_at(&q->words, i + 1, "by"))
			return true;
	}
	return false;
}

/* Which rows are first, and whether rows are asked for, not their sum. */
void question_find_ranking(struct question *q)
{
	q->least_first =
		question_says_any(q, ANY_OF("least", "shortest", "fastest", "smallest", "fewest",
					    "lowest", "rarest", "minimum", "cheapest", "quickest"));
	q->nth = find_nth(q);
	if (!q->top && question_says(q, "runner up"))
		q->top = 2;
	q->wants_top_sum = asks_top_sum(q);
	q->is_distinct = q->measure == MEASURE_COUNT && says_distinct(q);
	q->is_per_step = question_says_any(q, ANY_OF("per step", "per steps"));
	q->is_large = question_says_any(q, ANY_OF("largest", "biggest"));
	q->is_ranked = question_says_any(q, ANY_OF("slowest", "longest", "fastest", "shortest"));
	q->is_by_length = says_length(q);
	q->is_earliest = has_nth(q, "first earliest");
	q->is_latest = !q->is_earliest && has_nth(q, "last latest final");
	q->is_extreme =
		q->measure == MEASURE_BYTES &&
		question_says_any(q, ANY_OF("largest", "biggest", "peak", "maximum", "max"));
	q->wants_rows =
		q->top || q->least_first || q->wants_order ||
		question_says_any(q, ANY_OF("which", "list", "slowest", "longest", "largest",
					    "biggest", "most", "top", "worst", "each", "every",
					    "who", "where", "busiest", "highest", "greatest",
					    "lowest", "heaviest", "by")) ||
		says_dominates(q) || (question_says(q, "per") && !is_per_single(q));
}
