/* What becomes of an option's value? */
#include "options/option.h"

#include "text/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int option_bad_value(const char *name, const char *value, const char *wanted, struct err *e)
{
	return err_set(e, ERR_USAGE, "--%s takes %s, not '%s'", name, wanted, value);
}

int option_parse_number(const char *name, const char *text, uint64_t least, uint64_t most,
			const char *wanted, uint64_t *ret, struct err *e)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || (!errno && *ret < least))
		return option_bad_value(name, text, wanted ? wanted : "a whole number", e);
	if (errno || *ret > most)
		return err_set(e, ERR_USAGE, "--%s takes at most %llu, not %s", name,
			       (unsigned long long)most, text);
	return 0;
}

int option_parse_seconds(const char *name, const char *text, double *ret, struct err *e)
{
	double s = strtod(text, NULL);

	if (!decimal_is_plain(text) || !(s > 0 && s <= 1e9))
		return option_bad_value(name, text, "seconds, more than 0", e);
	*ret = s;
	return 0;
}

static int parse_instant(const char *name, const char *text, int64_t *ret_ns, struct err *e)
{
	double s = strtod(text, NULL);

	if (!decimal_is_plain(text) || fabs(s) > 9e9)
		return option_bad_value(name, text, "seconds, such as 1.5", e);
	*ret_ns = llround(s * 1e9);
	return 0;
}

static int set_window(const struct option *o, int64_t *to, const char *from_text,
		      const char *to_text, struct err *e)
{
	if (parse_instant(o->name, from_text, &to[0], e) < 0 ||
	    parse_instant(o->name, to_text, &to[1], e) < 0)
		return -1;
	if (to[1] > to[0])
		return 0;
	return err_set(e, ERR_USAGE, "--%s %s %s is an empty window: FROM must come before TO",
		       o->name, from_text, to_text);
}

static int set_ns(const struct option *o, int64_t *to, const char *text, struct err *e)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 10);
	if (!*text || *end || errno || strchr(" +", text[0]))
		return option_bad_value(o->name, text, "nanoseconds, a whole number", e);
	return 0;
}

static int set_ms(const struct option *o, int64_t *to, const char *text, struct err *e)
{
	double ms = strtod(text, NULL);

	if (!decimal_is_plain(text) || !(ms >= 0 && ms < 9e12))
		return option_bad_value(o->name, text, "milliseconds", e);
	*to = llround(ms * 1e6);
	return 0;
}

static int set_share(const struct option *o, double *to, const char *text, struct err *e)
{
	*to = strtod(text, NULL);
	if (!decimal_is_plain(text) || !(*to >= 0 && *to <= 1))
		return option_bad_value(o->name, text, "a share from 0 to 1", e);
	return 0;
}

/* "auto, always or never" */
static void add_words(struct buf *b, const struct option *o, const char *between, const char *last)
{
	for (const struct option_word *w = o->words; w->word; w++)
		buf_addf(b, "%s%s", w == o->words ? "" : w[1].word ? between : last, w->word);
}

static int set_word(const struct option *o, void *to, const char *text, struct err *e)
{
	SCOPED_BUF wanted = {0};

	for (const struct option_word *w = o->words; w->word; w++) {
		if (strcmp(w->word, text) != 0)
			continue;
		if (o->size == sizeof(bool))
			*(bool *)to = w->value != 0;
		else
			memcpy(to, &w->value, sizeof(w->value));
		return 0;
	}
	add_words(&wanted, o, ", ", " or ");
	return option_bad_value(o->name, text, wanted.s, e);
}

static int set_text(const struct option *o, const char **to, const char *text, struct err *e)
{
	if (!text[strspn(text, " \t\n")] && o->wanted)
		return option_bad_value(o->name, text, o->wanted, e);
	*to = text;
	return 0;
}

static int add_text(const struct option *o, struct string_list *to, const char *text, struct err *e)
{
	const char *item = NULL;

	if (set_text(o, &item, text, e) < 0)
		return -1;
	string_list_add(to, item);
	return 0;
}

static int set_id(const struct option *o, uint32_t *to, const char *text, struct err *e)
{
	uint64_t n;

	if (option_parse_number(o->name, text, 0, o->most, NULL, &n, e) < 0)
		return -1;
	*to = (uint32_t)n;
	return 0;
}

static int set_member(const struct option *o, void *at, const char *value, const char *second,
		      struct err *e)
{
	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_WORD:
		return set_word(o, at, value, e);
	case OPTION_COUNT:
		return option_parse_number(o->name, value, o->least, o->most, o->wanted, at, e);
	case OPTION_ID:
		return set_id(o, at, value, e);
	case OPTION_NS:
		return set_ns(o, at, value, e);
	case OPTION_WINDOW:
		return set_window(o, at, value, second, e);
	case OPTION_SECONDS:
		return option_parse_seconds(o->name, value, at, e);
	case OPTION_MILLISECONDS:
		return set_ms(o, at, value, e);
	case OPTION_SHARE:
		return set_share(o, at, value, e);
	case OPTION_LIST:
		return add_text(o, at, value, e);
	default:
		return set_text(o, at, value, e);
	}
}

int option_set(const struct option *opt, void *args, const char *value, const char *second,
	       struct err *e)
{
	if (opt->type == OPTION_CUSTOM)
		return opt->set(args, opt->name, value, e);
	if (opt->given != OPTION_ALWAYS)
		*(bool *)((char *)args + opt->given) = true;
	return set_member(opt, (char *)args + opt->at, value, second, e);
}

void option_set_flag(const struct option *opt, void *args, bool on)
{
	*(bool *)((char *)args + opt->at) = on;
}

void option_add_value(struct buf *b, const struct option *opt)
{
	if (opt->words && !opt->value)
		add_words(b, opt, "|", "|");
	else
		buf_adds(b, opt->value);
}

void option_add_help(struct buf *b, const struct option *opt)
{
	buf_adds(b, opt->help);
	if (opt->initial)
		buf_addf(b, " (default: %s)", opt->initial);
}

const char *option_type_name(const struct option *opt)
{
	static const char *const names[] = {
		[OPTION_FLAG] = "flag",	      [OPTION_TEXT] = "text",
		[OPTION_REGEX] = "regex",     [OPTION_COLUMN] = "column",
		[OPTION_FILE] = "file",	      [OPTION_WORD] = "word",
		[OPTION_COUNT] = "count",     [OPTION_ID] = "id",
		[OPTION_NS] = "ns",	      [OPTION_WINDOW] = "window",
		[OPTION_SECONDS] = "seconds", [OPTION_MILLISECONDS] = "milliseconds",
		[OPTION_SHARE] = "share",     [OPTION_LIST] = "list",
		[OPTION_CUSTOM] = "text",
	};

	return names[opt->type];
}
