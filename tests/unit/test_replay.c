/* Collectives of made-up ranks, once more: who does the same, and when lost kernels were. */
#include "analysis/replay/replay_uses.h"
#include "groups.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A class for each list of members, which ends with NOBODY. */
#define NOBODY UINT32_MAX

enum { LIST = 5, MOST = 12 };

struct group {
	enum collective_type type;
	uint32_t members[LIST];
	bool is_uneven;
};

static struct roles roles_with(const struct group *groups, size_t count, size_t members,
			       const uint32_t *stage, enum replay_flow each)
{
	struct replay_class classes[MOST];
	enum replay_flow flow[MOST];
	struct roles r;

	assert_true(count <= MOST);
	for (size_t i = 0; i < count; i++) {
		uint32_t n = 0;

		while (groups[i].members[n] != NOBODY)
			n++;
		classes[i] = (struct replay_class){.type = groups[i].type,
						   .stream = (uint32_t)i,
						   .members = groups[i].members,
						   .member_count = n,
						   .has_all = n == members,
						   .is_uneven = groups[i].is_uneven};
		flow[i] = each;
	}
	roles_find(classes, count, members, stage, flow, &r);
	return r;
}

/* Work is passed on through all pairs. */
static struct roles roles_of(const struct group *groups, size_t count, size_t members,
			     const uint32_t *stage)
{
	return roles_with(groups, count, members, stage, FLOW_PASSES);
}

static void assert_roles(struct roles r, const uint32_t *of, size_t members, bool are_stages)
{
	assert_int_equal(r.stage != NULL, are_stages);
	for (size_t i = 0; i < members; i++)
		assert_int_equal(r.of[i], of[i]);
	roles_free(&r);
}

#define GROUP(type, a, b)                   \
	{                                   \
		type, {a, b, NOBODY}, false \
	}
#define PAIR(a, b)   GROUP(COLL_SEND_RECV, a, b)
#define REDUCE(a, b) GROUP(COLL_ALL_REDUCE, a, b)

/* Ranks 3, 1, 0, 2 in a row: work begins at the end that has the lowest rank. */
static void test_a_chain_is_a_pipeline(void **state)
{
	static const struct group chain[] = {PAIR(1, 3), PAIR(0, 1), PAIR(0, 2)};

	(void)state;
	assert_roles(roles_of(chain, 3, 4, NULL), (uint32_t[]){1, 2, 0, 3}, 4, true);
}

/* Who exchanges edges with both neighbours at once is no stage; where nobody knows, nor is he. */
static void test_edges_are_no_pipeline(void **state)
{
	static const struct group chain[] = {PAIR(1, 3), PAIR(0, 1), PAIR(0, 2)};
	static const struct group two[] = {PAIR(0, 2), PAIR(1, 3), REDUCE(0, 1), REDUCE(2, 3)};

	(void)state;
	assert_roles(roles_with(chain, 3, 4, NULL, FLOW_AT_ONCE), (uint32_t[]){0, 0, 0, 0}, 4,
		     false);
	assert_roles(roles_with(chain, 3, 4, NULL, FLOW_UNKNOWN), (uint32_t[]){0, 0, 0, 0}, 4,
		     false);
	/* Of two stages nobody has two neighbours. */
	assert_roles(roles_with(two, 4, 4, NULL, FLOW_UNKNOWN), (uint32_t[]){0, 0, 1, 1}, 4, true);
}

/* First and last stage share their embedding, which makes them no stage. */
static void test_stages_of_several_ranks(void **state)
{
	static const struct group mesh[] = {PAIR(0, 2),	  PAIR(1, 3),	PAIR(2, 4),
					    PAIR(3, 5),	  REDUCE(0, 1), REDUCE(2, 3),
					    REDUCE(4, 5), REDUCE(0, 4), REDUCE(1, 5)};
	/* Without the capture of rank 5. */
	static const struct group partly[] = {PAIR(0, 2), PAIR(1, 3), PAIR(2, 4), REDUCE(0, 1),
					      REDUCE(2, 3)};

	(void)state;
	assert_roles(roles_of(mesh, 9, 6, NULL), (uint32_t[]){0, 0, 1, 1, 2, 2}, 6, true);
	assert_roles(roles_of(partly, 5, 5, NULL), (uint32_t[]){0, 0, 1, 1, 2}, 5, true);
}

