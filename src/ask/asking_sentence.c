/* Which sentence of what was typed asks, and what do the others say of it? */
#include "ask/asking.h"

#include "base/mem.h"

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

/* "rank 0 vs. rank 1", "(i.e. busy)": a stop that ends no sentence. */
static bool is_inside(const char *text, size_t stop)
{
	size_t open = 0;

	for (size_t i = 0; i < stop; i++)
		open = text[i] == '(' ? open + 1 : text[i] == ')' && open ? open - 1 : open;
	return (open && memchr(text + stop, ')', strlen(text + stop))) ||
	       (stop > 2 && strncasecmp(text + stop - 3, " vs", 3) == 0);
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
	       !(text[len] == '.' && (text[len + 1] == ' ' || !text[len + 1]) &&
		 !is_inside(text, len)))
		len++;
	if ((unsigned char)text[len] >= 0x80)
		len += wide - 1;
	return (struct str){text, len + (text[len] != '\0')};
}

/* "cudaMalloc calls", not "x' OR". */
static bool has_two_words(struct str text)
{
	struct words w;
	size_t words = 0;

	words_read(&w, text);
	for (size_t i = 0; i < w.count; i++)
		words += strlen(w.all[i].text) > 2;
	words_free(&w);
	return words > 1;
}

/* Commands that somebody types before a question, to see whether they are run: they ask nothing. */
static const char *skip_commands(const char *question)
{
	static const char *const marks[] = {"drop table",
					    "drop database",
					    "delete from",
					    "insert into",
					    "select *",
					    "union select",
					    "sqlite_master",
					    "1=1",
					    "'1'='1",
					    "-- ",
					    "/*",
					    "*/",
					    "<script",
					    "</script>",
					    "$(",
					    "rm -rf",
					    "&& ",
					    "../",
					    "/etc/"};
	static const char asks[] = "how which what where when who why is are does do show list top "
				   "total average mean number count longest give tell";
	const char *last = NULL, *first = NULL;

	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		for (const char *at = question; (at = strcasestr(at, marks[i])); at++) {
			const char *end = at + strlen(marks[i]);

			first = !first || at < first ? at : first;
			last = !last || end > last ? end : last;
		}
	}
	/* What stands before them may be what is asked about. */
	if (!first || has_two_words((struct str){question, (size_t)(first - question)}))
		return question;
	for (const char *at = last; *at; at++) {
		const char *word = at;
		const bool is_begin = !isalnum((unsigned char)at[-1]) && at[-1] != '_';

		while (isalpha((unsigned char)*word))
			word++;
		if (is_begin && word > at && strchr(word, ' ') &&
		    str_is_listed_any_case((struct str){at, (size_t)(word - at)}, asks))
			return at;
	}
	return question;
}

struct str asking_sentence(const struct asking *a, const char *question)
{
	const char *at;

	question = skip_commands(question);
	at = question;
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
	const char *const told = skip_commands(question);
	struct question before;

	question = told <= asked.s ? told : asked.s;
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
