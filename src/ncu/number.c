/* Which number does a text mean, and what does its unit make of it? */
#include "ncu/number.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 64 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of a space or an apostrophe that sets thousands apart, else 0. */
static size_t space_length(struct str s, size_t at)
{
	static const char *const forms[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
	const struct str rest = {s.s + at, s.len - at};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (str_starts(rest, forms[i]))
			return strlen(forms[i]);
	}
	return 0;
}

static size_t digits_at(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.len && is_digit(s.s[at + n]))
		n++;
	return n;
}

/* Digits, points and commas alone, which begins and ends with a digit. */
static bool is_plain(struct str s)
{
	if (s.len && (s.s[0] == '-' || s.s[0] == '+')) {
		s.s++;
		s.len--;
	}
	if (!s.len || s.len > LONGEST || !is_digit(s.s[0]) || !is_digit(s.s[s.len - 1]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!is_digit(s.s[i]) && s.s[i] != '.' && s.s[i] != ',')
			return false;
	}
	return true;
}

static size_t count_of(struct str s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += s.s[i] == c;
	return n;
}

static bool ends_in_three(struct str s, size_t separator)
{
	return s.len - separator == 4;
}

/* Whether one separator that stands alone can be a decimal mark only: 0.125, 1234.567, 3.19. */
static bool must_be_mark(struct str s, char c)
{
	size_t at = (size_t)((const char *)memchr(s.s, c, s.len) - s.s);
	size_t before = at - !is_digit(s.s[0]);

	return !ends_in_three(s, at) || before > 3 || s.s[at - before] == '0';
}

/* '.' or ',' where the text decides which is the decimal mark, else 0. */
static char mark_of(struct str s)
{
	size_t points = count_of(s, '.'), commas = count_of(s, ',');
	char last = 0;

	for (size_t i = 0; i < s.len; i++)
		last = is_digit(s.s[i]) || s.s[i] == '-' || s.s[i] == '+' ? last : s.s[i];
	if (!last)
		return 0;
	if (points && commas)
		return (last == '.' ? points : commas) == 1 ? last : 0;
	if (points + commas > 1)
		return points ? ',' : '.';
	return must_be_mark(s, last) ? last : 0;
}

void number_look(struct number_evidence *seen, struct str text, struct arena *a)
{
	struct str s = str_trimmed(text), *slot;
	double ignored;
	char mark;

	if (!is_plain(s))
		return;
	mark = mark_of(s);
	slot = mark == '.' ? &seen->point : &seen->comma;
	/* 1.2.3 is a version, not a number. */
	if (!mark || slot->s || !number_read(s, mark, &ignored))
		return;
	*slot = arena_str(a, s);
}

struct reader {
	struct str s;
	size_t at;
	char plain[LONGEST + 2];
	size_t len;
};

static void take_bytes(struct reader *r, size_t n)
{
	memcpy(r->plain + r->len, r->s.s + r->at, n);
	r->len += n;
	r->at += n;
}

/* Thousands are set apart from the first three on, or not at all. */
static bool take_whole(struct reader *r, char mark)
{
	size_t first = digits_at(r->s, r->at);

	take_bytes(r, first);
	while (r->at < r->s.len && first && first <= 3) {
		size_t gap = space_length(r->s, r->at);

		if (!gap && r->s.s[r->at] == (mark == '.' ? ',' : '.'))
			gap = 1;
		if (!gap)
			break;
		if (digits_at(r->s, r->at + gap) != 3)
			return false;
		r->at += gap;
		take_bytes(r, 3);
	}
	return true;
}

static void take_exponent(struct reader *r)
{
	size_t sign =
		r->at + 1 < r->s.len && (r->s.s[r->at + 1] == '-' || r->s.s[r->at + 1] == '+');
	size_t digits = digits_at(r->s, r->at + 1 + sign);

	if (r->at < r->s.len && (r->s.s[r->at] == 'e' || r->s.s[r->at] == 'E') && digits)
		take_bytes(r, 1 + sign + digits);
}

