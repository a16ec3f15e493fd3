/* Does src/base keep the promises of its headers? */
#include "base/arena.h"
#include "base/bisect.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/span.h"
#include "groups.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The same numbers on every run. */
static uint64_t next_random(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return idmap_hash(*state);
}

/* err */

static void err_set_fills_and_clears(void **state)
{
	struct err e = {.hint = "old"};

	(void)state;
	assert_int_equal(err_set(&e, ERR_INPUT, "bad %d", 7), -1);
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.message, "bad 7");
	assert_string_equal(e.hint, "");
	assert_int_equal(err_hint(&e, "try %s", "this"), -1);
	assert_int_equal(err_wrap(&e, "reading '%s'", "x"), -1);
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.message, "reading 'x': bad 7");
	assert_string_equal(e.hint, "try this");
}

static void err_set_errno_names_the_cause(void **state)
{
	struct err e;

	(void)state;
	errno = ENOENT;
	assert_int_equal(err_set_errno(&e, "opening '%s'", "x"), -1);
	assert_int_equal(e.code, ERR_SYSTEM);
	assert_string_equal(e.message, "opening 'x': No such file or directory");
}

static void err_texts_are_cut_to_fit(void **state)
{
	char longer[4000];
	struct err e;

	(void)state;
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, ERR_INPUT, "%s", longer);
	assert_int_equal(strlen(e.message), sizeof(e.message) - 1);
	err_set_errno(&e, "%s", longer);
	assert_int_equal(strlen(e.message), sizeof(e.message) - 1);
	err_hint(&e, "%s", longer);
	assert_int_equal(strlen(e.hint), sizeof(e.hint) - 1);
	/* However long the context, something of the cause remains. */
	err_set(&e, ERR_INPUT, "the cause");
	err_wrap(&e, "%s", longer);
	assert_non_null(strstr(e.message, ": the cause"));
	for (int i = 0; i < 50; i++)
		err_wrap(&e, "context %d", i);
	assert_true(strlen(e.message) < sizeof(e.message));
	assert_memory_equal(e.message, "context 49: context 48: ", 24);
}

/* arena */

static void arena_aligns_and_keeps_apart(void **state)
{
	struct arena a = {0};
	unsigned char *blocks[500];

	(void)state;
	for (size_t i = 0; i < 500; i++) {
		size_t size = i * 97 % 40000;

		blocks[i] = arena_alloc(&a, size, 1);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)(i & 0xff), size);
	}
	for (size_t i = 0; i < 500; i++) {
		for (size_t j = 0; j < i * 97 % 40000; j++)
			assert_true(blocks[i][j] == (i & 0xff));
	}
	arena_free(&a);
	assert_null(a.blocks);
	arena_free(&a);
}

static void arena_drops_large_blocks_only(void **state)
{
	struct arena a = {0};
	char *small = arena_alloc(&a, 1, 8), *one = arena_alloc(&a, 1, 1 << 20);
	char *two = arena_alloc(&a, 1, 1 << 20);

	(void)state;
	memset(small, 1, 8);
	memset(two, 2, 1 << 20);
	arena_drop(&a, one);
	arena_drop(&a, small);
	arena_drop(&a, NULL);
	assert_int_equal(small[7], 1);
	assert_int_equal(two[(1 << 20) - 1], 2);
	arena_free(&a);
}

static void arena_takes_large_blocks(void **state)
{
	struct arena a = {0};
	char *small = arena_alloc(&a, 1, 8);
	char *large = arena_zalloc(&a, 64 << 20, 1);
	char *after = arena_alloc(&a, 1, 8);

	(void)state;
	assert_int_equal(large[0], 0);
	assert_int_equal(large[(64 << 20) - 1], 0);
	/* A large block does not waste what is left of the small one. */
	assert_ptr_equal(after, small + 16);
	arena_free(&a);
}

