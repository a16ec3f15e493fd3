/* Which number is this, and could a value have been shown so? */
#include "llm/told_number.h"

#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_DIGITS = 40, SURE_DIGITS = 3, SURE_PERCENT_DIGITS = 2, RAW_DIGITS = 6 };

/* Longer ones come before those that they begin with. */
static const struct unit_word {
	const char *word;
	enum dimension dimension;
	double factor;
} words[] = {
	{"nanoseconds", DIMENSION_TIME, 1},
	{"nanosecond", DIMENSION_TIME, 1},
	{"microseconds", DIMENSION_TIME, 1e3},
	{"microsecond", DIMENSION_TIME, 1e3},
	{"milliseconds", DIMENSION_TIME, 1e6},
	{"millisecond", DIMENSION_TIME, 1e6},
	{"seconds", DIMENSION_TIME, 1e9},
	{"second", DIMENSION_TIME, 1e9},
	{"minutes", DIMENSION_TIME, 60e9},
	{"minute", DIMENSION_TIME, 60e9},
	{"min", DIMENSION_TIME, 60e9},
	{"hours", DIMENSION_TIME, 3600e9},
	{"hour", DIMENSION_TIME, 3600e9},
	{"h", DIMENSION_TIME, 3600e9},
	{"days", DIMENSION_TIME, 86400e9},
	{"day", DIMENSION_TIME, 86400e9},
	{"Nanosekunden", DIMENSION_TIME, 1},
	{"Mikrosekunden", DIMENSION_TIME, 1e3},
	{"Millisekunden", DIMENSION_TIME, 1e6},
	{"Sekunden", DIMENSION_TIME, 1e9},
	{"Sekunde", DIMENSION_TIME, 1e9},
	{"Minuten", DIMENSION_TIME, 60e9},
	{"Stunden", DIMENSION_TIME, 3600e9},
	{"Tage", DIMENSION_TIME, 86400e9},
	{"纳秒", DIMENSION_TIME, 1},
	{"微秒", DIMENSION_TIME, 1e3},
	{"毫秒", DIMENSION_TIME, 1e6},
	{"秒", DIMENSION_TIME, 1e9},
	{"分钟", DIMENSION_TIME, 60e9},
	{"小时", DIMENSION_TIME, 3600e9},
	{"字节", DIMENSION_BYTES, 1},
	{"倍", DIMENSION_TIMES, 1},
	{"ns", DIMENSION_TIME, 1},
	{"µs", DIMENSION_TIME, 1e3},
	{"μs", DIMENSION_TIME, 1e3},
	{"us", DIMENSION_TIME, 1e3},
	{"ms", DIMENSION_TIME, 1e6},
	{"s", DIMENSION_TIME, 1e9},
	{"TB/s", DIMENSION_BYTES_PER_S, 1e12},
	{"GB/s", DIMENSION_BYTES_PER_S, 1e9},
	{"MB/s", DIMENSION_BYTES_PER_S, 1e6},
	{"kB/s", DIMENSION_BYTES_PER_S, 1e3},
	{"KB/s", DIMENSION_BYTES_PER_S, 1e3},
	{"GiB/s", DIMENSION_BYTES_PER_S, 0x1p30},
	{"B/s", DIMENSION_BYTES_PER_S, 1},
	{"bytes", DIMENSION_BYTES, 1},
	{"TiB", DIMENSION_BYTES, 0x1p40},
	{"GiB", DIMENSION_BYTES, 0x1p30},
	{"MiB", DIMENSION_BYTES, 0x1p20},
	{"KiB", DIMENSION_BYTES, 0x1p10},
	{"TB", DIMENSION_BYTES, 1e12},
	{"GB", DIMENSION_BYTES, 1e9},
	{"MB", DIMENSION_BYTES, 1e6},
	{"kB", DIMENSION_BYTES, 1e3},
	{"KB", DIMENSION_BYTES, 1e3},
	{"B", DIMENSION_BYTES, 1},
	{"PFLOP/s", DIMENSION_FLOPS_PER_S, 1e15},
	{"TFLOP/s", DIMENSION_FLOPS_PER_S, 1e12},
	{"GFLOP/s", DIMENSION_FLOPS_PER_S, 1e9},
	{"TFLOPS", DIMENSION_FLOPS_PER_S, 1e12},
	{"PFLOP", DIMENSION_FLOPS, 1e15},
	{"TFLOP", DIMENSION_FLOPS, 1e12},
	{"GFLOP", DIMENSION_FLOPS, 1e9},
	{"percent", DIMENSION_PERCENT, 1},
	{"per cent", DIMENSION_PERCENT, 1},
	{"Prozent", DIMENSION_PERCENT, 1},
	{"％", DIMENSION_PERCENT, 1},
	{"%", DIMENSION_PERCENT, 1},
	{"×", DIMENSION_TIMES, 1},
	{"x", DIMENSION_TIMES, 1},
	{"-fold", DIMENSION_TIMES, 1},
	{"fold", DIMENSION_TIMES, 1},
	{"thousand", DIMENSION_NONE, 1e3},
	{"million", DIMENSION_NONE, 1e6},
	{"billion", DIMENSION_NONE, 1e9},
	{"k", DIMENSION_NONE, 1e3},
	{"M", DIMENSION_NONE, 1e6},
};

