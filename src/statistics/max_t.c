/* Which rows differ by more than dealing the labels anew explains? */
#include "statistics/max_t.h"

#include "base/mem.h"
#include "base/sort.h"
#include "statistics/permutation.h"
#include "statistics/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Exact as long as it takes less than a second. */
static const double MOST_WORK = 2e8;

/*
 * Rows have the length 1, whatever signs change, so that |t| grows with the |sum| of a row for all
 * rows alike: sums are compared, and no row divides by a variance of 0. To deal labels anew is to
 * change the signs of some values: of differences of pairs as it is, and of run means, which have
 * their mean taken off, because all of them add up to 0.
 */
struct family {
	size_t rows, runs, chosen; /* chosen: runs of the side that comes first; 0: pairs */
	double *values;		   /* by row and run, or pair */
	double *sums;		   /* by row, of its values */
	size_t *row_of;		   /* by place: where the row came from */
	double *seen;		   /* by place, descending */
	size_t *as_large, all;	   /* by place: ways to deal the labels */
};

/* The side that comes first is told by what it holds: else swapped sides would draw other labels.
 */
static bool is_after_first(const double *const *rows, size_t row_count, size_t before, size_t after)
{
	if (before != after)
		return after < before;
	for (size_t r = 0; r < row_count; r++) {
		for (size_t i = 0; i < before; i++) {
			if (rows[r][i] != rows[r][before + i])
				return rows[r][before + i] < rows[r][i];
		}
	}
	return false;
}

/* False: all the same, or no numbers. */
static bool make_length_one(double *values, size_t n, double largest)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += values[i] * values[i];
	if (!(sqrt(squares) > 1e-13 * largest) || isinf(squares))
		return false;
	for (size_t i = 0; i < n; i++)
		values[i] /= sqrt(squares);
	return true;
}

static bool standardise(const double *row, size_t first, size_t n, double *out)
{
	double sum = 0, largest = 0;

	for (size_t i = 0; i < n; i++) {
		out[i] = row[(first + i) % n];
		largest = fmax(largest, fabs(out[i]));
		sum += out[i];
	}
	for (size_t i = 0; i < n; i++)
		out[i] -= sum / (double)n;
	return make_length_one(out, n, largest);
}

static bool has_numbers(const double *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(row[i]))
			return false;
	}
	return true;
}

/* With other signs for some of the runs, or pairs. */
static double sum_with(const struct family *f, size_t row, const size_t *runs, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += f->values[row * f->runs + runs[i]];
	return fabs(f->sums[row] - 2 * sum);
}

/* From the least telling row up: as large as the largest so far. */
static void count_way(struct family *f, const size_t *runs, size_t count)
{
	double largest = 0;

	for (size_t place = f->rows; place-- > 0;) {
		largest = fmax(largest, sum_with(f, place, runs, count));
		f->as_large[place] += largest >= f->seen[place] * (1 - 1e-12);
	}
	f->all++;
}

/* The next choice of runs in the order of dictionaries. */
static bool choose_next(const struct family *f, size_t *runs)
{
	size_t i = f->chosen;

	while (i > 0 && runs[i - 1] == f->runs - f->chosen + i - 1)
		i--;
	if (i == 0)
		return false;
	runs[i - 1]++;
	for (; i < f->chosen; i++)
		runs[i] = runs[i - 1] + 1;
	return true;
}

static void draw_runs(struct random *r, size_t chosen, size_t n, size_t *runs)
{
	for (size_t i = 0; i < chosen; i++) {
		const size_t other = i + random_below(r, n - i), run = runs[other];

		runs[other] = runs[i];
		runs[i] = run;
	}
}

static double ways_of(const struct family *f)
{
	double ways = 1;

	for (size_t i = 1; i <= f->chosen; i++)
		ways *= (double)(f->runs - f->chosen + i) / (double)i;
	return ways;
}

static void deal_labels(struct family *f, uint64_t seed)
{
	SCOPED size_t *runs = mem_alloc(f->runs, sizeof(*runs));
	struct random r = random_of(seed);

	for (size_t i = 0; i < f->runs; i++)
		runs[i] = i;
	if (f->runs - f->chosen <= PERMUTATION_MOST_EXACT &&
	    ways_of(f) * (double)f->chosen * (double)f->rows <= MOST_WORK) {
		do
			count_way(f, runs, f->chosen);
		while (choose_next(f, runs));
		return;
	}
	count_way(f, runs, f->chosen);
	for (size_t i = 0; i < PERMUTATION_DRAWS; i++) {
		draw_runs(&r, f->chosen, f->runs, runs);
		count_way(f, runs, f->chosen);
	}
}

/* The pairs whose bit is set. */
static size_t list_pairs(uint64_t set, size_t n, size_t *out)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (set >> i & 1)
			out[count++] = i;
	}
	return count;
}

static size_t draw_pairs(struct random *r, size_t n, size_t *out)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (random_next(r) >> 63)
			out[count++] = i;
	}
	return count;
}

