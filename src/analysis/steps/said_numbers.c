/* Which number in their names counts steps, and from where on? */
#include "analysis/steps/said_numbers.h"

enum { DIGITS_MAX = 9 }; /* of a count: more are a hash, or a time */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The next number of a name. False: there is none; *ret_fits: it may be a count. */
static bool next_number(struct str name, size_t *at, uint32_t *ret, bool *ret_fits)
{
	size_t from;

	while (*at < name.len && !is_digit(name.s[*at]))
		++*at;
	from = *at;
	*ret = 0;
	for (; *at < name.len && is_digit(name.s[*at]); ++*at) {
		if (*at - from < DIGITS_MAX)
			*ret = *ret * 10 + (uint32_t)(name.s[*at] - '0');
	}
	*ret_fits = *at - from <= DIGITS_MAX;
	return *at > from;
}

void said_numbers_add(struct said_numbers *s, struct str name)
{
	size_t at = 0;
	bool more = true;

	for (int i = 0; i < SAID_NUMBERS; i++) {
		uint32_t number;
		bool fits;

		more = more && next_number(name, &at, &number, &fits);
		if (!more || !fits)
			s->off[i] = true;
		else if (!s->count)
			s->first[i] = number;
		else
			s->off[i] |= number != s->first[i] + s->count;
	}
	s->count++;
}

uint32_t said_numbers_first(const struct said_numbers *s)
{
	/* Of one or two it may be anything. */
	for (int i = 0; i < SAID_NUMBERS && s->count > 2; i++) {
		if (!s->off[i])
			return s->first[i];
	}
	return UINT32_MAX;
}
