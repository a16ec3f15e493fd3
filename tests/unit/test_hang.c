/* Jobs that lack something: ranks that never come, kernels that a capture dropped, whole captures.
 */
#include "fleet/job/clocks.h"
#include "fleet/job/halt.h"
#include "fleet/job/hang.h"
#include "fleet/job/hang_graph.h"
#include "groups.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RANKS = 8, KERNELS = 256, CLASSES = 4, MS = 1000000 };

/* A job of one rank a part, all of one clock. */
struct made {
	struct part parts[RANKS];
	const struct part *list[RANKS];
	struct part_member members[RANKS];
	struct part_collective kernels[RANKS][KERNELS];
	struct part_collective_class classes[RANKS][CLASSES];
	size_t ranks;
	int64_t now_ns;
	struct job job;
	struct instances x;
	struct hang hang;
};

static void begin(struct made *m, size_t ranks)
{
	*m = (struct made){.ranks = ranks};
	for (uint32_t r = 0; r < ranks; r++) {
		m->members[r] = (struct part_member){.rank = r,
						     .rank_source = PART_RANK_FILE_NAME,
						     .local_rank = PART_NO_NUMBER,
						     .label = "",
						     .gpu = "",
						     .window_words = "",
						     .steps_name = "",
						     .classes = m->classes[r],
						     .collectives = m->kernels[r]};
		m->parts[r] = (struct part){.file = "made.sqlite",
					    .tool = "",
					    .schema = "",
					    .cuda = "",
					    .driver = "",
					    .utc_ns = 1000,
					    .captured = SPAN_NONE,
					    .members = &m->members[r],
					    .member_count = 1};
		m->list[r] = &m->parts[r];
	}
}

static uint32_t class_of(struct part_member *m, uint64_t communicator, uint32_t ranks,
			 enum collective_type type)
{
	uint32_t i = 0;

	while (i < m->class_count &&
	       (m->classes[i].communicator != communicator || m->classes[i].type != type))
		i++;
	assert_true(i < CLASSES);
	if (i == m->class_count)
		m->classes[m->class_count++] =
			(struct part_collective_class){.type = type,
						       .has_communicator = true,
						       .communicator = communicator,
						       .ranks = ranks,
						       .kernel = ""};
	return i;
}

/* Ranks of a bit set are in an AllReduce from now on, the later ones a little later. */
static void meet(struct made *m, uint64_t communicator, uint32_t ranks, unsigned int who,
		 int64_t length_ns)
{
	for (uint32_t r = 0; r < m->ranks; r++) {
		struct part_member *is = &m->members[r];

		if (!(who >> r & 1))
			continue;
		assert_true(is->collective_count < KERNELS);
		is->collectives[is->collective_count++] = (struct part_collective){
			.class = class_of(is, communicator, ranks, COLL_ALL_REDUCE),
			.start_ns = m->now_ns + 1000 * r,
			.end_ns = m->now_ns + length_ns,
			.launched_ns = PART_UNKNOWN,
			.bytes = 1024,
		};
	}
}

static void wait_ms(struct made *m, int64_t ms)
{
	m->now_ns += ms * MS;
}

/* Two groups and all ranks, in steps that are not quite alike. */
static void make_steps(struct made *m, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		meet(m, 1, 4, 0x55, MS);
		meet(m, 2, 4, 0xaa, MS);
		wait_ms(m, 3 + (int64_t)(i * i % 5));
		meet(m, 3, 8, 0xff, MS);
		wait_ms(m, 4);
	}
}

static void finish(struct made *m)
{
	struct err e = {0};

	assert_int_equal(job_make(m->list, m->ranks, &m->job, &e), 0);
	clocks_and_instances(&m->job, &m->x);
	hang_find(&m->job, &m->x, &m->hang);
}

static void clear(struct made *m)
{
	hang_free(&m->hang);
	instances_free(&m->x);
	job_free(&m->job);
}