static void arena_copies_text(void **state)
{
	struct arena a = {0};
	struct str s;

	(void)state;
	assert_string_equal(arena_strdup(&a, ""), "");
	assert_string_equal(arena_strdup(&a, "abc"), "abc");
	s = arena_str(&a, (struct str){"a\0b", 3});
	assert_int_equal(s.len, 3);
	assert_memory_equal(s.s, "a\0b\0", 4);
	s = arena_str(&a, (struct str){NULL, 0});
	assert_int_equal(s.len, 0);
	assert_string_equal(s.s, "");
	assert_string_equal(arena_printf(&a, "%s-%d", "x", 12), "x-12");
	assert_int_equal(strlen(arena_printf(&a, "%100000d", 1)), 100000);
	arena_free(&a);
}

static int status_of(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDERR_FILENO);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void ask_arena_for_too_much(void)
{
	struct arena a = {0};

	arena_zalloc(&a, SIZE_MAX / 2, 16);
}

static void ask_mem_for_too_much(void)
{
	free(mem_alloc(SIZE_MAX / 2, 16));
}

/* Exit code 4, or where a sanitizer watches the allocator, its own; never a short block. */
static void overflowing_sizes_end_the_program(void **state)
{
	(void)state;
	assert_int_not_equal(status_of(ask_arena_for_too_much), 0);
	assert_int_equal(WEXITSTATUS(status_of(ask_mem_for_too_much)), 4);
}

/* Large blocks are as any other, whatever pages they lie in. */
static void large_blocks_grow_and_are_cleared_on_demand(void **state)
{
	const size_t size = (size_t)20 << 20;

	(void)state;
	mem_init();
	for (int round = 0; round < 2; round++) {
		unsigned char *p = mem_zalloc(size, 1);

		assert_int_equal(p[0] | p[size / 2] | p[size - 1], 0);
		memset(p, 1, size);
		p = mem_resize(p, 3, size);
		memset(p + size, 2, 2 * size);
		assert_int_equal(p[size - 1], 1);
		assert_int_equal(p[3 * size - 1], 2);
		free(p);
	}
	mem_give_back();
}

/* buf */

static void buf_grows_and_stays_terminated(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_string_equal(buf_str(&b).s, "");
	buf_clear(&b);
	for (int i = 0; i < 1000; i++) {
		buf_addf(&b, "%d,", i);
		assert_int_equal(strlen(b.s), b.len);
	}
	assert_memory_equal(b.s, "0,1,2,", 6);
	buf_clear(&b);
	assert_string_equal(b.s, "");
	buf_adds(&b, "ab");
	buf_addc(&b, 'c');
	buf_addn(&b, '-', 3);
	buf_addn(&b, '!', 0);
	buf_addstr(&b, STR_LIT("xy"));
	buf_add(&b, "\0z", 2);
	assert_int_equal(b.len, 10);
	assert_memory_equal(b.s, "abc---xy\0z", 11);
	memcpy(buf_reserve(&b, 100000), "tail", 5);
	b.len += 4;
	assert_memory_equal(b.s + 10, "tail", 5);
	buf_free(&b);
	assert_null(b.s);
}

static void buf_adding_nothing_is_terminated(void **state)
{
	struct buf b = {0};

	(void)state;
	buf_addf(&b, "%s", "");
	assert_string_equal(b.s, "");
	buf_free(&b);
	buf_add(&b, NULL, 0);
	assert_string_equal(b.s, "");
	buf_free(&b);
}

/* idmap */

static void idmap_starts_empty(void **state)
{
	struct idmap m = {0};

	(void)state;
	assert_int_equal(idmap_get(&m, 0), IDMAP_NONE);
	assert_int_equal(idmap_get(&m, UINT64_MAX), IDMAP_NONE);
	idmap_free(&m);
}

static void idmap_holds_the_extreme_keys(void **state)
{
	struct idmap m = {0};

	(void)state;
	assert_int_equal(idmap_add(&m, 0, 10), 10);
	assert_int_equal(idmap_add(&m, UINT64_MAX, 0), 0);
	assert_int_equal(idmap_add(&m, 0, 99), 10);
	assert_int_equal(idmap_add(&m, UINT64_MAX, 99), 0);
	assert_int_equal(idmap_get(&m, 0), 10);
	assert_int_equal(idmap_get(&m, UINT64_MAX), 0);
	assert_int_equal(idmap_get(&m, 1), IDMAP_NONE);
	assert_int_equal(m.count, 2);
	idmap_free(&m);
}

