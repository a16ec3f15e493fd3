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
 * Rows have the mean 0 and the length 1. Then |t| grows with the sum over the runs of one side, and
 * as well for all rows: that sum is compared, and no row divides by a variance of 0.
 */
struct family {
	size_t rows, runs, chosen; /* chosen: runs of the side that comes first */
	double *values;		   /* by row and run */
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
static bool standardise(const double *row, size_t first, size_t n, double *out)
{
	double sum = 0, squares = 0, largest = 0;

	for (size_t i = 0; i < n; i++) {
		out[i] = row[(first + i) % n];
		largest = fmax(largest, fabs(out[i]));
		sum += out[i];
	}
	for (size_t i = 0; i < n; i++) {
		out[i] -= sum / (double)n;
		squares += out[i] * out[i];
	}
	if (!(sqrt(squares) > 1e-13 * largest) || isinf(squares))
		return false;
	for (size_t i = 0; i < n; i++)
		out[i] /= sqrt(squares);
	return true;
}

static bool has_numbers(const double *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(row[i]))
			return false;
	}
	return true;
}

static double sum_of(const struct family *f, size_t row, const size_t *runs)
{
	double sum = 0;

	for (size_t i = 0; i < f->chosen; i++)
		sum += f->values[row * f->runs + runs[i]];
	return fabs(sum);
}

/* From the least telling row up: as large as the largest so far. */
static void count_way(struct family *f, const size_t *runs)
{
	double largest = 0;

	for (size_t place = f->rows; place-- > 0;) {
		largest = fmax(largest, sum_of(f, place, runs));
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

static void try_ways(struct family *f, uint64_t seed)
{
	SCOPED size_t *runs = mem_alloc(f->runs, sizeof(*runs));
	struct random r = random_of(seed);

	for (size_t i = 0; i < f->runs; i++)
		runs[i] = i;
	if (f->runs - f->chosen <= PERMUTATION_MOST_EXACT &&
	    ways_of(f) * (double)f->chosen * (double)f->rows <= MOST_WORK) {
		do
			count_way(f, runs);
		while (choose_next(f, runs));
		return;
	}
	count_way(f, runs);
	for (size_t i = 0; i < PERMUTATION_DRAWS; i++) {
		draw_runs(&r, f->chosen, f->runs, runs);
		count_way(f, runs);
	}
}

/* Rows by how telling they are, as labels stand. */
static void order_rows(struct family *f)
{
	SCOPED size_t *runs = mem_alloc(f->runs, sizeof(*runs)),
		      *came = mem_copy(f->row_of, f->rows, sizeof(*came));
	SCOPED double *values = mem_copy(f->values, f->rows * f->runs, sizeof(*values));
	SCOPED int64_t *keys = mem_alloc(f->rows, sizeof(*keys));
	SCOPED uint32_t *order = NULL;

	for (size_t i = 0; i < f->runs; i++)
		runs[i] = i;
	for (size_t row = 0; row < f->rows; row++)
		keys[row] = sort_key_of_double(-sum_of(f, row, runs));
	order = sort_new_order(keys, f->rows);
	for (size_t place = 0; place < f->rows; place++) {
		f->seen[place] = -sort_double_of_key(keys[order[place]]);
		f->row_of[place] = came[order[place]];
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

void max_t(const double *const *rows, size_t row_count, size_t before, size_t after, uint64_t seed,
	   double *ret_p)
{
	SCOPED double *values = mem_alloc(row_count * (before + after) + 1, sizeof(*values)),
		      *seen = mem_alloc(row_count + 1, sizeof(*seen));
	SCOPED size_t *row_of = mem_alloc(row_count + 1, sizeof(*row_of)),
		      *as_large = mem_zalloc(row_count + 1, sizeof(*as_large));
	struct family f = {.runs = before + after,
			   .values = values,
			   .row_of = row_of,
			   .seen = seen,
			   .as_large = as_large};
	double p = 0;

	read_rows(&f, rows, row_count, before, ret_p);
	if (!before || !after || !f.rows)
		return;
	order_rows(&f);
	try_ways(&f, seed);
	/* A row is no surer than one that is more telling. */
	for (size_t place = 0; place < f.rows; place++) {
		p = fmax(p, (double)f.as_large[place] / (double)f.all);
		ret_p[f.row_of[place]] = p;
	}
}
