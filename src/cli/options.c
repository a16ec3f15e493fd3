/* What did the user ask for? */
#include "cli/options.h"

#include "base/mem.h"
#include "cli/option_table.h"
#include "report/present.h"
#include "text/nearest.h"
#include "text/text.h"

#include <stdlib.h>

/* What --by may say; each command takes some. */
static const struct {
	const char *word;
	enum param by;
} groupings[] = {
	{"device", PARAM_BY_DEVICE}, {"process", PARAM_BY_PROCESS},
	{"stream", PARAM_BY_STREAM}, {"rank", PARAM_BY_RANK},
	{"nvtx", PARAM_BY_NVTX},     {"iteration", PARAM_BY_ITERATION},
};

/* "device|process", or with other words between them. */
static void add_groupings(struct buf *b, uint64_t accepts, const char *between, const char *last)
{
	size_t left = 0, added = 0;

	for (size_t i = 0; i < ARRAY_LEN(groupings); i++)
		left += (accepts & groupings[i].by) != 0;
	for (size_t i = 0; i < ARRAY_LEN(groupings); i++) {
		if (!(accepts & groupings[i].by))
			continue;
		left--;
		buf_addf(b, "%s%s", !added++ ? "" : left ? between : last, groupings[i].word);
	}
}

static bool accepted(const struct option *opt, uint64_t accepts)
{
	return opt->accepted_by == OPT_ALWAYS || opt->accepted_by & accepts;
}

bool option_is_offered(const struct option *opt, uint64_t accepts)
{
	return accepted(opt, accepts) && opt->help;
}

/* Options of one name do not do the same everywhere: the command's own comes before others'. */
static const struct option *find_long(const char *name, size_t len, uint64_t accepts)
{
	const struct option *opt, *found = NULL;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		if (strlen(opt->name) == len && strncmp(opt->name, name, len) == 0 &&
		    (!found || !accepted(found, accepts)))
			found = opt;
	}
	return found;
}

static const struct option *find_letter(char letter, uint64_t accepts)
{
	const struct option *opt, *found = NULL;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		if (opt->letter == letter && (!found || !accepted(found, accepts)))
			found = opt;
	}
	return found;
}

static int unknown_option(const char *command, uint64_t accepts, const char *arg, struct err *e)
{
	struct nearest n = {arg + strspn(arg, "-"), NULL, 3};
	const struct option *opt;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		if (option_is_offered(opt, accepts))
			nearest_try(&n, opt->name);
	}
	err_set(e, ERR_USAGE, "%s has no option '%s'", command, arg);
	if (n.found)
		return err_hint(e, "did you mean --%s?", n.found);
	return err_hint(e, "see: gpuwhy %s --help", command);
}

struct cursor {
	int argc;
	char **argv;
	int at;
	const char *command;
	uint64_t accepts;
};

/* "--out_dir", "--out_dir=x" or "-o", where the command has such an option. */
static bool is_option(const struct cursor *c, const char *word)
{
	const struct option *opt = NULL;

	if (strncmp(word, "--", 2) == 0)
		opt = find_long(word + 2, strcspn(word + 2, "="), c->accepts);
	else if (word[0] == '-' && word[1] && !word[2])
		opt = find_letter(word[1], c->accepts);
	return opt && accepted(opt, c->accepts);
}

/* The next word, unless it is an option: nobody means that as a value. */
static int take_value(const struct option *opt, struct cursor *c, char **ret, struct err *e)
{
	if (c->at >= c->argc)
		return err_set(e, ERR_USAGE, "--%s needs a value: %s", opt->name, opt->value);
	*ret = c->argv[c->at++];
	if (!is_option(c, *ret))
		return 0;
	err_set(e, ERR_USAGE, "--%s needs a value: %s, and '%s' is an option", opt->name,
		opt->value, *ret);
	if (opt->value_count)
		return -1;
	return err_hint(e, "if that is what you mean: --%s=%s", opt->name, *ret);
}

