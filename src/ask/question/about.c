/* What is a question about, where that is said by several words, none of which is a topic alone? */
#include "ask/question/question.h"

#include "base/mem.h"

#include <ctype.h>

static bool has_word_of(const struct question *q, const char *list)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (!q->words.all[i].is_quoted && str_is_listed(str_of(q->words.all[i].text), list))
			return true;
	}
	return false;
}

static bool has_place(const struct question *q)
{
	return q->names.count || q->has_window || question_names_steps(q) || q->ranks.count ||
	       q->streams.count || q->devices.count || q->pids.count;
}

/* "the trace"; "length of this capture", of which the dictionary leaves "length here". */
static bool is_capture(const struct word *w)
{
	static const char captures[] = "capture trace recording profile session";

	return !w->is_quoted &&
	       (str_is_listed(str_of(w->text), captures) ||
		(w->is_term && strcmp(w->text, "here") == 0 && str_starts(w->said, "of ")));
}

/* "length of the capture", "how long is the trace", "capture duration": whatever else is said. */
static bool says_length_of(const struct question *q, size_t c)
{
	static const char articles[] =
		"the this my our your a whole entire full total complete here "
		"der die das";
	static const char lengths[] = "length duration span";
	const struct words *w = &q->words;
	size_t before = c;

	while (before && (str_is_listed(str_of(w->all[before - 1].text), articles)))
		before--;
	if (words_at(w, c + 1, "s"))
		return false;
	return (before > 1 && words_at(w, before - 1, "of") &&
		str_is_listed(str_of(w->all[before - 2].text), lengths)) ||
	       (before > 2 && words_at(w, before - 3, "how long is")) ||
	       (c + 1 < w->count && str_is_listed(str_of(w->all[c + 1].text), lengths));
}

/* "how many seconds does the profile span", and nothing that would last in it. */
static bool asks_capture_length(const struct question *q)
{
	static const char others[] =
		"how much long length duration time seconds second minutes total whole entire full "
		"complete overall span spans spanned cover covers covered last lasts wall host "
		"clock nsys recorded record recording run gesamte gesamt ganze ganzen gesamten "
		"end start beginning complete altogether file elapsed of is the which what does";
	static const char *const lengths[] = {"how long",
					      "length",
					      "duration",
					      "how many seconds",
					      "how many minutes",
					      "time span",
					      "how much time",
					      "seconds",
					      "span",
					      "total time",
					      "wall",
					      "time",
					      NULL};
	bool is_named = false, is_said = false, is_alone = true;
	size_t asks = 0;

	if (q->intent == ASKS_WHEN || q->intent == ASKS_WHY || q->measure == MEASURE_MEAN ||
	    has_place(q) || q->top)
		return false;
	for (size_t i = 0; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];
		const bool is_its = is_capture(w);

		asks += str_is_listed(str_of(w->text), "how which what");
		is_named |= is_its;
		is_said |= is_its && says_length_of(q, i);
		is_alone &= is_its || w->is_stop || str_is_listed(str_of(w->text), others);
	}
	/* "how long is the trace, and how many kernels" is about more. */
	return (is_said && asks < 2) || (is_named && is_alone && question_says_any(q, lengths));
}

/* "how many kernels come from graphs"; how many graphs have none of that. */
static bool asks_graph_kernels(const struct question *q)
{
	static const char relations[] = "belong belongs belonging come comes came from part within "
					"in inside node nodes captured via through by";
	static const char others[] = "not outside without besides replay replays per each average";

	return q->measure == MEASURE_COUNT && q->work.kinds == WORK_KERNEL &&
	       has_word_of(q, "graph graphs") && has_word_of(q, relations) &&
	       !has_word_of(q, others) && !q->names.count;
}