/* One communicator a pipeline, whose ends send less often; experts all send as often. */
static void test_pipelines_of_one_communicator(void **state)
{
	struct group mesh[] = {{COLL_SEND_RECV, {0, 2, 4, NOBODY}, true},
			       {COLL_SEND_RECV, {1, 3, 5, NOBODY}, true},
			       REDUCE(0, 1),
			       REDUCE(2, 3),
			       REDUCE(4, 5)};

	(void)state;
	assert_roles(roles_of(mesh, 5, 6, NULL), (uint32_t[]){0, 0, 1, 1, 2, 2}, 6, true);
	mesh[1].is_uneven = false;
	assert_roles(roles_of(mesh, 5, 6, NULL), (uint32_t[]){0, 0, 1, 1, 2, 2}, 6, false);
}

/* A ring, a star and two ranks alone may all do the same. */
static void test_what_is_no_pipeline(void **state)
{
	static const struct group ring[] = {PAIR(0, 1), PAIR(1, 2), PAIR(2, 3), PAIR(0, 3)};
	static const struct group star[] = {PAIR(0, 1), PAIR(0, 2), PAIR(0, 3)};
	static const struct group two[] = {PAIR(0, 1)};
	static const struct group apart[] = {PAIR(0, 1), PAIR(2, 3)};

	(void)state;
	assert_roles(roles_of(ring, 4, 4, NULL), (uint32_t[]){0, 0, 0, 0}, 4, false);
	assert_roles(roles_of(star, 3, 4, NULL), (uint32_t[]){0, 0, 0, 0}, 4, false);
	assert_roles(roles_of(two, 1, 2, NULL), (uint32_t[]){0, 0}, 2, false);
	assert_roles(roles_of(apart, 2, 4, NULL), (uint32_t[]){0, 0, 0, 0}, 4, false);
	assert_roles(roles_of(NULL, 0, 3, NULL), (uint32_t[]){0, 0, 0}, 3, false);
}

/* Labels are believed first, whatever numbers they have; one stage is no pipeline. */
static void test_labels_tell_stages(void **state)
{
	static const struct group ring[] = {PAIR(0, 1), PAIR(1, 2), PAIR(2, 3), PAIR(0, 3)};
	struct roles r = roles_of(ring, 4, 4, (uint32_t[]){4000000000, 7, 4000000000, 7});

	(void)state;
	assert_int_equal(r.stage[0], 7);
	assert_int_equal(r.stage[1], 4000000000);
	assert_roles(r, (uint32_t[]){1, 0, 1, 0}, 4, true);
	assert_roles(roles_of(ring, 4, 4, (uint32_t[]){1, 1, 1, 1}), (uint32_t[]){0, 0, 0, 0}, 4,
		     false);
}

enum { RANKS = 3, MEETINGS = 20, PERIOD_NS = 1000000, TRANSFER_NS = 100000, LATE_NS = 200000 };

/* Rank 1 is late each time. Its kernel, or another rank's, is lost in some of them. */
static struct replay meet(uint32_t loser, uint32_t every)
{
	static const uint32_t members[RANKS] = {0, 1, 2};
	static const struct replay_class class = {.type = COLL_ALL_REDUCE,
						  .members = members,
						  .member_count = RANKS,
						  .count = MEETINGS,
						  .has_all = true};
	struct replay r;

	replay_begin(&r, &class, 1, RANKS);
	for (uint32_t i = 0; i < MEETINGS; i++) {
		const int64_t at_ns = (int64_t)PERIOD_NS * i;
		const struct replay_visit v = {.number = i, .instance = i};
		struct replay_entry entries[RANKS];

		for (uint32_t k = 0; k < RANKS; k++)
			entries[k] =
				(struct replay_entry){.member = k,
						      .enter_ns = at_ns + (k == 1 ? LATE_NS : 0),
						      .leave_ns = at_ns + LATE_NS + TRANSFER_NS,
						      .exposed_ns = LATE_NS + TRANSFER_NS};
		if (every && i % every == every / 2)
			entries[loser] =
				(struct replay_entry){.member = loser, .kernel = REPLAY_NONE};
		replay_add(&r, &v, entries, RANKS);
	}
	replay_end(&r, NULL);
	return r;
}

