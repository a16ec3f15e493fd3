/* Comparisons of random runs: whatever they are, rows add up, and swapping sides swaps signs. */
#include "analysis/kernel_alike.h"
#include "base/mem.h"
#include "diff/step_kinds.h"
#include "diff/tables/diff_views.h"
#include "diff/tables/diff_words.h"
#include "groups.h"
#include "statistics/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	PAIRS = 10000,
	RUNS = 5,
	KINDS = 3,
	STEPS = 6,
};

/* Some are one where a side lacks a range; a range may have no name. */
static const char *const paths[] = {
	"",	      "forward",	 "forward / attn",	   "backward",
	LEAF_BETWEEN, "train / forward", "train / forward / attn", " / forward",
	"forward / "};
static const char *const names[] = {"gemm_64x64",
				    "gemm_128x64",
				    "void softmax<float>(int)",
				    "void softmax<half>(int)",
				    "triton_poi_fused_add_3",
				    "triton_poi_fused_add_7",
				    "flash_fwd",
				    "elementwise"};
static const char *const grids[] = {"", "8x1x1", "16x4x1"};

#define KEYS (LEAF_CLASSES * ARRAY_LEN(paths) * ARRAY_LEN(names) * ARRAY_LEN(grids))

/* One of all leaves that there may be. */
static struct leaf leaf_of_key(size_t key)
{
	struct leaf l = {.blame = BLAMES, .name = "", .grid = ""};

	l.class = (enum leaf_class)(key % LEAF_CLASSES);
	key /= LEAF_CLASSES;
	l.path = paths[key % ARRAY_LEN(paths)];
	key /= ARRAY_LEN(paths);
	if (l.class == LEAF_IDLE) {
		l.blame = (enum blame)(key % BLAMES);
		return l;
	}
	l.name = names[key % ARRAY_LEN(names)];
	l.grid = grids[key / ARRAY_LEN(names) % ARRAY_LEN(grids)];
	return l;
}

static int by_key(const void *a, const void *b)
{
	return leaf_compare(a, b);
}

static void fill_leaf(struct account *a, struct leaf *l, struct random *r)
{
	l->of_kind = arena_zalloc(&a->arena, a->kind_count, sizeof(*l->of_kind));
	for (size_t k = 0; k < a->kind_count; k++) {
		struct leaf_sum *s = &l->of_kind[k];

		*s = (struct leaf_sum){.ns = (int64_t)random_below(r, 1000000)};
		if (l->class != LEAF_IDLE) {
			s->calls = 1 + random_below(r, 20);
			s->work_ns = s->ns + (int64_t)random_below(r, 1000);
			s->offset_ns = (int64_t)(s->calls * random_below(r, 100000));
		}
		a->kinds[k].ns += s->ns;
		a->kinds[k].calls += s->calls;
	}
}

static void add_leaves(struct account *a, struct random *r)
{
	const size_t most = 1 + random_below(r, 30);

	a->leaves = arena_zalloc(&a->arena, most, sizeof(*a->leaves));
	for (size_t i = 0; i < most; i++) {
		a->leaves[i] = leaf_of_key(random_below(r, KEYS));
		/* As those of a baseline, leaves of one path have texts of their own. */
		a->leaves[i].path = arena_strdup(&a->arena, a->leaves[i].path);
	}
	qsort(a->leaves, most, sizeof(*a->leaves), by_key);
	for (size_t i = 0; i < most; i++) {
		if (a->leaf_count &&
		    leaf_compare(&a->leaves[a->leaf_count - 1], &a->leaves[i]) == 0)
			continue;
		a->leaves[a->leaf_count] = a->leaves[i];
		fill_leaf(a, &a->leaves[a->leaf_count++], r);
	}
}

/* Steps of each kind, which sum up to what its leaves have. */
static void add_steps(struct account *a, struct random *r)
{
	a->steps = arena_zalloc(&a->arena, (size_t)KINDS * STEPS, sizeof(*a->steps));
	for (uint32_t k = 0; k < a->kind_count; k++) {
		int64_t left = a->kinds[k].ns;

		a->kinds[k].steps = 1 + random_below(r, STEPS);
		for (uint64_t i = 0; i < a->kinds[k].steps; i++) {
			const int64_t ns = left / (int64_t)(a->kinds[k].steps - i);

			left -= ns;
			a->steps[a->step_count++] = (struct account_step){.ns = ns, .kind = k};
		}
	}
}

