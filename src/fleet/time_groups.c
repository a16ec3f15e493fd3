/* Which ranks leave their collectives together? */
#include "fleet/time_groups.h"

#include "base/sets.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

enum {
	STRETCH = 8,	   /* kernels one after another: clocks do not drift in that time */
	STRETCHES_MAX = 8, /* of a queue, which are asked */
	SAMPLES_MAX = STRETCH * STRETCHES_MAX,
	LEAST = 2 * STRETCH,
	EACH_WITH_EACH = 96, /* queues; of more, ranks are held against those that meshes join */
	LOST_MAX = 4,	     /* kernels that one lacks, and nobody knows where */
	GROUPS_MAX = 512,    /* that are held against each other: time grows with their pairs */
	ROUNDS_MAX = 32,     /* in which groups become one: each has half as many, as a rule */
};

static const double together_ns = 25e3; /* links and launches take it: more tells nothing */
static const double apart = 2;		/* times as far apart as those that are nearest is apart */
static const double little_ns = 1e3;	/* is no difference */
static const double clearly = 1.25;	/* times as far entries vary as exits: they wait for all */
static const double surely = 2;		/* deviations of chance, for two groups … */
static const double for_each_ten = 1; /* … and more, for each ten times as many pairs of groups */

struct pair_spread {
	uint32_t a, b;
	double ns;
};

struct grouping {
	const struct mesh_queue *q;
	size_t count;
	struct pair_spread *pairs;
	size_t pair_count, cap;
	double *nearest; /* by queue: the spread against whom it is nearest to */
	uint32_t *sets;
};

static const struct part_collective *kernel_at(const struct mesh_queue *q, size_t i)
{
	return &q->member->collectives[q->kernels[i]];
}

static double median_of_few(double *values, size_t n)
{
	if (!n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		const double v = values[i];
		size_t k = i;

		for (; k && values[k - 1] > v; k--)
			values[k] = values[k - 1];
		values[k] = v;
	}
	return values[n / 2];
}

/* How far values are from the middle one, as a rule. Puts them in another order. */
static double spread_of_few(double *values, size_t n)
{
	const double middle = median_of_few(values, n);

	for (size_t i = 0; i < n; i++)
		values[i] = fabs(values[i] - middle);
	return median_of_few(values, n);
}

/* Of a stretch of a's kernels, held against as many of b's. */
static double spread_at(const struct mesh_queue *a, const struct mesh_queue *b, size_t i, size_t k)
{
	double apart_ns[STRETCH];

	for (size_t n = 0; n < STRETCH; n++)
		apart_ns[n] =
			(double)sat_sub(kernel_at(b, k + n)->end_ns, kernel_at(a, i + n)->end_ns);
	return spread_of_few(apart_ns, STRETCH);
}

/* At the place in b where it is least: either may lack kernels before it. */
static double least_spread_at(const struct mesh_queue *a, const struct mesh_queue *b, size_t i)
{
	const int64_t more = (int64_t)b->count - (int64_t)a->count;
	const int64_t from = more < 0 ? more : 0, to = more > 0 ? more : 0;
	const int64_t step = to - from > LOST_MAX ? to - from : 1; /* from both ends alone */
	double least = INFINITY;

	for (int64_t s = from; s <= to; s += step) {
		const int64_t k = (int64_t)i + s;

		if (k >= 0 && k + STRETCH <= (int64_t)b->count)
			least = fmin(least, spread_at(a, b, i, (size_t)k));
	}
	return least;
}

/* Two at least: of LEAST kernels or more. */
static size_t stretches_of(size_t count)
{
	const size_t n = count / STRETCH;

	return n < 2 ? 2 : n < STRETCHES_MAX ? n : STRETCHES_MAX;
}

/* By how much the times at which two leave their kernels come and go. */
static double spread_of(const struct mesh_queue *a, const struct mesh_queue *b)
{
	const size_t n = stretches_of(a->count);
	double all[STRETCHES_MAX];

	for (size_t s = 0; s < n; s++)
		all[s] = least_spread_at(a, b, s * (a->count - STRETCH) / (n - 1));
	return median_of_few(all, n);
}

static void add_pair(struct grouping *g, size_t a, size_t b)
{
	const double ns = spread_of(&g->q[a], &g->q[b]);

	g->nearest[a] = fmin(g->nearest[a], ns);
	g->nearest[b] = fmin(g->nearest[b], ns);
	MEM_GROW(g->pairs, g->cap, g->pair_count + 1);
	g->pairs[g->pair_count++] = (struct pair_spread){(uint32_t)a, (uint32_t)b, ns};
}

