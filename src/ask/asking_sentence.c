/* Which sentence of what was typed asks, and what do the others say of it? */
#include "ask/asking.h"

#include <ctype.h>
#include <string.h>

/* Whether all words of a text are known here: then it belongs to the question before it. */
static bool is_understood(const struct asking *a, struct str text)
{
	struct words w;
	bool all = true;

	words_read(&w, text);
	for (size_t i = 0; i < w.count; i++)
		all &= !w.all[i].is_quoted &&
		       (w.all[i].is_stop || w.all[i].is_term ||
			corpus_term(&a->corpus, w.all[i].stem) != TERM_NONE ||
			isdigit((unsigned char)w.all[i].text[0]));
	words_free(&w);
	return all;
}

/* Whether a text says what is asked about: "which one is it?" does not. */
static bool has_substance(const struct asking *a, struct str text)
{
	struct words w;
	bool any = false;

	words_read(&w, text);
	for (size_t i = 0; i < w.count && !any; i++)
		any = !w.all[i].is_stop && (w.all[i].is_quoted || strchr(w.all[i].text, '_') ||
					    isdigit((unsigned char)w.all[i].text[0]) ||
					    corpus_term(&a->corpus, w.all[i].stem) != TERM_NONE);
	words_free(&w);
	return any;
}

/* The sentence that begins here: to its mark, a semicolon, a line's end or a stop before a space.
 */
static struct str sentence_at(const char *text)
{
	static const char wide_mark[] = "\xef\xbc\x9f"; /* of Chinese */
	const size_t wide = sizeof(wide_mark) - 1;
	size_t len = 0;

	while (text[len] && !strchr("?;!\n", text[len]) &&
	       strncmp(text + len, wide_mark, wide) != 0 &&
	       !(text[len] == '.' && (text[len + 1] == ' ' || !text[len + 1])))
		len++;
	if ((unsigned char)text[len] >= 0x80)
		len += wide - 1;
	return (struct str){text, len + (text[len] != '\0')};
}

struct str asking_sentence(const struct asking *a, const char *question)
{
	const char *at = question;

	while (*at) {
		const struct str s = sentence_at(at);
		const bool asks = s.len > 8 && (s.s[s.len - 1] == '?' || s.s[s.len - 1] == ';' ||
						(unsigned char)s.s[s.len - 1] == 0x9f);

		if (asks && !has_substance(a, s))
			return str_of(question);
		if (asks)
			return is_understood(a, str_of(at + s.len)) ? str_of(at) : s;
		at += s.len;
	}
	return str_of(question);
}

/* "I have a range called clip. How long is it?" */
static void take_names_told(struct asking *a, struct question *told)
{
	const struct question asked = a->question;

	a->question = *told;
	asking_take_names(a);
	*told = a->question;
	a->question = asked;
	a->question.names = told->names;
}

void asking_take_context(struct asking *a, const char *question, struct str asked)
{
	struct question before;

	question_read(&before, (struct str){question, (size_t)(asked.s - question)});
	if (before.words.count) {
		question_add_slots(&a->question, &before);
		question_find_step_range(&a->question);
	}
	if (!a->question.names.count && question_says(&a->question, "it"))
		take_names_told(a, &before);
	if (!a->question.work.kinds &&
	    question_says_any(&a->question, ANY_OF("ones", "they", "them", "those", "these")))
		a->question.work.kinds = before.work.kinds;
	question_free(&before);
}
