/* What do the runs of each side have together? */
#include "diff/sides.h"

#include "base/mem.h"
#include "base/sort.h"
#include "diff/matching/common_paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A leaf of one run on its way into its side. */
struct entry {
	const struct leaf *leaf;
	size_t run;
};

static int by_key(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return leaf_compare(((const struct entry *)a)->leaf, ((const struct entry *)b)->leaf);
}

static struct entry *list_leaves(const struct side_runs *side, size_t *ret_count)
{
	struct entry *all = NULL;
	size_t count = 0, cap = 0;

	for (size_t r = 0; r < side->run_count; r++) {
		MEM_GROW(all, cap, count + side->runs[r]->leaf_count);
		for (size_t i = 0; i < side->runs[r]->leaf_count; i++)
			all[count++] = (struct entry){&side->runs[r]->leaves[i], r};
	}
	sort_stable(all, count, sizeof(*all), by_key, NULL);
	*ret_count = count;
	return all;
}

static struct leaf_sum take_times(const struct leaf_sum *sum, uint64_t times)
{
	struct leaf_sum taken = *sum;

	taken.ns *= (int64_t)times;
	taken.work_ns = sat_mul(taken.work_ns, (int64_t)times);
	taken.offset_ns = sat_mul(taken.offset_ns, (int64_t)times);
	taken.calls *= times;
	return taken;
}

static void add_to_leaf(struct side_leaf *to, const struct entry *x, const struct account *run,
			const uint32_t *shared, uint64_t times)
{
	for (size_t k = 0; k < run->kind_count; k++) {
		const struct leaf_sum sum = take_times(&x->leaf->of_kind[k], times);

		leaf_sum_add(&to->of_kind[shared[k]], &sum);
		if (leaf_sum_add(&to->all, &sum))
			to->longest_run = x->run;
		to->of_run[x->run] = sat_add(to->of_run[x->run], x->leaf->of_kind[k].ns);
	}
}

static void join_leaves(struct sides *s, enum side of, const struct common_paths *paths)
{
	struct side_runs *side = &s->of[of];
	size_t count;
	struct entry *all = list_leaves(side, &count);

	side->leaves = arena_zalloc(&s->arena, count, sizeof(*side->leaves));
	for (size_t i = 0; i < count; i++) {
		if (!i || by_key(&all[i - 1], &all[i], NULL) != 0)
			side->leaves[side->leaf_count++] = (struct side_leaf){
				.key = all[i].leaf,
				.path = common_path_of(paths, of, all[i].leaf->path),
				.of_kind = arena_zalloc(&s->arena, s->kind_count,
							sizeof(struct leaf_sum)),
				.of_run = arena_zalloc(&s->arena, side->run_count, sizeof(int64_t)),
			};
		add_to_leaf(&side->leaves[side->leaf_count - 1], &all[i], side->runs[all[i].run],
			    side->kind_of[all[i].run], side->times[all[i].run]);
	}
	free(all);
}

void sides_reserve_parts(struct sides *s, enum side side, size_t count)
{
	struct side_runs *of = &s->of[side];
	struct side_leaf *all = arena_alloc(&s->arena, of->leaf_count + count, sizeof(*all));

	if (of->leaf_count)
		memcpy(all, of->leaves, of->leaf_count * sizeof(*all));
	of->leaves = all;
}

static int64_t share_of(int64_t n, double share)
{
	/* What is so large that it is not exact must not become more than there is. */
	const int64_t part = llround(fmin((double)n * share, 0x1p62));

	return n <= 0 ? 0 : share >= 1 || part > n ? n : part;
}

static struct leaf_sum split_sum(struct leaf_sum *from, double share)
{
	const struct leaf_sum part = {.ns = share_of(from->ns, share),
				      .work_ns = share_of(from->work_ns, share),
				      .offset_ns = share_of(from->offset_ns, share),
				      .calls = (uint64_t)share_of((int64_t)from->calls, share),
				      .first_ns = from->first_ns,
				      .longest_ns = from->longest_ns,
				      .longest_at_ns = from->longest_at_ns};