static void assert_roots(const struct made *m, enum hang_cause cause, unsigned int who)
{
	unsigned int roots = 0;

	assert_int_equal(m->hang.cause, cause);
	for (size_t i = 0; i < m->hang.root_count; i++)
		roots |= 1U << m->hang.roots[i];
	assert_int_equal(roots, who);
}

static void test_who_came_to_none_is_to_blame(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	begin(m, 8);
	make_steps(m, 10);
	meet(m, 1, 4, 0x51, 400 * MS); /* without rank 2 */
	meet(m, 2, 4, 0xaa, MS);
	wait_ms(m, 2);
	meet(m, 3, 8, 0xaa, 398 * MS); /* the odd ones wait for all even ones */
	finish(m);
	assert_roots(m, HANG_STOPPED, 0x04);
	for (uint32_t r = 0; r < 8; r++)
		assert_int_equal(m->hang.level[r], r == 2 ? 0 : 1);
	clear(m);
	free(m);
}

static void test_all_who_stopped_are_named(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	begin(m, 8);
	make_steps(m, 10);
	meet(m, 1, 4, 0x51, 400 * MS); /* without rank 2 */
	meet(m, 2, 4, 0x8a, 400 * MS); /* and without rank 5 */
	finish(m);
	assert_roots(m, HANG_STOPPED, 0x24);
	clear(m);
	free(m);
}

/* Rank 3 came to that of all ranks first. */
static void test_another_order(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	begin(m, 8);
	make_steps(m, 10);
	meet(m, 1, 4, 0x55, MS);
	meet(m, 2, 4, 0xa2, 400 * MS);
	meet(m, 3, 8, 0x5d, 400 * MS); /* as do the even ones, in their turn */
	finish(m);
	assert_roots(m, HANG_ORDER, 0xaa);
	clear(m);
	free(m);
}

/* A capture that was over before shows nothing of what its rank did then. */
static void test_captures_that_end_earlier(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	begin(m, 8);
	make_steps(m, 10);
	meet(m, 3, 8, 0xfb, MS); /* rank 2's is over */
	wait_ms(m, 5);
	meet(m, 3, 8, 0xfb, MS);
	finish(m);
	assert_roots(m, HANG_NONE, 0);
	clear(m);

	begin(m, 8);
	make_steps(m, 10);
	meet(m, 3, 8, 0xfb, MS);
	wait_ms(m, 5);
	meet(m, 3, 8, 0xdb, 400 * MS); /* … and then rank 5 stops */
	finish(m);
	assert_roots(m, HANG_STOPPED, 0x20);
	clear(m);
	free(m);
}

/* A wait as long as the job has seen before, and one that all leave when the last has come. */
static void test_long_waits_are_no_halt(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	begin(m, 8);
	make_steps(m, 5);
	meet(m, 3, 8, 0xff, 500 * MS);
	wait_ms(m, 505);
	make_steps(m, 5);
	meet(m, 3, 8, 0xfb, 400 * MS);
	finish(m);
	assert_roots(m, HANG_NONE, 0);
	clear(m);

	begin(m, 8);
	make_steps(m, 10);
	meet(m, 3, 8, 0x7b, 400 * MS);
	wait_ms(m, 399);
	meet(m, 3, 8, 0x80, MS); /* rank 7 is late; rank 2's capture is over */
	finish(m);
	assert_roots(m, HANG_NONE, 0);
	clear(m);
	free(m);
}

static void test_sizes_that_differ(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	begin(m, 8);
	make_steps(m, 10);
	meet(m, 3, 8, 0xff, 400 * MS);
	m->members[4].collectives[m->members[4].collective_count - 1].bytes = 4096;
	finish(m);
	assert_roots(m, HANG_SIZES, 0xff);
	clear(m);
	free(m);
}

