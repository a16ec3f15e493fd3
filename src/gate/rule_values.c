/* What is the value of a rule? */
#include "gate/rule_values.h"

#include "base/mem.h"
#include "text/date.h"
#include "text/decimal.h"
#include "text/nearest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int rule_refuse(const struct rule_file *f, size_t line, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(f->e, ERR_USAGE, "'%s', line %zu: %s", f->name, line, what);
}

int rule_must_be(const struct rule_file *f, const struct yaml_node *n, enum yaml_kind kind)
{
	if (n->kind == kind)
		return 0;
	return rule_refuse(f, n->line, "%s%s%smust be %s, not %s", n->key ? "'" : "",
			   n->key ? n->key : "this ", n->key ? "' " : "", yaml_kind_name(kind),
			   yaml_kind_name(n->kind));
}

static bool is_listed(const char *const *keys, const char *key)
{
	for (; *keys; keys++) {
		if (strcmp(*keys, key) == 0)
			return true;
	}
	return false;
}

int rule_check_keys(const struct rule_file *f, const struct yaml_node *n, const char *const *keys)
{
	if (rule_must_be(f, n, YAML_KIND_MAP) < 0)
		return -1;
	for (const struct yaml_node *m = n->first; m; m = m->next) {
		struct nearest near = {m->key, NULL, 4};

		if (is_listed(keys, m->key))
			continue;
		for (const char *const *key = keys; *key; key++)
			nearest_try(&near, *key);
		rule_refuse(f, m->line, "unknown key '%s'", m->key);
		if (near.found)
			return err_hint(f->e, "did you mean '%s'?", near.found);
		return err_hint(f->e, "docs/gate.md lists the keys");
	}
	return 0;
}

const struct yaml_node *rule_member(const struct yaml_node *map, const char *key)
{
	for (const struct yaml_node *n = map->first; n; n = n->next) {
		if (strcmp(n->key, key) == 0)
			return n;
	}
	return NULL;
}

static int bad_value(const struct rule_file *f, const struct yaml_node *n, const char *wanted)
{
	return rule_refuse(f, n->line, "'%s' must be %s, not '%.80s'", n->key ? n->key : "this",
			   wanted, n->text);
}

/* The number that a value begins with, and what is behind it. */
static bool split(const char *text, double *ret, struct str *unit)
{
	const struct str s = str_trimmed(str_of(text));
	char number[32];
	size_t len = 0;

	while (len < s.len && (strchr("0123456789.", s.s[len])))
		len++;
	if (!len || len >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)len, s.s);
	*ret = strtod(number, NULL);
	*unit = str_trimmed((struct str){s.s + len, s.len - len});
	return decimal_is_plain(number);
}

int rule_share(const struct rule_file *f, const struct yaml_node *n, double *ret)
{
	struct str unit;

	if (rule_must_be(f, n, YAML_KIND_VALUE) < 0)
		return -1;
	if (!split(n->text, ret, &unit) || !str_eq(unit, STR_LIT("%")) || *ret > 1000)
		return bad_value(f, n, "a percentage such as 3%");
	*ret /= 100;
	return 0;
}

int rule_part(const struct rule_file *f, const struct yaml_node *n, double *ret)
{
	if (rule_share(f, n, ret) < 0)
		return -1;
	return *ret > 1 ? bad_value(f, n, "a percentage of at most 100%") : 0;
}

static const struct {
	const char *name;
	enum amount of;
	double factor;
} units[] = {
	{"ns", AMOUNT_TIME, 1},		{"us", AMOUNT_TIME, 1e3},
	{"µs", AMOUNT_TIME, 1e3},	{"ms", AMOUNT_TIME, 1e6},
	{"s", AMOUNT_TIME, 1e9},	{"B", AMOUNT_BYTES, 1},
	{"kB", AMOUNT_BYTES, 1e3},	{"MB", AMOUNT_BYTES, 1e6},
	{"GB", AMOUNT_BYTES, 1e9},	{"KiB", AMOUNT_BYTES, 1024},
	{"MiB", AMOUNT_BYTES, 1048576}, {"GiB", AMOUNT_BYTES, 1073741824},
	{"", AMOUNT_COUNT, 1},
};

int rule_amount(const struct rule_file *f, const struct yaml_node *n, enum amount of, double *ret)
{
	static const char *const wanted[] = {"a time such as 50us or 1.5ms", "a size such as 256MB",
					     "a number"};
	struct str unit;

	if (rule_must_be(f, n, YAML_KIND_VALUE) < 0)
		return -1;
	for (size_t i = 0; split(n->text, ret, &unit) && i < ARRAY_LEN(units); i++) {
		if (units[i].of == of && str_eq(unit, str_of(units[i].name)) && *ret < 1e12) {
			*ret *= units[i].factor;
			return 0;
		}
	}
	return bad_value(f, n, wanted[of]);
}

int rule_number(const struct rule_file *f, const struct yaml_node *n, double *ret)
{
	char *end;

	if (rule_must_be(f, n, YAML_KIND_VALUE) < 0)
		return -1;
	*ret = strtod(n->text, &end);
	if (!n->text[0] || *end || strspn(n->text, "0123456789.eE+-") != strlen(n->text) ||
	    !isfinite(*ret) || *ret <= 0)
		return bad_value(f, n, "a number above 0");
	return 0;
}

int rule_text(const struct rule_file *f, const struct yaml_node *n, const char **ret)
{
	if (rule_must_be(f, n, YAML_KIND_VALUE) < 0)
		return -1;
	*ret = n->text;
	return str_trimmed(str_of(n->text)).len ? 0 : bad_value(f, n, "a text");
}

int rule_day(const struct rule_file *f, const struct yaml_node *n, const char **ret)
{
	if (rule_must_be(f, n, YAML_KIND_VALUE) < 0)
		return -1;
	*ret = n->text;
	return date_is_day(n->text) ? 0 : bad_value(f, n, "a day such as 2027-01-31");
}
