/* What is there to say of a command, whether it is an analysis or more? */
#include "cli/command.h"

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
static void fill(struct command_view *v, const struct command *c, const struct analysis *a)
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
		v->summary = c->summary ? c->summary : a->summary;
		v->detail = c->detail ? c->detail : a && !c->summary ? a->detail : NULL;
		v->example = c->example;
	} else {
		v->name = a->name;
		v->operand = has_operand_option(a->options) ? "TRACE PATTERN" : "TRACE";
		v->summary = a->summary;
		v->detail = a->detail;
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
			fill(ret, c, NULL);
			return true;
		}
	}
	for (size_t k = 0; (a = analysis_at(k)); k++) {
		if (!a->nsys && i-- == 0) {
			fill(ret, command_find(a->name), a);
			return true;
		}
	}
	return false;
}

bool command_view_find(const char *name, struct command_view *ret)
{
	const struct command *c = command_find(name);
	const struct analysis *a = analysis_find(name, false);

	if (c || a)
		fill(ret, c, a);
	return c || a;
}