/* A space that does not break a line is one, too. */
static size_t space_length(struct str s)
{
	if (str_starts(s, " "))
		return 1;
	return str_starts(s, "\xc2\xa0") ? 2 : str_starts(s, "\xe2\x80\xaf") ? 3 : 0;
}

static const struct unit_word *find_unit(struct str text, size_t *ret_len)
{
	const size_t space = space_length(text);
	const struct str rest = {text.s + space, text.len - space};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		const size_t len = strlen(words[i].word);
		const bool is_letter = isalpha((unsigned char)words[i].word[len - 1]);

		if (!str_starts(rest, words[i].word) ||
		    (is_letter && len < rest.len &&
		     (isalnum((unsigned char)rest.s[len]) || rest.s[len] == '_')))
			continue;
		*ret_len = space + len;
		return &words[i];
	}
	return NULL;
}

size_t told_unit_length(struct str text)
{
	size_t len = 0;

	return find_unit(text, &len) ? len : 0;
}

static bool is_digit_at(struct str s, size_t i)
{
	return i < s.len && isdigit((unsigned char)s.s[i]);
}

/* "1,234,567": a comma before three digits, and no more. */
static bool is_group(struct str s, size_t i)
{
	return s.s[i] == ',' && is_digit_at(s, i + 1) && is_digit_at(s, i + 2) &&
	       is_digit_at(s, i + 3) && !is_digit_at(s, i + 4);
}

/* The digits as strtod() reads them; how much of the text they are. */
static size_t read_digits(struct str text, char *digits, struct told_number *n)
{
	size_t i = 0, kept = 0;
	bool after_point = false, is_significant = false;

	while (i < text.len && kept < MOST_DIGITS) {
		const bool is_digit = is_digit_at(text, i);

		if (!is_digit && is_group(text, i) && !after_point) {
			i++;
			continue;
		}
		if (!is_digit && !(text.s[i] == '.' && !after_point && is_digit_at(text, i + 1)))
			break;
		after_point |= !is_digit;
		n->decimals += is_digit && after_point;
		is_significant |= is_digit && text.s[i] != '0';
		n->digits += is_digit && is_significant;
		digits[kept++] = text.s[i++];
	}
	digits[kept] = '\0';
	return i;
}

/* "1e6", "2.5E-3" */
static size_t read_exponent(struct str text, size_t i, char *digits, struct told_number *n)
{
	size_t at = i, kept = strlen(digits);

	if (at >= text.len || (text.s[at] != 'e' && text.s[at] != 'E'))
		return i;
	at++;
	if (at < text.len && (text.s[at] == '-' || text.s[at] == '+'))
		at++;
	if (!is_digit_at(text, at) || kept + 6 > MOST_DIGITS)
		return i;
	while (is_digit_at(text, at) && at - i < 5)
		at++;
	memcpy(digits + kept, text.s + i, at - i);
	digits[kept + at - i] = '\0';
	n->decimals -= (int)strtol(digits + kept + 1, NULL, 10);
	return at;
}

