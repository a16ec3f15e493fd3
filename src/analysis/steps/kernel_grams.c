/* Where in a sequence of kernels does each row of a few lie? */
#include "analysis/steps/kernel_grams.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
	GRAMS_MANY = 1 << 18,  /* of more than that some are enough: */
	PLACES_EACH = 1 << 14, /* of those that come about equally often, about so many places */
	COUNTER_BITS = 20,
	COUNTERS = 1 << COUNTER_BITS,
	NAMES_SMALL = 1 << 16, /* numbers of names up to there are counted by as they are */
};

static const uint64_t gram_base = 0x100000001b3u;

static uint64_t mix(uint64_t x)
{
	x = (x + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 31;
}

/* Of GRAM names the earlier weigh more; the next gram loses the first of them and gains one. */
static void hash_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct kernel_grams *s = ctx;
	uint64_t hash = 0, first_weight = 1;

	(void)worker;
	for (size_t k = 0; k < GRAM; k++) {
		hash = hash * gram_base + mix(s->names[begin + k]);
		first_weight *= k ? gram_base : 1;
	}
	for (size_t i = begin; i < end; i++) {
		s->grams[i] = (int64_t)hash;
		if (i + 1 < end)
			hash = (hash - first_weight * mix(s->names[i])) * gram_base +
			       mix(s->names[i + GRAM]);
	}
}

static size_t counter_of(int64_t gram)
{
	return mix((uint64_t)gram) >> (64 - COUNTER_BITS);
}

/* The counting of places on all cores, a table of counters for each worker. */
struct counting {
	const struct kernel_grams *s;
	uint32_t *counts[PARALLEL_MAX];
};

static void count_some_places(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct counting *c = ctx;
	const int64_t *grams = c->s->grams;
	uint32_t *counts = c->counts[worker];

	if (!counts)
		counts = c->counts[worker] = mem_zalloc(COUNTERS, sizeof(*counts));
	for (size_t i = begin; i < end; i++)
		counts[counter_of(grams[i])]++;
}

/* By counter, how many places its grams have; two grams of one counter are counted as one. */
static uint32_t *count_places(const struct kernel_grams *s)
{
	struct counting c = {.s = s};
	uint32_t *counts = mem_zalloc(COUNTERS, sizeof(*counts));

	parallel_each(s->gram_count, PARALLEL_ROWS, count_some_places, &c);
	for (unsigned w = 0; w < parallel_workers(); w++) {
		for (size_t i = 0; c.counts[w] && i < COUNTERS; i++)
			counts[i] += c.counts[w][i];
		free(c.counts[w]);
	}
	return counts;
}

/* How often, by powers of two. */
static int class_of(uint32_t count)
{
	return 31 - __builtin_clz(count);
}

/*
 * Which grams are looked at: all places of some grams, more of them the rarer they are. What tells
 * steps from their layers comes once in each, among thousands that come in every layer.
 */
static void choose_masks(const uint32_t *counts, uint64_t masks[32])
{
	size_t places[32] = {0};

	for (size_t i = 0; i < COUNTERS; i++) {
		if (counts[i])
			places[class_of(counts[i])] += counts[i];
	}
	for (int c = 0; c < 32; c++) {
		masks[c] = 0;
		while (places[c] / (masks[c] + 1) > PLACES_EACH)
			masks[c] = masks[c] * 2 + 1;
	}
}

/* The choice of places on all cores: what each run of rows has lies where the run does. */
struct choosing {
	const struct kernel_grams *s;
	const uint32_t *counts; /* by counter */
	uint32_t least;
	uint64_t masks[32];
	uint32_t *at;
	size_t *chosen; /* by run */
};

static void choose_some_places(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct choosing *c = ctx;
	const int64_t *grams = c->s->grams;
	size_t count = 0;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const uint64_t mixed = mix((uint64_t)grams[i]);
		const uint32_t places = c->counts[mixed >> (64 - COUNTER_BITS)];

		if (places >= c->least && !(mixed & c->masks[class_of(places)]))
			c->at[begin + count++] = (uint32_t)i;
	}
	c->chosen[begin / PARALLEL_ROWS] = count;
}