/* Groups of a mesh are ranks at one distance, which divides their number. */
static void list_pairs(struct grouping *g)
{
	for (size_t distance = 1; distance < g->count; distance++) {
		if (g->count > EACH_WITH_EACH && g->count % distance)
			continue;
		for (size_t i = 0; i + distance < g->count; i++)
			add_pair(g, i, i + distance);
	}
}

/* How far apart those are that are nearest: within groups, if there are any. */
static double usual_nearest(const struct grouping *g)
{
	int64_t *keys = mem_alloc(g->count, sizeof(*keys));
	int64_t *scratch = mem_alloc(g->count, sizeof(*scratch));
	double result;

	for (size_t i = 0; i < g->count; i++)
		keys[i] = sort_key_of_double(g->nearest[i]);
	sort_i64(keys, scratch, g->count);
	result = sort_double_of_key(keys[g->count / 2]);
	free(scratch);
	free(keys);
	return result;
}

/* The kernels that groups are held against each other by: those of all stretches. */
static size_t sample_at(size_t least, size_t sample)
{
	const size_t n = stretches_of(least);

	return sample / STRETCH * (least - STRETCH) / (n - 1) + sample % STRETCH;
}

static size_t fewest_kernels(const struct grouping *g)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < g->count; i++)
		least = g->q[i].count < least ? g->q[i].count : least;
	return least;
}

/* By group and sample its shortest kernel: the last to come waits for nobody. */
static double *list_shortest(struct grouping *g, size_t least, size_t samples)
{
	double *all = mem_alloc(g->count * samples, sizeof(*all));

	for (size_t i = 0; i < g->count * samples; i++)
		all[i] = INFINITY;
	for (size_t i = 0; i < g->count; i++) {
		double *of = &all[sets_first(g->sets, (uint32_t)i) * samples];

		for (size_t s = 0; s < samples; s++) {
			const struct part_collective *k = kernel_at(&g->q[i], sample_at(least, s));

			of[s] = fmin(of[s], (double)sat_sub(k->end_ns, k->start_ns));
		}
	}
	return all;
}

/* Of two groups, in one collective after another: how much later the one's last comes than the
 * other's, how much later it leaves, and by how much the rest, what it is in it alone, is longer.
 */
struct lags {
	double in[SAMPLES_MAX], out[SAMPLES_MAX], alone[SAMPLES_MAX];
};

static void take_middle(double *values)
{
	double copy[STRETCH], middle;

	memcpy(copy, values, sizeof(copy));
	middle = median_of_few(copy, STRETCH);
	for (size_t i = 0; i < STRETCH; i++)
		values[i] -= middle;
}

static void find_lags(const struct grouping *g, const double *shortest, size_t least, size_t a,
		      size_t b, struct lags *ret)
{
	const size_t samples = stretches_of(least) * STRETCH;

	for (size_t i = 0; i < samples; i++) {
		const size_t k = sample_at(least, i);

		ret->alone[i] = shortest[b * samples + i] - shortest[a * samples + i];
		ret->out[i] = (double)sat_sub(kernel_at(&g->q[b], k)->end_ns,
					      kernel_at(&g->q[a], k)->end_ns);
		ret->in[i] = ret->out[i] - ret->alone[i];
	}
	for (size_t s = 0; s < samples; s += STRETCH) {
		take_middle(&ret->in[s]);
		take_middle(&ret->out[s]);
		take_middle(&ret->alone[s]);
	}
}

static double usual_size(const double *values, size_t n)
{
	double sizes[SAMPLES_MAX];

	for (size_t i = 0; i < n; i++)
		sizes[i] = fabs(values[i]);
	return median_of_few(sizes, n);
}

/*
 * Whether two groups are one after all: then all leave when the last of both has come. Exits are
 * nearer than entries, and the group that comes first is in it for as much longer; groups apart are
 * in it for as long as their own transfer takes, whoever comes first. Where links between nodes are
 * slower than within, exits alone look like two groups.
 */
static bool wait_for_each_other(const struct grouping *g, const double *shortest, size_t least,
				size_t a, size_t b, double deviations)
{
	const size_t samples = stretches_of(least) * STRETCH;
	double waits = 0;
	struct lags x = {0};

	find_lags(g, shortest, least, a, b, &x);
	for (size_t i = 0; i < samples; i++)
		waits += x.in[i] * x.alone[i] < 0 ? 1 : x.in[i] * x.alone[i] > 0 ? -1 : 0;
	return waits >= deviations * sqrt((double)samples) &&
	       usual_size(x.in, samples) >= clearly * usual_size(x.out, samples);
}

/* Who is nearest to each is of its group, if it is near. */
static void join_nearest(struct grouping *g, double most_ns)
{
	for (size_t i = 0; i < g->pair_count; i++) {
		const struct pair_spread *p = &g->pairs[i];

		if (p->ns <= most_ns && (p->ns <= g->nearest[p->a] || p->ns <= g->nearest[p->b]))
			sets_join(g->sets, p->a, p->b);
	}
}

