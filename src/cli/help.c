/* --help, made from the registry of commands. */
#include "cli/command.h"

#include "base/version.h"
#include "text/text.h"

enum { DETAIL_COLUMNS = 90 };

static void add_line(struct buf *b, const char *name, const char *summary)
{
	buf_addf(b, "  %-12s %s\n", name, summary);
}

void help_program(struct buf *b)
{
	struct command_view c;

	buf_adds(b, "gpuwhy " GPUWHY_VERSION
		    " -- where the GPU time of an Nsight Systems trace went\n\n"
		    "usage: gpuwhy TRACE\n"
		    "       gpuwhy COMMAND TRACE [options]\n\n"
		    "TRACE is a .sqlite export (also .sqlite.gz, .sqlite.zst) or a .nsys-rep "
		    "report.\n\n"
		    "commands:\n");
	for (size_t i = 0; command_view_at(i, &c); i++)
		add_line(b, c.name, c.summary);
	buf_adds(b, "\nSee also: gpuwhy COMMAND --help, gpuwhy --version\n");
}

static void add_wrapped(struct buf *b, struct str line)
{
	size_t column = 0;

	while (line.len) {
		const char *space = memchr(line.s, ' ', line.len);
		struct str word = {line.s, space ? (size_t)(space - line.s) : line.len};
		size_t width = text_width(word), rest = word.len + (space != NULL);
		bool fits = column && column + 1 + width <= DETAIL_COLUMNS;

		if (column)
			buf_addc(b, fits ? ' ' : '\n');
		buf_addstr(b, word);
		column = fits ? column + 1 + width : width;
		line = (struct str){line.s + rest, line.len - rest};
	}
}

/* Indented lines are lists or examples and stay as they are. */
static void add_detail(struct buf *b, const char *text)
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		struct str line = {text, (size_t)(end - text)};

		buf_addc(b, '\n');
		if (str_starts(line, "  "))
			buf_addstr(b, line);
		else
			add_wrapped(b, line);
	}
	buf_addc(b, '\n');
}

void help_command(struct buf *b, const struct command_view *c)
{
	buf_addf(b, "usage: gpuwhy %s [options]%s%s\n\n%s\n", c->name, c->operand ? " " : "",
		 c->operand ? c->operand : "", c->summary);
	if (c->detail)
		add_detail(b, c->detail);
	buf_adds(b, "\noptions:\n");
	parts_add_help(b, &c->parts);
	if (c->example)
		buf_addf(b, "\nexample:\n  %s\n", c->example);
}
