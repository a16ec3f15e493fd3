/* The parts that the trace model is made of: launches, interned ids, open ranges, labels, the
 * cache.
 */
#include "base/mem.h"
#include "base/parallel.h"
#include "groups.h"
#include "trace/calls/call_class.h"
#include "trace/calls/launch_numbers.h"
#include "trace/intern.h"
#include "trace/ops/op_class.h"
#include "trace/ranges/fold.h"
#include "trace/ranges/innermost.h"
#include "trace/ranges/open_ranges.h"
#include "trace/strings.h"
#include "trace/system/labels.h"
#include "trace/trace_cache.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_launches_are_distinct_and_dense(void **state)
{
	static const uint32_t ids[] = {0, 1, 63, 64, 255, 256, 70000, 4294967294u, 1};
	struct launch_numbers s = {0};
	struct pair_list list = {0};
	struct launch_cursor c = {0};
	bool seen[16] = {false};

	(void)state;
	for (uint32_t process = 0; process < 2; process++) {
		for (size_t i = 0; i < ARRAY_LEN(ids); i++)
			pair_list_add(&list, process, ids[i]);
	}
	pair_list_settle(&list);
	launch_numbers_make(&s, &list, 1);
	assert_int_equal(s.count, 16);
	for (uint32_t process = 0; process < 2; process++) {
		for (size_t i = 0; i + 1 < ARRAY_LEN(ids); i++) {
			uint32_t launch = launch_numbers_find(&s, &c, process, ids[i]);

			assert_true(launch < 16);
			assert_false(seen[launch]);
			seen[launch] = true;
		}
	}
	assert_int_equal(launch_numbers_find(&s, &c, 0, 2), LAUNCH_NONE);
	assert_int_equal(launch_numbers_find(&s, &c, 2, 0), LAUNCH_NONE);
	assert_int_equal(launch_numbers_find(&s, &c, 0, 512), LAUNCH_NONE);
	launch_numbers_free(&s);
}

static void test_launches_of_one_process_are_not_anothers(void **state)
{
	struct launch_numbers s = {0};
	struct pair_list list = {0};
	struct launch_cursor c = {0};

	(void)state;
	pair_list_add(&list, 1, 7);
	pair_list_settle(&list);
	launch_numbers_make(&s, &list, 1);
	assert_int_equal(launch_numbers_find(&s, &c, 1, 7), 0);
	assert_int_equal(launch_numbers_find(&s, &c, 0, 7), LAUNCH_NONE);
	launch_numbers_free(&s);
}

/* Whatever the order and however they are split, the launches are the ranks of the distinct pairs.
 */
static void test_launches_do_not_depend_on_lists(void **state)
{
	enum { PAIRS = 5000, LISTS = 7, PROCESSES = 100, IDS = 1200 };
	static bool used[PROCESSES][IDS];
	struct pair_list lists[LISTS] = {0};
	struct launch_numbers s = {0};
	struct launch_cursor c = {0};
	uint32_t random = 1, launch = 0;

	(void)state;
	for (size_t i = 0; i < PAIRS; i++) {
		uint32_t process, id;

		random = random * 1664525 + 1013904223;
		process = i % LISTS < 3 ? (random >> 8) % PROCESSES : (uint32_t)(i % 3);
		id = i % LISTS < 3 ? (random >> 16) % IDS : (uint32_t)(i * IDS / PAIRS);
		used[process][id] = true;
		pair_list_add(&lists[i % LISTS], process, id);
	}
	for (size_t i = 0; i < LISTS; i++)
		pair_list_settle(&lists[i]);
	launch_numbers_make(&s, lists, LISTS);
	for (uint32_t process = 0; process < PROCESSES; process++) {
		for (uint32_t id = 0; id < IDS; id++)
			assert_int_equal(launch_numbers_find(&s, &c, process, id),
					 used[process][id] ? launch++ : LAUNCH_NONE);
	}
	assert_int_equal(s.count, launch);
	launch_numbers_free(&s);
}

