/* Which leaves of one side are which of the other? */
#include "diff/matching/match.h"

#include "analysis/kernel_alike.h"
#include "base/mem.h"
#include "base/sort.h"
#include "diff/matching/match_order.h"
#include "text/strtab.h"
#include "trace/ops/op_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const match_keys[MATCHES] = {"same", "grid",     "name", "range", "order",
					 "map",	 "replaced", "new",  "gone"};
const char *const match_words[MATCHES] = {"same",	 "other grid", "renamed",
					  "other range", "by order",   "by --map",
					  "replaced",	 "new",	       "gone"};

enum { PAIRED_MAX = 64 }; /* candidates of one name that are compared each with each */

/* Where its calls are on average. */
static int64_t mean_place(const struct side_leaf *l)
{
	return l->all.calls ? l->all.offset_ns / (int64_t)l->all.calls : 0;
}

/*
 * What each layer launches is met in the first one in that order, however often a layer launches
 * it: on average something that a layer launches twice lies where it is not.
 */
static int64_t place_of(const struct sides *s, const struct side_leaf *l, bool by_firsts)
{
	for (size_t k = 0; k < s->kind_count && by_firsts; k++) {
		if (l->of_kind[k].first_ns && s->kinds[k].steps[BEFORE] && s->kinds[k].steps[AFTER])
			return l->of_kind[k].first_ns;
	}
	return mean_place(l);
}

/* A baseline of an earlier gpuwhy has means alone: then the other side is put in order by them. */
static bool have_firsts(const struct sides *s)
{
	size_t sides = 0;

	for (int side = 0; side < SIDES; side++) {
		bool any = false;

		for (size_t i = 0; i < s->of[side].leaf_count && !any; i++)
			any = s->of[side].leaves[i].all.first_ns > 0;
		sides += any;
	}
	return sides == SIDES;
}

static int by_number(const void *a, const void *b, void *ctx)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	(void)ctx;
	return (x > y) - (x < y);
}

static void cut_words(struct matching *x, struct match_leaf *l)
{
	struct str words[KERNEL_WORDS_MAX];

	l->word_count = kernel_name_words(l->text, words);
	l->words = arena_alloc(&x->to->arena, l->word_count + 1, sizeof(*l->words));
	for (size_t i = 0; i < l->word_count; i++)
		l->words[i] = strtab_add(&x->texts, words[i]);
	sort_stable(l->words, l->word_count, sizeof(*l->words), by_number, NULL);
}

/* What is known of the leaves of one side. */
static struct match_leaf *describe(struct matching *x, enum side side)
{
	const struct side_runs *runs = &x->sides->of[side];
	const bool by_firsts = have_firsts(x->sides);
	struct match_leaf *all = arena_zalloc(&x->to->arena, runs->leaf_count, sizeof(*all));
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < runs->leaf_count; i++) {
		const struct leaf *key = runs->leaves[i].key;
		const struct str name = str_of(key->name);

		all[i] = (struct match_leaf){
			.is_idle = key->class == LEAF_IDLE,
			.class = key->class * (BLAMES + 1) + key->blame,
			.path = strtab_add(&x->texts, str_of(runs->leaves[i].path)),
			.whole = strtab_add(&x->texts, str_of(key->path)),
			.name = strtab_add(&x->texts, name),
			.grid = strtab_add(&x->texts, str_of(key->grid)),
			.mapped = STRTAB_NONE,
			.place = place_of(x->sides, &runs->leaves[i], by_firsts),
			.at = (double)mean_place(&runs->leaves[i]) * (double)runs->weight /
			      (double)runs->ns,
			.calls = (double)runs->leaves[i].all.calls / (double)runs->weight,
			.call_ns = runs->leaves[i].all.calls
					   ? (double)runs->leaves[i].all.work_ns /
						     (double)runs->leaves[i].all.calls
					   : 0,
			.text = name,
			.kind = (int)kernel_kind(name),
		};
		cut_words(x, &all[i]);
		buf_clear(&b);
		kernel_name_add_plain(&b, name);
		all[i].plain = strtab_keep(&x->texts, &x->to->arena, buf_str(&b));
		buf_clear(&b);
		kernel_name_add_bare(&b, name);
		all[i].bare = strtab_keep(&x->texts, &x->to->arena, buf_str(&b));
	}
	return all;
}

static bool is_called(const struct matching *x, enum side side, size_t leaf, struct str name)
{
	return match_map_is(x->sides->of[side].leaves[leaf].key, name);
}

