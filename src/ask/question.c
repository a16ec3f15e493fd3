/* What does a question say? */
#include "ask/question.h"

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

static void find_names(struct question *q)
{
	struct asked_names *n = &q->names;

	for (size_t i = 0; i < q->words.count && n->count < ASKED_MOST; i++) {
		const struct word *w = &q->words.all[i];

		if (!w->is_quoted && (w->is_term || q->is_used[i] || !looks_like_name(w->said)))
			continue;
		n->is_quoted[n->count] = w->is_quoted;
		n->all[n->count++] = w->said;
	}
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
	question_find_intent(ret);
	find_names(ret);
}

void question_free(struct question *q)
{
	words_free(&q->words);
	free(q->is_used);
	free(q->is_place);
	*q = (struct question){0};
}