static void check_idmap(uint64_t (*key)(uint64_t), size_t n)
{
	struct idmap m = {0};

	for (size_t i = 0; i < n; i++)
		assert_int_equal(idmap_add(&m, key(i), (uint32_t)i), i);
	assert_int_equal(m.count, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(idmap_get(&m, key(i)), i);
		assert_int_equal(idmap_get(&m, key(i + n)), IDMAP_NONE);
	}
	idmap_free(&m);
	assert_int_equal(m.count, 0);
}

static uint64_t key_counting(uint64_t i)
{
	return i;
}

static uint64_t key_high_bits(uint64_t i)
{
	return i << 40;
}

static uint64_t key_backwards(uint64_t i)
{
	return UINT64_MAX - i * 3;
}

/* As correlation ids of many processes look: the pid above, a counter below. */
static uint64_t key_two_parts(uint64_t i)
{
	return (i % 8 + 1) << 56 | (i / 8);
}

static void idmap_holds_many_keys(void **state)
{
	(void)state;
	check_idmap(key_counting, repeats(300000));
	check_idmap(key_high_bits, repeats(300000));
	check_idmap(key_backwards, repeats(300000));
	check_idmap(key_two_parts, repeats(300000));
}

static void idmap_survives_collisions(void **state)
{
	struct idmap m = {0};
	uint64_t keys[200];
	size_t n = 0;

	(void)state;
	/* All of them want the same slot, also after the map has grown to 1024. */
	for (uint64_t k = 0; n < 200; k++) {
		if ((idmap_hash(k) & 1023) == 5)
			keys[n++] = k;
	}
	for (size_t i = 0; i < 200; i++)
		idmap_add(&m, keys[i], (uint32_t)i);
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(idmap_get(&m, keys[i]), i);
	idmap_free(&m);
}

static void idmap_reserve_changes_no_answer(void **state)
{
	struct idmap m = {0};
	size_t mask;

	(void)state;
	idmap_add(&m, 7, 1);
	idmap_reserve(&m, 100000);
	mask = m.mask;
	assert_int_equal(idmap_get(&m, 7), 1);
	for (uint64_t k = 0; k < 100000; k++)
		idmap_add(&m, k, (uint32_t)k);
	assert_int_equal(m.mask, mask);
	idmap_reserve(&m, 1);
	assert_int_equal(m.mask, mask);
	assert_int_equal(idmap_get(&m, 7), 1);
	idmap_free(&m);
}

/* parallel_for */

struct visits {
	atomic_uint *times;
	size_t n;
	size_t grain;
	atomic_uint wrong;
};

static int visit(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct visits *v = ctx;

	(void)e;
	if (begin >= end || end > v->n || end - begin > v->grain || worker >= parallel_workers())
		atomic_fetch_add(&v->wrong, 1);
	for (size_t i = begin; i < end; i++)
		atomic_fetch_add(&v->times[i], 1);
	return 0;
}

static void check_visits(size_t n, size_t grain)
{
	struct visits v = {mem_zalloc(n, sizeof(*v.times)), n, grain ? grain : 1, 0};
	struct err e;

	assert_int_equal(parallel_for(n, grain, visit, &v, &e), 0);
	assert_int_equal(v.wrong, 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(v.times[i], 1);
	free(v.times);
}

static const unsigned worker_counts[] = {1, 2, 7, PARALLEL_MAX};

/* Threads are slow where each step is: there, fewer of them. */
static size_t worker_count_count(void)
{
	return ARRAY_LEN(worker_counts) - (getenv("QUICK") ? 1 : 0);
}

static void parallel_visits_each_item_once(void **state)
{
	const size_t counts[] = {0, 1, 2, 63, 64, 65, repeats(1000), repeats(12345)};
	static const size_t grains[] = {0, 1, 3, 64, 1000, 1000000, SIZE_MAX};

	(void)state;
	for (size_t w = 0; w < worker_count_count(); w++) {
		parallel_set_workers(worker_counts[w]);
		for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
			for (size_t j = 0; j < ARRAY_LEN(grains); j++)
				check_visits(counts[i], grains[j]);
		}
	}
}

