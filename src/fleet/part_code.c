/* How does a value become bytes, and what may bytes become? */
#include "fleet/part_code.h"

#include "fleet/part.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

enum { BITS = 7, MORE = 1 << BITS, LONGEST = 10 };

void code_refuse(struct part_code *c, const char *what)
{
	if (!c->wrong)
		c->wrong = what;
}

static void put(struct part_code *c, uint64_t value)
{
	char bytes[LONGEST];
	size_t n = 0;

	for (; value >= MORE; value >>= BITS)
		bytes[n++] = (char)(value | MORE);
	bytes[n++] = (char)value;
	buf_add(&c->out, bytes, n);
}

static uint64_t get(struct part_code *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !c->wrong; shift += BITS) {
		unsigned byte;

		if (c->at == c->end) {
			code_refuse(c, "it ends too early");
			break;
		}
		byte = *c->at++;
		/* The tenth byte has one bit left; a zero that ends several bytes says nothing. */
		if ((shift == BITS * (LONGEST - 1) && byte > 1) || (shift && !byte)) {
			code_refuse(c, "a number is written in an impossible way");
			break;
		}
		value |= (uint64_t)(byte & (MORE - 1)) << shift;
		if (byte < MORE)
			return value;
	}
	return 0;
}

void code_u64(struct part_code *c, uint64_t *value, uint64_t most)
{
	if (c->writes) {
		put(c, *value);
		return;
	}
	*value = get(c);
	if (*value > most) {
		code_refuse(c, "a number is out of bounds");
		*value = 0;
	}
}

void code_u32(struct part_code *c, uint32_t *value, uint32_t most)
{
	uint64_t wide = *value;

	code_u64(c, &wide, most);
	*value = (uint32_t)wide;
}

/* None is 0, and all others are one more. */
void code_number(struct part_code *c, uint32_t *value)
{
	uint64_t wide = *value == PART_NO_NUMBER ? 0 : (uint64_t)*value + 1;

	code_u64(c, &wide, UINT32_MAX);
	*value = wide ? (uint32_t)(wide - 1) : PART_NO_NUMBER;
}

void code_bool(struct part_code *c, bool *value)
{
	uint64_t wide = *value;

	code_u64(c, &wide, 1);
	*value = wide;
}

void code_hash(struct part_code *c, uint64_t *value)
{
	unsigned char bytes[sizeof(*value)];

	if (c->writes) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)(*value >> 8 * i);
		buf_add(&c->out, bytes, sizeof(bytes));
		return;
	}
	*value = 0;
	if ((size_t)(c->end - c->at) < sizeof(bytes)) {
		code_refuse(c, "it ends too early");
		return;
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		*value |= (uint64_t)*c->at++ << 8 * i;
}

/* Small ones of either sign are small. */
static uint64_t fold(int64_t x)
{
	return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static int64_t unfold(uint64_t x)
{
	return (int64_t)(x >> 1 ^ -(x & 1));
}

static int64_t bounded(struct part_code *c, int64_t value)
{
	if (value >= -PART_TIME_MAX && value <= PART_TIME_MAX)
		return value;
	code_refuse(c, "a time is out of bounds");
	return 0;
}

void code_delta(struct part_code *c, int64_t *value, int64_t *before)
{
	int64_t sum;

	if (c->writes) {
		put(c, fold(*value - *before));
	} else {
		if (__builtin_add_overflow(*before, unfold(get(c)), &sum))
			sum = INT64_MAX;
		*value = bounded(c, sum);
	}
	*before = *value;
}

void code_time(struct part_code *c, int64_t *value)
{
	int64_t before = 0;

	code_delta(c, value, &before);
}

void code_length(struct part_code *c, int64_t *value)
{
	uint64_t wide = (uint64_t)*value;

	code_u64(c, &wide, PART_TIME_MAX);
	*value = (int64_t)wide;
}

/* What is not known is 0, and all else is moved out of its way. */
void code_maybe(struct part_code *c, int64_t *value, int64_t *before)
{
	uint64_t folded;
	int64_t sum;

	if (c->writes) {
		put(c, *value == PART_UNKNOWN ? 0 : fold(*value - *before) + 1);
	} else {
		folded = get(c);
		*value = PART_UNKNOWN;
		if (!folded)
			return;
		if (__builtin_add_overflow(*before, unfold(folded - 1), &sum))
			sum = INT64_MAX;
		*value = bounded(c, sum);
	}
	if (*value != PART_UNKNOWN)
		*before = *value;
}

void code_real(struct part_code *c, double *value)
{
	uint64_t bits;

	memcpy(&bits, value, sizeof(bits));
	code_hash(c, &bits);
	memcpy(value, &bits, sizeof(bits));
	if (!isfinite(*value)) {
		code_refuse(c, "a number is none");
		*value = 0;
	}
}

void code_text(struct part_code *c, const char **value)
{
	uint64_t number = 0;

	if (c->writes) {
		put(c, strtab_add(&c->told, str_of(*value)));
		return;
	}
	*value = "";
	code_u64(c, &number, UINT32_MAX);
	if (number < c->text_count)
		*value = c->texts[number];
	else
		code_refuse(c, "a text is missing");
}

void code_count(struct part_code *c, size_t *count, size_t most, size_t least)
{
	uint64_t wide = *count;

	code_u64(c, &wide, most);
	if (!c->writes && wide > (uint64_t)(c->end - c->at) / least) {
		code_refuse(c, "it ends too early");
		wide = 0;
	}
	*count = wide;
}