static void make_run(struct account *a, struct random *r)
{
	*a = (struct account){.name = "run", .how = "made"};
	a->facts = (struct run_facts){.gpu = "",
				      .driver = "",
				      .cuda = "",
				      .tool = "",
				      .schema = "",
				      .recorded = "",
				      .graphs = ""};
	a->kind_count = 1 + random_below(r, KINDS);
	a->kinds = arena_zalloc(&a->arena, a->kind_count, sizeof(*a->kinds));
	for (uint32_t k = 0; k < a->kind_count; k++) {
		a->kinds[k].launches = k / 2;
		a->kinds[k].mode = k % 2;
	}
	add_leaves(a, r);
	add_steps(a, r);
}

/* Some runs a side. */
struct pair {
	struct account runs[RUNS];
	const struct account *refs[RUNS];
	size_t before, after;
};

static void make_pair(struct pair *p, uint64_t seed)
{
	struct random r = random_of(seed);

	p->before = 1 + random_below(&r, 2);
	p->after = 1 + random_below(&r, 2);
	for (size_t i = 0; i < p->before + p->after; i++) {
		make_run(&p->runs[i], &r);
		p->refs[i] = &p->runs[i];
	}
}

static void free_pair(struct pair *p)
{
	for (size_t i = 0; i < p->before + p->after; i++)
		account_free(&p->runs[i]);
}

/* Every leaf is in one row, and rows with the mix are the step. */
static void check_sums(const struct diff *d)
{
	size_t leaves[SIDES] = {0};
	exact_ns sum = 0, mix = 0;

	for (size_t i = 0; i < d->row_count; i++) {
		sum += d->rows[i].delta + d->rows[i].mix;
		mix += d->rows[i].mix;
		for (int side = 0; side < SIDES; side++)
			leaves[side] += d->rows[i].match->count[side];
	}
	assert_true(sum == d->delta);
	assert_true(mix == d->mix);
	/* The account and the statistics speak of the same steps: a run counts once in both. */
	assert_true(fabs(side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns) -
			 d->time.before.mean_ns) <= 1e-9 * d->time.before.mean_ns + 1e-6);
	assert_true(fabs(side_step_ns(&d->sides.of[AFTER], d->sides.of[AFTER].ns) -
			 d->time.after.mean_ns) <= 1e-9 * d->time.after.mean_ns + 1e-6);
	assert_int_equal(leaves[BEFORE], d->sides.of[BEFORE].leaf_count);
	assert_int_equal(leaves[AFTER], d->sides.of[AFTER].leaf_count);
}

/* What people see of a view subtracts and sums up. */
static void check_columns(const struct view *v)
{
	for (int side = 0; side < SIDES; side++) {
		int64_t sum = v->beyond_ns[side];

		for (size_t i = 0; i < v->count; i++)
			sum += v->all[i].step_ns[side];
		assert_int_equal(sum, v->step_ns[side]);
	}
}

/* Where a row has parts, they are its change. */
static void check_parts(const struct diff *d)
{
	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *r = &d->rows[i];
		int64_t sum = 0;

		for (int part = 0; part < DELTA_PARTS; part++)
			sum += r->part_ns[part];
		if (!r->has_parts)
			continue;
		assert_int_equal(sum, r->step_ns[AFTER] - r->step_ns[BEFORE]);
		/* Rounding alone must not be what makes them so. */
		assert_true(fabs(r->parts[0] + r->parts[1] + r->parts[2] - (double)sum) < 3);
	}
}

/* A row is called after its longest leaf, but for one in a range that its side has alone. */
static void check_names(const struct diff *d)
{
	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *r = &d->rows[i];

		for (int side = 0; side < SIDES; side++) {
			const struct side_leaf *all = d->sides.of[side].leaves, *own = NULL;
			int64_t longest = 0;

			for (size_t k = 0; k < r->match->count[side]; k++) {
				const struct side_leaf *l = &all[r->match->leaves[side][k]];

				longest = l->all.ns > longest ? l->all.ns : longest;
				own = l->key == r->leaf[side] ? l : own;
			}
			assert_true(!own == !r->match->count[side]);
			if (own && strcmp(own->path, own->key->path) == 0)
				assert_int_equal(own->all.ns, longest);
		}
	}
}