bool number_read(struct str text, char mark, double *ret)
{
	struct reader r = {.s = str_trimmed(text)};
	size_t before;

	if (!r.s.len || r.s.len > LONGEST)
		return false;
	if (r.s.s[0] == '-' || r.s.s[0] == '+')
		take_bytes(&r, 1);
	before = r.len;
	if (!take_whole(&r, mark))
		return false;
	if (r.at < r.s.len && r.s.s[r.at] == mark) {
		r.plain[r.len++] = '.';
		r.at++;
		take_bytes(&r, digits_at(r.s, r.at));
	}
	if (r.len == before || (r.len == before + 1 && r.plain[before] == '.'))
		return false;
	take_exponent(&r);
	r.plain[r.len] = '\0';
	*ret = strtod(r.plain, NULL);
	return r.at == r.s.len && isfinite(*ret);
}

struct base {
	const char *name;
	enum dimension dimension;
	double factor;
};

static const struct base bases[] = {
	{"byte", DIM_BYTES, 1},	  {"bytes", DIM_BYTES, 1},   {"B", DIM_BYTES, 1},
	{"hz", DIM_HZ, 1},	  {"second", DIM_TIME, 1e9}, {"seconds", DIM_TIME, 1e9},
	{"sec", DIM_TIME, 1e9},	  {"s", DIM_TIME, 1e9},	     {"%", DIM_PERCENT, 1},
	{"inst", DIM_PLAIN, 1},	  {"cycle", DIM_PLAIN, 1},   {"sector", DIM_PLAIN, 1},
	{"op", DIM_PLAIN, 1},	  {"flop", DIM_PLAIN, 1},    {"warp", DIM_PLAIN, 1},
	{"thread", DIM_PLAIN, 1}, {"request", DIM_PLAIN, 1},
};

static const struct prefix {
	const char *text;
	double factor;
} prefixes[] = {
	{"", 1},     {"n", 1e-9}, {"u", 1e-6},	{"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6},
	{"m", 1e-3}, {"K", 1e3},  {"k", 1e3},	{"M", 1e6},	    {"G", 1e9},
	{"T", 1e12}, {"P", 1e15}, {"Ki", 1024}, {"Mi", 1048576},    {"Gi", 1073741824},
};

/* Without a prefix first: "s" is no "m" of something, and "byte" has none. */
static bool read_simple(struct str unit, struct unit_scale *ret)
{
	for (size_t p = 0; p < ARRAY_LEN(prefixes); p++) {
		size_t len = strlen(prefixes[p].text);
		struct str rest = {unit.s + len, unit.len - len};

		if (!str_starts(unit, prefixes[p].text))
			continue;
		for (size_t b = 0; b < ARRAY_LEN(bases); b++) {
			if (!str_eq_any_case(rest, bases[b].name))
				continue;
			*ret = (struct unit_scale){bases[b].dimension,
						   prefixes[p].factor * bases[b].factor};
			return true;
		}
	}
	return false;
}

struct unit_scale unit_read(struct str unit)
{
	const char *slash = unit.len ? memchr(unit.s, '/', unit.len) : NULL;
	struct unit_scale scale = {DIM_PLAIN, 1}, per;
	struct str over;

	if (!unit.len)
		return (struct unit_scale){DIM_ANY, 1};
	if (!slash) {
		read_simple(unit, &scale);
		return scale;
	}
	over = (struct str){slash + 1, unit.len - (size_t)(slash + 1 - unit.s)};
	unit.len = (size_t)(slash - unit.s);
	read_simple(unit, &scale);
	if (!read_simple(over, &per) || per.dimension != DIM_TIME)
		return scale;
	/* Rates are by the second: sector/ns is a thousand million of them. */
	scale.factor *= 1e9 / per.factor;
	/* Clocks, as ncu wrote them before it said Ghz. */
	if (str_ends(unit, "cycle"))
		scale.dimension = DIM_HZ;
	return scale;
}
