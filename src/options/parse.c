/* What does a command line ask for? */
#include "options/parse.h"

#include "base/mem.h"
#include "text/nearest.h"
#include "text/text.h"

void parts_add(struct option_parts *p, const struct option_group *g, void *args)
{
	if (g)
		p->all[p->count++] = (struct option_part){g, args};
}

/* An option, and the arguments of its group. */
struct found {
	const struct option *opt;
	void *args;
};

static bool option_at(const struct option_parts *p, size_t i, struct found *ret)
{
	for (size_t k = 0; k < p->count; k++) {
		char *args = p->all[k].args;
		struct option_place place;

		for (size_t n = 0; group_option_at(p->all[k].group, n, &place); n++) {
			if (i-- > 0)
				continue;
			*ret = (struct found){place.opt, args ? args + place.base : NULL};
			return true;
		}
	}
	return false;
}

bool parts_option_at(const struct option_parts *p, size_t i, const struct option **ret)
{
	struct found f;

	if (!option_at(p, i, &f))
		return false;
	*ret = f.opt;
	return true;
}

static struct found find_long(const struct option_parts *p, const char *name, size_t len)
{
	struct found f;

	for (size_t i = 0; option_at(p, i, &f); i++) {
		if (strlen(f.opt->name) == len && strncmp(f.opt->name, name, len) == 0)
			return f;
	}
	return (struct found){0};
}

static struct found find_letter(const struct option_parts *p, char letter)
{
	struct found f;

	for (size_t i = 0; option_at(p, i, &f); i++) {
		if (f.opt->letter == letter)
			return f;
	}
	return (struct found){0};
}

const struct option *parts_find(const struct option_parts *p, const char *name, size_t len)
{
	return find_long(p, name, len).opt;
}

bool parts_flag(const struct option_parts *p, const struct option *flag)
{
	struct found f;

	for (size_t i = 0; option_at(p, i, &f); i++) {
		if (f.opt == flag)
			return *(const bool *)((const char *)f.args + flag->at);
	}
	return false;
}

const struct option *parts_find_letter(const struct option_parts *p, char letter)
{
	return find_letter(p, letter).opt;
}

struct cursor {
	const struct command_line *line;
	int argc;
	char **argv;
	int at;
};

/* The name of the advertised option that is most like this one; NULL: none is. */
static const char *nearest_option(const struct option_parts *p, const char *name)
{
	struct nearest n = {name, NULL, 3};
	struct found f;

	for (size_t i = 0; option_at(p, i, &f); i++) {
		if (f.opt->help)
			nearest_try(&n, f.opt->name);
	}
	return n.found;
}

static bool has_word(const struct option *opt, const char *word)
{
	for (const struct option_word *w = opt ? opt->words : NULL; w && w->word; w++) {
		if (strcmp(w->word, word) == 0)
			return true;
	}
	return false;
}

/* Of a rank people have the capture, and it is a device or a process in that: what there is of
 * these, "--device, --pid, --by rank". */
static void add_for_rank(struct buf *b, const struct option_parts *p)
{
	static const char *const names[] = {"device", "pid"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (parts_find(p, names[i], strlen(names[i])))
			buf_addf(b, "%s--%s", b->len ? ", " : "", names[i]);
	}
	if (has_word(parts_find(p, "by", strlen("by")), "rank"))
		buf_addf(b, "%s--by rank", b->len ? ", " : "");
}

static int unknown_option(const struct cursor *c, const char *arg, struct err *e)
{
	const char *name = arg + strspn(arg, "-");
	const char *nearest = nearest_option(c->line->parts, name);
	SCOPED_BUF others = {0};

	err_set(e, ERR_USAGE, "%s has no option '%s'", c->line->command, arg);
	if (strncmp(name, "rank", strlen("rank")) == 0 &&
	    !(nearest && strncmp(nearest, "rank", strlen("rank")) == 0))
		add_for_rank(&others, c->line->parts);
	if (others.len)
		return err_hint(e, "there are %s", others.s);
	if (nearest)
		return err_hint(e, "did you mean --%s?", nearest);
	return err_hint(e, "see: gpuwhy %s --help", c->line->command);
}