static void check_views(const struct diff *d)
{
	static const enum diff_view all[] = {VIEW_CLASS, VIEW_RANGE, VIEW_KERNEL};

	for (size_t v = 0; v < ARRAY_LEN(all); v++) {
		struct arena arena = {0};
		struct view view;
		struct err e;
		exact_ns sum = d->mix;
		int64_t before = 0, after = 0;

		assert_int_equal(view_make(&view, d, all[v], &arena, &e), 0);
		for (size_t i = 0; i < view.count; i++) {
			sum += view.all[i].delta;
			before += view.all[i].ns[BEFORE];
			after += view.all[i].ns[AFTER];
		}
		check_columns(&view);
		assert_true(sum == d->delta);
		assert_int_equal(before, d->sides.of[BEFORE].ns);
		assert_int_equal(after, d->sides.of[AFTER].ns);
		arena_free(&arena);
	}
}

static void check_swapped(const struct diff *d, const struct diff *swapped)
{
	static const enum verdict other[] = {VERDICT_SAME, VERDICT_FASTER, VERDICT_SLOWER,
					     VERDICT_CANNOT_TELL};

	assert_true(swapped->delta == -d->delta);
	assert_true(swapped->mix == -d->mix);
	assert_int_equal(swapped->row_count, d->row_count);
	assert_int_equal(swapped->time.verdict, other[d->time.verdict]);
	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *a = &d->rows[i], *b = &swapped->rows[i];

		assert_true(a->delta == -b->delta);
		assert_int_equal(a->sum[BEFORE].ns, b->sum[AFTER].ns);
		assert_int_equal(a->sum[AFTER].ns, b->sum[BEFORE].ns);
		for (int side = 0; side < SIDES; side++) {
			assert_true(!a->leaf[side] == !b->leaf[!side]);
			if (!a->leaf[side])
				continue;
			assert_int_equal(leaf_compare(a->leaf[side], b->leaf[!side]), 0);
			assert_string_equal(a->path[side], b->path[!side]);
		}
	}
}

static void sums_up_whatever_the_runs_are(void **state)
{
	const struct diff_options o = {.compare = {.tolerance = 0.02, .seed = 1}};
	size_t first;
	const size_t count = some_cases(PAIRS, &first);

	(void)state;
	for (size_t i = first; i < first + count; i++) {
		struct pair p;
		struct diff d, swapped;

		make_pair(&p, i);
		diff_make(&d, p.refs, p.before, p.refs + p.before, p.after, &o);
		diff_make(&swapped, p.refs + p.before, p.after, p.refs, p.before, &o);
		check_sums(&d);
		check_names(&d);
		check_views(&d);
		check_parts(&d);
		check_swapped(&d, &swapped);
		diff_free(&swapped);
		diff_free(&d);
		free_pair(&p);
	}
}

static void is_nothing_against_itself(void **state)
{
	const struct diff_options o = {.compare = {.tolerance = 0.02, .seed = 1}};

	(void)state;
	for (size_t i = 0; i < repeats(1000); i++) {
		struct pair p;
		struct diff d;

		make_pair(&p, i);
		diff_make(&d, p.refs, 1, p.refs, 1, &o);
		assert_true(d.delta == 0 && d.mix == 0);
		for (size_t k = 0; k < d.row_count; k++) {
			assert_true(d.rows[k].delta == 0 && d.rows[k].match->how == MATCH_SAME);
			assert_string_equal(d.rows[k].path[BEFORE], d.rows[k].leaf[BEFORE]->path);
		}
		assert_int_equal(d.time.verdict, VERDICT_SAME);
		diff_free(&d);
		free_pair(&p);
	}
}

static void assert_plain(const char *name, const char *expected)
{
	SCOPED_BUF b = {0};

	kernel_name_add_plain(&b, str_of(name));
	assert_string_equal(b.s, expected);
}