static int take_option(struct options *o, const struct option *opt, const char *attached,
		       struct cursor *c, struct err *e)
{
	int count = opt->value ? (opt->value_count ? opt->value_count : 1) : 0;
	char *values[2] = {NULL, NULL};
	int have = 0;

	if (attached && !count)
		return err_set(e, ERR_USAGE, "--%s takes no value", opt->name);
	if (attached)
		values[have++] = (char *)attached;
	while (have < count) {
		if (take_value(opt, c, &values[have++], e) < 0)
			return -1;
	}
	runs_end_list(&o->runs);
	return option_set(o, opt, values, e);
}

static int take_long(struct options *o, const char *arg, struct cursor *c, struct err *e)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t)(equals - arg - 2) : strlen(arg + 2);
	const struct option *opt = find_long(arg + 2, len, c->accepts);

	if (opt && !accepted(opt, c->accepts) && c->accepts & OPT_SKILL && opt->help) {
		err_set(e, ERR_USAGE, "%s has no option '%s'", c->command, arg);
		return err_hint(e, "what a skill takes is a parameter: -p %s=%s", opt->name,
				!opt->value	  ? "true"
				: equals	  ? equals + 1
				: c->at < c->argc ? c->argv[c->at]
						  : opt->value);
	}
	if (!opt || !accepted(opt, c->accepts))
		return unknown_option(c->command, c->accepts, arg, e);
	return take_option(o, opt, equals ? equals + 1 : NULL, c, e);
}

static int take_short(struct options *o, const char *arg, struct cursor *c, struct err *e)
{
	const struct option *opt = find_letter(arg[1], c->accepts);

	if (!opt || !accepted(opt, c->accepts) || (arg[2] && !opt->value))
		return unknown_option(c->command, c->accepts, arg, e);
	return take_option(o, opt, arg[2] ? arg + 2 : NULL, c, e);
}

/* --by is one option, but not every command can group by everything. */
static int check_by(struct options *o, const char *command, uint64_t accepts, struct err *e)
{
	struct buf words = {0};

	for (size_t i = 0; o->by && i < ARRAY_LEN(groupings); i++) {
		if (accepts & groupings[i].by && strcmp(o->by, groupings[i].word) == 0)
			o->params.by = groupings[i].by;
	}
	if (!o->by || o->params.by)
		return 0;
	add_groupings(&words, accepts, ", ", " or ");
	err_set(e, ERR_USAGE, "%s takes --by %s, not '%s'", command, words.s, o->by);
	buf_free(&words);
	return -1;
}

/* Steps are a window: there cannot be two, and naming steps says nothing unless one is meant. */
static int check_iteration(const struct options *o, uint64_t accepts, struct err *e)
{
	const struct params *p = &o->params;

	if (p->has_iteration && p->has_trim)
		return err_set(e, ERR_USAGE, "--iteration and --trim are both windows: give one");
	if (!p->marker || p->has_iteration || accepts & PARAM_MARKER)
		return 0;
	err_set(e, ERR_USAGE, "--marker says which steps --iteration N counts: give both");
	return err_hint(e, "gpuwhy iters --marker REGEX lists the steps");
}

static int check_bounds(const struct params *p, struct err *e)
{
	if ((p->has_trim || p->has_iteration) && (p->has_start || p->has_end))
		return err_set(e, ERR_USAGE,
			       "--%s sets both ends of the window: it leaves none to --start and "
			       "--end",
			       p->has_trim ? "trim" : "iteration");
	if (p->has_start && p->has_end && p->end_ns <= p->start_ns)
		return err_set(e, ERR_USAGE,
			       "--start %lld --end %lld is an empty window: it must begin before "
			       "it ends",
			       (long long)p->start_ns, (long long)p->end_ns);
	return 0;
}

static int refuse_format(const struct options *o, uint64_t accepts, bool trees, struct err *e)
{
	err_set(e, ERR_USAGE, "--format takes text, markdown, json, csv%s, not '%s'",
		trees ? ", html or folded" : " or html", o->unknown_format);
	if (accepts & OPT_PICTURE)
		err_hint(e, "-o FILE.svg, without --format, draws the chart");
	return -1;
}