	from->ns -= part.ns;
	from->work_ns -= part.work_ns;
	from->offset_ns -= part.offset_ns;
	from->calls -= part.calls;
	return part;
}

/* Of each run as much as of all: which steps of it lost their calls is not known. */
static void split_runs(struct sides *s, struct side_leaf *from, struct side_leaf *part, size_t runs)
{
	const int64_t ns = from->all.ns + part->all.ns;
	const double share = ns > 0 ? (double)part->all.ns / (double)ns : 0;

	part->of_run = arena_zalloc(&s->arena, runs, sizeof(int64_t));
	for (size_t r = 0; r < runs; r++) {
		part->of_run[r] = share_of(from->of_run[r], share);
		from->of_run[r] -= part->of_run[r];
	}
}

void sides_split_leaf(struct sides *s, enum side side, uint32_t leaf, const double *share)
{
	struct side_runs *of = &s->of[side];
	struct side_leaf *from = &of->leaves[leaf], *part = &of->leaves[of->leaf_count++];
	struct leaf_sum all = {.longest_ns = from->all.longest_ns,
			       .longest_at_ns = from->all.longest_at_ns};

	of->part_count++;
	*part = (struct side_leaf){
		.key = from->key, .path = from->path, .longest_run = from->longest_run};
	part->of_kind = arena_alloc(&s->arena, s->kind_count, sizeof(*part->of_kind));
	for (size_t k = 0; k < s->kind_count; k++) {
		part->of_kind[k] = split_sum(&from->of_kind[k], share[k]);
		all.ns += part->of_kind[k].ns;
		all.work_ns = sat_add(all.work_ns, part->of_kind[k].work_ns);
		all.offset_ns = sat_add(all.offset_ns, part->of_kind[k].offset_ns);
		all.calls += part->of_kind[k].calls;
	}
	from->all.ns -= all.ns;
	from->all.work_ns -= all.work_ns;
	from->all.offset_ns -= all.offset_ns;
	from->all.calls -= all.calls;
	part->all = all;
	split_runs(s, from, part, of->run_count);
}

bool side_has_ranges(const struct side_runs *s)
{
	for (size_t i = 0; i < s->leaf_count; i++) {
		const char *path = s->leaves[i].key->path;

		if (path[0] && strcmp(path, LEAF_BETWEEN) != 0)
			return true;
	}
	return false;
}

double side_step_ns(const struct side_runs *s, int64_t ns)
{
	return (double)ns / (double)s->weight;
}

double side_change_ns(const struct sides *s, const int64_t ns[SIDES])
{
	return (double)ns[AFTER] / (double)s->of[AFTER].weight -
	       (double)ns[BEFORE] / (double)s->of[BEFORE].weight;
}

struct launch_rate side_launches(const struct side_runs *s)
{
	struct launch_rate all = {.is_known = true};

	for (size_t r = 0; r < s->run_count; r++) {
		const struct account *a = s->runs[r];
		const double share = 1 / ((double)a->step_count * (double)s->run_count);

		all.is_known &= a->launches >= 0;
		all.calls += (double)a->launches * share;
		all.graphs += (double)a->graph_launches * share;
	}
	return all;
}

double side_comm_hidden(const struct side_runs *s)
{
	int64_t work = 0, exposed = 0;

	for (size_t i = 0; i < s->leaf_count; i++) {
		if (s->leaves[i].key->class != LEAF_COMM)
			continue;
		work = sat_add(work, s->leaves[i].all.work_ns);
		exposed = sat_add(exposed, s->leaves[i].all.ns);
	}
	return work > 0 ? fmax(0, 1 - (double)exposed / (double)work) : NAN;
}

