/* What can the program do, in the words of its own registry? */
#include "cli/command.h"

#include "base/text.h"
#include "base/version.h"

static void add_line(struct buf *b, const char *name, const char *summary)
{
	buf_addf(b, "  %-12s %s\n", name, summary);
}

void help_program(struct buf *b)
{
	buf_adds(b, "gpuwhy " GPUWHY_VERSION
		    " -- where the GPU time of an Nsight Systems trace went\n\n"
		    "usage: gpuwhy TRACE\n"
		    "       gpuwhy COMMAND TRACE [options]\n\n"
		    "TRACE is a .sqlite export (also .sqlite.gz, .sqlite.zst) or a .nsys-rep "
		    "report.\n\n"
		    "commands:\n");
	for (size_t i = 0; command_at(i); i++)
		add_line(b, command_at(i)->name, command_at(i)->summary);
	for (size_t i = 0; analysis_at(i); i++) {
		if (!analysis_at(i)->nsys)
			add_line(b, analysis_at(i)->name, analysis_at(i)->summary);
	}
	buf_adds(b, "\n`gpuwhy COMMAND --help` tells more; `gpuwhy --version` the version.\n");
}

void help_command(struct buf *b, const struct command *c, const struct analysis *a)
{
	const char *name = c ? c->name : a->name;
	const char *detail = c ? c->detail : a->detail;
	uint64_t accepts = c ? c->accepts : analysis_accepts(a);

	const char *operand = c ? c->operand : accepts & PARAM_PATTERN ? "TRACE PATTERN" : "TRACE";

	buf_addf(b, "usage: gpuwhy %s [options]%s%s\n\n%s\n", name, operand ? " " : "",
		 operand ? operand : "", c ? c->summary : a->summary);
	if (detail)
		buf_addf(b, "\n%s\n", detail);
	buf_adds(b, "\noptions:\n");
	options_add_help(b, accepts);
	if (c && c->example)
		buf_addf(b, "\nexample:\n  %s\n", c->example);
}