static void deal_signs(struct family *f, uint64_t seed)
{
	SCOPED size_t *pairs = mem_alloc(f->runs, sizeof(*pairs));
	struct random r = random_of(seed);

	if (f->runs <= PERMUTATION_MOST_EXACT) {
		for (uint64_t set = 0; set < (uint64_t)1 << f->runs; set++)
			count_way(f, pairs, list_pairs(set, f->runs, pairs));
		return;
	}
	count_way(f, pairs, 0);
	for (size_t i = 0; i < PERMUTATION_DRAWS; i++)
		count_way(f, pairs, draw_pairs(&r, f->runs, pairs));
}

/* Rows by how telling they are, as labels stand. */
static void order_rows(struct family *f)
{
	SCOPED size_t *runs = mem_alloc(f->runs, sizeof(*runs)),
		      *came = mem_copy(f->row_of, f->rows, sizeof(*came));
	SCOPED double *values = mem_copy(f->values, f->rows * f->runs, sizeof(*values)),
		      *sums = mem_copy(f->sums, f->rows, sizeof(*sums));
	SCOPED int64_t *keys = mem_alloc(f->rows, sizeof(*keys));
	SCOPED uint32_t *order = NULL;

	for (size_t i = 0; i < f->runs; i++)
		runs[i] = i;
	for (size_t row = 0; row < f->rows; row++)
		keys[row] = sort_key_of_double(-sum_with(f, row, runs, f->chosen));
	order = sort_new_order(keys, f->rows);
	for (size_t place = 0; place < f->rows; place++) {
		f->seen[place] = -sort_double_of_key(keys[order[place]]);
		f->row_of[place] = came[order[place]];
		f->sums[place] = sums[order[place]];
		for (size_t i = 0; i < f->runs; i++)
			f->values[place * f->runs + i] = values[order[place] * f->runs + i];
	}
}

static void read_rows(struct family *f, const double *const *rows, size_t row_count, size_t before,
		      double *ret_p)
{
	const bool turned = is_after_first(rows, row_count, before, f->runs - before);

	f->chosen = turned ? f->runs - before : before;
	for (size_t r = 0; r < row_count; r++) {
		ret_p[r] = has_numbers(rows[r], f->runs) ? 1 : NAN;
		if (!isnan(ret_p[r]) && standardise(rows[r], turned ? before : 0, f->runs,
						    f->values + f->rows * f->runs))
			f->row_of[f->rows++] = r;
	}
}

static void read_pairs(struct family *f, const double *const *rows, size_t row_count, double *ret_p)
{
	for (size_t r = 0; r < row_count; r++) {
		double *values = f->values + f->rows * f->runs, sum = 0;

		ret_p[r] = has_numbers(rows[r], f->runs) ? 1 : NAN;
		for (size_t i = 0; i < f->runs; i++)
			values[i] = rows[r][i];
		if (isnan(ret_p[r]) || !make_length_one(values, f->runs, 0))
			continue;
		for (size_t i = 0; i < f->runs; i++)
			sum += values[i];
		f->sums[f->rows] = sum;
		f->row_of[f->rows++] = r;
	}
}

static struct family family_of(size_t row_count, size_t runs)
{
	return (struct family){.runs = runs,
			       .values = mem_alloc(row_count * runs + 1, sizeof(double)),
			       .sums = mem_zalloc(row_count + 1, sizeof(double)),
			       .row_of = mem_alloc(row_count + 1, sizeof(size_t)),
			       .seen = mem_alloc(row_count + 1, sizeof(double)),
			       .as_large = mem_zalloc(row_count + 1, sizeof(size_t))};
}

/* A row is no surer than one that is more telling. */
static void tell_shares(const struct family *f, double *ret_p)
{
	double p = 0;

	for (size_t place = 0; place < f->rows; place++) {
		p = fmax(p, (double)f->as_large[place] / (double)f->all);
		ret_p[f->row_of[place]] = p;
	}
}

static void judge(struct family *f, void (*deal)(struct family *f, uint64_t seed), uint64_t seed,
		  double *ret_p)
{
	if (f->rows) {
		order_rows(f);
		deal(f, seed);
		tell_shares(f, ret_p);
	}
	free(f->values);
	free(f->sums);
	free(f->row_of);
	free(f->seen);
	free(f->as_large);
}

void max_t(const double *const *rows, size_t row_count, size_t before, size_t after, uint64_t seed,
	   double *ret_p)
{
	struct family f = family_of(row_count, before + after);

	read_rows(&f, rows, row_count, before, ret_p);
	if (!before || !after)
		f.rows = 0;
	judge(&f, deal_labels, seed, ret_p);
}

void max_t_pairs(const double *const *differences, size_t row_count, size_t pairs, uint64_t seed,
		 double *ret_p)
{
	struct family f = family_of(row_count, pairs);

	read_pairs(&f, differences, row_count, ret_p);
	judge(&f, deal_signs, seed, ret_p);
}