/* Whoever's kernels are lost, what was observed stays, and the late rank is late as before. */
static void test_lost_kernels_hide_nobody(void **state)
{
	const struct replay_change none = {0};
	const bool first[RANKS] = {false, true, false}, other[RANKS] = {true, false, false};

	(void)state;
	for (uint32_t loser = 0; loser < RANKS; loser++) {
		for (uint32_t every = 0; every <= 4; every += 2) {
			struct replay r = meet(loser, every);
			const struct replay_change late = {.usual_lags = first};
			const struct replay_change not_late = {.usual_lags = other};

			assert_int_equal(r.count, MEETINGS);
			assert_int_equal(replay_saved_ns(&r, &none, NULL), 0);
			assert_int_equal(replay_saved_ns(&r, &late, NULL),
					 (MEETINGS - 1) * LATE_NS);
			assert_int_equal(replay_saved_ns(&r, &not_late, NULL), 0);
			replay_free(&r);
		}
	}
}

/*
 * Two pairs of ranks use two communicators each, one after the other. Rank 3 was captured from the
 * middle of a step on: its second comes first there.
 */
static void test_a_capture_from_the_middle_of_a_step(void **state)
{
	static const uint32_t members[2][2] = {{0, 1}, {2, 3}};
	struct replay_class classes[4];
	struct replay_uses uses;
	struct replay r;

	(void)state;
	for (uint32_t c = 0; c < 4; c++)
		classes[c] = (struct replay_class){.type = COLL_ALL_REDUCE,
						   .stream = c,
						   .members = members[c / 2],
						   .member_count = 2,
						   .count = MEETINGS};
	replay_begin(&r, classes, 4, 4);
	for (uint32_t i = 0; i < (uint32_t)4 * MEETINGS; i++) {
		const uint32_t class = i % 4, first = class / 2 * 2;
		const int64_t at_ns = (int64_t)PERIOD_NS * (i / 4) + (class % 2) * LATE_NS;
		const struct replay_visit v = {.class = class, .number = i / 4, .instance = i};
		const struct replay_entry entries[2] = {
			{.member = first, .enter_ns = at_ns, .leave_ns = at_ns + TRANSFER_NS},
			{.member = first + 1, .enter_ns = at_ns, .leave_ns = at_ns + TRANSFER_NS}};

		if (i != 2)
			replay_add(&r, &v, entries, 2);
	}
	replay_end(&r, NULL);
	replay_uses_make(&r, &uses);
	for (size_t i = 0; i < r.count; i++) {
		for (uint32_t n = 0; n < 2; n++)
			assert_int_equal(replay_use(&uses, &r.visits[i], n), r.visits[i].class % 2);
	}
	replay_uses_free(&uses);
	replay_free(&r);
}

enum { WORLD = 5, STEPS = 6, BUCKETS = 4, COMPUTE_NS = 1000000, SHORT_NS = 400000, GAP_NS = 2000 };

/* A rank of a job whose gradients go in buckets, beside the compute of the next ones. */
struct computing {
	int64_t ready_ns; /* for the bucket */
	int64_t done_ns;  /* with the step */
};

static struct replay_entry bucket_entry(const struct computing *c, uint32_t member,
					int64_t enter_ns, int64_t leave_ns)
{
	const int64_t beside_ns = c->done_ns < enter_ns	  ? 0
				  : c->done_ns > leave_ns ? leave_ns - enter_ns
							  : c->done_ns - enter_ns;

	return (struct replay_entry){.member = member,
				     .enter_ns = enter_ns,
				     .leave_ns = leave_ns,
				     .exposed_ns = leave_ns - enter_ns - beside_ns,
				     .idle_ns = enter_ns > c->done_ns ? enter_ns - c->done_ns : 0,
				     .queued_ns = PERIOD_NS * 100};
}

