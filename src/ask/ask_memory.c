/* What does a question take from the one before it? */
#include "ask/ask.h"
#include "ask/asking.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Whether it asks about something else than the question before: "and how many kernels?" */
static bool has_subject(const struct asking *a)
{
	const struct question *q = &a->question;

	for (size_t i = 0; i < q->words.count; i++) {
		const struct word *w = &q->words.all[i];

		if (!w->is_stop && !w->is_quoted && !q->is_used[i] && !q->is_place[i] &&
		    corpus_term(&a->corpus, w->stem) != TERM_NONE)
			return true;
	}
	return false;
}

bool asking_recall(struct asking *a, struct ask_memory *m, struct question *before)
{
	struct question now = a->question;

	if (!m || !m->question || !question_goes_on(&now))
		return false;
	question_read(before, str_of(m->question));
	if (m->is_refused)
		question_drop_places(before);
	question_take_slots(before, &m->slots);
	if (has_subject(a)) {
		question_add_slots(&a->question, before);
		return false;
	}
	question_take_slots(before, &now);
	a->question = *before;
	*before = now;
	return true;
}

/* Where and when it was asked about, so that the next question may go on from there. */
static void remember_slots(struct ask_memory *m, const struct question *q)
{
	struct arena old = m->arena;

	m->arena = (struct arena){0};
	m->slots = *q;
	m->slots.words = (struct words){0};
	m->slots.is_used = m->slots.is_place = NULL;
	m->slots.head = NULL;
	for (size_t i = 0; i < q->names.count; i++)
		m->slots.names.all[i] = arena_str(&m->arena, q->names.all[i]);
	arena_free(&old);
}

void asking_remember(struct ask_memory *m, const struct asking *a, struct str meant, bool is_same)
{
	const bool is_refused = strcmp(a->answer->status, "cannot_tell") == 0;

	if (!m || a->route.is_foreign)
		return;
	/* What is not there is no place to go on from. */
	if (!is_refused)
		remember_slots(m, &a->question);
	if (is_same)
		return;
	m->is_refused = is_refused;
	free(m->question);
	m->question = mem_strdup(meant.s);
}

void ask_forget(struct ask_memory *m)
{
	free(m->question);
	arena_free(&m->arena);
	*m = (struct ask_memory){0};
}
