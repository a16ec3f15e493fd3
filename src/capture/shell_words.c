/* How is a command line written so that a shell, or a profiler, reads the same? */
#include "capture/shell_words.h"

const char *words_literal_path(struct arena *a, const char *path)
{
	struct buf b = {0};
	char *literal;

	for (; *path; path++) {
		if (*path == '%')
			buf_addc(&b, '%');
		buf_addc(&b, *path);
	}
	literal = arena_strdup(a, b.s ? b.s : "");
	buf_free(&b);
	return literal;
}

/* What no shell takes for anything but itself, wherever it stands. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "@%+=:,./_-";

void word_add_quoted(struct buf *b, const char *word)
{
	if (*word && !word[strspn(word, plain)]) {
		buf_adds(b, word);
		return;
	}
	buf_addc(b, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *word);
	}
	buf_addc(b, '\'');
}

void words_add_quoted(struct buf *b, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_addc(b, ' ');
		word_add_quoted(b, words[i]);
	}
}
