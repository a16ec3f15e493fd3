/* What does a question say besides the work that it means: which part of the trace, and how many
 * rows? */
#include "ask/question/slot.h"

#include "base/mem.h"

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
			slot_use(q, i, 2);
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
				  str_is_listed(str_of(slot_text(q, i)), "ranks gpus processes");
}

/* "the window from 1 s to 2 s" is not about windows. */
static void mark_window_words(struct question *q)
{
	for (size_t i = 0; q->has_window && i < q->words.count; i++)
		q->is_place[i] |= str_is_listed(str_of(slot_text(q, i)),
						"window stretch interval span section slot frame");
}

void question_find_slots(struct question *q)
{
	/* "the first 100 ms, that is from 1.0 to 1.1 s": both ends say more than one. */
	for (size_t i = 0; i < q->words.count && !q->has_window; i++) {
		if (!q->words.all[i].is_quoted)
			slot_find_window(q, i);
	}
	slot_find_step_ends(q);
	for (size_t i = 0; i < q->words.count; i++) {
		if (q->is_used[i] || q->words.all[i].is_quoted)
			continue;
		if (slot_find_moment(q, i) || slot_find_edge(q, i) || slot_find_tail(q, i) ||
		    slot_find_step_edge(q, i) || slot_find_threshold(q, i) || slot_find_top(q, i) ||
		    slot_find_ids(q, i))
			continue;
		if (!find_whole(q, i))
			slot_find_warm(q, i);
	}
	slot_drop_steps_left_out(q);
	mark_window_words(q);
	mark_scope_words(q);
}
