/* How long does each stop of a replay take, where stages have more or less to do? */
#include "fleet/stragglers/stage_lags.h"

#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"

#include <math.h>
#include <stdlib.h>

int64_t *stage_lags_scaled(const struct stragglers *s, const struct stages *stages,
			   const double *more_ns)
{
	int64_t *lags = mem_alloc(s->replay.stop_count, sizeof(*lags));

	for (size_t i = 0; i < s->replay.count; i++) {
		const struct replay_visit *v = &s->replay.visits[i];
		const uint32_t step = s->step_of[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			const uint32_t role = s->replay.roles.of[s->replay.stops[k].is.member];
			const double work_ns =
				step == NOBODY ? NAN : stages->all[role].by_step[step];

			lags[k] = s->replay.stops[k].lag_ns;
			if (lags[k] > 0 && work_ns > 0)
				lags[k] = sat_of_double(
					(double)lags[k] *
					fmax(0, 1 + more_ns[role * s->steps + step] / work_ns));
		}
	}
	return lags;
}

/* By member and step their stops that can be shortened, one cell after another. */
struct cells {
	size_t *first; /* by cell, and the end */
	uint32_t *stops;
};

static size_t cell_of(const struct stragglers *s, size_t visit, uint32_t stop)
{
	return s->replay.stops[stop].is.member * s->steps + s->step_of[visit];
}

static void cells_make(const struct stragglers *s, struct cells *ret)
{
	const struct replay *r = &s->replay;
	const size_t count = s->job->member_count * s->steps;

	ret->first = mem_zalloc(count + 2, sizeof(*ret->first));
	ret->stops = mem_alloc(r->stop_count, sizeof(*ret->stops));
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < r->count; i++) {
			const struct replay_visit *v = &r->visits[i];

			for (uint32_t k = v->first; k < v->first + v->count; k++) {
				if (s->step_of[i] == NOBODY || r->stops[k].before == REPLAY_NONE)
					continue;
				if (pass)
					ret->stops[ret->first[cell_of(s, i, k) + 1]++] = k;
				else
					ret->first[cell_of(s, i, k) + 2]++;
			}
		}
		for (size_t i = 0; i < count && !pass; i++)
			ret->first[i + 2] += ret->first[i + 1];
	}
}

/* The longest of some lags are cut to one length, so that all are shorter by so much. */
static void cut_longest(int64_t *lags, const uint32_t *stops, size_t count, double ns,
			int64_t *keys, int64_t *scratch)
{
	double sum_ns = 0, level_ns = 0;

	for (size_t i = 0; i < count; i++)
		keys[i] = lags[stops[i]];
	sort_i64(keys, scratch, count);
	for (size_t n = 1; n <= count; n++) {
		const int64_t next_ns = n < count ? keys[count - n - 1] : 0;

		sum_ns += (double)keys[count - n];
		level_ns = fmax(0, (sum_ns - ns) / (double)n);
		if (level_ns >= (double)next_ns)
			break;
	}
	for (size_t i = 0; i < count; i++) {
		if ((double)lags[stops[i]] > level_ns)
			lags[stops[i]] = sat_of_double(level_ns);
	}
}

int64_t *stage_lags_cut(const struct stragglers *s, const double *more_ns)
{
	const size_t n = s->replay.stop_count, count = s->job->member_count * s->steps;
	int64_t *lags = mem_alloc(n, sizeof(*lags));
	int64_t *keys = mem_alloc(n, sizeof(*keys)), *scratch = mem_alloc(n, sizeof(*scratch));
	struct cells cells;

	for (size_t i = 0; i < n; i++)
		lags[i] = s->replay.stops[i].lag_ns;
	cells_make(s, &cells);
	for (size_t i = 0; i < count; i++) {
		const uint32_t role = s->replay.roles.of[i / s->steps];
		const double ns = more_ns[role * s->steps + i % s->steps];

		if (ns < 0)
			cut_longest(lags, &cells.stops[cells.first[i]],
				    cells.first[i + 1] - cells.first[i], -ns, keys, scratch);
	}
	free(cells.first);
	free(cells.stops);
	free(scratch);
	free(keys);
	return lags;
}