static int fail_from(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const size_t *first = ctx;

	(void)worker;
	if (end <= *first)
		return 0;
	/* The earliest failure comes last in time. */
	if (begin <= *first)
		poll(NULL, 0, 2);
	return err_set(e, ERR_INPUT, "run %zu", begin);
}

static void parallel_reports_the_earliest_error(void **state)
{
	(void)state;
	for (size_t w = 0; w < worker_count_count(); w++) {
		parallel_set_workers(worker_counts[w]);
		for (size_t first = 0; first < 200; first += 10) {
			struct err e = {0};
			char want[32];

			snprintf(want, sizeof(want), "run %zu", first);
			assert_int_equal(parallel_for(200, 10, fail_from, &first, &e), -1);
			assert_int_equal(e.code, ERR_INPUT);
			assert_string_equal(e.message, want);
		}
	}
}

static int nest(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	(void)begin;
	(void)end;
	(void)worker;
	return parallel_for(100, 10, visit, ctx, e);
}

static void parallel_loops_may_nest(void **state)
{
	atomic_uint times[100] = {0};
	struct visits v = {times, 100, 10, 0};
	struct err e;

	(void)state;
	parallel_set_workers(4);
	assert_int_equal(parallel_for(8, 1, nest, &v, &e), 0);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(times[i], 8);
}

static void parallel_workers_are_bounded(void **state)
{
	(void)state;
	parallel_set_workers(0);
	assert_int_equal(parallel_workers(), 1);
	parallel_set_workers(1000000);
	assert_int_equal(parallel_workers(), PARALLEL_MAX);
	parallel_set_workers(4);
}

/* bisect */

static void bisect_and_gallop_find_every_place(void **state)
{
	(void)state;
	for (size_t low = 0; low < 20; low++) {
		for (size_t high = low; high < 70; high++) {
			for (size_t place = low; place <= high; place++) {
				assert_int_equal(BISECT(low, high, at, at < place), place);
				assert_int_equal(GALLOP(low, high, at, at < place), place);
			}
		}
	}
}

/* They ask about places from low on and before high alone. */
static void bisect_and_gallop_stay_inside(void **state)
{
	const int64_t values[] = {INT64_MAX, 1, 2, 2, INT64_MIN};

	(void)state;
	assert_int_equal(BISECT(1, 4, at, values[at] < 2), 2);
	assert_int_equal(GALLOP(1, 4, at, values[at] <= 2), 4);
	assert_int_equal(BISECT(1, 1, at, values[at] < 2), 1);
	assert_int_equal(GALLOP(4, 4, at, values[at] < 2), 4);
}

/* span */

static void spans_widen_from_none(void **state)
{
	struct span s = SPAN_NONE;

	(void)state;
	span_widen(&s, SPAN_NONE);
	assert_true(s.end_ns < s.start_ns);
	span_widen(&s, (struct span){5, 7});
	span_widen(&s, (struct span){-2, -2});
	assert_int_equal(s.start_ns, -2);
	assert_int_equal(s.end_ns, 7);
}

/* By start: apart, touching, inside, over the end, of no length, ending before it starts. */
static void spans_add_what_is_beyond_those_before(void **state)
{
	static const struct span spans[] = {{0, 10},  {10, 12}, {11, 12}, {11, 15},
					    {20, 20}, {25, 15}, {26, 30}};
	static const int64_t adds[] = {10, 2, 0, 3, 0, 0, 4};
	int64_t reached = INT64_MIN;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spans); i++)
		assert_int_equal(span_beyond(spans[i], &reached), adds[i]);
	assert_int_equal(reached, 30);
	assert_int_equal(span_beyond((struct span){INT64_MIN, INT64_MAX}, &(int64_t){INT64_MIN}),
			 INT64_MAX);
}