/* "--out_dir", "--out_dir=x" or "-o", where the command has such an option. */
static bool is_option(const struct cursor *c, const char *word)
{
	const struct option_parts *p = c->line->parts;

	if (strncmp(word, "--", 2) == 0)
		return parts_find(p, word + 2, strcspn(word + 2, "="));
	return word[0] == '-' && word[1] && !word[2] && parts_find_letter(p, word[1]);
}

/* The next word, unless it is an option: nobody means that as a value. */
static int take_value(const struct option *opt, struct cursor *c, const char **ret, struct err *e)
{
	SCOPED_BUF value = {0};

	option_add_value(&value, opt);
	if (c->at >= c->argc)
		return err_set(e, ERR_USAGE, "--%s needs %s: %s", opt->name,
			       option_values(opt) == 2 ? "two values" : "a value", value.s);
	*ret = c->argv[c->at++];
	if (!is_option(c, *ret))
		return 0;
	err_set(e, ERR_USAGE, "--%s needs a value: %s, and '%s' is an option", opt->name, value.s,
		*ret);
	if (option_values(opt) == 1)
		err_hint(e, "to use it as the value: --%s=%s", opt->name, *ret);
	return -1;
}

static int take_option(const struct found *f, const char *attached, struct cursor *c, struct err *e)
{
	int count = option_values(f->opt), have = 0;
	const char *values[2] = {NULL, NULL};

	if (attached && !count)
		return err_set(e, ERR_USAGE, "--%s takes no value", f->opt->name);
	if (attached)
		values[have++] = attached;
	while (have < count) {
		if (take_value(f->opt, c, &values[have++], e) < 0)
			return -1;
	}
	if (c->line->begin_option)
		c->line->begin_option(c->line->ctx);
	return option_set(f->opt, f->args, values[0], values[1], e);
}

static int take_long(const char *arg, struct cursor *c, struct err *e)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t)(equals - arg - 2) : strlen(arg + 2);
	struct found f = find_long(c->line->parts, arg + 2, len);
	const char *next = equals ? equals + 1 : c->at < c->argc ? c->argv[c->at] : NULL;

	if (f.opt)
		return take_option(&f, equals ? equals + 1 : NULL, c, e);
	unknown_option(c, arg, e);
	if (c->line->explain_unknown) {
		SCOPED char *name = mem_strdup(arg + 2);

		name[len] = '\0';
		c->line->explain_unknown(name, next, e);
	}
	return -1;
}

static int take_short(const char *arg, struct cursor *c, struct err *e)
{
	struct found f = find_letter(c->line->parts, arg[1]);

	if (!f.opt || (arg[2] && !option_values(f.opt)))
		return unknown_option(c, arg, e);
	return take_option(&f, arg[2] ? arg + 2 : NULL, c, e);
}

/* "-" stands for standard input, and "-- words" is a comment that SQL begins with. */
static bool looks_like_option(const char *arg)
{
	return arg[0] == '-' && arg[1] && !(arg[1] == '-' && arg[2] && strchr(" \t\r\n", arg[2]));
}

static int third_side(const struct command_line *line, struct err *e)
{
	err_set(e, ERR_USAGE, "there are two sides: '--' stands between them, once");
	return err_hint(e, "gpuwhy %s BEFORE… -- AFTER…", line->command);
}