static void takes_numbers_out_of_names(void **state)
{
	struct str words[KERNEL_WORDS_MAX];
	SCOPED_BUF b = {0};

	(void)state;
	assert_plain("nvjet_sm90_tst_128x256_64x4_2x1_v_bz", "nvjet_sm#_tst_#_#_#_v_bz");
	assert_plain("triton_poi_fused_add_12", "triton_poi_fused_add_#");
	assert_plain("kernel_0x7f33a1", "kernel_#");
	assert_plain("f_deadbeef01_g", "f_#_g");
	assert_plain("exp2", "exp#");
	kernel_name_add_bare(&b, STR_LIT("void at::f<int, g<(int)4>>(int, T1)"));
	assert_string_equal(b.s, "void at::f");
	assert_true(kernel_name_is_generated(STR_LIT("triton_red_fused_0")));
	assert_false(kernel_name_is_generated(STR_LIT("gemm")));
	assert_int_equal(kernel_name_words(STR_LIT("gemm_64x64_tn<float>"), words), 4);
	assert_true(str_eq(words[2], STR_LIT("tn")));
}

static void tells_modes_apart(void **state)
{
	static const int64_t one[] = {10, 11, 11, 12, 12, 12, 13, 13, 14, 15};
	static const int64_t two[] = {10, 10, 11, 11, 12, 12, 30, 31, 31, 32};
	static const int64_t odd[] = {10, 10, 11, 11, 12, 12, 12, 12, 12, 90};

	(void)state;
	assert_int_equal(step_modes_split(one, 10, 1), 0);
	assert_int_equal(step_modes_split(two, 10, 1), 6);
	assert_int_equal(step_modes_split(two, 10, 50), 0);
	assert_int_equal(step_modes_split(odd, 10, 1), 0);
	assert_int_equal(step_modes_split(two, 0, 1), 0);
}

/* A run of one step with these leaves, of which each takes 1 ms. */
static void make_small(struct account *a, const struct leaf *leaves, size_t count)
{
	*a = (struct account){.arena = a->arena, .name = "run", .how = "made", .kind_count = 1};
	a->facts = (struct run_facts){.gpu = "",
				      .driver = "",
				      .cuda = "",
				      .tool = "",
				      .schema = "",
				      .recorded = "",
				      .graphs = ""};
	a->steps = arena_alloc(&a->arena, 1, sizeof(*a->steps));
	a->kinds = arena_alloc(&a->arena, 1, sizeof(*a->kinds));
	a->leaves = arena_alloc(&a->arena, count, sizeof(*a->leaves));
	*a->steps = (struct account_step){.ns = 1000000 * (int64_t)count};
	*a->kinds = (struct step_kind){.steps = 1, .ns = a->steps->ns};
	a->step_count = 1;
	a->leaf_count = count;
	for (size_t i = 0; i < count; i++) {
		a->leaves[i] = leaves[i];
		a->leaves[i].of_kind = arena_alloc(&a->arena, 1, sizeof(struct leaf_sum));
		*a->leaves[i].of_kind = (struct leaf_sum){.ns = 1000000};
	}
}

static struct leaf idle_in(const char *path)
{
	return (struct leaf){LEAF_IDLE, BLAME_HOST, path, "", "", NULL};
}

static struct leaf kernel_in(const char *path)
{
	return (struct leaf){LEAF_COMPUTE, BLAMES, path, "gemm", "1x1x1", NULL};
}

/* What became of idle time on the side before: how it is matched. */
static enum match_how idle_match(const struct leaf *before, size_t before_count,
				 const struct leaf *after, size_t after_count)
{
	const struct diff_options o = {.compare = {.tolerance = 0.02, .seed = 1}};
	struct account runs[SIDES] = {0};
	const struct account *b = &runs[BEFORE], *a = &runs[AFTER];
	enum match_how how = MATCHES;
	struct diff d;

	make_small(&runs[BEFORE], before, before_count);
	make_small(&runs[AFTER], after, after_count);
	diff_make(&d, &b, 1, &a, 1, &o);
	for (size_t i = 0; i < d.row_count; i++) {
		if (d.rows[i].leaf[BEFORE] && d.rows[i].leaf[BEFORE]->class == LEAF_IDLE)
			how = d.rows[i].match->how;
	}
	diff_free(&d);
	account_free(&runs[BEFORE]);
	account_free(&runs[AFTER]);
	return how;
}

