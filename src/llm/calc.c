/* What does an expression over the evidence come to? */
#include "llm/calc.h"

#include "llm/told_number.h"
#include "text/decimal.h"
#include "text/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

typedef __int128 wide;

enum {
	DEEPEST = 32,
	MOST_EXPRESSION = 2000,
	MOST_SMALL = 100,
	ROUNDED_DIGITS = 15,
	MOST_DIGITS = 30
};

/* A fraction without a common divisor; the denominator is positive. */
struct fraction {
	wide over, under;
};

struct calculation {
	struct evidence_store *store;
	struct calculated *ret;
	struct str rest;
	int depth;
	bool has_evidence;
	struct err *e;
};

static wide divisor(wide a, wide b)
{
	while (b) {
		const wide next = a % b;

		a = b;
		b = next;
	}
	return a < 0 ? -a : a;
}

static int too_long(struct calculation *c)
{
	return err_set(c->e, ERR_USAGE,
		       "the numbers have too many digits to be exact: calculate in smaller steps");
}

static int set(struct calculation *c, struct fraction *ret, wide over, wide under)
{
	const wide d = divisor(over, under);

	if (!under)
		return err_set(c->e, ERR_USAGE, "a division by zero");
	*ret = (struct fraction){over / d, under / d};
	if (ret->under < 0)
		*ret = (struct fraction){-ret->over, -ret->under};
	return 0;
}

static int combine(struct calculation *c, struct fraction *a, char operator, struct fraction b)
{
	wide x, y, z;

	switch (operator) {
	case '-':
		b.over = -b.over;
		/* fall through */
	case '+':
		if (__builtin_mul_overflow(a->over, b.under, &x) ||
		    __builtin_mul_overflow(b.over, a->under, &y) ||
		    __builtin_mul_overflow(a->under, b.under, &z) ||
		    __builtin_add_overflow(x, y, &x))
			return too_long(c);
		return set(c, a, x, z);
	case '*':
		if (__builtin_mul_overflow(a->over, b.over, &x) ||
		    __builtin_mul_overflow(a->under, b.under, &z))
			return too_long(c);
		return set(c, a, x, z);
	default:
		if (__builtin_mul_overflow(a->over, b.under, &x) ||
		    __builtin_mul_overflow(a->under, b.over, &z))
			return too_long(c);
		return set(c, a, x, z);
	}
}

/* "-12.5e-3", as numbers are printed for machines. */
static int read_decimal(struct calculation *c, const char *text, struct fraction *ret)
{
	const bool is_negative = *text == '-';
	wide over = 0, under = 1;
	bool after_point = false;
	long exponent = 0;

	for (text += is_negative; *text && *text != 'e' && *text != 'E'; text++) {
		if (*text == '.') {
			after_point = true;
			continue;
		}
		if (__builtin_mul_overflow(over, (wide)10, &over) ||
		    __builtin_add_overflow(over, (wide)(*text - '0'), &over) ||
		    (after_point && __builtin_mul_overflow(under, (wide)10, &under)))
			return too_long(c);
	}
	if (*text)
		exponent = strtol(text + 1, NULL, 10);
	for (; exponent > 0; exponent--) {
		if (__builtin_mul_overflow(over, (wide)10, &over))
			return too_long(c);
	}
	for (; exponent < 0; exponent++) {
		if (__builtin_mul_overflow(under, (wide)10, &under))
			return too_long(c);
	}
	return set(c, ret, is_negative ? -over : over, under);
}

static void skip_space(struct calculation *c)
{
	c->rest = str_trimmed(c->rest);
}

static void skip(struct calculation *c, size_t len)
{
	c->rest = (struct str){c->rest.s + len, c->rest.len - len};
}

static bool is_next(struct calculation *c, const char *what)
{
	skip_space(c);
	return str_starts(c->rest, what);
}

