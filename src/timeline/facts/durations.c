/* How do durations spread? */
#include "timeline/facts/durations.h"

#include "analysis/numbers/nth_values.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct found_durations *durations_begin(void)
{
	struct found_durations *all = mem_zalloc_apart(parallel_workers(), sizeof(*all));

	for (unsigned w = 0; w < parallel_workers(); w++)
		all[w].min_ns = INT64_MAX;
	return all;
}

void durations_take(struct found_durations *f, int64_t ns)
{
	ns = ns > 0 ? ns : 0;
	MEM_GROW(f->ns, f->cap, f->count + 1);
	f->ns[f->count++] = ns;
	f->min_ns = ns < f->min_ns ? ns : f->min_ns;
	f->max_ns = ns > f->max_ns ? ns : f->max_ns;
}

/* Of what all workers have found. */
static void sum_up(struct durations *d, const struct found_durations *found)
{
	d->min_ns = INT64_MAX;
	for (unsigned w = 0; w < parallel_workers(); w++) {
		d->count += found[w].count;
		d->min_ns = found[w].min_ns < d->min_ns ? found[w].min_ns : d->min_ns;
		d->max_ns = found[w].max_ns > d->max_ns ? found[w].max_ns : d->max_ns;
	}
	d->values.wide = d->count && d->max_ns - d->min_ns > UINT32_MAX;
}

static void join(struct durations *d, struct found_durations *found)
{
	const bool wide = d->values.wide;
	uint64_t *wides = wide ? mem_alloc(d->count, sizeof(*wides)) : NULL;
	uint32_t *narrows = wide ? NULL : mem_alloc(d->count, sizeof(*narrows));
	size_t next = 0;

	for (unsigned w = 0; w < parallel_workers(); w++) {
		const int64_t *ns = found[w].ns;
		const size_t count = found[w].count;

		for (size_t i = 0; wide && i < count; i++)
			wides[next + i] = (uint64_t)(ns[i] - d->min_ns);
		for (size_t i = 0; !wide && i < count; i++)
			narrows[next + i] = (uint32_t)(ns[i] - d->min_ns);
		next += count;
		free(found[w].ns);
	}
	d->values.at = wide ? (void *)wides : (void *)narrows;
}

static void set_edges(struct durations *d)
{
	const int64_t least = d->min_ns > 0 ? d->min_ns : 1;
	const double ratio = (double)d->max_ns / (double)least;

	for (int i = 1; i < DURATION_BINS; i++)
		d->edge_ns[i] =
			sat_of_double((double)least * pow(ratio, (double)i / DURATION_BINS));
	d->edge_ns[0] = d->min_ns;
	d->edge_ns[DURATION_BINS] = d->max_ns;
}

size_t durations_bin(const struct durations *d, int64_t ns)
{
	size_t bin = 0;

	/* No branch: of millions nobody can guess which way each would go. */
	for (int i = 1; i < DURATION_BINS; i++)
		bin += d->edge_ns[i] <= ns;
	return bin;
}

struct binning {
	const struct durations *d;
	_Atomic size_t bins[DURATION_BINS];
};

static void bin_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct binning *b = ctx;
	size_t own[DURATION_BINS] = {0};

	(void)worker;
	for (size_t i = begin; i < end; i++)
		own[durations_bin(b->d, b->d->min_ns + (int64_t)offset_at(b->d->values.at,
									  b->d->values.wide, i))]++;
	for (int i = 0; i < DURATION_BINS; i++)
		atomic_fetch_add(&b->bins[i], own[i]);
}

static void fill_bins(struct durations *d)
{
	struct binning b = {.d = d};

	parallel_each(d->count, PARALLEL_ROWS, bin_some, &b);
	for (int i = 0; i < DURATION_BINS; i++)
		d->bins[i] = b.bins[i];
}

void durations_make(struct durations *d, struct found_durations *found)
{
	size_t places[2];
	uint64_t middle[ARRAY_LEN(places)];

	*d = (struct durations){0};
	sum_up(d, found);
	join(d, found);
	free(found);
	if (!d->count)
		return;
	set_edges(d);
	fill_bins(d);
	places[0] = (d->count - 1) / 2;
	places[1] = d->count / 2;
	nth_values_find(&d->values, d->count, 0, (uint64_t)(d->max_ns - d->min_ns), places,
			ARRAY_LEN(places), middle);
	d->median_ns = (double)d->min_ns + ((double)middle[0] + (double)middle[1]) / 2;
}

void durations_free(struct durations *d)
{
	free(d->values.at);
	*d = (struct durations){0};
}

OFFSETS_LOOP size_t count_above(const struct durations *d, bool wide, uint64_t limit)
{
	size_t above = 0;

	for (size_t i = 0; i < d->count; i++)
		above += offset_at(d->values.at, wide, i) > limit;
	return above;
}

size_t durations_longer(const struct durations *d, int64_t ns)
{
	const uint64_t limit = ns > d->min_ns ? (uint64_t)(ns - d->min_ns) : 0;

	if (ns < d->min_ns)
		return d->count;
	return d->values.wide ? count_above(d, true, limit) : count_above(d, false, limit);
}
