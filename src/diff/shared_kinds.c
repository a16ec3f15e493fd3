/* Which kinds of steps of different runs are the same? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/mode_pairs.h"
#include "diff/sides.h"
#include "text/strtab.h"

#include <stdlib.h>

enum { SORTS_MAX = SIDE_KINDS_MAX / MODES };

static const double alike = 0.5; /* of what steps launch: else they share no more than a library */

/* Steps of any run that launch the same, in two modes at most. */
struct sort {
	double *calls; /* of each kernel name, in a step of the run that has it first */
	size_t names;
	uint64_t steps[MODES];	   /* of runs that have both modes */
	struct modes_of_run modes; /* of the first of these */
};

struct sharing {
	struct sides *sides;
	struct strtab names;
	struct sort sorts[SORTS_MAX];
	size_t count;
};

/* How often a step of a run's sort launches each kernel; for free(). */
static double *profile(struct sharing *x, const struct account *a, uint32_t launches,
		       size_t *ret_names)
{
	double *calls;
	uint64_t steps = 0;

	for (size_t i = 0; i < a->leaf_count; i++)
		strtab_add(&x->names, str_of(a->leaves[i].name));
	calls = mem_zalloc(x->names.count + 1, sizeof(*calls));
	for (size_t k = 0; k < a->kind_count; k++)
		steps += a->kinds[k].launches == launches ? a->kinds[k].steps : 0;
	for (size_t i = 0; i < a->leaf_count; i++) {
		const uint32_t name = strtab_add(&x->names, str_of(a->leaves[i].name));

		for (size_t k = 0; k < a->kind_count; k++) {
			if (a->kinds[k].launches == launches)
				calls[name] +=
					(double)a->leaves[i].of_kind[k].calls / (double)steps;
		}
	}
	*ret_names = x->names.count;
	return calls;
}

static double likeness(const struct sort *s, const double *calls, size_t names)
{
	double common = 0, all = 0;

	for (size_t i = 0; i < (s->names > names ? s->names : names); i++) {
		const double a = i < s->names ? s->calls[i] : 0, b = i < names ? calls[i] : 0;

		common += a < b ? a : b;
		all += a < b ? b : a;
	}
	return all > 0 ? common / all : 1;
}

/* Kinds of a run that launch the same, and what a step of them launches. */
struct run_sort {
	uint32_t launches;
	double *calls;
	size_t names;
	size_t shared; /* the sort that it is; SORTS_MAX: none yet */
};

/* The most frequent first: kinds are in that order. */
static size_t list_sorts(struct sharing *x, const struct account *a, struct run_sort *ret)
{
	size_t count = 0;

	for (size_t k = 0; k < a->kind_count; k++) {
		const uint32_t launches = a->kinds[k].launches;
		size_t i = 0;

		while (i < count && ret[i].launches != launches)
			i++;
		if (i < count || count == SORTS_MAX)
			continue;
		ret[count] = (struct run_sort){.launches = launches, .shared = SORTS_MAX};
		ret[count].calls = profile(x, a, launches, &ret[count].names);
		count++;
	}
	return count;
}

/*
 * Of all that may be the same the two that are most alike: a step that applies gradients is much
 * like one that accumulates them, and more like another that applies them. False: there are none.
 */
static bool share_most_alike(const struct sharing *x, bool *taken, struct run_sort *own,
			     size_t count)
{
	size_t found = count, with = SORTS_MAX;
	double best = 0;

	for (size_t k = 0; k < count; k++) {
		for (size_t i = 0; own[k].shared == SORTS_MAX && i < x->count; i++) {
			const double like =
				taken[i] ? 0 : likeness(&x->sorts[i], own[k].calls, own[k].names);

			if (like >= alike && like > best) {
				best = like;
				found = k;
				with = i;
			}
		}
	}
	if (found == count)
		return false;
	own[found].shared = with;
	taken[with] = true;
	return true;
}

/* Names may all be new: then the most frequent steps are taken for the most frequent ones. */
static size_t find_free(const struct sharing *x, const bool *taken)
{
	for (size_t i = 0; i < x->count; i++) {
		if (!taken[i])
			return i;
	}
	return x->count < SORTS_MAX ? x->count : SORTS_MAX - 1;
}

static void share_rest(struct sharing *x, bool *taken, struct run_sort *own)
{
	const size_t found = find_free(x, taken);

	own->shared = found;
	taken[found] = true;
	if (found == x->count) {
		x->sorts[x->count++] = (struct sort){.calls = own->calls, .names = own->names};
		own->calls = NULL;
	}
}

static void share_sorts(struct sharing *x, const struct account *a, uint32_t *sort_of_kind)
{
	struct run_sort own[SORTS_MAX];
	const size_t count = list_sorts(x, a, own);
	bool taken[SORTS_MAX] = {false};

	while (share_most_alike(x, taken, own, count)) {
	}
	for (size_t i = 0; i < count; i++) {
		if (own[i].shared == SORTS_MAX)
			share_rest(x, taken, &own[i]);
		for (size_t k = 0; k < a->kind_count; k++) {
			if (a->kinds[k].launches == own[i].launches)
				sort_of_kind[k] = (uint32_t)own[i].shared;
		}
		free(own[i].calls);
	}
}