struct numbering {
	struct intern *in;
	struct intern_cache *caches;
	uint32_t *column;
};

static uint64_t key_of(size_t i)
{
	return (i * 7919 % 97) << 24 | 5;
}

static int number_rows(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct numbering *n = ctx;

	(void)e;
	for (size_t i = begin; i < end; i++)
		n->column[i] = intern_number(n->in, &n->caches[worker], key_of(i));
	return 0;
}

static void test_interned_numbers_do_not_depend_on_workers(void **state)
{
	enum { ROWS = 5000 };
	unsigned before = parallel_workers();

	(void)state;
	for (unsigned workers = 1; workers <= 8; workers += 7) {
		uint32_t column[ROWS];
		struct intern in;
		struct numbering n = {&in, NULL, column};
		struct err e;

		parallel_set_workers(workers);
		n.caches = mem_alloc(workers, sizeof(*n.caches));
		for (unsigned w = 0; w < workers; w++)
			intern_cache_init(&n.caches[w]);
		intern_init(&in);
		intern_add(&in, key_of(42)); /* numbered by an earlier scan: keeps its number */
		assert_int_equal(parallel_for(ROWS, 16, number_rows, &n, &e), 0);
		intern_settle(&in, 1, column, ROWS);
		assert_int_equal(in.count, 97);
		for (size_t i = 0; i < ROWS; i++)
			assert_true(in.keys[column[i]] == key_of(i));
		for (size_t i = 2; i < in.count; i++)
			assert_true(in.keys[i - 1] < in.keys[i]);
		assert_int_equal(column[42], 0);
		intern_free(&in);
		free(n.caches);
	}
	parallel_set_workers(before);
}

static void enter(struct open_ranges *o, int64_t start, int64_t end, uint32_t number)
{
	open_ranges_enter(o, (struct open_range){start, end, number});
}

static void test_innermost_of_a_stack(void **state)
{
	struct open_ranges o = {0};

	(void)state;
	enter(&o, 0, 100, 1);
	enter(&o, 10, 50, 2);
	enter(&o, 20, 30, 3);
	assert_int_equal(open_ranges_find_latest(&o, 22, 25), 3);
	assert_int_equal(open_ranges_find_shortest(&o, 22, 25), 3);
	assert_int_equal(open_ranges_find_latest(&o, 29, 31), 2);
	assert_int_equal(open_ranges_find_latest(&o, 60, 70), 1);
	assert_int_equal(open_ranges_find_latest(&o, 99, 101), RANGE_NONE);
	assert_int_equal(open_ranges_find_latest(&o, 101, 102), RANGE_NONE);
	open_ranges_free(&o);
}

/* Overlap without nesting: NVIDIA's trace takes the shortest, its names the latest. */
static void test_innermost_of_overlapping_ranges(void **state)
{
	struct open_ranges o = {0};

	(void)state;
	enter(&o, 0, 100, 1);
	enter(&o, 40, 200, 2);
	assert_int_equal(open_ranges_find_shortest(&o, 50, 60), 1);
	assert_int_equal(open_ranges_find_latest(&o, 50, 60), 2);
	assert_int_equal(open_ranges_find_shortest(&o, 90, 110), 2);
	open_ranges_clear(&o);
	assert_int_equal(open_ranges_find_latest(&o, 90, 110), RANGE_NONE);
	enter(&o, 10, 20, 5);
	enter(&o, 10, 20, 6);
	assert_int_equal(open_ranges_find_latest(&o, 12, 13), 5);
	open_ranges_free(&o);
}

static void test_staircase_of_ranges_ends(void **state)
{
	const int64_t steps = (int64_t)repeats(200000);
	struct open_ranges o = {0};

	(void)state;
	for (int64_t i = 0; i < steps; i++) {
		assert_int_equal(open_ranges_find_shortest(&o, i, i + steps), RANGE_NONE);
		enter(&o, i, i + steps, (uint32_t)i);
	}
	open_ranges_free(&o);
}