/* sort */

static const size_t lengths[] = {0, 1, 2, 63, 64, 65, 1000, 100000};

static void fill_random(int64_t *v, size_t n)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)next_random(&seed);
}

static void fill_narrow(int64_t *v, size_t n)
{
	uint64_t seed = 2;

	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)(next_random(&seed) % 7) - 3;
}

static void fill_extremes(int64_t *v, size_t n)
{
	static const int64_t values[] = {INT64_MAX, INT64_MIN, 0, -1, 1, INT64_MIN + 1, 255, -256};
	uint64_t seed = 3;

	for (size_t i = 0; i < n; i++)
		v[i] = values[next_random(&seed) % ARRAY_LEN(values)];
}

static void fill_constant(int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = -42;
}

static void fill_ascending(int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)i - 500;
}

static void fill_descending(int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = 500 - (int64_t)i;
}

/* Timestamps: they differ in the low bytes only, and the bytes pass is odd in number. */
static void fill_times(int64_t *v, size_t n)
{
	uint64_t seed = 4;

	for (size_t i = 0; i < n; i++)
		v[i] = INT64_C(1700000000000000000) + (int64_t)(next_random(&seed) & 0xffffff);
}

/* Two bytes far apart differ, those between do not. */
static void fill_sparse_bytes(int64_t *v, size_t n)
{
	uint64_t seed = 5;

	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)(next_random(&seed) & UINT64_C(0xff000000000000ff));
}

/* Tables one after another, each in order, with times that they share. */
static void fill_runs(int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)(i % (n / 7 + 1)) / 3;
}

/* One table too many for their runs to be looked at. */
static void fill_many_runs(int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)(i % (n / 65 + 1));
}

static void (*const fillers[])(int64_t *, size_t) = {
	fill_random,	 fill_narrow, fill_extremes,	 fill_constant, fill_ascending,
	fill_descending, fill_times,  fill_sparse_bytes, fill_runs,	fill_many_runs,
};

static int compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_values(const int64_t *values, size_t n)
{
	int64_t *want = mem_alloc(n, sizeof(*want)), *got = mem_alloc(n, sizeof(*got));
	int64_t *scratch = mem_alloc(n, sizeof(*scratch));

	memcpy(want, values, n * sizeof(*want));
	memcpy(got, values, n * sizeof(*got));
	qsort(want, n, sizeof(*want), compare_i64);
	sort_i64(got, scratch, n);
	assert_memory_equal(want, got, n * sizeof(*want));
	free(want);
	free(got);
	free(scratch);
}

static void check_order(const int64_t *key, const uint32_t *order, size_t n)
{
	char *seen = mem_zalloc(n, 1);

	for (size_t i = 0; i < n; i++) {
		assert_true(order[i] < n && !seen[order[i]]);
		seen[order[i]] = 1;
		if (i) {
			int64_t before = key[order[i - 1]], here = key[order[i]];

			assert_true(before < here || (before == here && order[i - 1] < order[i]));
		}
	}
	free(seen);
}

static void for_all_arrays(void (*check)(const int64_t *values, size_t n))
{
	for (size_t i = 0; i < ARRAY_LEN(fillers); i++) {
		for (size_t j = 0; j < ARRAY_LEN(lengths); j++) {
			int64_t *values = mem_alloc(lengths[j], sizeof(*values));

			fillers[i](values, lengths[j]);
			check(values, lengths[j]);
			free(values);
		}
	}
}

static void sort_i64_agrees_with_qsort(void **state)
{
	(void)state;
	for_all_arrays(check_values);
}

static void keys_of_doubles_sort_as_they_do(void **state)
{
	const double ascending[] = {-INFINITY, -1e308, -1.5, -5e-324, 0,
				    5e-324,    1,      1.5,  1e308,   INFINITY};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ascending); i++) {
		int64_t key = sort_key_of_double(ascending[i]);

		assert_true(sort_double_of_key(key) == ascending[i]);
		assert_true(i == 0 || key > sort_key_of_double(ascending[i - 1]));
	}
	assert_int_equal(sort_key_of_double(-0.0), sort_key_of_double(0.0));
}

