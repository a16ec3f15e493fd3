/* gpuwhy man: manual pages, made from the registry of commands. */
#include "cli/command.h"

#include "base/version.h"
#include "guides/guide.h"

#include <stdio.h>

/* Escapes what roff interprets: a dot or quote at the start of a line, backslashes, dashes. */
static void add_roff(struct buf *b, const char *text)
{
	bool begins = true;

	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			buf_adds(b, "\\&");
		begins = *text == '\n';
		if (*text == '\\')
			buf_adds(b, "\\e");
		else if (*text == '-')
			buf_adds(b, "\\-");
		else
			buf_addc(b, *text);
	}
}

static void add_upper(struct buf *b, const char *text)
{
	for (; *text; text++)
		buf_addc(b, *text >= 'a' && *text <= 'z' ? (char)(*text - 32) : *text);
}

static void add_section(struct buf *b, const char *title, const char *text)
{
	buf_addf(b, ".SH %s\n", title);
	add_roff(b, text);
	buf_addc(b, '\n');
}

static void add_option(struct buf *b, const struct option *opt)
{
	SCOPED_BUF text = {0};

	buf_adds(b, ".TP\n");
	if (opt->letter)
		buf_addf(b, "\\fB\\-%c\\fR, ", opt->letter);
	buf_adds(b, "\\fB\\-\\-");
	add_roff(b, opt->name);
	buf_adds(b, "\\fR");
	if (option_values(opt)) {
		option_add_value(&text, opt);
		buf_adds(b, " \\fI");
		add_roff(b, text.s);
		buf_adds(b, "\\fR");
		buf_clear(&text);
	}
	buf_addc(b, '\n');
	option_add_help(&text, opt);
	add_roff(b, text.s);
	buf_addc(b, '\n');
}

static void add_options(struct buf *b, const struct option_parts *parts)
{
	const struct option *opt;

	buf_adds(b, ".SH OPTIONS\n");
	for (size_t i = 0; parts_option_at(parts, i, &opt); i++) {
		if (opt->help)
			add_option(b, opt);
	}
}

static void add_item(struct buf *b, const char *name, const char *text)
{
	buf_adds(b, ".TP\n.B ");
	add_roff(b, name);
	buf_addc(b, '\n');
	add_roff(b, text);
	buf_addc(b, '\n');
}

static void add_reports(struct buf *b)
{
	buf_adds(b, ".SH REPORTS\n");
	for (size_t i = 0; analysis_at(i); i++) {
		if (analysis_at(i)->nsys)
			add_item(b, analysis_at(i)->name, analysis_at(i)->summary);
	}
}

static void add_keys(struct buf *b, const struct command *c)
{
	SCOPED_BUF keys = {0};
	SCOPED_BUF text = {0};

	buf_adds(b, ".SH KEYS\n");
	for (size_t i = 0; c->key_at(i, &keys, &text); i++) {
		add_item(b, buf_str(&keys).s, buf_str(&text).s);
		buf_clear(&keys);
		buf_clear(&text);
	}
}

static void add_example(struct buf *b, const char *example)
{
	buf_adds(b, ".SH EXAMPLES\n.nf\n");
	add_roff(b, example);
	buf_adds(b, "\n.fi\n");
}

static void add_exit_codes(struct buf *b)
{
	buf_adds(b, ".SH EXIT STATUS\n");
	add_item(b, "0", "success");
	add_item(b, "1", "a gate failed (only commands with a gate)");
	add_item(b, "2", "invalid command line");
	add_item(b, "3", "the trace is damaged, or lacks the requested data");
	add_item(b, "4", "system error: permissions, disk, memory");
	add_item(b, "5", "a gate cannot tell: too few runs, or they differ too much");
}

static void add_environment(struct buf *b)
{
	buf_adds(b, ".SH ENVIRONMENT\n");
	add_item(b, "GPUWHY_PAGER, PAGER",
		 "the pager for answers that are longer than the terminal, run by the shell; empty "
		 "or cat: none; without either, less, with LESS=FRX unless LESS is set");
	add_item(b, "COLUMNS", "the width of text, in place of the terminal's");
	add_item(b, "NO_COLOR", "if not empty, no colours unless --color always is given");
	add_item(b, "GPUWHY_CACHE_DIR", "the folder for exported and decompressed traces");
}