int command_line_parse(const struct command_line *line, int argc, char **argv, struct err *e)
{
	struct cursor c = {line, argc, argv, 0};
	bool only_operands = false, after_dashes = false;

	while (c.at < argc) {
		const char *arg = argv[c.at++];

		if (only_operands || !looks_like_option(arg)) {
			if (line->take_operand(line->ctx, arg, after_dashes, e) < 0)
				return -1;
			only_operands |= line->runs_program;
			after_dashes |= line->runs_program;
		} else if (strcmp(arg, "--") == 0) {
			if (line->has_sides && after_dashes)
				return third_side(line, e);
			only_operands = !line->has_sides;
			after_dashes = true;
			if (line->meet_dashes)
				line->meet_dashes(line->ctx);
		} else if ((arg[1] == '-' ? take_long(arg, &c, e) : take_short(arg, &c, e)) < 0) {
			return -1;
		}
	}
	for (size_t i = 0; i < line->parts->count; i++) {
		const struct option_part *p = &line->parts->all[i];

		if (args_check(p->group, p->args, line->command, e) < 0)
			return -1;
	}
	return 0;
}

static int unknown_parameter(const struct option_parts *p, const char *command, const char *name,
			     struct err *e)
{
	const char *nearest = nearest_option(p, name);

	err_set(e, ERR_USAGE, "%s has no parameter '%s'", command, name);
	if (nearest)
		return err_hint(e, "did you mean '%s'?", nearest);
	return err_hint(e, "gpuwhy skill info %s lists them", command);
}

static int set_flag(const struct found *f, const char *value, struct err *e)
{
	bool on = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;

	if (!on && strcmp(value, "false") != 0 && strcmp(value, "0") != 0)
		return err_set(e, ERR_USAGE, "%s takes true or false, not '%s'", f->opt->name,
			       value);
	option_set_flag(f->opt, f->args, on);
	return 0;
}

/* "1 2", or "1,2". */
static int set_two(const struct found *f, const char *value, struct err *e)
{
	SCOPED char *copy = mem_strdup(value);
	char *second = copy + strcspn(copy, " ,");

	if (*second)
		*second++ = '\0';
	second += strspn(second, " ,");
	if (*second)
		return option_set(f->opt, f->args, copy, second, e);
	return err_set(e, ERR_USAGE, "%s takes two values, %s: '%s' is one", f->opt->name,
		       f->opt->value, value);
}

int group_set(const struct option_group *g, void *args, const char *command, const char *name,
	      const char *value, struct err *e)
{
	const struct option_parts p = {.count = 1, .all = {{g, args}}};
	struct found f = find_long(&p, name, strlen(name));

	if (!f.opt)
		return unknown_parameter(&p, command, name, e);
	return option_values(f.opt) == 0   ? set_flag(&f, value, e)
	       : option_values(f.opt) == 2 ? set_two(&f, value, e)
					   : option_set(f.opt, f.args, value, NULL, e);
}

/* What it is called on the left, what it does on the right; a long name has a line of its own. */
enum { NAME_COLUMNS = 28, HELP_COLUMNS = 50 };

static void add_help(struct buf *b, const struct option *opt)
{
	SCOPED_BUF left = {0}, right = {0};
	size_t width;

	if (opt->letter)
		buf_addf(&left, "-%c, ", opt->letter);
	buf_addf(&left, "--%s", opt->name);
	if (option_values(opt)) {
		buf_addc(&left, ' ');
		option_add_value(&left, opt);
	}
	option_add_help(&right, opt);
	width = text_width(buf_str(&left));
	buf_adds(b, "  ");
	buf_addstr(b, buf_str(&left));
	buf_adds(b, width < NAME_COLUMNS ? "" : "\n  ");
	buf_addn(b, ' ', width < NAME_COLUMNS ? NAME_COLUMNS - width : NAME_COLUMNS);
	text_add_wrapped(b, buf_str(&right), HELP_COLUMNS, NAME_COLUMNS + 2);
	buf_addc(b, '\n');
}

void parts_add_help(struct buf *b, const struct option_parts *p)
{
	struct found f;

	for (size_t i = 0; option_at(p, i, &f); i++) {
		if (f.opt->help)
			add_help(b, f.opt);
	}
}
