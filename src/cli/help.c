/* What can the program do, in the words of its own registry? */
#include "cli/command.h"

#include "base/version.h"
#include "text/text.h"

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
	buf_adds(b, "\n`gpuwhy COMMAND --help` tells more; `gpuwhy --version` the version.\n");
}

void help_command(struct buf *b, const struct command_view *c)
{
	buf_addf(b, "usage: gpuwhy %s [options]%s%s\n\n%s\n", c->name, c->operand ? " " : "",
		 c->operand ? c->operand : "", c->summary);
	if (c->detail)
		buf_addf(b, "\n%s\n", c->detail);
	buf_adds(b, "\noptions:\n");
	parts_add_help(b, &c->parts);
	if (c->example)
		buf_addf(b, "\nexample:\n  %s\n", c->example);
}