static bool is_there(const struct matching *x, enum side side, struct str name)
{
	for (size_t i = 0; i < x->sides->of[side].leaf_count; i++) {
		if (is_called(x, side, i, name))
			return true;
	}
	return false;
}

/* The first pair that shares a name with this one: several kernels may have become one. */
static size_t first_alike(const struct match_map *map, size_t pair)
{
	for (size_t m = 0; m < pair; m++) {
		if (str_eq(map->names[BEFORE][m], map->names[BEFORE][pair]) ||
		    str_eq(map->names[AFTER][m], map->names[AFTER][pair]))
			return m;
	}
	return pair;
}

static void map_pair(struct matching *x, const struct match_map *map, size_t pair)
{
	const uint32_t number = (uint32_t)first_alike(map, pair);

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < x->sides->of[side].leaf_count; i++) {
			if (is_called(x, (enum side)side, i, map->names[side][pair]))
				x->leaves[side][i].mapped = number;
		}
	}
}

/* A pair of which one is not there has no say: the other may be in another pair. */
static void map_names(struct matching *x, const struct match_map *map)
{
	for (size_t m = 0; map && m < map->count; m++) {
		if (is_there(x, BEFORE, map->names[BEFORE][m]) &&
		    is_there(x, AFTER, map->names[AFTER][m]))
			map_pair(x, map, m);
	}
}

void matching_add(struct matching *x, enum match_how how, double sure, const uint32_t *before,
		  size_t before_count, const uint32_t *after, size_t after_count)
{
	const uint32_t *const from[SIDES] = {before, after};
	const size_t count[SIDES] = {before_count, after_count};
	struct match *m;

	MEM_GROW(x->to->all, x->to->cap, x->to->count + 1);
	m = &x->to->all[x->to->count++];
	*m = (struct match){.how = how, .sure = sure};
	for (int side = 0; side < SIDES; side++) {
		m->count[side] = count[side];
		m->leaves[side] = arena_alloc(&x->to->arena, count[side] + 1, sizeof(uint32_t));
		for (size_t i = 0; i < count[side]; i++) {
			m->leaves[side][i] = from[side][i];
			x->leaves[side][from[side][i]].matched = true;
			x->leaves[side][from[side][i]].match = (uint32_t)x->to->count;
			x->leaves[side][from[side][i]].block =
				how == MATCH_BLOCK ? (uint32_t)x->to->count : 0;
		}
	}
	if (before_count == 1 && after_count == 1 &&
	    x->leaves[BEFORE][*before].path == x->leaves[AFTER][*after].path)
		x->leaves[BEFORE][*before].anchors = x->leaves[AFTER][*after].anchors = true;
}

/* What leaves must have in common in a stage of the search: bits. */
enum {
	KEY_PATH = 1,
	KEY_NAME = 2,
	KEY_GRID = 4,
	KEY_PLAIN = 8,
	KEY_BARE = 16,
	KEY_MAP = 32,
	KEY_GENERATED = 64, /* as KEY_PLAIN, of names whose number means nothing alone */
	KEY_IDLE = 128,	    /* of idle time alone: by its blame, whatever the path */
	KEY_WHOLE = 256,    /* with ranges that one side has alone, where it is launched as often */
};

struct candidate {
	uint32_t key[4];
	uint32_t leaf;
	enum side side;
	int64_t place;
};

static int compare_keys(const struct candidate *a, const struct candidate *b)
{
	for (size_t i = 0; i < ARRAY_LEN(a->key); i++) {
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	}
	return 0;
}

