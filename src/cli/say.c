/* How does the program speak to the person who ran it? */
#include "cli/say.h"

#include "text/text.h"

#include <stdio.h>

static void add_line(struct buf *b, const char *head, const char *text)
{
	buf_adds(b, head);
	text_add_safe(b, str_of(text));
	buf_addc(b, '\n');
}

void say_error(const struct err *e)
{
	struct buf b = {0};

	add_line(&b, "gpuwhy: ", e->message);
	if (e->hint[0])
		add_line(&b, "  hint: ", e->hint);
	fputs(b.s, stderr);
	buf_free(&b);
}

void say_warning(const char *text)
{
	struct buf b = {0};

	add_line(&b, "gpuwhy: warning: ", text);
	fputs(b.s, stderr);
	buf_free(&b);
}

void say_wrote(const char *path, const char *what)
{
	struct buf b = {0};

	buf_adds(&b, "wrote ");
	text_add_safe(&b, str_of(path));
	add_line(&b, ": ", what);
	fputs(b.s, stdout);
	buf_free(&b);
}

void say_skipped(const char *what, const char *why)
{
	struct buf b = {0};

	buf_addf(&b, "SKIPPED %s: ", what);
	add_line(&b, "", why);
	fputs(b.s, stderr);
	buf_free(&b);
}
