/* What does a question say? */
#include "ask/question/question.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

/* What looks like a name of a program: it has an underscore, or capitals inside. */
static bool looks_like_name(struct str said)
{
	bool lower = false;

	if (said.len && isdigit((unsigned char)said.s[0]))
		return false;
	for (size_t i = 0; i < said.len; i++) {
		const unsigned char c = (unsigned char)said.s[i];

		if (c == '_' && said.len > 2)
			return true;
		if (isupper(c) && lower && said.len > 4)
			return true;
		lower = islower(c);
	}
	return false;
}

static void find_names(struct question *q, const char *end)
{
	struct asked_names *n = &q->names;

	for (size_t i = 0; i < q->words.count && n->count < ASKED_MOST; i++) {
		const struct word *w = &q->words.all[i];

		const bool is_call = w->said.s + w->said.len < end && w->said.s[w->said.len] == '(';

		if (!w->is_quoted && !is_call && (q->is_used[i] || !looks_like_name(w->said)))
			continue;
		/* What the dictionary makes two words of is one name. */
		if (i && w->said.s == q->words.all[i - 1].said.s)
			continue;
		/* It says which one, and not what. */
		q->is_used[i] = true;
		n->is_quoted[n->count] = w->is_quoted;
		n->is_pattern[n->count] = w->said.s + w->said.len < end && w->said.len && i &&
					  w->said.s[w->said.len] == '*';
		n->all[n->count++] = w->said;
	}
}

/* Whether a clause ends before the word: "In my experiment, how long", "I wonder which". */
static bool is_clause_begin(const struct question *q, const char *text, size_t i)
{
	static const char opens[] = "wonder wondering know me out see ask asked curious";
	const char *at = q->words.all[i].said.s;

	while (at > text && at[-1] == ' ')
		at--;
	return (at > text && strchr(",:;-)", at[-1])) ||
	       str_is_listed(str_of(q->words.all[i - 1].text), opens);
}

/*
 * What somebody tells of themselves before they ask says little of what is asked: "I have inherited
 * this capture and wonder which GPU it is of".
 */
static void mark_asides(struct question *q, const char *text)
{
	static const char asks[] = "how which what why where when who";
	static const char people[] = "i my we our me us you your";
	bool has_person = false;

	for (size_t i = 0; i < q->words.count; i++) {
		const struct str word = str_of(q->words.all[i].text);

		if (!q->words.all[i].is_quoted && str_is_listed(word, asks)) {
			for (size_t j = 0; i && has_person && is_clause_begin(q, text, i) && j < i;
			     j++)
				q->is_place[j] = true;
			return;
		}
		/* "200 us" are no people. */
		has_person |= !q->is_used[i] && str_is_listed(word, people);
	}
}

/* "the range of step 7", "step 7's range", "step 7: its range": none of those inside it. */
static bool is_range_of_step(const struct question *q, size_t i)
{
	const size_t before = i && words_at(&q->words, i - 1, "s") ? i - 1 : i;

	return words_at(&q->words, i, "range") &&
	       (words_at(&q->words, i + 1, "of step") || words_at(&q->words, i + 1, "for step") ||
		(i && words_at(&q->words, i - 1, "its")) ||
		(before > 1 && words_at(&q->words, before - 2, "step") &&
		 isdigit((unsigned char)q->words.all[before - 1].text[0])));
}

void question_find_step_range(struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (q->steps.count != 1 || q->intent != ASKS_AMOUNT || q->measure != MEASURE_TIME ||
		    q->work.kinds || q->wants_rows || !is_range_of_step(q, i))
			continue;
		q->is_of_step_range = true;
		/* It says of which step, and no more. */
		q->is_place[i] = true;
	}
}

/* How many, how large, which extreme: what all of a capture is asked for. Shares and causes are of
 * its steps. */
static bool question_is_count(const struct question *q)
{
	return q->intent != ASKS_WHY && !q->has_window && !q->wants_warm &&
	       !question_names_steps(q) &&
	       (q->measure == MEASURE_COUNT || q->measure == MEASURE_BYTES ||
		q->measure == MEASURE_MOST || q->measure == MEASURE_LEAST || q->threshold.is_given);
}

void question_read(struct question *ret, struct str text)
{
	if (text.len > QUESTION_LONGEST)
		text.len = QUESTION_LONGEST;
	*ret = (struct question){0};
	words_read(&ret->words, text);
	ret->is_used = mem_zalloc(ret->words.count + 1, sizeof(*ret->is_used));
	ret->is_place = mem_zalloc(ret->words.count + 1, sizeof(*ret->is_place));
	question_find_slots(ret);
	find_names(ret, text.s + text.len);
	mark_asides(ret, text.s);
	question_find_rank_verb(ret);
	question_find_intent(ret);
	question_find_explanations(ret, text);
	question_find_group(ret);
	question_find_work(ret);
	question_find_step_range(ret);
	question_find_about(ret);
	ret->wants_all |= ret->names_capture && question_is_count(ret);
}

