/* What are the total, the mean, the spread and the exact percentiles of each group? */
#include "analysis/numbers/summary.h"

#include "analysis/numbers/nth_values.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

enum {
	FEW_VALUES = 512,      /* sorted sooner than counted */
	MANY_VALUES = 1 << 18, /* worth all cores */
	PERCENTILES = 3,
};

static const double percentiles[PERCENTILES] = {0.5, 0.9, 0.99};

struct summarizing {
	struct by_group *values;
	struct summary *out;
};

/* The values of one group. */
struct members {
	struct offsets offsets;
	int64_t base;
	size_t n;
};

/* Exact sums; those of squares are right in their low 128 bits. */
struct moments {
	uint64_t min, max;
	unsigned __int128 sum, squares;
};

/* Where the quantile of n values lies: `part` of the way from place i to the next. */
struct point {
	size_t i, next;
	double part;
};

static struct point quantile_point(size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	return (struct point){i, i + 1 < n ? i + 1 : i, at - (double)i};
}

static double between(int64_t low, int64_t high, double part)
{
	return (double)low + part * ((double)high - (double)low);
}

double quantile(const int64_t *sorted, size_t n, double q)
{
	struct point p = quantile_point(n, q);

	return between(sorted[p.i], sorted[p.next], p.part);
}

static int64_t saturate(__int128 x)
{
	return x > INT64_MAX ? INT64_MAX : x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

/* Squares of 32 bits are summed by halves, which a vector can do. */
static struct moments measure_narrow(const uint32_t *v, size_t n)
{
	uint32_t min = UINT32_MAX, max = 0;
	uint64_t sum = 0, low = 0, high = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t square = (uint64_t)v[i] * v[i];

		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
		sum += v[i];
		low += (uint32_t)square;
		high += square >> 32;
	}
	return (struct moments){min, max, sum, ((unsigned __int128)high << 32) + low};
}

static struct moments measure_wide(const uint64_t *v, size_t n)
{
	struct moments m = {.min = UINT64_MAX};

	for (size_t i = 0; i < n; i++) {
		m.min = v[i] < m.min ? v[i] : m.min;
		m.max = v[i] > m.max ? v[i] : m.max;
		m.sum += v[i];
		m.squares += (unsigned __int128)v[i] * v[i];
	}
	return m;
}

static struct moments measure_some(const struct offsets *o, size_t n)
{
	return o->wide ? measure_wide(o->at, n) : measure_narrow(o->at, n);
}

static struct moments add_moments(const struct moments *a, const struct moments *b)
{
	return (struct moments){
		.min = a->min < b->min ? a->min : b->min,
		.max = a->max > b->max ? a->max : b->max,
		.sum = a->sum + b->sum,
		.squares = a->squares + b->squares,
	};
}

struct piecewise {
	const struct members *all;
	struct moments *pieces;
};

static void measure_piece(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct piecewise *p = ctx;
	struct offsets piece = offsets_from(&p->all->offsets, begin);

	(void)worker;
	p->pieces[begin / MANY_VALUES] = measure_some(&piece, end - begin);
}

static struct moments measure(const struct members *all)
{
	size_t count = (all->n + MANY_VALUES - 1) / MANY_VALUES;
	struct piecewise p = {.all = all};
	struct moments m;

	if (all->n <= MANY_VALUES)
		return measure_some(&all->offsets, all->n);
	p.pieces = mem_alloc(count, sizeof(*p.pieces));
	parallel_each(all->n, MANY_VALUES, measure_piece, &p);
	m = p.pieces[0];
	for (size_t i = 1; i < count; i++)
		m = add_moments(&m, &p.pieces[i]);
	free(p.pieces);
	return m;
}

static int64_t value_of(const struct members *all, uint64_t offset)
{
	return (int64_t)((uint64_t)all->base + offset);
}

static void copy_values(const struct members *all, int64_t *out)
{
	for (size_t i = 0; i < all->n; i++)
		out[i] = value_of(all, offset_at(all->offsets.at, all->offsets.wide, i));
}

