/* What is the median of all differences, without making them all? */
#include "statistics/hodges_lehmann.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>

/* Of more values evenly spaced places of their order stand for all: the median moves by no more
 * than neighbours there differ. */
enum { MOST_VALUES = 4096 };

struct sample {
	const double *values;
	size_t count, all;
};

/* The middle of each of so many equal parts of the order. */
static double value_at(const struct sample *s, size_t i)
{
	return s->values[s->count == s->all ? i : (i * 2 + 1) * s->all / (2 * s->count)];
}

/* How many differences b - a are at most `limit`: for each a larger than the last, more b. */
static uint64_t count_up_to(const struct sample *a, const struct sample *b, double limit)
{
	uint64_t count = 0;
	size_t j = 0;

	for (size_t i = 0; i < a->count; i++) {
		while (j < b->count && value_at(b, j) - value_at(a, i) <= limit)
			j++;
		count += j;
	}
	return count;
}

/* Halves the range of keys that sort as doubles do: exact after 64 steps at most. */
static double difference_at(const struct sample *a, const struct sample *b, uint64_t place)
{
	int64_t low = sort_key_of_double(value_at(b, 0) - value_at(a, a->count - 1)),
		high = sort_key_of_double(value_at(b, b->count - 1) - value_at(a, 0));

	while (low < high) {
		const int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (count_up_to(a, b, sort_double_of_key(middle)) > place)
			high = middle;
		else
			low = middle + 1;
	}
	return sort_double_of_key(low);
}

static struct sample sample_of(const double *values, size_t n)
{
	return (struct sample){values, n < MOST_VALUES ? n : MOST_VALUES, n};
}

double hodges_lehmann(const double *before, size_t before_count, const double *after,
		      size_t after_count)
{
	const struct sample a = sample_of(before, before_count), b = sample_of(after, after_count);
	const uint64_t all = (uint64_t)a.count * b.count;

	return (difference_at(&a, &b, (all - 1) / 2) + difference_at(&a, &b, all / 2)) / 2;
}

double hodges_lehmann_pairs(const double *differences, size_t n)
{
	const struct sample s = sample_of(differences, n);
	const size_t all = s.count * (s.count + 1) / 2;
	SCOPED int64_t *means = mem_alloc(all, sizeof(*means)),
		       *scratch = mem_alloc(all, sizeof(*scratch));
	size_t at = 0;

	for (size_t i = 0; i < s.count; i++) {
		for (size_t j = i; j < s.count; j++)
			means[at++] = sort_key_of_double((value_at(&s, i) + value_at(&s, j)) / 2);
	}
	sort_i64(means, scratch, all);
	return (sort_double_of_key(means[(all - 1) / 2]) + sort_double_of_key(means[all / 2])) / 2;
}