static void matches_idle_time_where_there_are_no_ranges(void **state)
{
	const struct leaf none[] = {kernel_in(""), idle_in("")};
	const struct leaf some[] = {kernel_in("forward"), idle_in("backward"), idle_in("forward")};
	/* A range that one side has alone may be the other's by another name: "clip" is on both. */
	const struct leaf other[] = {kernel_in("backward"), kernel_in("forward"), idle_in("clip")};
	const struct leaf clip[] = {kernel_in("clip"), kernel_in("forward"), idle_in("backward"),
				    idle_in("forward")};

	(void)state;
	assert_int_equal(idle_match(none, 2, some, 3), MATCH_RANGE);
	assert_int_equal(idle_match(some, 3, none, 2), MATCH_RANGE);
	assert_int_equal(idle_match(other, 3, clip, 4), MATCH_GONE);
}

/* All its time may be that of ranges inside it. */
static void names_a_new_range_without_time_of_its_own(void **state)
{
	const struct leaf old[] = {kernel_in("forward")};
	const struct leaf new[] = {kernel_in("forward"), kernel_in("loss / a"),
				   kernel_in("loss / b")};
	const struct diff_options o = {.compare = {.tolerance = 0.02, .seed = 1}};
	struct account runs[SIDES] = {0};
	const struct account *b = &runs[BEFORE], *a = &runs[AFTER];
	SCOPED_BUF text = {0};
	struct diff d;

	(void)state;
	make_small(&runs[BEFORE], old, 1);
	make_small(&runs[AFTER], new, 3);
	diff_make(&d, &b, 1, &a, 1, &o);
	assert_true(diff_add_new_range(&text, &d, AFTER));
	assert_string_equal(text.s, "New range `loss`: 2.00 ms of a step.");
	assert_false(diff_add_new_range(&text, &d, BEFORE));
	diff_free(&d);
	account_free(&runs[BEFORE]);
	account_free(&runs[AFTER]);
}

enum { WORST_PATHS = 40, WORST_NAMES = 1000 };

/* Kernels of other names on either side; or of the same but for numbers, 64 of each. */
static const char *worst_name(struct arena *arena, enum side side, int path, int n)
{
	if (path % 2)
		return arena_printf(arena, "%s_%04d", side ? "after" : "before", n);
	return arena_printf(arena, "gemm_%c_%02d_%d", 'a' + n / 64, n % 64, side);
}

static void make_worst(struct account *a, enum side side)
{
	struct leaf *all = mem_alloc((size_t)WORST_PATHS * WORST_NAMES, sizeof(*all));
	size_t count = 0;

	for (int p = 0; p < WORST_PATHS; p++) {
		const char *path = arena_printf(&a->arena, "path %03d", p);

		for (int n = 0; n < WORST_NAMES; n++) {
			all[count] = kernel_in(path);
			all[count++].name = worst_name(&a->arena, side, p, n);
		}
	}
	qsort(all, count, sizeof(*all), by_key);
	make_small(a, all, count);
	free(all);
}

/* Whatever there is to compare: no more pairs than that, and every leaf is in one row. */
static void has_an_end_to_matching(void **state)
{
	const struct diff_options o = {.compare = {.tolerance = 0.02, .seed = 1}};
	struct account runs[SIDES] = {0};
	const struct account *b = &runs[BEFORE], *a = &runs[AFTER];
	struct diff d;

	(void)state;
	make_worst(&runs[BEFORE], BEFORE);
	make_worst(&runs[AFTER], AFTER);
	diff_make(&d, &b, 1, &a, 1, &o);
	assert_true(d.matches.compared > MATCH_PAIRS_MAX / 2);
	assert_true(d.matches.compared <= MATCH_PAIRS_MAX);
	check_sums(&d);
	diff_free(&d);
	account_free(&runs[BEFORE]);
	account_free(&runs[AFTER]);
}

enum { SORT_NAMES = 20, SORTED_STEPS = 12 };

