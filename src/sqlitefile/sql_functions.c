/* What can a query compute that SQLite cannot: medians, percentiles, deviations, patterns. */
#include "base/mem.h"
#include "base/sort.h"
#include "sqlitefile/sql_internal.h"
#include "text/pattern.h"

#include <math.h>

/* Of one group. Values are kept as numbers that sort as they do. */
struct sample {
	int64_t *keys;
	size_t count, cap;
	double percent;
};

/* Of one group, by Welford: a sum of squares would lose what differs. */
struct spread {
	uint64_t count;
	double mean, squares;
};

/* What SQLite allocates is bounded; a query may well gather without end. */
static int make_room(struct sample *s)
{
	size_t cap = s->cap ? 2 * s->cap : 64;
	int64_t *keys;

	if (s->count < s->cap)
		return 0;
	keys = sqlite3_realloc64(s->keys, cap * sizeof(*keys));
	if (!keys)
		return -1;
	s->keys = keys;
	s->cap = cap;
	return 0;
}

static bool is_number(sqlite3_value *v)
{
	int type = sqlite3_value_numeric_type(v);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void add_to_sample(sqlite3_context *ctx, sqlite3_value *v, double percent)
{
	struct sample *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	if (!s || !is_number(v))
		return;
	if (make_room(s) < 0) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	s->percent = percent;
	s->keys[s->count++] = sort_key_of_double(sqlite3_value_double(v));
}

static void median_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	add_to_sample(ctx, argv[0], 50);
}

static void percentile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	double percent = sqlite3_value_double(argv[1]);

	(void)argc;
	if (!is_number(argv[1]) || !(percent >= 0 && percent <= 100))
		sqlite3_result_error(ctx, "percentile(x, p) takes a p from 0 to 100", -1);
	else
		add_to_sample(ctx, argv[0], percent);
}

/*
 * What lies at `share` of the way. Infinities, and doubles that are further apart than a double can
 * be, have no difference; half of the way from one infinity to the other is no number.
 */
static double between(double low, double high, double share)
{
	if (share == 0 || low == high)
		return low;
	if (isfinite(high - low))
		return low + (high - low) * share;
	return low * (1 - share) + high * share;
}

/* Linear interpolation at q·(n−1), as everywhere in this program. */
static double quantile_of(struct sample *s)
{
	SCOPED int64_t *scratch = mem_alloc(s->count, sizeof(*scratch));
	double at = s->percent / 100 * (double)(s->count - 1), below = floor(at);
	size_t i = (size_t)below;
	double low, high;

	sort_i64(s->keys, scratch, s->count);
	low = sort_double_of_key(s->keys[i]);
	high = sort_double_of_key(s->keys[i + 1 < s->count ? i + 1 : i]);
	return between(low, high, at - below);
}

static void sample_final(sqlite3_context *ctx)
{
	struct sample *s = sqlite3_aggregate_context(ctx, 0);

	if (!s)
		return;
	if (s->count)
		sqlite3_result_double(ctx, quantile_of(s));
	sqlite3_free(s->keys);
	*s = (struct sample){0};
}

static void spread_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct spread *s = sqlite3_aggregate_context(ctx, sizeof(*s));
	double x = sqlite3_value_double(argv[0]), apart;

	(void)argc;
	if (!s || !is_number(argv[0]))
		return;
	apart = x - s->mean;
	s->mean += apart / (double)++s->count;
	s->squares += apart * (x - s->mean);
}

/* Of a sample; one value alone has none. */
static void spread_final(sqlite3_context *ctx)
{
	const struct spread *s = sqlite3_aggregate_context(ctx, 0);

	if (s && s->count > 1)
		sqlite3_result_double(ctx, sqrt(s->squares / (double)(s->count - 1)));
	else if (s && s->count)
		sqlite3_result_double(ctx, 0);
}

static void free_pattern(void *p)
{
	pattern_free(p);
}

/* The pattern is the same for all rows, as a rule: it is compiled once. */
static void regexp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct pattern *known = sqlite3_get_auxdata(ctx, 0), *p = known;
	struct err e;
	int found;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
	    sqlite3_value_type(argv[1]) == SQLITE_NULL)
		return;
	if (!known && pattern_compile(&p, library_text(argv[0]), 0, &e) < 0) {
		sqlite3_result_error(ctx, e.message, -1);
		return;
	}
	found = pattern_match(p, library_text(argv[1]), &e);
	if (found < 0)
		sqlite3_result_error(ctx, e.message, -1);
	else
		sqlite3_result_int(ctx, found);
	if (!known)
		sqlite3_set_auxdata(ctx, 0, p, free_pattern);
}

int sql_functions_add(struct sql *s)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
	static const struct {
		const char *name;
		int argc;
		void (*step)(sqlite3_context *, int, sqlite3_value **);
		void (*final)(sqlite3_context *);
	} all[] = {
		{"median", 1, median_step, sample_final},
		{"percentile", 2, percentile_step, sample_final},
		{"stddev", 1, spread_step, spread_final},
	};
	int rc = sqlite3_create_function_v2(s->handle, "regexp", 2, flags, NULL, regexp, NULL, NULL,
					    NULL);

	for (size_t i = 0; i < ARRAY_LEN(all) && rc == SQLITE_OK; i++)
		rc = sqlite3_create_function_v2(s->handle, all[i].name, all[i].argc, flags, NULL,
						NULL, all[i].step, all[i].final, NULL);
	return rc;
}