static void check_sort_order(const int64_t *key, size_t n)
{
	uint32_t *order = mem_alloc(n, sizeof(*order)), *scratch = mem_alloc(n, sizeof(*scratch));

	sort_order_i64(key, order, scratch, n);
	check_order(key, order, n);
	free(order);
	free(scratch);
}

static void sort_order_is_stable(void **state)
{
	(void)state;
	for_all_arrays(check_sort_order);
}

static int compare_by_key(const void *a, const void *b, void *ctx)
{
	const int64_t *key = ctx;

	return compare_i64(&key[*(const uint32_t *)a], &key[*(const uint32_t *)b]);
}

static void check_sort_stable(const int64_t *key, size_t n)
{
	uint32_t *items = mem_alloc(n, sizeof(*items));

	for (size_t i = 0; i < n; i++)
		items[i] = (uint32_t)i;
	sort_stable(items, n, sizeof(*items), compare_by_key, (void *)key);
	check_order(key, items, n);
	free(items);
}

static void sort_stable_is_stable(void **state)
{
	(void)state;
	for_all_arrays(check_sort_stable);
}

struct odd_item {
	char text[13];
};

static int compare_odd(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct odd_item *)a)->text, ((const struct odd_item *)b)->text);
}

static void sort_stable_takes_any_size(void **state)
{
	struct odd_item items[101];

	(void)state;
	for (int i = 0; i < 101; i++)
		snprintf(items[i].text, sizeof(items[i].text), "item %03d", i * 37 % 101);
	sort_stable(items, 101, sizeof(items[0]), compare_odd, NULL);
	for (int i = 0; i < 101; i++)
		assert_int_equal(atoi(items[i].text + 5), i);
}

/* progress */

struct session {
	bool wanted;
	uint64_t total;
	int steps; /* of 50 ms and 10 units each */
};

