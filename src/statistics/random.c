/* What comes next? */
#include "statistics/random.h"

/* Vigna's splitmix64 spreads a seed over the state: seeds that differ in one bit share no draws. */
static uint64_t split_mix(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct random random_of(uint64_t seed)
{
	struct random r;

	for (size_t i = 0; i < 4; i++)
		r.state[i] = split_mix(&seed);
	return r;
}

static uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

uint64_t random_next(struct random *r)
{
	uint64_t *const s = r->state;
	const uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

/* Draws beyond the last whole multiple of the limit would favour its first numbers: draw again. */
size_t random_below(struct random *r, size_t limit)
{
	const uint64_t beyond = -(uint64_t)limit % limit;
	uint64_t x = random_next(r);

	while (x < beyond)
		x = random_next(r);
	return x % limit;
}

double random_unit(struct random *r)
{
	return (double)(random_next(r) >> 11) * 0x1p-53;
}