static void assert_api(const char *name, const char *shown)
{
	struct str s = label_api(str_of(name));

	assert_int_equal(s.len, strlen(shown));
	assert_memory_equal(s.s, shown, s.len);
}

static void test_labels(void **state)
{
	(void)state;
	assert_api("cudaLaunchKernel_v7000", "cudaLaunchKernel");
	assert_api("cudaGetDeviceProperties_v12000", "cudaGetDeviceProperties_v12000");
	assert_api("cuMemAlloc_v2", "cuMemAlloc_v2");
	assert_api("_v7000", "_v7000");
	assert_api("", "");
	assert_true(str_eq(label_memcpy(1), STR_LIT("[CUDA memcpy Host-to-Device]")));
	assert_true(str_eq(label_memcpy(4000000000u), STR_LIT("[CUDA memcpy Unknown]")));
	assert_true(str_eq(label_memory_kind(1), STR_LIT("Pinned")));
	assert_true(str_eq(label_memory_kind(ID_NONE), STR_LIT("")));
}

static void test_names_of_communication(void **state)
{
	static const struct {
		const char *kernel;
		bool communicates;
	} cases[] = {
		{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)", true},
		{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", true},
		{"void ncclKernel<float>(float*)", true},
		{"ns::ncclKernel(float*)", true},
		{"void a::b::ncclKernel<ns::thing<int>>(float*)", true},
		{"void (anonymous namespace)::ncclKernel<4>(float*)", true},
		{"ns::<unnamed>::rcclKernel(float*)", true},
		{"ncclx::reduce<float>(float*)", true},
		{"void deep_ep::internode::dispatch<true>(int4*)", true},
		{"void vllm::cross_device_reduce_1stage<half, 2>(float*)", true},
		{"void at::native::vectorized_elementwise_kernel<4, ncclDataType>(int)", false},
		{"void at::native::copy_kernel(ns::ncclComm*)", false},
		{"void prepare_nccl_buffers(float*)", false},
		{"ns::not_ncclKernel(float*)", false},
		{"void ", false},
		{"::", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(op_name_is_comm(str_of(cases[i].kernel)), cases[i].communicates);
}

static void test_call_classes(void **state)
{
	static const struct {
		const char *function;
		enum call_class class;
		bool blocks;
	} cases[] = {
		{"cudaLaunchKernel_v7000", CALL_LAUNCH, false},
		{"cuLaunchKernelEx", CALL_LAUNCH, false},
		{"cudaLaunchCooperativeKernel_ptsz_v9000", CALL_LAUNCH, false},
		{"cudaGraphLaunch_v10000", CALL_LAUNCH, false},
		{"cuGraphLaunch", CALL_LAUNCH, false},
		{"cudaLaunchHostFunc_v10000", CALL_WAIT_FREE, false},
		{"cudaMemcpy_v3020", CALL_COPY_SYNC, true},
		{"cudaMemcpy", CALL_COPY_SYNC, true},
		{"cuMemcpyHtoD_v2", CALL_COPY_SYNC, true},
		{"cudaMemset_v3020", CALL_COPY_SYNC, false},
		{"cudaMemcpyAsync_v3020", CALL_COPY_ASYNC, false},
		{"cuMemcpyDtoHAsync_v2", CALL_COPY_ASYNC, false},
		{"cuMemsetD32Async", CALL_COPY_ASYNC, false},
		{"cudaMemPrefetchAsync_v8000", CALL_COPY_ASYNC, false},
		{"cudaGraphAddMemcpyNode_v10000", CALL_OTHER, false},
		{"cudaDeviceSynchronize_v3020", CALL_SYNC, true},
		{"cuCtxSynchronize", CALL_SYNC, true},
		{"cudaEventSynchronize_v3020", CALL_SYNC, true},
		{"cudaStreamWaitEvent_v3020", CALL_WAIT_FREE, false},
		{"cudaEventQuery_v3020", CALL_WAIT_FREE, false},
		{"cudaEventRecordWithFlags_v11010", CALL_WAIT_FREE, false},
		{"cudaMalloc_v3020", CALL_ALLOC, false},
		{"cudaMallocAsync_v11020", CALL_ALLOC, false},
		{"cudaFree_v3020", CALL_ALLOC, true},
		{"cudaFreeHost_v3020", CALL_ALLOC, true},
		{"cudaFreeAsync_v11020", CALL_ALLOC, false},
		{"cuMemFree_v2", CALL_ALLOC, true},
		{"cuMemMap", CALL_ALLOC, false},
		{"cudaHostRegister_v4000", CALL_ALLOC, false},
		{"cudaMemPoolTrimTo_v11020", CALL_ALLOC, false},
		{"cuModuleLoadDataEx", CALL_MODULE, false},
		{"cuLibraryLoadData", CALL_MODULE, false},
		{"cudaFuncGetAttributes_v3020", CALL_MODULE, false},
		{"cudaMemGetInfo_v3020", CALL_OTHER, false},
		{"cudaStreamCreate_v3020", CALL_OTHER, false},
		{"cudaDeviceReset_v3020", CALL_OTHER, true},
		{"cuDevicePrimaryCtxReset_v2", CALL_OTHER, true},
		{"cuDevicePrimaryCtxRelease_v2", CALL_OTHER, false},
		{"cuCtxDestroy_v2", CALL_OTHER, true},
		{"cuArrayDestroy", CALL_ALLOC, true},
		{"mycudaMalloc", CALL_OTHER, false},
		{"cu", CALL_OTHER, false},
		{"", CALL_OTHER, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool blocks;

		assert_int_equal(call_class(str_of(cases[i].function), &blocks), cases[i].class);
		assert_int_equal(blocks, cases[i].blocks);
	}
}

/* Any moment of any thread, against a look at every range: nested, tangled, empty, backwards. */
static void test_innermost_at_a_moment(void **state)
{
	enum { RANGES = 700, THREADS = 3, MOMENTS = 300 };
	struct range ranges[RANGES];
	struct range_forest forest = {.ranges = ranges, .count = RANGES};
	struct innermost_cursor here = {0}, astray = {0};
	struct innermost in;
	uint32_t seed = 1;
	int64_t start = -5;

	(void)state;
	for (uint32_t i = 0; i < RANGES; i++) {
		seed = seed * 1664525 + 1013904223;
		start = i == RANGES / 3 ? -5 : start + (seed >> 8) % 2;
		/* Thread 1 has none. Every tenth is long: found only far back. */
		ranges[i] = (struct range){
			.start_ns = start,
			.end_ns = start - 1 + (seed >> 10) % (i % 10 ? 12 : 90),
			.thread = i < RANGES / 3 ? 0 : 2,
		};
	}
	innermost_make(&forest, THREADS, &in);
	for (uint32_t thread = 0; thread <= THREADS; thread++) {
		for (int64_t at = -10; at < MOMENTS; at++) {
			uint32_t expected = RANGE_NONE;

			for (uint32_t i = 0; i < RANGES; i++) {
				if (ranges[i].thread == thread && ranges[i].start_ns <= at &&
				    ranges[i].end_ns >= at)
					expected = i;
			}
			assert_int_equal(innermost_find(&in, thread, at), expected);
			assert_int_equal(innermost_follow(&in, thread, at, &here), expected);
			innermost_follow(&in, (uint32_t)at % THREADS, at * 7 % MOMENTS, &astray);
			assert_int_equal(innermost_follow(&in, thread, at, &astray), expected);
		}
	}
	innermost_free(&in);
}

static void test_innermost_of_nothing(void **state)
{
	struct range_forest none = {0};
	struct innermost in;

	(void)state;
	innermost_make(&none, 2, &in);
	assert_int_equal(innermost_find(&in, 1, 0), RANGE_NONE);
	assert_int_equal(innermost_find(&in, ID_NONE, 0), RANGE_NONE);
	innermost_free(&in);
}

static void assert_folds(const char *name, const char *folded)
{
	struct buf b = {0};

	fold_add(&b, str_of(name));
	assert_string_equal(b.s ? b.s : "", folded);
	buf_free(&b);
}

static void test_counters_fold(void **state)
{
	(void)state;
	assert_folds("iter 0", "iter N");
	assert_folds("step_12", "step_N");
	assert_folds("layer9", "layerN");
	assert_folds("layer03.stage4_f", "layerN.stage4_f");
	assert_folds("model.layers.3.mlp", "model.layers.N.mlp");
	assert_folds("forward chunk 9 (phase0)", "forward chunk N (phase0)");
	assert_folds("Step 90 to 100", "Step N to N");
	assert_folds("gemm 128x64x32", "gemm NxNxN");
	assert_folds("alloc 64MB at 0x7f00a", "alloc NMB at N");
	assert_folds("[16, 1024]", "[N, N]");
	assert_folds("memset2+1", "memset2+N");
}

static void test_operators_fold(void **state)
{
	(void)state;
	assert_folds("aten::mul, op_id = 322567", "aten::mul");
	assert_folds("aten::mm, seq = 7, op_id = 9, sizes = [[2, 3], [3, 4]]", "aten::mm");
	assert_folds("MulBackward0, seq = 12", "MulBackward0");
	assert_folds(", op_id = 1", "");
}

static void test_numbers_that_are_names_stay(void **state)
{
	static const char *const names[] = {
		"",    "h2d",	      "conv2d", "cublasCreate_v2", "fp16", "to_int8", "fc1",
		"x2x", "2x",	      "0x",	"float32",	   "MB64", "3D",      "7B",
		"x",   "caf\xc3\xa9",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_folds(names[i], names[i]);
}

static void test_folded_names_are_numbered(void **state)
{
	struct strtab names = {0}, folded;
	struct arena arena = {0};
	uint32_t *number;

	(void)state;
	strtab_add(&names, STR_LIT("iter 0"));
	strtab_add(&names, STR_LIT("opt"));
	strtab_add(&names, STR_LIT("iter 1"));
	number = fold_names(&names, &arena, &folded);
	assert_int_equal(folded.count, 2);
	assert_int_equal(number[0], number[2]);
	assert_true(str_eq(folded.items[number[0]], STR_LIT("iter N")));
	assert_true(str_eq(folded.items[number[1]], STR_LIT("opt")));
	free(number);
	strtab_free(&folded);
	strtab_free(&names);
	arena_free(&arena);
}

/* trace_cache */

static atomic_int made_inner, made_outer, failures_left, freed;

static int make_inner(struct trace *t, const void *ctx, void *made, struct err *e)
{
	(void)ctx;
	trace_lock(t);
	*(int *)made = atomic_fetch_add(&made_inner, 1) + 40;
	trace_unlock(t);
	return atomic_fetch_sub(&failures_left, 1) > 0 ? err_set(e, ERR_INPUT, "not yet") : 0;
}

static void count_freed(void *made)
{
	(void)made;
	atomic_fetch_add(&freed, 1);
}

static const struct cached inner = {sizeof(int), make_inner, count_freed};

static int make_outer(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const int *from = trace_cache_get(t, &inner, NULL, e);

	(void)ctx;
	atomic_fetch_add(&made_outer, 1);
	*(int *)made = *from + 2;
	return 0;
}

static const struct cached outer = {sizeof(int), make_outer, count_freed};

static int ask(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	(void)end;
	(void)worker;
	return *(int *)trace_cache_get(ctx, begin % 2 ? &inner : &outer, NULL, e) ==
			       (begin % 2 ? 40 : 42)
		       ? 0
		       : -1;
}

static void reset(struct trace *t, int failures)
{
	made_inner = made_outer = freed = 0;
	failures_left = failures;
	*t = (struct trace){.uses_cache = true};
	trace_cache_init(t);
}

static void test_things_are_made_once(void **state)
{
	struct trace t;
	struct err e = {0};

	(void)state;
	parallel_set_workers(8);
	for (int round = 0; round < (int)repeats(100); round++) {
		reset(&t, 0);
		assert_int_equal(parallel_for(64, 1, ask, &t, &e), 0);
		assert_int_equal(made_inner, 1);
		assert_int_equal(made_outer, 1);
		trace_cache_drop(&t, &outer);
		assert_null(trace_cache_find(&t, &outer));
		assert_int_equal(freed, 1);
		trace_cache_free(&t);
		assert_int_equal(freed, 2);
	}
}

static void test_failures_are_not_kept(void **state)
{
	struct trace t;
	struct err e = {0};
	int made, *own;
	bool shared;

	(void)state;
	reset(&t, 1);
	assert_int_equal(trace_cache_make(&t, &inner, NULL, &made, &shared, &e), -1);
	assert_null(trace_cache_find(&t, &inner));
	assert_int_equal(trace_cache_make(&t, &inner, NULL, &made, &shared, &e), 0);
	assert_true(shared);
	assert_int_equal(made, 41);
	own = mem_alloc(1, sizeof(*own));
	assert_false(trace_cache_put(&t, &inner, own, count_freed));
	free(own);
	t.uses_cache = false;
	assert_int_equal(trace_cache_make(&t, &inner, NULL, &made, &shared, &e), 0);
	assert_false(shared);
	assert_int_equal(made, 42);
	trace_cache_free(&t);
}

static int make_of_itself(struct trace *t, const void *ctx, void *made, struct err *e)
{
	(void)made;
	return trace_cache_get(t, ctx, ctx, e) ? 0 : -1;
}

static void ask_under_the_lock(struct trace *t)
{
	struct err e;

	trace_lock(t);
	trace_cache_get(t, &inner, NULL, &e);
}

static void make_from_itself(struct trace *t)
{
	static const struct cached itself = {1, make_of_itself, count_freed};
	struct err e;

	trace_cache_get(t, &itself, &itself, &e);
}

static void add_without_the_lock(struct trace *t)
{
	strings_add_text(t, STR_LIT("name"));
}

static void unlock_what_is_not_locked(struct trace *t)
{
	trace_unlock(t);
}

static void test_locks_have_an_order(void **state)
{
	void (*const wrong[])(struct trace *) = {ask_under_the_lock, make_from_itself,
						 add_without_the_lock, unlock_what_is_not_locked};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct trace t;
		int status;
		pid_t child;

		reset(&t, 0);
		child = fork();
		if (child == 0) {
			signal(SIGABRT, SIG_DFL);
			close(STDERR_FILENO);
			wrong[i](&t);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
		trace_cache_free(&t);
	}
}

int trace_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launches_are_distinct_and_dense),
		cmocka_unit_test(test_launches_of_one_process_are_not_anothers),
		cmocka_unit_test(test_launches_do_not_depend_on_lists),
		cmocka_unit_test(test_interned_numbers_do_not_depend_on_workers),
		cmocka_unit_test(test_innermost_of_a_stack),
		cmocka_unit_test(test_innermost_of_overlapping_ranges),
		cmocka_unit_test(test_staircase_of_ranges_ends),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_names_of_communication),
		cmocka_unit_test(test_call_classes),
		cmocka_unit_test(test_innermost_at_a_moment),
		cmocka_unit_test(test_innermost_of_nothing),
		cmocka_unit_test(test_counters_fold),
		cmocka_unit_test(test_operators_fold),
		cmocka_unit_test(test_numbers_that_are_names_stay),
		cmocka_unit_test(test_folded_names_are_numbered),
		cmocka_unit_test(test_things_are_made_once),
		cmocka_unit_test(test_failures_are_not_kept),
		cmocka_unit_test(test_locks_have_an_order),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