static _Noreturn void work_on_terminal(const struct session *s, int terminal)
{
	struct winsize size = {.ws_row = 24, .ws_col = 60};

	ioctl(terminal, TIOCSWINSZ, &size);
	dup2(terminal, STDERR_FILENO);
	setenv("TERM", "xterm", 1);
	progress_init(s->wanted);
	progress_begin("counting", s->total);
	for (int i = 0; i < s->steps; i++) {
		progress_add(10);
		poll(NULL, 0, 50);
	}
	progress_end();
	progress_stop();
	_exit(0);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What a task writes to its terminal, and how long that takes in milliseconds. */
static int64_t watch(const struct session *s, struct buf *ret_screen)
{
	int64_t began_ms = now_ms();
	int master = posix_openpt(O_RDWR | O_NOCTTY), terminal;
	char chunk[4096], name[128];
	ssize_t got;
	pid_t pid;

	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	assert_int_equal(ptsname_r(master, name, sizeof(name)), 0);
	terminal = open(name, O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	pid = fork();
	if (pid == 0)
		work_on_terminal(s, terminal);
	close(terminal);
	/* Ends when nobody has the terminal open any more. */
	while ((got = read(master, chunk, sizeof(chunk))) > 0)
		buf_add(ret_screen, chunk, (size_t)got);
	waitpid(pid, NULL, 0);
	close(master);
	return now_ms() - began_ms;
}

static size_t count_draws(const struct buf *screen)
{
	size_t n = 0;

	for (const char *p = strstr(screen->s, "\rcounting"); p; p = strstr(p + 1, "\rcounting"))
		n++;
	return n;
}

static void check_screen(const struct buf *screen, int64_t took_ms)
{
	/* From 0.8 s on, ten times a second at most; a slow machine may draw less. */
	assert_non_null(screen->s);
	assert_in_range(count_draws(screen), 1, 2 + (uint64_t)(took_ms - 800) / 100);
	assert_true(screen->len >= 4);
	assert_string_equal(screen->s + screen->len - 4, "\r\033[K");
	for (const char *p = strtok(screen->s, "\r"); p; p = strtok(NULL, "\r"))
		assert_true(strlen(p) <= 59 + strlen("\033[K"));
}

static void progress_draws_a_bar(void **state)
{
	struct session s = {.wanted = true, .total = 600, .steps = 30};
	struct buf screen = {0};
	int64_t took_ms;

	(void)state;
	took_ms = watch(&s, &screen);
	assert_non_null(strstr(buf_str(&screen).s, "counting [==="));
	assert_non_null(strstr(screen.s, "%"));
	check_screen(&screen, took_ms);
	buf_free(&screen);
}

static void progress_shows_life_without_a_total(void **state)
{
	struct session s = {.wanted = true, .total = 0, .steps = 30};
	struct buf screen = {0};
	int64_t took_ms;

	(void)state;
	took_ms = watch(&s, &screen);
	assert_non_null(strstr(buf_str(&screen).s, "==="));
	assert_null(strstr(screen.s, "%"));
	check_screen(&screen, took_ms);
	buf_free(&screen);
}

static void progress_is_silent_unless_wanted_and_long(void **state)
{
	struct session unwanted = {.wanted = false, .total = 600, .steps = 25};
	struct session quick = {.wanted = true, .total = 600, .steps = 5};
	struct buf screen = {0};

	(void)state;
	watch(&unwanted, &screen);
	watch(&quick, &screen);
	assert_int_equal(screen.len, 0);
}

static int add_progress(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	(void)ctx;
	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++)
		progress_add(1);
	return 0;
}

static void progress_takes_any_thread(void **state)
{
	struct err e;

	(void)state;
	progress_init(true);
	parallel_set_workers(8);
	progress_begin("adding", 100000);
	assert_int_equal(parallel_for(100000, 100, add_progress, NULL, &e), 0);
	progress_end();
	progress_stop();
}

int base_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_set_fills_and_clears),
		cmocka_unit_test(err_set_errno_names_the_cause),
		cmocka_unit_test(err_texts_are_cut_to_fit),
		cmocka_unit_test(large_blocks_grow_and_are_cleared_on_demand),
		cmocka_unit_test(arena_aligns_and_keeps_apart),
		cmocka_unit_test(arena_drops_large_blocks_only),
		cmocka_unit_test(arena_takes_large_blocks),
		cmocka_unit_test(arena_copies_text),
		cmocka_unit_test(overflowing_sizes_end_the_program),
		cmocka_unit_test(buf_grows_and_stays_terminated),
		cmocka_unit_test(buf_adding_nothing_is_terminated),
		cmocka_unit_test(idmap_starts_empty),
		cmocka_unit_test(idmap_holds_the_extreme_keys),
		cmocka_unit_test(idmap_holds_many_keys),
		cmocka_unit_test(idmap_survives_collisions),
		cmocka_unit_test(idmap_reserve_changes_no_answer),
		cmocka_unit_test(parallel_visits_each_item_once),
		cmocka_unit_test(parallel_reports_the_earliest_error),
		cmocka_unit_test(parallel_loops_may_nest),
		cmocka_unit_test(parallel_workers_are_bounded),
		cmocka_unit_test(bisect_and_gallop_find_every_place),
		cmocka_unit_test(bisect_and_gallop_stay_inside),
		cmocka_unit_test(spans_widen_from_none),
		cmocka_unit_test(spans_add_what_is_beyond_those_before),
		cmocka_unit_test(sort_i64_agrees_with_qsort),
		cmocka_unit_test(keys_of_doubles_sort_as_they_do),
		cmocka_unit_test(sort_order_is_stable),
		cmocka_unit_test(sort_stable_is_stable),
		cmocka_unit_test(sort_stable_takes_any_size),
		cmocka_unit_test(progress_draws_a_bar),
		cmocka_unit_test(progress_shows_life_without_a_total),
		cmocka_unit_test(progress_is_silent_unless_wanted_and_long),
		cmocka_unit_test(progress_takes_any_thread),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