static int check_format(const struct options *o, const char *command, uint64_t accepts,
			struct err *e)
{
	const struct presenter *how = o->format ? presenter_find(o->format) : NULL;
	/* Whether a skill makes trees is asked again when it is known which. */
	const bool trees = accepts & (PARAM_SHAPE | OPT_SKILL);

	if (o->unknown_format)
		return refuse_format(o, accepts, trees, e);
	if (!how || !how->trees_only || trees)
		return 0;
	return err_set(e, ERR_USAGE, "--format %s is for trees, and %s makes none: gpuwhy tree",
		       how->name, command);
}

static int two_traces(const char *a, const char *b, struct err *e)
{
	err_set(e, ERR_USAGE, "one trace at a time: '%s' and '%s' were given", a, b);
	return err_hint(e, "a command comes first: gpuwhy COMMAND TRACE [options]");
}

/* `inspect` has a trace before "--" and a command after it. */
static int take_operand(struct options *o, uint64_t accepts, const char *arg, bool after_dashes,
			struct err *e)
{
	if (accepts & OPT_RUNS) {
		runs_add_operand(&o->runs, arg);
		return 0;
	}
	if (accepts & OPT_WORDS && (!(accepts & OPT_INSPECT) || after_dashes)) {
		MEM_GROW(o->words, o->word_cap, o->word_count + 1);
		o->words[o->word_count++] = arg;
		return 0;
	}
	if (o->trace && accepts & PARAM_PATTERN && !o->params.pattern) {
		o->params.pattern = arg;
		return 0;
	}
	if (o->trace)
		return two_traces(o->trace, arg, e);
	o->trace = arg;
	return 0;
}

/* "-" stands for standard input, and "-- words" is a comment that SQL begins with. */
static bool looks_like_option(const char *arg)
{
	return arg[0] == '-' && arg[1] && !(arg[1] == '-' && arg[2] && strchr(" \t\r\n", arg[2]));
}

int options_parse(struct options *o, const char *command, uint64_t accepts, int argc, char **argv,
		  struct err *e)
{
	struct cursor c = {argc, argv, 0, command, accepts};
	bool only_operands = false;

	o->params.coverage_warn = 0.70;
	o->kernel_limit = 30;
	while (c.at < argc) {
		const char *arg = argv[c.at++];

		if (only_operands || !looks_like_option(arg)) {
			if (take_operand(o, accepts, arg, only_operands, e) < 0)
				return -1;
			/* The rest is a command line of its own. */
			only_operands |= (accepts & OPT_PROFILE) != 0;
		} else if (strcmp(arg, "--") == 0) {
			only_operands = true;
		} else if (arg[1] == '-') {
			if (take_long(o, arg, &c, e) < 0)
				return -1;
		} else if (take_short(o, arg, &c, e) < 0) {
			return -1;
		}
	}
	return options_check(o, command, accepts, e);
}

int options_check(struct options *o, const char *command, uint64_t accepts, struct err *e)
{
	if (check_iteration(o, accepts, e) < 0 || check_bounds(&o->params, e) < 0 ||
	    check_format(o, command, accepts, e) < 0)
		return -1;
	return check_by(o, command, accepts, e);
}

int options_check_program(const struct options *o, struct err *e)
{
	if (o->words[0][0] != '-')
		return 0;
	err_set(e, ERR_USAGE, "the command begins with '%s', which is no program", o->words[0]);
	return err_hint(e, "options of gpuwhy come before --, the command after it");
}

static int unknown_parameter(const char *command, uint64_t accepts, const char *name, struct err *e)
{
	struct nearest n = {name, NULL, 3};
	const struct option *opt;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		if (opt->accepted_by & accepts && opt->help)
			nearest_try(&n, opt->name);
	}
	err_set(e, ERR_USAGE, "%s has no parameter '%s'", command, name);
	if (n.found)
		return err_hint(e, "did you mean '%s'?", n.found);
	return err_hint(e, "gpuwhy skill info %s lists them", command);
}

