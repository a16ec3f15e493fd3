/* Sums and differences of times that stay at the ends of the range: traces may hold any number. */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

static inline int64_t sat_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t sat_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (!__builtin_sub_overflow(a, b, &difference))
		return difference;
	return b < 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t sat_mul(int64_t a, int64_t b)
{
	int64_t product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

/* Towards zero; not a number is 0. */
static inline int64_t sat_of_double(double x)
{
	if (!(x > -0x1p63))
		return x != x ? 0 : INT64_MIN;
	return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}

#endif