static int take_reference(struct calculation *c, size_t len, struct fraction *ret)
{
	const struct str reference = {c->rest.s, len};
	struct referred f;
	SCOPED_BUF digits = {0};
	int64_t whole;

	if (!evidence_find(c->store, reference, &f) || json_read_kind(f.value) == JSON_KIND_BOOL ||
	    (json_read_kind(f.value) == JSON_KIND_TEXT &&
	     !decimal_is_plain(json_read_string(f.value).s)))
		return err_set(c->e, ERR_USAGE, "there is no number at %.*s", STR_FMT(reference));
	if (json_read_kind(f.value) == JSON_KIND_TEXT)
		buf_addstr(&digits, json_read_string(f.value));
	else if (json_read_whole(f.value, &whole))
		decimal_add_int(&digits, whole);
	else
		units_add_real(&digits, json_read_number(f.value));
	c->has_evidence = true;
	buf_addstr(&c->ret->numbers, buf_str(&digits));
	skip(c, len);
	return read_decimal(c, digits.s, ret);
}

/* Factors between units, and how many of something. */
static bool is_free(const struct told_number *n)
{
	static const double factors[] = {1024, 3600, 60000, 86400};
	double x = n->value;

	/* Times nothing, a value proves nothing. */
	if (x == 0)
		return false;
	if (x <= MOST_SMALL && !n->decimals)
		return true;
	for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
		if (x == factors[i])
			return true;
	}
	while (x > 1 && floor(x / 10) == x / 10)
		x /= 10;
	return x == 1;
}

static int take_number(struct calculation *c, struct fraction *ret)
{
	SCOPED_BUF digits = {0};
	struct told_number n;
	bool is_held = false;
	size_t len = 0;

	while (len < c->rest.len &&
	       (isdigit((unsigned char)c->rest.s[len]) || c->rest.s[len] == '.'))
		len++;
	buf_add(&digits, c->rest.s, len);
	if (!decimal_is_plain(buf_str(&digits).s) || !told_number_read(buf_str(&digits), &n))
		return err_set(c->e, ERR_USAGE, "a number is expected at '%.*s'",
			       (int)(c->rest.len < 20 ? c->rest.len : 20), c->rest.s);
	for (size_t i = 0; i < c->store->quantity_count && !is_held; i++)
		is_held = c->store->quantities[i].value == n.value;
	if ((!is_held || n.value == 0) && !is_free(&n))
		return err_set(c->e, ERR_USAGE,
			       "%s is in no evidence: refer to a value, as E1.rows[0].total_ns",
			       digits.s);
	c->has_evidence |= is_held && !is_free(&n);
	buf_addstr(&c->ret->numbers, buf_str(&digits));
	skip(c, len);
	return read_decimal(c, digits.s, ret);
}

static int take_sum(struct calculation *c, struct fraction *ret);

static int take_parentheses(struct calculation *c, struct fraction *ret)
{
	if (++c->depth > DEEPEST)
		return err_set(c->e, ERR_USAGE, "parentheses are too deep");
	skip(c, 1);
	buf_addc(&c->ret->numbers, '(');
	if (take_sum(c, ret) < 0)
		return -1;
	if (!is_next(c, ")"))
		return err_set(c->e, ERR_USAGE, "a parenthesis is not closed");
	skip(c, 1);
	buf_addc(&c->ret->numbers, ')');
	c->depth--;
	return 0;
}

static int take_factor(struct calculation *c, struct fraction *ret)
{
	const bool has_braces = is_next(c, "{{");
	size_t len;
	int result;

	if (is_next(c, "("))
		return take_parentheses(c, ret);
	if (is_next(c, "-")) {
		if (++c->depth > DEEPEST)
			return err_set(c->e, ERR_USAGE, "there are too many signs");
		skip(c, 1);
		buf_addc(&c->ret->numbers, '-');
		result = take_factor(c, ret);
		ret->over = -ret->over;
		c->depth--;
		return result;
	}
	if (has_braces)
		skip(c, 2);
	skip_space(c);
	len = evidence_reference_length(c->rest);
	result = len ? take_reference(c, len, ret) : take_number(c, ret);
	if (result == 0 && has_braces && is_next(c, "}}"))
		skip(c, 2);
	return result;
}