static int set_flag(struct options *o, const struct option *opt, const char *value, struct err *e)
{
	bool on = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;

	if (!on && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
		return err_set(e, ERR_USAGE, "%s takes true or false, not '%s'", opt->name, value);
	option_set_flag(o, opt, on);
	return 0;
}

int options_set(struct options *o, const char *command, uint64_t accepts, const char *name,
		const char *value, struct err *e)
{
	const struct option *opt = find_long(name, strlen(name), accepts);
	char *values[2] = {(char *)value, NULL}, *copy = NULL;
	int result;

	if (!opt || opt->accepted_by == OPT_ALWAYS || !accepted(opt, accepts))
		return unknown_parameter(command, accepts, name, e);
	if (!opt->value)
		return set_flag(o, opt, value, e);
	if (opt->value_count == 2) {
		values[0] = copy = mem_strdup(value);
		values[1] = copy + strcspn(copy, " ,");
		if (*values[1])
			*values[1]++ = '\0';
		values[1] += strspn(values[1], " ,");
	}
	if (values[1] && !*values[1])
		result = err_set(e, ERR_USAGE, "%s takes two values, %s: '%s' is one", opt->name,
				 opt->value, value);
	else
		result = option_set(o, opt, values, e);
	free(copy);
	return result;
}

const char *options_peek_format(char **argv)
{
	for (; argv && *argv && strcmp(*argv, "--") != 0; argv++) {
		const char *value = NULL;

		if (strncmp(*argv, "--format=", 9) == 0)
			value = *argv + 9;
		else if (strcmp(*argv, "--format") == 0 || strcmp(*argv, "-f") == 0)
			value = argv[1];
		if (value && presenter_find(value))
			return value;
	}
	return NULL;
}

void options_free(struct options *o)
{
	free(o->reports);
	free(o->words);
	free(o->skill_params);
	free(o->skill_paths);
	free(o->ncu_files);
	words_free(&o->capture.nsys_args);
	words_free(&o->capture.inputs);
	words_free(&o->capture.matrix);
	words_free(&o->inspect.ncu_args);
	runs_free(&o->runs);
}

void option_add_value(struct buf *b, const struct option *opt, uint64_t accepts)
{
	if (opt->accepted_by == PARAM_BY_ANY)
		add_groupings(b, accepts, "|", "|");
	else
		buf_adds(b, opt->value);
}

/* Where an order is not a column's. */
static const char *order_help(uint64_t accepts)
{
	return accepts & PARAM_SHAPE	? "siblings by time (the default) or by start"
	       : accepts & PARAM_SEARCH ? "by duration, the longest first (the default), or start"
					: NULL;
}

void option_add_help(struct buf *b, const struct option *opt, uint64_t accepts)
{
	if (strcmp(opt->name, "sort") == 0 && order_help(accepts)) {
		buf_adds(b, order_help(accepts));
		return;
	}
	buf_adds(b, opt->help);
	if (accepts & PARAM_SHAPE && strcmp(opt->name, "format") == 0)
		buf_adds(b, "; or folded");
}

void options_add_help(struct buf *b, uint64_t accepts)
{
	const struct option *opt;

	for (size_t i = 0; (opt = option_at(i)); i++) {
		struct buf left = {0};

		if (!option_is_offered(opt, accepts))
			continue;
		if (opt->letter)
			buf_addf(&left, "-%c, ", opt->letter);
		buf_addf(&left, "--%s", opt->name);
		if (opt->value) {
			buf_addc(&left, ' ');
			option_add_value(&left, opt, accepts);
		}
		buf_adds(b, "  ");
		buf_addstr(b, buf_str(&left));
		buf_addn(b, ' ',
			 text_width(buf_str(&left)) < 28 ? 28 - text_width(buf_str(&left)) : 2);
		option_add_help(b, opt, accepts);
		buf_addc(b, '\n');
		buf_free(&left);
	}
}