void question_free(struct question *q)
{
	words_free(&q->words);
	free(q->is_used);
	free(q->is_place);
	*q = (struct question){0};
}

bool question_says_any(const struct question *q, const char *const *phrases)
{
	for (; *phrases; phrases++) {
		if (question_says(q, *phrases))
			return true;
	}
	return false;
}

bool question_says(const struct question *q, const char *phrase)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (words_at(&q->words, i, phrase))
			return true;
	}
	return false;
}

bool question_goes_on(const struct question *q)
{
	static const char *const beginnings[] = {"and",	     "what about", "how about", "then",
						 "same for", "the same",   "but",	"also"};

	for (size_t i = 0; i < ARRAY_LEN(beginnings); i++) {
		if (words_at(&q->words, 0, beginnings[i]))
			return true;
	}
	return false;
}

bool question_names_steps(const struct question *q)
{
	return q->steps.count || q->step_span.is_given || q->step_edge.is_given;
}

bool question_means_step(const struct question *q, int64_t step)
{
	const struct asked_span *s = &q->step_span;

	for (size_t i = 0; i < q->not_steps.count; i++) {
		if (step == (int64_t)q->not_steps.all[i])
			return false;
	}
	return !s->is_given ||
	       (step >= (int64_t)s->first && (s->last == UINT32_MAX || step <= (int64_t)s->last));
}

bool question_is_unread_number(const struct question *q, size_t i)
{
	const struct word *w = &q->words.all[i];
	/* "99th percentile" is a measure. */
	const bool is_nth = q->nth || str_is_listed(str_of(w->text), "99 99th 90 90th");

	return !q->is_used[i] && !q->is_place[i] && !w->is_quoted && !w->is_term && !is_nth &&
	       isdigit((unsigned char)w->text[0]);
}

bool question_has_unread_number(const struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (question_is_unread_number(q, i))
			return true;
	}
	return false;
}

void question_drop_places(struct question *q)
{
	q->devices.count = q->ranks.count = q->streams.count = q->steps.count = q->pids.count = 0;
	q->step_span.is_given = q->step_edge.is_given = false;
	q->has_window = q->is_moment = false;
}

static void copy_window(struct question *to, const struct question *from)
{
	to->has_window = true;
	to->is_moment = from->is_moment;
	to->from_ns = from->from_ns;
	to->to_ns = from->to_ns;
	to->to_end = from->to_end;
}

void question_take_slots(struct question *q, const struct question *later)
{
	const struct {
		struct asked_ids *to;
		const struct asked_ids *from;
	} ids[] = {{&q->devices, &later->devices},
		   {&q->ranks, &later->ranks},
		   {&q->streams, &later->streams},
		   {&q->steps, &later->steps},
		   {&q->pids, &later->pids}};

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		if (ids[i].from->count)
			*ids[i].to = *ids[i].from;
	}
	/* A step is a window, too: the later of them counts. */
	if (later->has_window || later->step_span.is_given)
		q->steps.count = 0;
	if (later->has_window || question_names_steps(later)) {
		q->step_span = later->step_span;
		q->step_edge = later->step_edge;
	}
	if (later->has_window)
		copy_window(q, later);
	else if (question_names_steps(later))
		q->has_window = false;
	if (later->top)
		q->top = later->top;
	if (later->names.count)
		q->names = later->names;
	q->wants_all |= later->wants_all;
	q->wants_warm |= later->wants_warm;
}

void question_add_slots(struct question *q, const struct question *told)
{
	const struct {
		struct asked_ids *to;
		const struct asked_ids *from;
	} ids[] = {{&q->devices, &told->devices},
		   {&q->ranks, &told->ranks},
		   {&q->streams, &told->streams},
		   {&q->steps, &told->steps},
		   {&q->pids, &told->pids}};

	if (!question_names_steps(q)) {
		q->step_span = told->step_span;
		q->step_edge = q->step_edge.is_given ? q->step_edge : told->step_edge;
	}
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		if (!ids[i].to->count && !(ids[i].to == &q->steps && q->step_span.is_given))
			*ids[i].to = *ids[i].from;
	}
	if (!q->has_window && told->has_window)
		copy_window(q, told);
	q->wants_all |= told->wants_all;
	q->wants_warm |= told->wants_warm;
}
