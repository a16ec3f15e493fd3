/* What is there to say of a command, whether it is an analysis or more? */
#include "cli/command.h"

static struct command_view of_command(const struct command *c)
{
	return (struct command_view){c->name,	c->operand, c->summary,
				     c->detail, c->example, c->accepts};
}

static struct command_view of_analysis(const struct analysis *a)
{
	const uint64_t accepts = analysis_accepts(a);

	return (struct command_view){
		.name = a->name,
		.operand = accepts & PARAM_PATTERN ? "TRACE PATTERN" : "TRACE",
		.summary = a->summary,
		.detail = a->detail,
		.accepts = accepts,
	};
}

bool command_view_at(size_t i, struct command_view *ret)
{
	for (size_t k = 0; command_at(k); k++) {
		if (i-- == 0) {
			*ret = of_command(command_at(k));
			return true;
		}
	}
	for (size_t k = 0; analysis_at(k); k++) {
		if (!analysis_at(k)->nsys && i-- == 0) {
			*ret = of_analysis(analysis_at(k));
			return true;
		}
	}
	return false;
}

bool command_view_find(const char *name, struct command_view *ret)
{
	const struct command *c = command_find(name);
	const struct analysis *a = analysis_find(name, false);

	if (c)
		*ret = of_command(c);
	else if (a)
		*ret = of_analysis(a);
	return c || a;
}
