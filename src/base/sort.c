/* How are millions of values put in order in linear time? */
#include "base/sort.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_ARRAY = 64, MOST_RUNS = 64, RADIX_BITS = 8, RADIX = 1 << RADIX_BITS };

static void insertion_sort(int64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int64_t x = v[i];
		size_t j = i;

		for (; j && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* Flipping the sign bit makes unsigned byte order agree with signed order. */
static inline uint64_t ordered(int64_t v)
{
	return (uint64_t)v ^ (UINT64_C(1) << 63);
}

static uint64_t differing_bits(const int64_t *v, size_t n)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < n; i++)
		bits |= (uint64_t)(v[i] ^ v[0]);
	return bits;
}

static void prefix_sums(size_t count[RADIX])
{
	size_t at = 0;

	for (int b = 0; b < RADIX; b++) {
		size_t c = count[b];

		count[b] = at;
		at += c;
	}
}

void sort_i64(int64_t *values, int64_t *scratch, size_t n)
{
	int64_t *from = values, *to = scratch;
	uint64_t bits;

	if (n < SHORT_ARRAY) {
		insertion_sort(values, n);
		return;
	}
	bits = differing_bits(values, n);
	for (int shift = 0; shift < 64; shift += RADIX_BITS) {
		size_t at[RADIX] = {0};
		int64_t *swap = from;

		if (!(bits >> shift & (RADIX - 1)))
			continue;
		for (size_t i = 0; i < n; i++)
			at[ordered(from[i]) >> shift & (RADIX - 1)]++;
		prefix_sums(at);
		for (size_t i = 0; i < n; i++)
			to[at[ordered(from[i]) >> shift & (RADIX - 1)]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != values)
		memcpy(values, from, n * sizeof(*values));
}

/* Where ascending runs end, whose number it says; 0: there are more than MOST_RUNS. */
static size_t find_runs(const int64_t *key, size_t n, size_t *ends)
{
	size_t count = 0;

	for (size_t i = 1; i < n; i++) {
		if (key[i - 1] <= key[i])
			continue;
		if (count + 1 == MOST_RUNS)
			return 0;
		ends[count++] = i;
	}
	ends[count++] = n;
	return count;
}

/* [begin, middle) and [middle, end) of an order, each ascending. */
static void merge_order(const int64_t *key, const uint32_t *from, uint32_t *to, size_t begin,
			size_t middle, size_t end)
{
	size_t a = begin, b = middle, at = begin;

	while (a < middle && b < end)
		to[at++] = key[from[b]] < key[from[a]] ? from[b++] : from[a++];
	memcpy(to + at, from + a, (middle - a) * sizeof(*to));
	at += middle - a;
	memcpy(to + at, from + b, (end - b) * sizeof(*to));
}

/* Two runs become one, until one is left, which is where it says. */
static uint32_t *merge_runs(const int64_t *key, uint32_t *from, uint32_t *to, size_t *ends,
			    size_t count)
{
	while (count > 1) {
		uint32_t *swap = from;
		size_t begin = 0, next = 0;

		for (size_t i = 0; i < count; i += 2) {
			const size_t last = i + 1 < count ? i + 1 : i;

			merge_order(key, from, to, begin, ends[i], ends[last]);
			begin = ends[next++] = ends[last];
		}
		count = next;
		from = to;
		to = swap;
	}
	return from;
}

static uint32_t *sort_by_digits(const int64_t *key, uint32_t *from, uint32_t *to, size_t n)
{
	const uint64_t bits = differing_bits(key, n);

	for (int shift = 0; shift < 64; shift += RADIX_BITS) {
		size_t at[RADIX] = {0};
		uint32_t *swap = from;

		if (!(bits >> shift & (RADIX - 1)))
			continue;
		for (size_t i = 0; i < n; i++)
			at[ordered(key[i]) >> shift & (RADIX - 1)]++;
		prefix_sums(at);
		for (size_t i = 0; i < n; i++)
			to[at[ordered(key[from[i]]) >> shift & (RADIX - 1)]++] = from[i];
		from = to;
		to = swap;
	}
	return from;
}

/* Times of a table mostly ascend, and those of several tables do in a few runs. */
void sort_order_i64(const int64_t *key, uint32_t *order, uint32_t *scratch, size_t n)
{
	size_t ends[MOST_RUNS], runs;
	const uint32_t *sorted;

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	runs = find_runs(key, n, ends);
	sorted = runs ? merge_runs(key, order, scratch, ends, runs)
		      : sort_by_digits(key, order, scratch, n);
	if (sorted != order)
		memcpy(order, sorted, n * sizeof(*order));
}

uint32_t *sort_new_order(const int64_t *key, size_t n)
{
	uint32_t *order = mem_alloc(n, sizeof(*order));
	SCOPED uint32_t *scratch = mem_alloc(n, sizeof(*scratch));

	sort_order_i64(key, order, scratch, n);
	return order;
}

static void merge(char *out, const char *a, size_t na, const char *b, size_t nb, size_t size,
		  int (*compare)(const void *, const void *, void *), void *ctx)
{
	/* Rows of a table are mostly in order already. */
	if (na && nb && compare(a + (na - 1) * size, b, ctx) <= 0) {
		memcpy(out, a, na * size);
		memcpy(out + na * size, b, nb * size);
		return;
	}
	while (na && nb) {
		if (compare(a, b, ctx) <= 0) {
			memcpy(out, a, size);
			a += size;
			na--;
		} else {
			memcpy(out, b, size);
			b += size;
			nb--;
		}
		out += size;
	}
	memcpy(out, na ? a : b, (na + nb) * size);
}

static bool in_order(const char *items, size_t n, size_t size,
		     int (*compare)(const void *, const void *, void *), void *ctx)
{
	for (size_t i = 1; i < n; i++) {
		if (compare(items + (i - 1) * size, items + i * size, ctx) > 0)
			return false;
	}
	return true;
}

void sort_stable(void *items, size_t n, size_t size,
		 int (*compare)(const void *a, const void *b, void *ctx), void *ctx)
{
	char *from = items, *scratch, *to;

	if (in_order(items, n, size, compare, ctx))
		return;
	scratch = to = mem_alloc(n, size);
	for (size_t width = 1; width < n; width *= 2) {
		char *swap = from;

		for (size_t i = 0; i < n; i += 2 * width) {
			size_t na = n - i < width ? n - i : width;
			size_t nb = n - i - na < width ? n - i - na : width;

			merge(to + i * size, from + i * size, na, from + (i + na) * size, nb, size,
			      compare, ctx);
		}
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * size);
	free(scratch);
}

/* A double's bits sort as it does, negative ones backwards: the same there and back. */
static int64_t turned(int64_t bits)
{
	return bits < 0 ? INT64_MIN - bits : bits;
}

int64_t sort_key_of_double(double x)
{
	int64_t bits;

	x += 0.0; /* makes one zero of both */
	memcpy(&bits, &x, sizeof(bits));
	return turned(bits);
}

double sort_double_of_key(int64_t key)
{
	int64_t bits = turned(key);
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static int compare_i64(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t sort_usual_step(const int64_t *ascending, size_t n)
{
	enum { ENOUGH = 4096 };
	int64_t steps[ENOUGH];
	const size_t all = n ? n - 1 : 0, taken = all < ENOUGH ? all : ENOUGH;
	size_t count = 0;

	for (size_t i = 0; i < taken; i++) {
		const size_t next = (i + 1) * all / taken;
		size_t at = i * all / taken;

		while (at < next && at + 1 < all && ascending[at + 1] == ascending[at])
			at++;
		steps[count] = sat_sub(ascending[at + 1], ascending[at]);
		count += steps[count] != 0;
	}
	qsort(steps, count, sizeof(*steps), compare_i64);
	return count ? steps[count / 2] : 0;
}