static int take_product(struct calculation *c, struct fraction *ret)
{
	struct fraction next = {0, 1};

	if (take_factor(c, ret) < 0)
		return -1;
	while (is_next(c, "*") || is_next(c, "/")) {
		const char operator= c->rest.s[0];

		skip(c, 1);
		buf_addc(&c->ret->numbers, operator);
		if (take_factor(c, &next) < 0 || combine(c, ret, operator, next) < 0)
			return -1;
	}
	return 0;
}

/* What is added or taken away is of the evidence, or a whole: 1 or 100. Else any sum can be had. */
static int take_term(struct calculation *c, bool is_first, struct fraction *ret)
{
	const bool had_evidence = c->has_evidence;
	bool is_term;

	c->has_evidence = false;
	if (take_product(c, ret) < 0)
		return -1;
	is_term = !is_first || is_next(c, "+") || is_next(c, "-");
	if (is_term && !c->has_evidence &&
	    !(ret->under == 1 && (ret->over == 1 || ret->over == 100)))
		return err_set(c->e, ERR_USAGE,
			       "what is added or subtracted is a value of the evidence, 1 or 100");
	c->has_evidence |= had_evidence;
	return 0;
}

static int take_sum(struct calculation *c, struct fraction *ret)
{
	struct fraction next = {0, 1};

	if (take_term(c, true, ret) < 0)
		return -1;
	while (is_next(c, "+") || is_next(c, "-")) {
		const char operator= c->rest.s[0];

		skip(c, 1);
		buf_addc(&c->ret->numbers, operator);
		if (take_term(c, false, &next) < 0 || combine(c, ret, operator, next) < 0)
			return -1;
	}
	return 0;
}

static void add_whole(struct buf *b, wide n)
{
	char digits[48];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + (int)(n % 10));
		n /= 10;
	} while (n);
	buf_add(b, digits + i, sizeof(digits) - i);
}

/* Digit by digit, until nothing is left or there are enough of them. */
static void add_result(struct calculated *ret, struct fraction f)
{
	wide rest;
	int digits = 0;

	if (f.over < 0) {
		buf_addc(&ret->result, '-');
		f.over = -f.over;
	}
	add_whole(&ret->result, f.over / f.under);
	rest = f.over % f.under;
	if (rest)
		buf_addc(&ret->result, '.');
	for (; rest && digits < MOST_DIGITS && rest < ((wide)1 << 120); digits++) {
		rest *= 10;
		buf_addc(&ret->result, (char)('0' + (int)(rest / f.under)));
		rest %= f.under;
		if (digits + 1 >= ROUNDED_DIGITS && rest)
			break;
	}
	/* A denominator that leaves no room for a digit. */
	if (rest && !digits)
		buf_addc(&ret->result, '0');
	ret->is_exact = !rest;
}

int calc(struct calculated *ret, struct evidence_store *s, struct str expression, struct err *e)
{
	struct calculation c = {.store = s, .ret = ret, .rest = expression, .e = e};
	struct fraction f = {0, 1};

	*ret = (struct calculated){0};
	if (expression.len > MOST_EXPRESSION)
		return err_set(e, ERR_USAGE, "the expression is too long");
	if (take_sum(&c, &f) < 0)
		return -1;
	skip_space(&c);
	if (c.rest.len)
		return err_set(e, ERR_USAGE, "what is '%.*s'? There are + - * / ( ) and references",
			       (int)(c.rest.len < 20 ? c.rest.len : 20), c.rest.s);
	if (!c.has_evidence)
		return err_set(e, ERR_USAGE,
			       "refer to a value of the evidence, as E1.rows[0].total_ns");
	add_result(ret, f);
	return 0;
}

void calculated_free(struct calculated *c)
{
	buf_free(&c->result);
	buf_free(&c->numbers);
}