/* Returns when all have left a bucket, the one before of which they left at free_ns. */
static int64_t add_bucket(struct replay *r, struct computing *of, uint32_t number, int64_t free_ns)
{
	const struct replay_visit v = {.number = number, .instance = number};
	struct replay_entry entries[WORLD];
	int64_t enter_ns[WORLD], leave_ns = 0;

	for (uint32_t k = 0; k < WORLD; k++) {
		of[k].ready_ns += COMPUTE_NS;
		enter_ns[k] = of[k].ready_ns > free_ns + GAP_NS ? of[k].ready_ns : free_ns + GAP_NS;
		leave_ns = enter_ns[k] + SHORT_NS > leave_ns ? enter_ns[k] + SHORT_NS : leave_ns;
	}
	for (uint32_t k = 0; k < WORLD; k++)
		entries[k] = bucket_entry(&of[k], k, enter_ns[k], leave_ns);
	replay_add(r, &v, entries, WORLD);
	return leave_ns;
}

/* By rank what its host is late by in each step. */
static struct replay overlap(const int64_t *late_ns)
{
	static const uint32_t members[WORLD] = {0, 1, 2, 3, 4};
	static const struct replay_class class = {.type = COLL_ALL_REDUCE,
						  .members = members,
						  .member_count = WORLD,
						  .count = STEPS * BUCKETS,
						  .has_all = true};
	int64_t free_ns = 0;
	struct replay r;

	replay_begin(&r, &class, 1, WORLD);
	for (uint32_t step = 0; step < STEPS; step++) {
		struct computing of[WORLD];

		for (uint32_t k = 0; k < WORLD; k++) {
			of[k].ready_ns = free_ns + late_ns[k];
			of[k].done_ns = of[k].ready_ns + (int64_t)BUCKETS * COMPUTE_NS;
		}
		for (uint32_t b = 0; b < BUCKETS; b++)
			free_ns = add_bucket(&r, of, step * BUCKETS + b, free_ns);
	}
	replay_end(&r, NULL);
	return r;
}

/* What the others compute while they wait for a late rank makes it no later, and saves nothing. */
static void test_delays_count_once_where_compute_overlaps(void **state)
{
	static const int64_t late_ns[][WORLD] = {
		{0, 3000000, 0}, {0, 3000000, 2500000}, {0, 500000, 0}, {0, 0, 0}};
	const bool both[WORLD] = {false, true, true};

	(void)state;
	for (size_t i = 0; i < sizeof(late_ns) / sizeof(*late_ns); i++) {
		struct replay r = overlap(late_ns[i]);
		int64_t sum_ns[WORLD] = {0};

		for (size_t k = 0; k < r.stop_count; k++) {
			const struct replay_stop *s = &r.stops[k];

			sum_ns[s->is.member] +=
				s->before == REPLAY_NONE ? 0 : s->lag_ns - s->usual_lag_ns;
		}
		for (uint32_t k = 0; k < WORLD; k++)
			assert_int_equal(sum_ns[k], (STEPS - 1) * (late_ns[i][k]));
		assert_int_equal(replay_saved_ns(&r, &(struct replay_change){0}, NULL), 0);
		assert_int_equal(
			replay_saved_ns(&r, &(struct replay_change){.usual_lags = both}, NULL),
			(STEPS - 1) * late_ns[i][1]);
		replay_free(&r);
	}
}

enum { LAYERS = 4, OWN_NS = 500000, MEET_NS = 50000, SEND_NS = 3 * OWN_NS };

/*
 * Two groups for tensors, of two ranks each, meet after each layer, and compute waits for that; two
 * groups for data send beside the last layer, and the step waits for them at its end. Rank 1 is
 * late at the beginning of each step.
 */
struct mesh {
	struct replay *r;
	int64_t now_ns[4];  /* by rank: how far its compute is */
	int64_t done_ns[2]; /* by group for data */
	uint32_t number[4]; /* by class */
};

static void meet_for_tensors(struct mesh *x, uint32_t group)
{
	const struct replay_visit v = {.class = group, .number = x->number[group]++};
	const int64_t *at = &x->now_ns[2 * group];
	const int64_t leave_ns = (at[0] > at[1] ? at[0] : at[1]) + MEET_NS;
	struct replay_entry entries[2];

	for (uint32_t i = 0; i < 2; i++)
		entries[i] = (struct replay_entry){.member = 2 * group + i,
						   .class = 0,
						   .enter_ns = at[i],
						   .leave_ns = leave_ns,
						   .exposed_ns = leave_ns - at[i],
						   .stall_ns = leave_ns - at[i],
						   .queued_ns = 1000};
	replay_add(x->r, &v, entries, 2);
	x->now_ns[2 * group] = x->now_ns[2 * group + 1] = leave_ns;
}