static int by_key(const void *p, const void *q, void *ctx)
{
	const struct candidate *a = p, *b = q;
	const int order = compare_keys(a, b);

	(void)ctx;
	if (order)
		return order;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static struct candidate candidate_of(const struct match_leaf *l, unsigned keys)
{
	struct candidate c = {.place = l->place};

	c.key[0] = (uint32_t)l->class;
	c.key[1] = keys & KEY_WHOLE ? l->whole : keys & KEY_PATH ? l->path : 0;
	c.key[2] = keys & KEY_NAME			? l->name
		   : keys & (KEY_PLAIN | KEY_GENERATED) ? l->plain
		   : keys & KEY_BARE			? l->bare
		   : keys & KEY_MAP			? l->mapped
							: 0;
	c.key[3] = keys & KEY_GRID ? l->grid : 0;
	return c;
}

static struct candidate *list_candidates(const struct matching *x, unsigned keys, size_t *ret_count)
{
	const size_t most = x->sides->of[BEFORE].leaf_count + x->sides->of[AFTER].leaf_count;
	struct candidate *all = mem_alloc(most, sizeof(*all));
	size_t count = 0;

	for (int side = 0; side < SIDES; side++) {
		for (uint32_t i = 0; i < x->sides->of[side].leaf_count; i++) {
			const struct match_leaf *l = &x->leaves[side][i];

			if (l->matched || (keys & KEY_MAP && l->mapped == STRTAB_NONE) ||
			    (keys & KEY_GENERATED && !kernel_name_is_generated(l->text)) ||
			    (l->is_idle && keys != (KEY_PATH | KEY_NAME | KEY_GRID) &&
			     keys != KEY_IDLE) ||
			    (!l->is_idle && keys == KEY_IDLE))
				continue;
			all[count] = candidate_of(l, keys);
			all[count].leaf = i;
			all[count++].side = (enum side)side;
		}
	}
	sort_stable(all, count, sizeof(*all), by_key, NULL);
	*ret_count = count;
	return all;
}

/* How much speaks for a pair of candidates. */
struct pairing {
	int64_t like; /* in whole numbers: what differs by rounding alone is the same */
	uint32_t before, after;
};

static int by_likeness(const void *p, const void *q, void *ctx)
{
	const struct pairing *a = p, *b = q;

	(void)ctx;
	return (a->like < b->like) - (a->like > b->like);
}

static size_t list_pairings(const struct matching *x, const struct candidate *before,
			    const struct candidate *after, size_t count, struct pairing *ret)
{
	size_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < count; k++) {
			const double like = match_likeness(&x->leaves[BEFORE][before[i].leaf],
							   &x->leaves[AFTER][after[k].leaf]);

			ret[n++] = (struct pairing){llround(like * 1e9), i, k};
		}
	}
	sort_stable(ret, n, sizeof(*ret), by_likeness, NULL);
	return n;
}

/* Of as many on both sides each gets the one it is most like. */
static void pair_up(struct matching *x, enum match_how how, double sure,
		    const struct candidate *before, const struct candidate *after, size_t count)
{
	bool taken[PAIRED_MAX] = {false}, done[PAIRED_MAX] = {false};
	struct pairing *all = mem_alloc(count * count, sizeof(*all));
	const size_t pairings = list_pairings(x, before, after, count, all);

	for (size_t i = 0; i < pairings; i++) {
		if (done[all[i].before] || taken[all[i].after])
			continue;
		done[all[i].before] = taken[all[i].after] = true;
		matching_add(x, how, sure, &before[all[i].before].leaf, 1,
			     &after[all[i].after].leaf, 1);
	}
	free(all);
}

bool matching_may_compare(struct matching *x, size_t pairs)
{
	if (pairs > MATCH_PAIRS_MAX - x->to->compared)
		return false;
	x->to->compared += pairs;
	return true;
}

/* How many names candidates have but for tiles, numbers and architectures. */
static size_t count_names(const struct matching *x, const struct candidate *all, size_t count)
{
	uint32_t *names = mem_alloc(count, sizeof(*names));
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		names[i] = x->leaves[all[i].side][all[i].leaf].plain;
	sort_stable(names, count, sizeof(*names), by_number, NULL);
	for (size_t i = 0; i < count; i++)
		found += i == 0 || names[i] != names[i - 1];
	free(names);
	return found;
}

/*
 * Instances of one template that are seven kernels before and one after are not called otherwise:
 * the one took the place of the seven.
 */
static bool is_block(const struct matching *x, enum match_how how, const struct candidate *all,
		     size_t before, size_t after)
{
	return how == MATCH_NAME &&
	       count_names(x, all, before) != count_names(x, all + before, after);
}

static void match_group(struct matching *x, enum match_how how, double sure,
			const struct candidate *all, size_t before, size_t after, bool pairs)
{
	uint32_t *leaves;

	if (pairs && before == after && before <= PAIRED_MAX &&
	    matching_may_compare(x, before * before)) {
		pair_up(x, how, sure, all, all + before, before);
		return;
	}
	leaves = mem_alloc(before + after, sizeof(*leaves));
	for (size_t i = 0; i < before + after; i++)
		leaves[i] = all[i].leaf;
	if (is_block(x, how, all, before, after))
		how = MATCH_BLOCK;
	matching_add(x, how, sure, leaves, before, leaves + before, after);
	free(leaves);
}