/* Two groups, the one that comes first before the other, whichever of both has the first queue. */
static uint64_t groups_of(const struct pair_spread *p, const uint32_t *sets)
{
	const uint32_t a = sets[p->a], b = sets[p->b];

	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int by_groups(const void *a, const void *b, void *ctx)
{
	const struct pair_spread *x = a, *y = b;
	const uint64_t of_x = groups_of(x, ctx), of_y = groups_of(y, ctx);

	return of_x != of_y ? (of_x > of_y) - (of_x < of_y) : (x->ns > y->ns) - (x->ns < y->ns);
}

/* Groups are one where most of those are near that were held against each other: few may be so by
 * chance. Returns whether any two are. */
static bool join_near(struct grouping *g, double most_ns)
{
	uint32_t *first = mem_alloc(g->count, sizeof(*first));
	bool joined = false;

	for (uint32_t i = 0; i < g->count; i++)
		first[i] = sets_first(g->sets, i);
	sort_stable(g->pairs, g->pair_count, sizeof(*g->pairs), by_groups, first);
	for (size_t i = 0, end; i < g->pair_count; i = end) {
		const uint32_t a = first[g->pairs[i].a], b = first[g->pairs[i].b];

		end = i + 1;
		while (end < g->pair_count &&
		       groups_of(&g->pairs[end], first) == groups_of(&g->pairs[i], first))
			end++;
		if (a == b || g->pairs[i + (end - i) / 2].ns > most_ns)
			continue;
		sets_join(g->sets, a, b);
		joined = true;
	}
	free(first);
	return joined;
}

static size_t count_groups(struct grouping *g)
{
	size_t groups = 0;

	for (uint32_t i = 0; i < g->count; i++)
		groups += sets_first(g->sets, i) == i;
	return groups;
}

/* Whoever waits for another group is of it; groups are held against those before them. */
static void join_waiting(struct grouping *g)
{
	const size_t least = fewest_kernels(g);
	double *shortest = list_shortest(g, least, stretches_of(least) * STRETCH);
	const double groups = (double)count_groups(g), pairs = groups * (groups - 1) / 2;
	const double deviations = surely + for_each_ten * log10(fmax(pairs, 1));

	for (uint32_t b = 1; b < g->count; b++) {
		bool joined = sets_first(g->sets, b) != b;

		for (uint32_t a = 0; a < b && !joined; a++) {
			joined = sets_first(g->sets, a) == a &&
				 wait_for_each_other(g, shortest, least, a, b, deviations);
			if (joined)
				sets_join(g->sets, a, b);
		}
	}
	free(shortest);
}

static uint32_t number_groups(struct grouping *g, uint32_t *ret_group)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < g->count; i++) {
		const uint32_t first = sets_first(g->sets, i);

		ret_group[i] = first == i ? groups++ : ret_group[first];
	}
	return groups;
}

/* Who is alone, while others are not, may lack kernels: exits of that say nothing. */
static bool most_have_others(struct grouping *g)
{
	size_t *members = mem_zalloc(g->count, sizeof(*members)), alone = 0;

	for (uint32_t i = 0; i < g->count; i++)
		members[sets_first(g->sets, i)]++;
	for (size_t i = 0; i < g->count; i++)
		alone += members[i] == 1;
	free(members);
	return alone * 4 < g->count;
}

static bool have_enough(const struct grouping *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->q[i].count < LEAST)
			return false;
	}
	return g->count > 2;
}

/* False: exits tell nothing. */
static bool join_all(struct grouping *g)
{
	const double nearest_ns = usual_nearest(g), most_ns = apart * nearest_ns + little_ns;

	if (nearest_ns > together_ns)
		return false;
	join_nearest(g, most_ns);
	for (int i = 0; i < ROUNDS_MAX && join_near(g, most_ns); i++)
		;
	if (count_groups(g) > GROUPS_MAX)
		return false;
	join_waiting(g);
	return most_have_others(g);
}

uint32_t time_groups_find(const struct mesh_queue *q, size_t count, uint32_t *ret_group)
{
	struct grouping g = {.q = q, .count = count};
	uint32_t groups = 1;

	memset(ret_group, 0, count * sizeof(*ret_group));
	if (!have_enough(&g))
		return groups;
	g.sets = sets_new(count);
	g.nearest = mem_alloc(count, sizeof(*g.nearest));
	for (size_t i = 0; i < count; i++)
		g.nearest[i] = INFINITY;
	list_pairs(&g);
	if (join_all(&g))
		groups = number_groups(&g, ret_group);
	free(g.nearest);
	free(g.pairs);
	free(g.sets);
	return groups;
}