/* A multiple of all numbers of steps; 0: it is too large to be of use. */
static uint64_t common_multiple(const struct side_runs *x)
{
	uint64_t all = 1;

	for (size_t r = 0; r < x->run_count; r++) {
		const uint64_t n = x->runs[r]->step_count;
		uint64_t a = all, b = n;

		while (b) {
			const uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		if (!a || !all || n / a > UINT32_MAX / all)
			return 0;
		all *= n / a;
	}
	return all;
}

/* Whether sums of the runs, taken so often, are still numbers. */
static bool is_room(const struct side_runs *x, uint64_t multiple)
{
	int64_t ns = 0;

	for (size_t r = 0; r < x->run_count; r++)
		ns = sat_add(ns, sat_mul(account_ns(x->runs[r]),
					 (int64_t)(multiple / x->runs[r]->step_count)));
	return ns < INT64_MAX / 4;
}

/* Runs that cannot be weighed count by their steps. */
static void weigh_runs(struct side_runs *x, struct arena *arena)
{
	uint64_t multiple = common_multiple(x);

	if (multiple && !is_room(x, multiple))
		multiple = 0;
	x->times = arena_alloc(arena, x->run_count, sizeof(*x->times));
	for (size_t r = 0; r < x->run_count; r++) {
		const struct account *a = x->runs[r];

		x->times[r] = multiple ? multiple / a->step_count : 1;
		x->steps += a->step_count;
		x->weight += x->times[r] * a->step_count;
		x->ns = sat_add(x->ns, sat_mul(account_ns(a), (int64_t)x->times[r]));
	}
}

void sides_make(struct sides *ret, const struct account *const *before, size_t before_count,
		const struct account *const *after, size_t after_count)
{
	struct common_paths paths;

	*ret = (struct sides){.of = {{.runs = before, .run_count = before_count},
				     {.runs = after, .run_count = after_count}}};
	for (int side = 0; side < SIDES; side++) {
		struct side_runs *x = &ret->of[side];

		weigh_runs(x, &ret->arena);
	}
	ret->of[BEFORE].kind_of = kinds_share(ret);
	ret->of[AFTER].kind_of = ret->of[BEFORE].kind_of + before_count;
	common_paths_make(&paths, ret, &ret->arena);
	for (int side = 0; side < SIDES; side++)
		join_leaves(ret, (enum side)side, &paths);
	sides_join_host(ret, &paths);
	common_paths_free(&paths);
}

static int compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_accounts(const struct account *a, const struct account *b)
{
	int order = compare_int((int64_t)a->step_count, (int64_t)b->step_count);

	if (!order)
		order = compare_int((int64_t)a->leaf_count, (int64_t)b->leaf_count);
	for (size_t i = 0; i < a->step_count && !order; i++)
		order = compare_int(a->steps[i].ns, b->steps[i].ns);
	for (size_t i = 0; i < a->leaf_count && !order; i++) {
		order = leaf_compare(&a->leaves[i], &b->leaves[i]);
		if (!order)
			order = compare_int(leaf_total(a, &a->leaves[i]).ns,
					    leaf_total(b, &b->leaves[i]).ns);
	}
	return order;
}

int sides_compare(const struct account *const *a, size_t a_count, const struct account *const *b,
		  size_t b_count)
{
	int order = compare_int((int64_t)a_count, (int64_t)b_count);

	for (size_t i = 0; i < a_count && !order; i++)
		order = compare_accounts(a[i], b[i]);
	return order;
}

#define SWAP(pair)                                                     \
	do {                                                           \
		const __typeof__((pair)[BEFORE]) was = (pair)[BEFORE]; \
                                                                       \
		(pair)[BEFORE] = (pair)[AFTER];                        \
		(pair)[AFTER] = was;                                   \
	} while (0)

void sides_flip(struct sides *s)
{
	SWAP(s->of);
	for (size_t i = 0; i < s->kind_count; i++) {
		SWAP(s->kinds[i].count);
		SWAP(s->kinds[i].steps);
		SWAP(s->kinds[i].ns);
		SWAP(s->kinds[i].calls);
	}
	for (size_t i = 0; i < s->host_count; i++) {
		SWAP(s->host[i].own_ns);
		SWAP(s->host[i].wait_ns);
	}
}

void sides_free(struct sides *s)
{
	arena_free(&s->arena);
	*s = (struct sides){0};
}