static void add_title(struct buf *b, const char *name)
{
	buf_adds(b, ".TH GPUWHY");
	if (name) {
		buf_addc(b, '-');
		add_upper(b, name);
	}
	buf_adds(b, " 1 \"\" \"gpuwhy " GPUWHY_VERSION "\" \"gpuwhy manual\"\n.SH NAME\ngpuwhy");
	if (name) {
		buf_adds(b, "\\-");
		add_roff(b, name);
	}
	buf_adds(b, " \\- ");
}

static void add_command_page(struct buf *b, const struct command_view *c)
{
	add_title(b, c->name);
	add_roff(b, c->summary);
	buf_adds(b, "\n.SH SYNOPSIS\n.B gpuwhy ");
	add_roff(b, c->name);
	buf_adds(b, "\n[options]");
	if (c->operand) {
		buf_addc(b, ' ');
		add_roff(b, c->operand);
	}
	buf_addc(b, '\n');
	if (c->detail)
		add_section(b, "DESCRIPTION", c->detail);
	if (command_other_name(c->name))
		add_section(b, "OTHER NAME", command_other_name(c->name));
	add_options(b, &c->parts);
	if (c->command && c->command->lists_reports)
		add_reports(b);
	if (c->command && c->command->key_at)
		add_keys(b, c->command);
	if (c->example)
		add_example(b, c->example);
	add_exit_codes(b);
	buf_adds(b, ".SH SEE ALSO\n.BR gpuwhy (1)\n");
}

static void add_program_page(struct buf *b)
{
	const struct guide *g;
	struct command_view c;

	add_title(b, NULL);
	buf_adds(b, "where the GPU time of an Nsight Systems trace went, and why\n"
		    ".SH SYNOPSIS\n.B gpuwhy\nTRACE\n.br\n.B gpuwhy\nCOMMAND [options] TRACE\n");
	add_section(b, "DESCRIPTION",
		    "TRACE is a .sqlite export of NVIDIA Nsight Systems (also .sqlite.gz, "
		    ".sqlite.zst) or a .nsys-rep report. Without a command, gpuwhy shows where the "
		    "time went and what to do, on one screen.");
	buf_adds(b, ".SH COMMANDS\n");
	for (size_t i = 0; command_view_at(i, &c); i++)
		add_item(b, c.name, c.summary);
	buf_adds(b, ".SH GUIDES\n.B gpuwhy help\nTOPIC shows one of these:\n");
	for (size_t i = 0; (g = guide_at(i)); i++)
		add_item(b, g->name, g->title);
	add_environment(b);
	add_exit_codes(b);
	add_section(b, "SEE ALSO", "gpuwhy-COMMAND(1) for each command.");
}

static int run(struct invocation *inv, struct err *e)
{
	const struct string_list *words = &inv->words;
	struct command_view c;
	SCOPED_BUF b = {0};

	if (words->count > 1)
		return err_set(e, ERR_USAGE, "give one command at a time");
	if (words->count && !command_view_find(words->all[0], &c)) {
		err_set(e, ERR_USAGE, "there is no command '%s'", words->all[0]);
		return err_hint(e, "gpuwhy --help lists the commands");
	}
	if (words->count)
		add_command_page(&b, &c);
	else
		add_program_page(&b);
	fputs(b.s, stdout);
	return 0;
}

static void complete_commands(char *const *words, size_t count, offer_word *offer, void *ctx)
{
	struct command_view c;

	(void)words;
	(void)count;
	for (size_t i = 0; command_view_at(i, &c); i++)
		offer(ctx, c.name);
}

const struct command command_man = {
	.name = "man",
	.operand = "[COMMAND]",
	.summary = "manual page of a command, in roff; `make install` installs them",
	.example = "gpuwhy man kernels | man -l -",
	.has_words = true,
	.complete = complete_commands,
	.run = run,
};
