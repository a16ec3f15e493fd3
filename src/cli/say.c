/* How does the program speak to the person who ran it? */
#include "cli/say.h"

#include "base/progress.h"
#include "text/text.h"

#include <stdio.h>

/* A line: what is said before the text, and the text, of which anything may be somebody else's. */
static void say(FILE *to, const char *before, const char *text)
{
	SCOPED_BUF b = {0};

	buf_adds(&b, before);
	text_add_safe(&b, str_of(text));
	buf_addc(&b, '\n');
	progress_clear();
	fputs(b.s, to);
}

void say_error(const struct err *e)
{
	say(stderr, "gpuwhy: ", e->message);
	if (e->hint[0])
		say(stderr, "  hint: ", e->hint);
}

void say_warning(const char *text)
{
	say(stderr, "gpuwhy: warning: ", text);
}

void say_wrote(const char *path, const char *what)
{
	SCOPED_BUF b = {0};

	buf_adds(&b, "wrote ");
	text_add_safe(&b, str_of(path));
	buf_adds(&b, ": ");
	say(stdout, b.s, what);
}

void say_skipped(const char *what, const char *why)
{
	SCOPED_BUF b = {0};

	buf_addf(&b, "SKIPPED %s: ", what);
	say(stderr, b.s, why);
}