/* Before the last layer, which is done before it. */
static void meet_for_data(struct mesh *x, uint32_t group)
{
	const struct replay_visit v = {.class = 2 + group, .number = x->number[2 + group]++};
	const int64_t enter_ns[2] = {x->now_ns[group], x->now_ns[2 + group]};
	const int64_t last_ns = enter_ns[0] > enter_ns[1] ? enter_ns[0] : enter_ns[1];
	struct replay_entry entries[2];

	x->done_ns[group] = last_ns + SEND_NS;
	for (uint32_t i = 0; i < 2; i++)
		entries[i] = (struct replay_entry){
			.member = group + 2 * i,
			.class = 1,
			.enter_ns = enter_ns[i],
			.leave_ns = x->done_ns[group],
			.exposed_ns = x->done_ns[group] - enter_ns[i] - OWN_NS,
			.stall_ns = x->done_ns[group] - enter_ns[i] - OWN_NS - MEET_NS,
			.queued_ns = 500};
	replay_add(x->r, &v, entries, 2);
}

static struct replay mesh_of(int64_t late_ns)
{
	static const uint32_t members[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
	static struct replay_class classes[4];
	struct replay r;
	struct mesh x = {.r = &r};

	for (uint32_t c = 0; c < 4; c++)
		classes[c] = (struct replay_class){.type = COLL_ALL_REDUCE,
						   .stream = c,
						   .members = members[c],
						   .member_count = 2,
						   .count = c < 2 ? STEPS * LAYERS : STEPS};
	replay_begin(&r, classes, 4, 4);
	for (uint32_t step = 0; step < STEPS; step++) {
		x.now_ns[1] += late_ns;
		for (uint32_t layer = 0; layer < LAYERS; layer++) {
			for (uint32_t k = 0; k < 4; k++)
				x.now_ns[k] += OWN_NS;
			meet_for_tensors(&x, 0);
			meet_for_tensors(&x, 1);
			if (layer + 2 == LAYERS) {
				meet_for_data(&x, 0);
				meet_for_data(&x, 1);
			}
		}
		for (uint32_t k = 0; k < 4; k++)
			x.now_ns[k] =
				x.now_ns[k] > x.done_ns[k % 2] ? x.now_ns[k] : x.done_ns[k % 2];
	}
	replay_end(&r, NULL);
	return r;
}

/* What a rank waits for in one communicator is no delay of its own before another one. */
static void test_ranks_wait_for_other_communicators(void **state)
{
	static const int64_t late_ns[] = {0, 300000, 3000000};

	(void)state;
	for (size_t i = 0; i < sizeof(late_ns) / sizeof(*late_ns); i++) {
		struct replay r = mesh_of(late_ns[i]);
		const bool late[4] = {false, true, false, false},
			   others[4] = {true, false, true, true};
		const int64_t saved_ns =
			replay_saved_ns(&r, &(struct replay_change){.usual_lags = late}, NULL);

		assert_int_equal(replay_saved_ns(&r, &(struct replay_change){0}, NULL), 0);
		assert_int_equal(saved_ns, (STEPS - 1) * late_ns[i]);
		assert_int_equal(
			replay_saved_ns(&r, &(struct replay_change){.usual_lags = others}, NULL),
			0);
		replay_free(&r);
	}
}

int replay_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_chain_is_a_pipeline),
		cmocka_unit_test(test_edges_are_no_pipeline),
		cmocka_unit_test(test_stages_of_several_ranks),
		cmocka_unit_test(test_pipelines_of_one_communicator),
		cmocka_unit_test(test_what_is_no_pipeline),
		cmocka_unit_test(test_labels_tell_stages),
		cmocka_unit_test(test_lost_kernels_hide_nobody),
		cmocka_unit_test(test_a_capture_from_the_middle_of_a_step),
		cmocka_unit_test(test_delays_count_once_where_compute_overlaps),
		cmocka_unit_test(test_ranks_wait_for_other_communicators),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