/* Long chains and circles, as hostile parts have them. */
static void test_graph(void **state)
{
	enum { MANY = 200000 };
	struct hang h = {.wait_count = MANY - 1};
	struct hang_graph g;

	(void)state;
	h.waits = mem_zalloc(MANY, sizeof(*h.waits));
	h.inside = mem_zalloc(MANY, sizeof(*h.inside));
	h.absent = mem_zalloc(MANY, sizeof(*h.absent));
	for (uint32_t i = 0; i < MANY; i++) {
		h.waits[i] = (struct hang_wait){
			.first_inside = i, .inside = 1, .first_absent = i, .absent = 1};
		h.inside[i] = i;
		h.absent[i] = (i + 1) % MANY;
	}
	hang_graph_make(&h, MANY, &g);
	for (uint32_t i = 0; i < g.nodes; i++)
		assert_int_equal(hang_graph_is_last(&g, i), i == MANY - 1);
	hang_graph_free(&g);
	h.wait_count = MANY;
	hang_graph_make(&h, MANY, &g);
	assert_true(hang_graph_is_last(&g, 0));
	assert_int_equal(g.size[g.of[0]], 2 * MANY);
	hang_graph_free(&g);
	hang_free(&h);
}

/* Drops the k-th kernel of a rank's communicator of all. */
static void drop(struct made *m, size_t rank, size_t k)
{
	struct part_member *is = &m->members[rank];

	for (size_t i = 0; i < is->collective_count; i++) {
		if (is->classes[is->collectives[i].class].communicator != 3 || k--)
			continue;
		memmove(&is->collectives[i], &is->collectives[i + 1],
			(is->collective_count - i - 1) * sizeof(*is->collectives));
		is->collective_count--;
		return;
	}
	fail();
}

static bool has_kernel(const struct made *m, size_t rank, size_t k)
{
	for (size_t i = 0; i < m->x.class_count; i++) {
		const struct instance_class *c = &m->x.classes[i];

		for (size_t n = 0; c->is->communicator == 3 && n < m->x.all[c->first + k].present;
		     n++) {
			if (instance_member(&m->x, &m->x.all[c->first + k], n) == rank)
				return true;
		}
	}
	return false;
}

/* What is dropped is missing where it was, whoever lacks it, and nothing else moves. */
static void test_dropped_kernels(void **state)
{
	enum { STEPS = 24 };
	static const struct {
		size_t rank, k;
	} dropped[][4] = {
		{{1, 10}},
		{{0, 10}},
		{{5, 3}, {5, 4}, {5, 5}},
		{{0, 7}, {1, 9}, {2, 9}, {3, 20}},
		{{4, 2}, {4, 21}},
	};
	struct made *m = mem_alloc(1, sizeof(*m));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(dropped); i++) {
		bool gone[RANKS][STEPS] = {{false}};

		begin(m, 8);
		make_steps(m, STEPS);
		for (size_t n = 4; n-- > 0;) {
			if (!dropped[i][n].k)
				continue;
			drop(m, dropped[i][n].rank, dropped[i][n].k);
			gone[dropped[i][n].rank][dropped[i][n].k] = true;
		}
		finish(m);
		assert_int_equal(m->x.unmatched, 0);
		for (size_t r = 0; r < RANKS; r++) {
			for (size_t k = 0; k < STEPS; k++)
				assert_int_equal(has_kernel(m, r, k), !gone[r][k]);
		}
		assert_roots(m, HANG_NONE, 0);
		clear(m);
	}
	free(m);
}