/* The values at `count` ascending places of the order; all offsets lie in [min, max]. */
static void find_places(const struct members *all, uint64_t min, uint64_t max, const size_t *place,
			size_t count, int64_t *ret)
{
	uint64_t offset[NTH_MAX];

	if (all->n <= FEW_VALUES) {
		int64_t sorted[FEW_VALUES], scratch[FEW_VALUES];

		copy_values(all, sorted);
		sort_i64(sorted, scratch, all->n);
		for (size_t i = 0; i < count; i++)
			ret[i] = sorted[place[i]];
		return;
	}
	nth_values_find(&all->offsets, all->n, min, max, place, count, offset);
	for (size_t i = 0; i < count; i++)
		ret[i] = value_of(all, offset[i]);
}

static void find_percentiles(const struct members *all, const struct moments *m, double *ret)
{
	struct point point[PERCENTILES];
	size_t place[NTH_MAX];
	int64_t value[NTH_MAX];

	for (int i = 0; i < PERCENTILES; i++) {
		point[i] = quantile_point(all->n, percentiles[i]);
		place[2 * i] = point[i].i;
		place[2 * i + 1] = point[i].next;
	}
	find_places(all, m->min, m->max, place, NTH_MAX, value);
	for (int i = 0; i < PERCENTILES; i++)
		ret[i] = between(value[2 * i], value[2 * i + 1], point[i].part);
}

/* Values years apart: in ascending order, so that the rounding does not depend on their own. */
static double inexact_deviation(const struct members *all, double mean)
{
	int64_t *sorted = all->offsets.at, *scratch = mem_alloc(all->n, sizeof(*scratch));
	double squares = 0;

	copy_values(all, sorted);
	sort_i64(sorted, scratch, all->n);
	free(scratch);
	for (size_t i = 0; i < all->n; i++)
		squares += ((double)sorted[i] - mean) * ((double)sorted[i] - mean);
	return sqrt(squares / (double)(all->n - 1));
}

/*
 * Deviations from the whole mean are small integers for real data, so that their squares are summed
 * exactly; only values years apart fall back to floating point. `base` is what the moments leave
 * out of each value.
 */
static double exact_deviation(const struct moments *m, size_t count, int64_t base, __int128 total)
{
	const __int128 n = (__int128)count, whole_mean = total / n, offset = total % n;
	const unsigned __int128 mean = (unsigned __int128)(whole_mean - base);
	const __int128 squares =
		(__int128)(m->squares - 2 * mean * m->sum + (unsigned __int128)n * mean * mean);

	return sqrt(((double)squares - (double)offset * (double)offset / (double)count) /
		    (double)(count - 1));
}

static bool are_years_apart(const struct moments *m)
{
	return m->max - m->min >= UINT64_C(1) << 47;
}

static double sample_deviation(const struct members *all, const struct moments *m, __int128 total)
{
	if (all->n < 2)
		return 0;
	if (are_years_apart(m))
		return inexact_deviation(all, (double)total / (double)all->n);
	return exact_deviation(m, all->n, all->base, total);
}

static struct summary summarize_members(const struct members *all)
{
	struct moments m = measure(all);
	__int128 total = (__int128)((unsigned __int128)all->base * all->n + m.sum);
	struct summary s = {
		.count = all->n,
		.total = saturate(total),
		.min = value_of(all, m.min),
		.max = value_of(all, m.max),
		.mean = (double)total / (double)all->n,
	};
	double percentile[PERCENTILES];

	find_percentiles(all, &m, percentile);
	s.p50 = percentile[0];
	s.p90 = percentile[1];
	s.p99 = percentile[2];
	s.stddev = sample_deviation(all, &m, total);
	return s;
}

static struct members members_of(const struct by_group *v, size_t g)
{
	struct offsets all = {v->offsets, v->wide};

	return (struct members){
		.offsets = offsets_from(&all, v->begin[g]),
		.base = v->base,
		.n = v->begin[g + 1] - v->begin[g],
	};
}

static void summarize_group(const struct summarizing *x, size_t g)
{
	struct members members = members_of(x->values, g);

	x->out[g] = members.n ? summarize_members(&members) : (struct summary){0};
}

static double median_of(const struct members *all)
{
	struct point p = quantile_point(all->n, 0.5);
	const size_t place[] = {p.i, p.next};
	int64_t value[2];

	find_places(all, 0, all->offsets.wide ? UINT64_MAX : UINT32_MAX, place, 2, value);
	return between(value[0], value[1], p.part);
}

void medians_by_group(const struct by_group *v, double *out)
{
	for (size_t g = 0; g < v->groups; g++) {
		struct members members = members_of(v, g);

		out[g] = members.n ? median_of(&members) : 0;
	}
}