/* "0x1f4"; 0: it is none */
static size_t read_hexadecimal(struct str text, struct told_number *n)
{
	size_t len = 2;

	if (!str_starts(text, "0x") && !str_starts(text, "0X"))
		return 0;
	for (; len < text.len && isxdigit((unsigned char)text.s[len]); len++) {
		const int c = tolower((unsigned char)text.s[len]);

		n->value = 16 * n->value + (isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	n->digits = (int)len;
	return len > 2 ? len : 0;
}

bool told_number_read(struct str text, struct told_number *ret)
{
	char digits[MOST_DIGITS + 8];
	const struct unit_word *unit;
	size_t len = 0;

	*ret = (struct told_number){.factor = 1};
	if (!is_digit_at(text, 0))
		return false;
	ret->len = read_hexadecimal(text, ret);
	if (!ret->len) {
		ret->len = read_digits(text, digits, ret);
		ret->len = read_exponent(text, ret->len, digits, ret);
		ret->value = strtod(digits, NULL);
	}
	while (ret->len + 1 < text.len && text.s[ret->len] == '.' &&
	       is_digit_at(text, ret->len + 1)) {
		ret->is_version = true;
		for (ret->len++; is_digit_at(text, ret->len);)
			ret->len++;
	}
	unit = find_unit((struct str){text.s + ret->len, text.len - ret->len}, &len);
	if (unit && !ret->is_version) {
		ret->len += len;
		ret->dimension = unit->dimension;
		ret->factor = unit->factor;
	}
	return true;
}

enum unit told_number_unit(const struct told_number *n)
{
	static const enum unit units[] = {
		[DIMENSION_NONE] = UNIT_COUNT,	    [DIMENSION_TIME] = UNIT_NS,
		[DIMENSION_BYTES] = UNIT_BYTES,	    [DIMENSION_BYTES_PER_S] = UNIT_BYTES_PER_S,
		[DIMENSION_FLOPS] = UNIT_FLOPS,	    [DIMENSION_FLOPS_PER_S] = UNIT_FLOPS_PER_S,
		[DIMENSION_PERCENT] = UNIT_PERCENT, [DIMENSION_TIMES] = UNIT_RATIO,
	};

	return units[n->dimension];
}

/* What the numbers of a unit are, and by how much. */
static enum dimension dimension_of(enum unit unit, double *ret_factor)
{
	*ret_factor = 1;
	switch (unit) {
	case UNIT_US:
		*ret_factor = 1e3;
		return DIMENSION_TIME;
	case UNIT_NS:
	case UNIT_TIME_NS:
	case UNIT_CHANGE_NS:
		return DIMENSION_TIME;
	case UNIT_BYTES:
		return DIMENSION_BYTES;
	case UNIT_BYTES_PER_S:
		return DIMENSION_BYTES_PER_S;
	case UNIT_FLOPS:
		return DIMENSION_FLOPS;
	case UNIT_FLOPS_PER_S:
		return DIMENSION_FLOPS_PER_S;
	case UNIT_PERCENT:
	case UNIT_UTILISATION:
	case UNIT_CHANGE:
		return DIMENSION_PERCENT;
	default:
		return DIMENSION_NONE;
	}
}

/* Rounded to as many decimals as the text has; and with as many digits as tell values apart. */
static bool is_rounded(const struct told_number *n, double value)
{
	const double step = pow(10, -n->decimals);
	const double away = fabs(fabs(value) - n->value);
	const bool is_exact = away <= fabs(n->value) * 1e-12;
	const int sure = n->dimension == DIMENSION_PERCENT ? SURE_PERCENT_DIGITS : SURE_DIGITS;

	if (is_exact)
		return true;
	if (n->digits < sure && !(n->dimension == DIMENSION_PERCENT && n->decimals > 0) &&
	    !(n->dimension == DIMENSION_TIMES && n->decimals > 0))
		return false;
	return away <= step / 2 * (1 + 1e-9);
}

/* Raw, as machines are told it: so many digits are no accident. */
static bool is_raw(const struct told_number *n, double value)
{
	return n->digits >= RAW_DIGITS && n->factor == 1 && value == n->value;
}

bool told_number_is(const struct told_number *n, double value, bool has_unit, enum unit unit)
{
	double factor = 1;
	const enum dimension d = has_unit ? dimension_of(unit, &factor) : DIMENSION_NONE;

	if (!isfinite(value) || (n->is_negative && value >= 0))
		return false;
	if (n->dimension == DIMENSION_NONE)
		return d == DIMENSION_NONE ? is_rounded(n, value / n->factor) : is_raw(n, value);
	if (n->dimension == DIMENSION_PERCENT && has_unit && unit == UNIT_RATIO)
		return is_rounded(n, value * 100);
	if (n->dimension == DIMENSION_TIMES)
		return has_unit && unit == UNIT_RATIO && is_rounded(n, value);
	return n->dimension == d && is_rounded(n, value * factor / n->factor);
}