/* Steps of 20 names, each launched 10 times for 1 µs; `change` makes some of them another. */
static size_t count_sorts(void (*change)(uint32_t *calls, int64_t *ns), size_t every)
{
	static uint32_t calls[SORTED_STEPS * SORT_NAMES];
	static int64_t ns[SORTED_STEPS * SORT_NAMES];
	const struct step_launches l = {SORTED_STEPS, SORT_NAMES, calls, ns};
	uint32_t sorts[SORTED_STEPS];
	size_t changed = 0;

	for (size_t i = 0; i < SORTED_STEPS; i++) {
		for (size_t k = 0; k < SORT_NAMES; k++) {
			calls[i * SORT_NAMES + k] = 10;
			ns[i * SORT_NAMES + k] = 10000;
		}
		calls[i * SORT_NAMES + SORT_NAMES - 1] = 0;
		ns[i * SORT_NAMES + SORT_NAMES - 1] = 0;
		if (i % every == 0)
			change(&calls[i * SORT_NAMES], &ns[i * SORT_NAMES]);
	}
	step_sorts_find(&l, sorts);
	for (size_t i = 0; i < SORTED_STEPS; i++)
		changed += (sorts[i] == sorts[0]) != (i % every == 0);
	/* All of one sort, or those and no others of another. */
	for (size_t i = 1; i < SORTED_STEPS; i++) {
		if (sorts[i] != sorts[0])
			return changed ? 3 : 2;
	}
	return 1;
}

static void without_optimizer(uint32_t *calls, int64_t *ns)
{
	for (size_t k = 0; k < 3; k++)
		calls[k] = 0, ns[k] = 0;
}

/* One kernel that is launched seldom and takes long. */
static void with_fused_optimizer(uint32_t *calls, int64_t *ns)
{
	calls[SORT_NAMES - 1] = 1;
	ns[SORT_NAMES - 1] = 20000;
}

static void without_few(uint32_t *calls, int64_t *ns)
{
	calls[0] = 5, ns[0] = 5000;
	calls[SORT_NAMES - 1] = 1, ns[SORT_NAMES - 1] = 1000;
}

static void by_other_kernel(uint32_t *calls, int64_t *ns)
{
	calls[0] = 0, ns[0] = 0;
	calls[SORT_NAMES - 1] = 10, ns[SORT_NAMES - 1] = 9000;
}

static void of_other_length(uint32_t *calls, int64_t *ns)
{
	for (size_t k = 0; k < SORT_NAMES - 1; k++)
		calls[k] = 9, ns[k] = 4000;
}

static void of_other_kernels(uint32_t *calls, int64_t *ns)
{
	for (size_t k = 0; k < SORT_NAMES / 2; k++)
		calls[k] = 0, ns[k] = 0;
	calls[SORT_NAMES - 1] = 40, ns[SORT_NAMES - 1] = 40000;
}

static void tells_sorts_of_steps_apart(void **state)
{
	(void)state;
	assert_int_equal(count_sorts(without_optimizer, 4), 2);
	assert_int_equal(count_sorts(without_optimizer, 2), 2);
	assert_int_equal(count_sorts(with_fused_optimizer, 3), 2);
	assert_int_equal(count_sorts(of_other_kernels, 2), 2);
	assert_int_equal(count_sorts(without_few, 2), 1);
	assert_int_equal(count_sorts(by_other_kernel, 2), 1);
	assert_int_equal(count_sorts(of_other_length, 2), 1);
	/* Two of twelve are a sort, a single one is odd. */
	assert_int_equal(count_sorts(without_optimizer, 6), 2);
	assert_int_equal(count_sorts(without_optimizer, 12), 1);
}

int diff_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_up_whatever_the_runs_are),
		cmocka_unit_test(is_nothing_against_itself),
		cmocka_unit_test(takes_numbers_out_of_names),
		cmocka_unit_test(tells_modes_apart),
		cmocka_unit_test(tells_sorts_of_steps_apart),
		cmocka_unit_test(matches_idle_time_where_there_are_no_ranges),
		cmocka_unit_test(names_a_new_range_without_time_of_its_own),
		cmocka_unit_test(has_an_end_to_matching),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