/* A class whose first member was not captured; how many ranks there are is said elsewhere. */
static void test_how_many_ranks(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));
	struct err e = {0};

	(void)state;
	begin(m, 7); /* the groups of four that all are in have eight ranks */
	meet(m, 1, 4, 0x55, MS);
	meet(m, 2, 4, 0xaa, MS);
	assert_int_equal(job_make(m->list, 7, &m->job, &e), 0);
	assert_true(m->job.world_known && m->job.world == 8 && m->job.missing == 1);
	job_free(&m->job);

	begin(m, 7); /* so says the place in a mesh */
	m->members[6].label = "rank=6; dp=3/4 tp=0/2";
	assert_int_equal(job_make(m->list, 7, &m->job, &e), 0);
	assert_true(m->job.world_known && m->job.world == 8 && m->job.missing == 1);
	job_free(&m->job);

	begin(m, 7); /* nothing says anything, … */
	m->members[6].label = "rank=6; dp=999999999/999999999 tp=0/999999999";
	assert_int_equal(job_make(m->list, 7, &m->job, &e), 0);
	assert_true(!m->job.world_known && m->job.world == 7 && m->job.missing == 0);
	job_free(&m->job);

	begin(m, 4); /* … and files may be numbered from 1 on, */
	for (uint32_t r = 0; r < 4; r++)
		m->members[r].rank = r + 1;
	assert_int_equal(job_make(m->list, 4, &m->job, &e), 0);
	assert_true(m->job.first_rank == 1 && m->job.world == 4 && m->job.missing == 0);
	job_free(&m->job);
	m->members[2].world = m->members[1].world = 5; /* unless there are more. */
	assert_int_equal(job_make(m->list, 4, &m->job, &e), 0);
	assert_true(m->job.first_rank == 0 && m->job.world == 5 && m->job.missing == 1);
	job_free(&m->job);
	free(m);
}

/* Ranks 0 and 1 wait in a call, rank 2 is in none. Whose clock is not known was not the first. */
static void test_halt_by_known_clocks(void **state)
{
	struct made *m = mem_alloc(1, sizeof(*m));
	struct halt h;
	struct err e = {0};

	(void)state;
	begin(m, 3);
	for (uint32_t r = 0; r < 3; r++)
		m->members[r].end = (struct part_end){
			.seen_ns = 9000 * (int64_t)MS,
			.gpu_ns = 1000 * (int64_t)MS,
			.calls = 5,
			.is_pending = r < 2,
			.called_ns = r < 2 ? (2000 - 500 * r) * (int64_t)MS : PART_UNKNOWN,
			.path = "",
			.last_call = ""};
	assert_int_equal(job_make(m->list, 3, &m->job, &e), 0);
	m->job.parts[0].clock.known = m->job.parts[2].clock.known = true;
	halt_find(&m->job, &(struct instances){0}, &h);
	assert_true(h.count[HALT_WAITS] == 2 && h.count[HALT_IDLE] == 1 && h.state[2] == HALT_IDLE);
	assert_true(h.has_since && h.first == 0 && h.since_ns == 2000 * (int64_t)MS);
	halt_free(&h);
	m->job.parts[1].clock.known = true;
	halt_find(&m->job, &(struct instances){0}, &h);
	assert_true(h.has_since && h.first == 1 && h.since_ns == 1500 * (int64_t)MS);
	halt_free(&h);
	/* Of captures whose clocks nobody knows it is not known that they went on. */
	m->job.parts[0].clock.known = m->job.parts[1].clock.known = false;
	halt_find(&m->job, &(struct instances){0}, &h);
	assert_true(h.count[HALT_WAITS] == 2 && !h.has_since && h.count[HALT_IDLE] == 0 &&
		    h.first == 0);
	halt_free(&h);
	job_free(&m->job);
	free(m);
}

int hang_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_came_to_none_is_to_blame),
		cmocka_unit_test(test_all_who_stopped_are_named),
		cmocka_unit_test(test_another_order),
		cmocka_unit_test(test_captures_that_end_earlier),
		cmocka_unit_test(test_long_waits_are_no_halt),
		cmocka_unit_test(test_sizes_that_differ),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_dropped_kernels),
		cmocka_unit_test(test_how_many_ranks),
		cmocka_unit_test(test_halt_by_known_clocks),
	};

	return cmocka_run_group_tests_name("hang", tests, NULL, NULL);
}
