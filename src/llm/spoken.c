/* How much of what a model says can be shown already? */
#include "llm/spoken.h"

#include "llm/outgoing/clean_text.h"

#include <ctype.h>

struct str spoken_without_thoughts(struct str text)
{
	static const char begin[] = "<think>", end[] = "</think>";
	const struct str said = str_trimmed(text);
	const char *at;

	if (!str_starts(said, begin))
		return said;
	at = memmem(said.s, said.len, end, strlen(end));
	if (!at)
		return said;
	at += strlen(end);
	return str_trimmed((struct str){at, said.len - (size_t)(at - said.s)});
}

/* While it thinks, or may be about to. */
static bool is_thinking(struct str text)
{
	static const char begin[] = "<think>";
	const struct str said = str_trimmed(text);
	const size_t len = said.len < strlen(begin) ? said.len : strlen(begin);

	return strncmp(said.s, begin, len) == 0 && !memmem(said.s, said.len, "</think>", 8);
}

/*
 * Where the last sentence ends, or the last line. "3." of a list ends none, and what is between
 * backticks or braces is not cut.
 */
static size_t sentences_end(struct str text)
{
	bool in_code = false;
	size_t end = 0, open = 0;

	for (size_t i = 0; i + 1 < text.len; i++) {
		in_code ^= text.s[i] == '`';
		open += text.s[i] == '{';
		open -= text.s[i] == '}' && open;
		if (text.s[i] == '\n') {
			in_code = false;
			open = 0;
			end = i + 1;
		} else if (!in_code && !open && strchr(".!?", text.s[i]) && text.s[i + 1] == ' ' &&
			   i && !isdigit((unsigned char)text.s[i - 1])) {
			end = i + 1;
		}
	}
	return end;
}

static void tell(struct spoken *s)
{
	const struct str all = buf_str(&s->wording.text);

	if (s->tell && all.len > s->told)
		s->tell(s->ctx, (struct str){all.s + s->told, all.len - s->told});
	s->told = all.len;
}

void spoken_go_on(struct spoken *s, struct str said, bool is_all)
{
	SCOPED_BUF clean = {0};
	struct str text;

	if (!is_all && (!s->tell || is_thinking(said)))
		return;
	clean_text_add(&clean, spoken_without_thoughts(said), SPOKEN_MOST);
	text = str_trimmed(buf_str(&clean));
	if (!is_all)
		text.len = sentences_end(text);
	if (text.len <= s->wording.taken)
		return;
	wording_go_on(&s->wording, &s->terms, text);
	tell(s);
}

void spoken_begin_anew(struct spoken *s)
{
	wording_free(&s->wording);
	s->told = 0;
}

void spoken_free(struct spoken *s)
{
	wording_free(&s->wording);
}