static bool is_large(const struct by_group *v, size_t g)
{
	return v->begin[g + 1] - v->begin[g] > MANY_VALUES;
}

static void summarize_small(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct summarizing *x = ctx;

	(void)worker;
	for (size_t g = begin; g < end; g++) {
		if (!is_large(x->values, g))
			summarize_group(x, g);
	}
}

/* Cores share small groups among them, and each of the large ones. */
void summarize_by_group(struct by_group *v, struct summary *out)
{
	struct summarizing x = {v, out};
	bool few = v->begin[v->groups] < PARALLEL_ROWS;

	parallel_each(v->groups, few ? v->groups : v->groups / 64 + 1, summarize_small, &x);
	for (size_t g = 0; g < v->groups; g++) {
		if (is_large(v, g))
			summarize_group(&x, g);
	}
}

struct columns {
	const int64_t *values;
	const uint32_t *pick, *group;
};

static void read_columns(const void *ctx, size_t begin, size_t end, struct batch *b)
{
	const struct columns *c = ctx;

	b->group = c->group + begin;
	b->value = c->pick ? b->values : c->values + begin;
	for (size_t i = begin; c->pick && i < end; i++)
		b->values[i - begin] = c->values[c->pick[i]];
}

void summarize(const int64_t *values, const uint32_t *group, size_t n, size_t groups,
	       struct summary *out)
{
	summarize_picked(values, NULL, group, n, groups, out);
}

void summarize_picked(const int64_t *values, const uint32_t *pick, const uint32_t *group, size_t n,
		      size_t groups, struct summary *out)
{
	struct columns c = {values, pick, group};
	struct by_group x = {.groups = groups, .expected = group};

	by_group_make(&x, 1, read_columns, &c, n);
	summarize_by_group(&x, out);
	by_group_free(&x);
}

static double inexact_counted(const struct counted_value *values, size_t n, size_t count,
			      double mean)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		const double square =
			((double)values[i].value - mean) * ((double)values[i].value - mean);

		for (uint64_t k = 0; k < values[i].count; k++)
			squares += square;
	}
	return sqrt(squares / (double)(count - 1));
}

/* The value at a place of the order; places are asked for in ascending order. */
static int64_t counted_at(const struct counted_value *values, size_t place, size_t *i, size_t *end)
{
	while (place >= *end)
		*end += values[++*i].count;
	return values[*i].value;
}

static double counted_quantile(const struct counted_value *values, size_t count, double q,
			       size_t *i, size_t *end)
{
	const struct point p = quantile_point(count, q);
	const int64_t low = counted_at(values, p.i, i, end);
	size_t next = *i, next_end = *end;

	return between(low, counted_at(values, p.next, &next, &next_end), p.part);
}

/* Offsets from the first, as members have them from their base. */
static struct moments measure_counted(const struct counted_value *values, size_t n)
{
	struct moments m = {0};

	for (size_t i = 0; i < n; i++) {
		const uint64_t offset = (uint64_t)values[i].value - (uint64_t)values[0].value;

		m.max = offset;
		m.sum += (unsigned __int128)offset * values[i].count;
		m.squares += (unsigned __int128)offset * offset * values[i].count;
	}
	return m;
}

struct summary summarize_counted(const struct counted_value *values, size_t n)
{
	const struct moments m = measure_counted(values, n);
	struct summary s = {0};
	size_t at = 0, end = n ? values[0].count : 0;
	__int128 total;

	for (size_t i = 0; i < n; i++)
		s.count += values[i].count;
	if (!s.count)
		return s;
	total = (__int128)values[0].value * (__int128)s.count + (__int128)m.sum;
	s.total = saturate(total);
	s.min = values[0].value;
	s.max = values[n - 1].value;
	s.mean = (double)total / (double)s.count;
	s.p50 = counted_quantile(values, s.count, percentiles[0], &at, &end);
	s.p90 = counted_quantile(values, s.count, percentiles[1], &at, &end);
	s.p99 = counted_quantile(values, s.count, percentiles[2], &at, &end);
	if (s.count > 1)
		s.stddev = are_years_apart(&m) ? inexact_counted(values, n, s.count, s.mean)
					       : exact_deviation(&m, s.count, s.min, total);
	return s;
}
