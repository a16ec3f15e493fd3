/* How is a command line written so that a shell, or a profiler, reads the same? */
#include "text/shell_words.h"

const char *words_literal_path(struct arena *a, const char *path)
{
	SCOPED_BUF b = {0};

	for (; *path; path++) {
		if (*path == '%')
			buf_addc(&b, '%');
		buf_addc(&b, *path);
	}
	return arena_str(a, buf_str(&b)).s;
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