/* Where the grams lie that are looked at, in order. */
static uint32_t *choose_places(const struct kernel_grams *s, uint32_t least, size_t *ret_count)
{
	const size_t runs = s->gram_count / PARALLEL_ROWS + 1;
	uint32_t *counts = count_places(s), *at = mem_alloc(s->gram_count, sizeof(*at));
	struct choosing c = {s, counts, least, {0}, at, mem_zalloc(runs, sizeof(*c.chosen))};
	size_t count = 0;

	choose_masks(counts, c.masks);
	parallel_each(s->gram_count, PARALLEL_ROWS, choose_some_places, &c);
	for (size_t r = 0; r < runs; r++) {
		memmove(&at[count], &at[r * PARALLEL_ROWS], c.chosen[r] * sizeof(*at));
		count += c.chosen[r];
	}
	free(c.chosen);
	free(counts);
	*ret_count = count;
	return at;
}

static void list_some_places(struct kernel_grams *s, uint32_t least)
{
	uint32_t *at = choose_places(s, least, &s->place_count);
	int64_t *grams = mem_alloc(s->place_count, sizeof(*grams));

	for (size_t i = 0; i < s->place_count; i++)
		grams[i] = s->grams[at[i]];
	s->places = sort_new_order(grams, s->place_count);
	for (size_t i = 0; i < s->place_count; i++)
		s->places[i] = at[s->places[i]];
	free(grams);
	free(at);
}

static void list_places(struct kernel_grams *s, uint32_t least)
{
	if (s->gram_count > GRAMS_MANY) {
		list_some_places(s, least);
		return;
	}
	s->place_count = s->gram_count;
	s->places = sort_new_order(s->grams, s->gram_count);
}

/* The largest name, on all cores. */
struct largest {
	const uint32_t *names;
	uint32_t most[PARALLEL_MAX]; /* by worker */
};

static void find_largest(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct largest *l = ctx;
	uint32_t most = l->most[worker];

	for (size_t i = begin; i < end; i++)
		most = l->names[i] > most ? l->names[i] : most;
	l->most[worker] = most;
}

static uint32_t largest_name(const uint32_t *names, size_t n)
{
	struct largest l = {.names = names};
	uint32_t most = 0;

	parallel_each(n, PARALLEL_ROWS, find_largest, &l);
	for (unsigned w = 0; w < parallel_workers(); w++)
		most = l.most[w] > most ? l.most[w] : most;
	return most;
}

/* Those of kernels without a name are one, too. */
static uint32_t *number_names(const uint32_t *names, size_t n, size_t *ret_count)
{
	uint32_t *numbers = mem_alloc(n, sizeof(*numbers));
	struct idmap known = {0};

	for (size_t i = 0; i < n; i++)
		numbers[i] = i && names[i] == names[i - 1] ? numbers[i - 1]
							   : idmap_number_pair(&known, 0, names[i]);
	*ret_count = known.count;
	idmap_free(&known);
	return numbers;
}

void kernel_grams_make(struct kernel_grams *s, const uint32_t *names, size_t n, uint32_t least)
{
	*s = (struct kernel_grams){.names = names, .n = n};
	s->name_count = (size_t)largest_name(names, n) + 1;
	if (s->name_count > NAMES_SMALL)
		s->names = s->numbers = number_names(names, n, &s->name_count);
	s->gram_count = n - GRAM + 1;
	s->grams = mem_alloc(s->gram_count, sizeof(*s->grams));
	parallel_each(s->gram_count, PARALLEL_ROWS, hash_some, s);
	list_places(s, least);
}

void kernel_grams_free(struct kernel_grams *s)
{
	free(s->places);
	free(s->grams);
	free(s->numbers);
}