static bool are_as_often(const struct matching *x, const struct candidate *all, size_t count)
{
	double calls[SIDES] = {0};

	for (size_t i = 0; i < count; i++)
		calls[all[i].side] += x->leaves[all[i].side][all[i].leaf].calls;
	return match_same_calls(calls[BEFORE], calls[AFTER]);
}

/* Leaves of both sides that have the same in common are one match, or several pairs. */
static void match_by(struct matching *x, unsigned keys, enum match_how how, double sure, bool pairs)
{
	size_t count, end;
	struct candidate *all = list_candidates(x, keys, &count);

	for (size_t i = 0; i < count; i = end) {
		size_t before = 0;

		for (end = i; end < count && compare_keys(&all[i], &all[end]) == 0; end++)
			before += all[end].side == BEFORE;
		if (before && before < end - i &&
		    (!(keys & KEY_WHOLE) || are_as_often(x, &all[i], end - i)))
			match_group(x, how, sure, &all[i], before, end - i - before, pairs);
	}
	free(all);
}

static void add_rest(struct matching *x)
{
	for (int side = 0; side < SIDES; side++) {
		for (uint32_t i = 0; i < x->sides->of[side].leaf_count; i++) {
			if (x->leaves[side][i].matched)
				continue;
			if (side == BEFORE)
				matching_add(x, MATCH_GONE, 1, &i, 1, NULL, 0);
			else
				matching_add(x, MATCH_NEW, 1, NULL, 0, &i, 1);
		}
	}
}

void matches_find(struct matches *ret, struct sides *s, const struct match_map *map)
{
	const bool before = side_has_ranges(&s->of[BEFORE]), after = side_has_ranges(&s->of[AFTER]);
	struct matching x = {.sides = s, .to = ret};

	*ret = (struct matches){0};
	x.leaves[BEFORE] = describe(&x, BEFORE);
	x.leaves[AFTER] = describe(&x, AFTER);
	map_names(&x, map);
	match_by(&x, KEY_MAP | KEY_PATH, MATCH_MAP, 1, false);
	match_by(&x, KEY_MAP, MATCH_MAP, 1, false);
	/* Idle time in another range is another; but not where a side has no ranges to tell. */
	if (before != after)
		match_by(&x, KEY_IDLE, MATCH_RANGE, 0.8, false);
	/* What is launched as often in its very range is that: beside it, in a range that one side
	 * has alone, lies something else. What is not was parted, or joined, by such a range. */
	match_by(&x, KEY_WHOLE | KEY_NAME | KEY_GRID, MATCH_SAME, 1, false);
	match_by(&x, KEY_PATH | KEY_NAME | KEY_GRID, MATCH_SAME, 1, false);
	match_by(&x, KEY_PATH | KEY_GENERATED | KEY_GRID, MATCH_NAME, 0.95, true);
	match_by(&x, KEY_PATH | KEY_NAME, MATCH_GRID, 0.95, false);
	match_by(&x, KEY_PATH | KEY_PLAIN | KEY_GRID, MATCH_NAME, 0.95, true);
	match_by(&x, KEY_PATH | KEY_PLAIN, MATCH_NAME, 0.9, true);
	match_by(&x, KEY_PATH | KEY_BARE | KEY_GRID, MATCH_NAME, 0.85, true);
	match_by(&x, KEY_PATH | KEY_BARE, MATCH_NAME, 0.8, true);
	match_by(&x, KEY_NAME | KEY_GRID, MATCH_RANGE, 0.8, true);
	if (!before && !after)
		match_by(&x, KEY_IDLE, MATCH_RANGE, 0.8, false);
	match_parts(&x);
	match_by_shape(&x);
	match_by_order(&x);
	match_by_shape(&x);
	match_blocks(&x);
	add_rest(&x);
	strtab_free(&x.texts);
}

void matches_flip(struct matches *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct match *x = &m->all[i], was = *x;

		x->leaves[BEFORE] = was.leaves[AFTER];
		x->leaves[AFTER] = was.leaves[BEFORE];
		x->count[BEFORE] = was.count[AFTER];
		x->count[AFTER] = was.count[BEFORE];
		if (was.how == MATCH_NEW || was.how == MATCH_GONE)
			x->how = was.how == MATCH_NEW ? MATCH_GONE : MATCH_NEW;
	}
}

void matches_free(struct matches *m)
{
	free(m->all);
	arena_free(&m->arena);
	*m = (struct matches){0};
}
