/* What becomes of an option's value? */
#include "cli/option_group.h"

#include "text/decimal.h"

#include <errno.h>
#include <stdlib.h>

int option_bad_value(const char *name, const char *value, const char *wanted, struct err *e)
{
	return err_set(e, ERR_USAGE, "--%s takes %s, not '%s'", name, wanted, value);
}

int option_parse_number(const char *name, const char *text, uint64_t max, uint64_t *ret,
			struct err *e)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end)
		return option_bad_value(name, text, "a whole number", e);
	if (errno || n > max)
		return err_set(e, ERR_USAGE, "--%s takes at most %llu, not %s", name,
			       (unsigned long long)max, text);
	*ret = n;
	return 0;
}

int option_parse_some(const char *name, const char *text, uint64_t max, const char *wanted,
		      uint64_t *ret, struct err *e)
{
	if (option_parse_number(name, text, max, ret, e) < 0)
		return -1;
	return *ret ? 0 : option_bad_value(name, text, wanted, e);
}

int option_parse_seconds(const char *name, const char *text, double *ret, struct err *e)
{
	double s = strtod(text, NULL);

	if (!decimal_is_plain(text) || !(s > 0 && s <= 1e9))
		return option_bad_value(name, text, "seconds, more than 0", e);
	*ret = s;
	return 0;
}

int option_set_limit(struct options *o, const char *name, char **values, struct err *e)
{
	o->limit_given = true;
	return option_parse_number(name, values[0], UINT64_MAX, &o->params.limit, e);
}

int option_set_nsys(struct options *o, const char *name, char **values, struct err *e)
{
	(void)e;
	o->nsys = values[0];
	o->nsys_option = name;
	return 0;
}

static int set_text(struct options *o, const struct option *opt, const char *value, struct err *e)
{
	if (!value[0] && opt->wanted)
		return option_bad_value(opt->name, value, opt->wanted, e);
	*(const char **)((char *)o + opt->at) = value;
	return 0;
}

int option_set(struct options *o, const struct option *opt, char **values, struct err *e)
{
	if (opt->set)
		return opt->set(o, opt->name, values, e);
	if (opt->value)
		return set_text(o, opt, values[0], e);
	option_set_flag(o, opt, true);
	return 0;
}

void option_set_flag(struct options *o, const struct option *opt, bool on)
{
	*(bool *)((char *)o + opt->at) = on;
}