/* "in which call does the main thread sit while the GPU has nothing to do". */
static bool asks_idle_call(const struct question *q)
{
	static const char blocked[] = "blocked block blocks blocking stuck sit sits sitting hang "
				      "hangs wait waits waiting "
				      "sleep sleeps sleeping";
	static const char host[] = "host thread cpu process program call calls function python";

	if (question_says_os_calls(q) && has_word_of(q, blocked) && q->measure == MEASURE_ANY)
		return q->intent == ASKS_WHAT;
	return has_word_of(q, "what which where who") && has_word_of(q, blocked) &&
	       has_word_of(q, host) && has_word_of(q, "while when during whenever meanwhile") &&
	       (has_word_of(q, "idle gap gaps starved") ||
		question_says_any(
			q, ANY_OF("gpu waits", "gpu is waiting", "gpu waiting", "gpu starves"))) &&
	       (q->intent == ASKS_WHAT || q->intent == ASKS_WHEN);
}

bool question_says_os_calls(const struct question *q)
{
	return question_says_any(
		q, ANY_OF("os runtime", "os call", "os calls", "os function", "os functions",
			  "operating system call", "operating system calls",
			  "operating system function", "operating system functions", "system call",
			  "system calls", "syscall", "syscalls", "osrt call", "osrt calls",
			  "osrt function", "osrt functions", "osrt time", "time in osrt", "libc"));
}

/* "rank the kernels by time", "please rank kernels by total": an order is asked for, and no rank.
 */
static bool is_rank_verb(const struct question *q, size_t i)
{
	static const char before[] = "please you to then and also can could now me us lets";
	static const char objects[] = "the all my our these those them every by top";
	const struct words *w = &q->words;
	bool has_by = false;

	if (!words_at(w, i, "rank") || w->all[i].is_quoted || w->all[i].is_term ||
	    i + 1 >= w->count || (i && !str_is_listed(str_of(w->all[i - 1].text), before)))
		return false;
	for (size_t k = i + 1; k < w->count; k++)
		has_by |= words_at(w, k, "by");
	return str_is_listed(str_of(w->all[i + 1].text), objects) ||
	       (has_by && !w->all[i + 1].is_stop && !isdigit((unsigned char)w->all[i + 1].text[0]));
}

void question_find_rank_verb(struct question *q)
{
	for (size_t i = 0; i < q->words.count; i++) {
		if (!is_rank_verb(q, i))
			continue;
		q->is_used[i] = true;
		q->wants_order = true;
	}
}

/* "busy share (kernels or copies running)": what stands in brackets explains the words before. */
void question_find_explanations(struct question *q, struct str text)
{
	const char *open = memchr(text.s, '(', text.len);
	const char *close = open ? memchr(open, ')', text.len - (size_t)(open - text.s)) : NULL;
	const bool is_cause = q->intent == ASKS_WHY || q->hints_at_why;
	bool has_gpu = false, has_busy = false;

	for (size_t i = 0; close && !is_cause && i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		if (w->said.s > open && w->said.s < close)
			continue;
		has_gpu |= words_at(&q->words, i, "gpu");
		has_busy |= str_is_listed(str_of(w->text), "busy utilization idle active");
	}
	for (size_t i = 0; has_gpu && has_busy && i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		q->is_used[i] |= w->said.s > open && w->said.s < close;
	}
}

void question_find_about(struct question *q)
{
	q->about = asks_capture_length(q)      ? ABOUT_CAPTURE_LENGTH
		   : asks_graph_kernels(q)     ? ABOUT_GRAPH_KERNELS
		   : asks_idle_call(q)	       ? ABOUT_IDLE_CALL
		   : question_says_os_calls(q) ? ABOUT_OS_CALLS
					       : ABOUT_ANY;
	/* "the call that blocks a thread" is no block of threads. */
	if (q->about == ABOUT_IDLE_CALL)
		q->work.each = EACH_NONE;
	/* All of its words say that. */
	for (size_t i = 0; q->about == ABOUT_CAPTURE_LENGTH && i < q->words.count; i++)
		q->is_used[i] = true;
	/* Which of the graph's nodes are meant is said by the kernels. */
	for (size_t i = 0; q->about == ABOUT_GRAPH_KERNELS && i < q->words.count; i++)
		q->is_used[i] |= str_is_listed(str_of(q->words.all[i].text),
					       "belong belongs belonging come comes came part node "
					       "nodes captured");
}
