/* What is there to say of a command? --help, and what the manual and completion need. */
#include "cli/command.h"

#include "base/version.h"
#include "cli/help_groups.h"
#include "guides/guide.h"
#include "text/text.h"

enum { DETAIL_COLUMNS = 80 };

static bool has_operand_option(const struct option_group *g)
{
	struct option_place p;

	for (size_t i = 0; g && group_option_at(g, i, &p); i++) {
		if (p.opt->operand)
			return true;
	}
	return false;
}

/* Options are described, not set: there are no arguments. */
static void fill_view(struct command_view *v, const struct command *c, const struct analysis *a)
{
	struct invocation inv = {.spec = c, .analysis = a};

	if (c && c->analysis)
		inv.analysis = analysis_find(c->analysis, false);
	a = inv.analysis;
	*v = (struct command_view){.command = c, .parts = invocation_parts(&inv)};
	for (size_t i = 0; i < v->parts.count; i++)
		v->parts.all[i].args = NULL;
	if (c) {
		v->name = c->name;
		v->operand = c->operand;
		v->summary = c->summary || !a ? c->summary : a->summary;
		v->detail = c->detail ? c->detail : a && !c->summary ? a->detail : NULL;
		v->example = c->example || !a ? c->example : a->example;
	} else {
		v->name = a->name;
		v->operand = has_operand_option(a->options) ? "TRACE PATTERN" : "TRACE…";
		v->summary = a->summary;
		v->detail = a->detail;
		v->example = a->example;
	}
}

/* A command that does more than the analysis of its name is listed in its place. */
static bool is_listed(const struct command *c)
{
	return !analysis_find(c->name, false);
}

bool command_view_at(size_t i, struct command_view *ret)
{
	const struct command *c;
	const struct analysis *a;

	for (size_t k = 0; (c = command_at(k)); k++) {
		if (is_listed(c) && i-- == 0) {
			fill_view(ret, c, NULL);
			return true;
		}
	}
	for (size_t k = 0; (a = analysis_at(k)); k++) {
		if (!a->nsys && i-- == 0) {
			fill_view(ret, command_find(a->name), a);
			return true;
		}
	}
	return false;
}

bool command_view_find(const char *name, struct command_view *ret)
{
	const struct command *c = command_find(command_for_word(name));
	const struct analysis *a = analysis_find(command_for_word(name), false);

	if (c || a)
		fill_view(ret, c, a);
	return c || a;
}

enum { HELP_COLUMNS = 80, NAME_COLUMNS = 15, TOPIC_COLUMNS = 29 };

static void add_command(struct buf *b, const struct command_view *c)
{
	buf_addf(b, "  %-12s ", c->name);
	text_add_wrapped(b, str_of(c->summary), HELP_COLUMNS - NAME_COLUMNS, NAME_COLUMNS);
	buf_addc(b, '\n');
}

static void add_group(struct buf *b, const struct help_group *g)
{
	const char *at = g->commands;
	struct command_view c;
	SCOPED_BUF name = {0};

	buf_addf(b, "\n%s\n", g->title);
	while (help_group_next(&at, &name)) {
		if (command_view_find(name.s, &c))
			add_command(b, &c);
	}
	buf_addf(b, "    $ %s\n", g->example);
}

static void add_ungrouped(struct buf *b)
{
	struct command_view c;

	buf_adds(b, "\nMore\n");
	for (size_t i = 0; command_view_at(i, &c); i++) {
		if (!help_group_of(c.name))
			add_command(b, &c);
	}
}

/* "steps is iters, gaps is idle, …" */
static void add_other_names(struct buf *b)
{
	SCOPED_BUF all = {0};
	const char *other;

	for (size_t i = 0; (other = command_other_name_at(i)); i++)
		buf_addf(&all, "%s%s is %s", i ? ", " : "Other names: ", other,
			 command_for_word(other));
	buf_addc(b, '\n');
	text_add_wrapped(b, buf_str(&all), HELP_COLUMNS, 0);
}

static void add_guides(struct buf *b)
{
	const struct guide *g;

	buf_adds(b, "\nGuides: gpuwhy help TOPIC\n");
	for (size_t i = 0; (g = guide_at(i)); i++) {
		buf_addf(b, "  %-*s ", TOPIC_COLUMNS - 3, g->name);
		text_add_wrapped(b, str_of(g->title), HELP_COLUMNS - TOPIC_COLUMNS, TOPIC_COLUMNS);
		buf_addc(b, '\n');
	}
}

void help_program(struct buf *b)
{
	const struct help_group *g;

	buf_adds(b, "gpuwhy " GPUWHY_VERSION
		    " -- where the GPU time of an Nsight Systems trace went\n\n"
		    "usage: gpuwhy TRACE\n"
		    "       gpuwhy COMMAND TRACE [options]\n\n"
		    "TRACE is a .sqlite export (also .sqlite.gz, .sqlite.zst) or a .nsys-rep "
		    "report.\n");
	for (size_t i = 0; (g = help_group_at(i)); i++)
		add_group(b, g);
	add_ungrouped(b);
	add_guides(b);
	add_other_names(b);
	buf_adds(b, "\nSee also: gpuwhy COMMAND --help, gpuwhy help TOPIC, gpuwhy --version\n");
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
			text_add_wrapped(b, line, DETAIL_COLUMNS, 0);
	}
	buf_addc(b, '\n');
}

void help_command(struct buf *b, const struct command_view *c)
{
	const char *other = command_other_name(c->name);

	buf_addf(b, "usage: gpuwhy %s [options]%s%s\n\n%s\n", c->name, c->operand ? " " : "",
		 c->operand ? c->operand : "", c->summary);
	if (other)
		buf_addf(b, "(gpuwhy %s is the same)\n", other);
	if (c->detail)
		add_detail(b, c->detail);
	buf_adds(b, "\noptions:\n");
	parts_add_help(b, &c->parts);
	if (c->example)
		buf_addf(b, "\nexample:\n  %s\n", c->example);
}