/*
 * 0 the faster one of the first run that has both, 1 the other; of a run with one mode that which
 * is usual where there are two.
 */
static uint32_t mode_of(const struct account *a, size_t kind, const struct sort *s)
{
	const struct modes_of_run own = modes_of_kind(a, kind);

	if (own.of[0])
		return (own.of[1] == &a->kinds[kind]) != modes_are_crossed(&s->modes, &own);
	return s->steps[1] > s->steps[0];
}

static void count_modes(struct sharing *x, const struct account *a, const uint32_t *sort_of_kind)
{
	for (size_t k = 0; k < a->kind_count; k++) {
		const struct modes_of_run own = modes_of_kind(a, k);
		struct sort *s = &x->sorts[sort_of_kind[k]];

		if (!own.of[0])
			continue;
		if (!s->modes.of[0])
			s->modes = own;
		s->steps[mode_of(a, k, s)] += a->kinds[k].steps;
	}
}

static void add_kinds(struct sharing *x, const struct account *a, enum side side, uint64_t times,
		      uint32_t *of_kind)
{
	for (size_t k = 0; k < a->kind_count; k++) {
		const uint32_t mode = mode_of(a, k, &x->sorts[of_kind[k]]);
		struct shared_kind *shared;

		of_kind[k] = of_kind[k] * MODES + mode;
		shared = &x->sides->kinds[of_kind[k]];
		shared->launches = of_kind[k] / MODES;
		shared->mode = mode;
		shared->count[side] += a->kinds[k].steps;
		shared->steps[side] += a->kinds[k].steps * times;
		shared->calls[side] += a->kinds[k].calls * times;
		shared->ns[side] =
			sat_add(shared->ns[side], sat_mul(a->kinds[k].ns, (int64_t)times));
	}
}

static int by_use(const void *a, const void *b, void *ctx)
{
	const struct shared_kind *x = &((const struct shared_kind *)ctx)[*(const uint32_t *)a];
	const struct shared_kind *y = &((const struct shared_kind *)ctx)[*(const uint32_t *)b];
	const bool both_x = x->steps[BEFORE] && x->steps[AFTER];
	const bool both_y = y->steps[BEFORE] && y->steps[AFTER];
	const uint64_t n = x->steps[BEFORE] + x->steps[AFTER];
	const uint64_t m = y->steps[BEFORE] + y->steps[AFTER];

	if (both_x != both_y)
		return both_x ? -1 : 1;
	return n == m ? 0 : n > m ? -1 : 1;
}

/* Leaves out what no run has, and puts those first that both sides have. */
static void order_kinds(struct sides *s, uint32_t **of_run, size_t runs)
{
	uint32_t order[SIDE_KINDS_MAX], place[SIDE_KINDS_MAX];
	struct shared_kind *sorted = arena_alloc(&s->arena, SIDE_KINDS_MAX, sizeof(*sorted));

	for (uint32_t i = 0; i < SIDE_KINDS_MAX; i++)
		order[i] = i;
	sort_stable(order, SIDE_KINDS_MAX, sizeof(*order), by_use, s->kinds);
	for (uint32_t i = 0; i < SIDE_KINDS_MAX; i++) {
		sorted[i] = s->kinds[order[i]];
		place[order[i]] = i;
		s->kind_count += sorted[i].steps[BEFORE] + sorted[i].steps[AFTER] > 0;
	}
	s->kinds = sorted;
	for (size_t r = 0; r < runs; r++) {
		const size_t before = s->of[BEFORE].run_count;
		const struct account *a =
			r < before ? s->of[BEFORE].runs[r] : s->of[AFTER].runs[r - before];

		for (size_t k = 0; k < a->kind_count; k++)
			of_run[r][k] = place[of_run[r][k]];
	}
}

uint32_t **kinds_share(struct sides *s)
{
	const size_t before = s->of[BEFORE].run_count, runs = before + s->of[AFTER].run_count;
	uint32_t **of_run = arena_alloc(&s->arena, runs, sizeof(*of_run));
	struct sharing x = {.sides = s};

	s->kinds = arena_zalloc(&s->arena, SIDE_KINDS_MAX, sizeof(*s->kinds));
	for (int pass = 0; pass < 2; pass++) {
		for (size_t r = 0; r < runs; r++) {
			const enum side side = r < before ? BEFORE : AFTER;
			const size_t run = r < before ? r : r - before;
			const struct account *a = s->of[side].runs[run];

			if (pass) {
				add_kinds(&x, a, side, s->of[side].times[run], of_run[r]);
				continue;
			}
			of_run[r] = arena_alloc(&s->arena, a->kind_count, sizeof(**of_run));
			share_sorts(&x, a, of_run[r]);
			count_modes(&x, a, of_run[r]);
		}
	}
	order_kinds(s, of_run, runs);
	for (size_t i = 0; i < x.count; i++)
		free(x.sorts[i].calls);
	strtab_free(&x.names);
	return of_run;
}
