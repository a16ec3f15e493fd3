/* Jobs of made-up arrivals: what is planted is found again. */
#include "fleet/job/clocks.h"
#include "fleet/stragglers/stragglers.h"
#include "groups.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t seed = 1;

static double draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 0x1p53;
}

/* Two ranks in collectives of 150 µs to 5 ms, each late in half of them. */
static void make_bounds(struct clock_bound *b, size_t count, double offset_ns, double drift)
{
	for (size_t i = 0; i < count; i++) {
		const double at = 37e6 * (double)i, length = 150e3 + 5e6 * draw() * draw();
		const double late[2] = {draw() * 1e6, draw() * 1e6};
		const double last = at + fmax(late[0], late[1]);
		double start[2], end[2];

		for (int k = 0; k < 2; k++) {
			start[k] = at + late[k];
			end[k] = last + length + draw() * 0.1 * length;
		}
		/* The reference is true time; the other clock shows (true − offset) / (1 + drift).
		 */
		start[1] = (start[1] - offset_ns) / (1 + drift);
		end[1] = (end[1] - offset_ns) / (1 + drift);
		b[i] = (struct clock_bound){.at_ns = (start[1] + end[1]) / 2,
					    .least_ns = start[0] - end[1],
					    .most_ns = end[0] - start[1],
					    .even_ns = end[0] - end[1]};
	}
}

/* Whatever the clocks are, what was planted is no farther away than the fit says. */
static void check_fit(size_t count, double offset_ns, double drift, double expected_ns,
		      double most_uncertain_ns)
{
	struct clock_bound *b = mem_alloc(count, sizeof(*b));
	struct clock_fit f;

	make_bounds(b, count, offset_ns, drift);
	clock_fit(b, count, expected_ns, CLOCK_DRIFT_MAX, &f);
	assert_true(f.known);
	assert_int_equal(f.used, count);
	assert_true(f.uncertainty_ns >= 0 && f.uncertainty_ns <= most_uncertain_ns);
	for (size_t i = 0; i < count; i++) {
		const double planted = offset_ns + drift * b[i].at_ns;

		assert_true(fabs(clock_offset_ns(&f, b[i].at_ns) - planted) <=
			    f.uncertainty_ns + 1);
	}
	free(b);
}

static void test_clocks_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < repeats(100); i++) {
		const double offset_ns = (draw() - 0.5) * 20e6, drift = (draw() - 0.5) * 100e-6;

		check_fit(75, offset_ns, 0, NAN, 1.5e6);
		check_fit(75, offset_ns, drift, NAN, 1.5e6);
		check_fit(75, offset_ns, drift, 3e6, 1.5e6);
		check_fit(2000, offset_ns, drift, NAN, 400e3);
		check_fit(1, offset_ns, 0, NAN, 7e6);
	}
}

/* A clock that is right is told from one that is not, and gets no drift that nobody needs. */
static void test_drift_is_found_where_needed(void **state)
{
	struct clock_bound b[800];
	struct clock_fit f;

	(void)state;
	make_bounds(b, 200, 0, 0);
	clock_fit(b, 200, 0, CLOCK_DRIFT_MAX, &f);
	assert_true(f.known && f.as_expected && f.drift == 0);
	make_bounds(b, 200, 12e6, 0);
	clock_fit(b, 200, 0, CLOCK_DRIFT_MAX, &f);
	assert_true(f.known && !f.as_expected && f.drift == 0);
	/* Over 30 s 50 ppm are 1.5 ms: no line without drift agrees. */
	make_bounds(b, 800, 12e6, 50e-6);
	clock_fit(b, 800, 0, CLOCK_DRIFT_MAX, &f);
	assert_true(f.known && fabs(f.drift - 50e-6) < 30e-6);
	/* More than clocks do is told as what it is only where that is asked for. */
	make_bounds(b, 800, 12e6, 2e-3);
	clock_fit(b, 800, 0, CLOCK_DRIFT_MAX, &f);
	assert_false(f.known);
	make_bounds(b, 800, 12e6, 2e-3);
	clock_fit(b, 800, 0, CLOCK_DRIFT_FAR, &f);
	assert_true(f.known && fabs(f.drift - 2e-3) < 30e-6);
	/* Over 3 s 2000 ppm are 6 ms: bounds that wide may agree with none, but hardly do. */
	make_bounds(b, 80, 12e6, 2e-3);
	assert_true(clock_rate_is_odd(b, 80));
	for (size_t i = 0; i < repeats(100); i++) {
		make_bounds(b, 80, 12e6, (draw() - 0.5) * 200e-6);
		assert_false(clock_rate_is_odd(b, 80));
	}
}

/* One odd bound among two hundred does not matter; a tenth of them does. */
static void test_contradictions(void **state)
{
	struct clock_bound b[200];
	struct clock_fit f;

	(void)state;
	make_bounds(b, 200, 5e6, 20e-6);
	b[77].least_ns += 1e9;
	b[77].most_ns += 1e9;
	clock_fit(b, 200, NAN, CLOCK_DRIFT_MAX, &f);
	assert_true(f.known && f.left_out == 1 && f.used == 199);
	assert_true(fabs(f.at_zero_ns - 5e6) <= f.uncertainty_ns);
	make_bounds(b, 200, 5e6, 0);
	for (size_t i = 0; i < 200; i += 10) {
		b[i].least_ns += 1e9;
		b[i].most_ns += 1e9;
	}
	clock_fit(b, 200, NAN, CLOCK_DRIFT_MAX, &f);
	assert_false(f.known);
	clock_fit(b, 0, NAN, CLOCK_DRIFT_MAX, &f);
	assert_false(f.known);
}

/* A job whose ranks are in four AllReduces a step, each rank in a part of its own. */
enum { RANKS_MAX = 16, STEPS = 20, EACH = 4, ALL = STEPS * EACH };

struct plan {
	size_t ranks, per_node;
	double jitter_ns;			     /* of each delay */
	double (*late_ns)(size_t rank, size_t step); /* more, before a step's first; NULL: none */
	double bad_transfer; /* of collectives among the odd ranks: so many times as long */
	bool rails;    /* odd and even ranks have a communicator each, for all but a step's last */
	bool chain;    /* each rank begins a step once the one before it has */
	bool computes; /* late ranks compute more; else their host is late */
	bool half_computes;	 /* those of the second half alone do */
	double offset_ns, drift; /* of clocks, at most */
	double utc_error_ns;	 /* of what captures say of their beginning, at most */
	size_t cut_first;	 /* collectives that rank 1 lacks at the beginning */
	bool one_gpu;		 /* all share it … */
	size_t unknown_gpu;	 /* … which the capture of this rank does not say; 0: all do */
};

struct made {
	struct part parts[RANKS_MAX];
	const struct part *list[RANKS_MAX];
	struct part_member members[RANKS_MAX];
	struct part_collective kernels[RANKS_MAX][ALL];
	struct part_collective_class classes[RANKS_MAX][2];
	struct part_step steps[RANKS_MAX][STEPS];
	struct part_range ranges[RANKS_MAX][2];
	double offset_ns[RANKS_MAX], drift[RANKS_MAX];
	double end_ns; /* of the last step, in true time */
	struct job job;
	struct instances x;
	struct stragglers s;
};

/* What a rank's clock shows. */
static int64_t shown(const struct made *m, size_t rank, double ns)
{
	return llround((ns - m->offset_ns[rank]) / (1 + m->drift[rank]));
}

static void make_collective(struct made *m, const struct plan *p, size_t k, size_t first,
			    size_t stride, double *at)
{
	const double transfer =
		(k % EACH ? 1e6 : 3e5) * (first % 2 && p->bad_transfer > 0 ? p->bad_transfer : 1);
	double enter[RANKS_MAX], last = -INFINITY;

	for (size_t r = first; r < p->ranks; r += stride) {
		double lag = (k % EACH ? 2e5 : 8e6) + p->jitter_ns * draw();

		if (k % EACH == 0 && p->late_ns)
			lag += p->late_ns(r, k / EACH);
		enter[r] = at[r] + lag;
		last = fmax(last, enter[r]);
	}
	for (size_t r = first; r < p->ranks; r += stride) {
		at[r] = last + transfer * (1 + 0.05 * draw());
		m->kernels[r][k] = (struct part_collective){
			.class = stride == 1,
			.start_ns = shown(m, r, enter[r]),
			.end_ns = shown(m, r, at[r]),
			.exposed_ns = shown(m, r, at[r]) - shown(m, r, enter[r]),
			.launched_ns = shown(m, r, enter[r]) - 5000,
			.bytes = 1 << 20,
		};
		m->end_ns = fmax(m->end_ns, at[r]);
	}
}

static void make_kernels(struct made *m, const struct plan *p)
{
	double at[RANKS_MAX] = {0};

	for (size_t k = 0; k < ALL; k++) {
		const size_t stride = p->rails && k % EACH != EACH - 1 ? 2 : 1;

		/* A wait that is passed on: the next rank begins when the one before it does. */
		for (size_t r = 1; p->chain && k % EACH == 0 && r < p->ranks; r++)
			at[r] = fmax(at[r], at[r - 1]);
		for (size_t first = 0; first < stride; first++)
			make_collective(m, p, k, first, stride, at);
	}
}

static void make_steps(struct made *m, size_t rank)
{
	for (size_t i = 0; i < STEPS; i++) {
		const struct part_collective *k = &m->kernels[rank][i * EACH];
		struct part_step *s = &m->steps[rank][i];

		*s = (struct part_step){.number = (uint32_t)i, .from_ns = k->launched_ns - 1000};
		s->to_ns = i + 1 < STEPS ? k[EACH].launched_ns - 1000 : k[EACH - 1].end_ns;
		s->start_ns = s->from_ns;
		s->end_ns = s->to_ns;
	}
}

static bool computes_more(const struct plan *p, size_t rank)
{
	return p->computes || (p->half_computes && rank >= p->ranks / 2);
}

/* What it has more of than others: compute in `forward`, or host time in `data`. */
static void make_account(struct made *m, const struct plan *p, size_t rank)
{
	struct part_member *is = &m->members[rank];
	const bool computes = computes_more(p, rank);
	double late_ns = 0;

	for (size_t i = 0; i < STEPS && p->late_ns; i++)
		late_ns += p->late_ns(rank, i);
	is->window_ns[MEMBER_COMPUTE] =
		(int64_t)(STEPS * (p->one_gpu ? 4.5e6 : 8e6) + (computes ? late_ns : 0));
	is->window_ns[MEMBER_IDLE] = (int64_t)(STEPS * 1e5 + (computes ? 0 : late_ns));
	m->ranges[rank][0] =
		(struct part_range){.path = "data", .host_ns = computes ? 0 : (int64_t)late_ns};
	m->ranges[rank][1] =
		(struct part_range){.path = "forward", .compute_ns = is->window_ns[MEMBER_COMPUTE]};
}

static void make_member(struct made *m, const struct plan *p, size_t rank)
{
	struct part_member *is = &m->members[rank];
	const size_t cut = rank == 1 ? p->cut_first : 0;

	for (size_t i = 0; i < 2; i++)
		m->classes[rank][i] =
			(struct part_collective_class){.type = COLL_ALL_REDUCE,
						       .has_communicator = true,
						       .communicator = i ? 7 : rank % 2,
						       .kernel = ""};
	*is = (struct part_member){.rank = (uint32_t)rank,
				   .rank_source = PART_RANK_LABEL,
				   .world = (uint32_t)p->ranks,
				   .local_rank = PART_NO_NUMBER,
				   .label = "",
				   .gpu = "",
				   .window_words = "",
				   .steps_name = "",
				   .steps = m->steps[rank],
				   .step_count = STEPS,
				   .warm_count = STEPS,
				   .classes = m->classes[rank],
				   .class_count = 2,
				   .collectives = m->kernels[rank] + cut,
				   .collective_count = ALL - cut,
				   .ranges = m->ranges[rank],
				   .range_count = 2};
	if (p->one_gpu && (!p->unknown_gpu || rank != p->unknown_gpu))
		is->gpu_id = 77;
	make_steps(m, rank);
	is->window = (struct span){m->steps[rank][0].from_ns, m->steps[rank][STEPS - 1].to_ns};
	make_account(m, p, rank);
}

static struct made *make_job(const struct plan *p)
{
	struct made *m = mem_zalloc(1, sizeof(*m));
	struct err e = {0};

	for (size_t r = 1; r < p->ranks; r++) {
		const size_t first = p->per_node ? r - r % p->per_node : r;

		/* Captures of one machine have its clock. */
		m->offset_ns[r] =
			first < r ? m->offset_ns[first] : (draw() - 0.5) * 2 * p->offset_ns;
		m->drift[r] = first < r ? m->drift[first] : (draw() - 0.5) * 2 * p->drift;
	}
	make_kernels(m, p);
	for (size_t r = 0; r < p->ranks; r++) {
		make_member(m, p, r);
		m->parts[r] = (struct part){.file = "made.sqlite",
					    .tool = "",
					    .schema = "",
					    .cuda = "",
					    .driver = "",
					    .node = 100 + r / (p->per_node ? p->per_node : 1),
					    .utc_ns = 1000000000 +
						      llround((r % 3 - 1.0) * p->utc_error_ns),
					    .captured = SPAN_NONE,
					    .members = &m->members[r],
					    .member_count = 1};
		/* In no particular order. */
		m->list[(r * 7 + 3) % p->ranks] = &m->parts[r];
	}
	assert_int_equal(job_make(m->list, p->ranks, &m->job, &e), 0);
	clocks_and_instances(&m->job, &m->x);
	stragglers_find(&m->job, &m->x, &m->s);
	return m;
}

static void free_job(struct made *m)
{
	stragglers_free(&m->s);
	instances_free(&m->x);
	job_free(&m->job);
	free(m);
}

/* Clocks as far off as clocks are: the true times come back, within what is printed. */
static void test_job_has_one_clock(void **state)
{
	const struct plan plans[] = {
		{.ranks = 8, .jitter_ns = 3e5, .offset_ns = 8e6},
		{.ranks = 8, .jitter_ns = 3e5, .offset_ns = 8e6, .drift = 50e-6},
		{.ranks = 4, .jitter_ns = 3e5, .offset_ns = 3e6, .cut_first = 9},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
		struct made *m = make_job(&plans[i]);

		assert_int_equal(m->x.count, ALL);
		for (size_t r = 0; r < plans[i].ranks; r++) {
			const struct job_clock *c = &m->job.parts[r].clock;
			const int64_t at = m->kernels[r][ALL / 2].start_ns;
			const double planted = m->offset_ns[r] + m->drift[r] * (double)at;
			const double found = (double)(job_time(&m->job, (uint32_t)r, at) - at);

			assert_true(c->known);
			assert_true(c->uncertainty_ns < 1e6);
			assert_true(fabs(found - planted) <= c->uncertainty_ns + 1);
		}
		assert_int_equal(m->s.count, 0);
		free_job(m);
	}
}

/* UTC of one machine, wrong by what collectives allow: that all leave them together is believed. */
static void test_wrong_utc_is_not_believed(void **state)
{
	const struct plan plan = {
		.ranks = 8, .per_node = 8, .jitter_ns = 3e5, .late_ns = NULL, .utc_error_ns = 2e5};
	struct made *m = make_job(&plan);
	size_t beyond = 0;

	(void)state;
	for (size_t r = 1; r < plan.ranks; r++) {
		const struct job_clock *c = &m->job.parts[r].clock;
		const int64_t at = m->kernels[r][ALL / 2].start_ns;

		beyond += c->beyond_utc;
		assert_true(c->known && llabs(job_time(&m->job, (uint32_t)r, at) - at) < 5e4);
	}
	assert_true(beyond > 0);
	free_job(m);
}

/* Replayed as it is, nothing changes. */
static void test_replay_changes_nothing(void **state)
{
	const struct plan plan = {.ranks = 8, .jitter_ns = 1e6, .offset_ns = 5e6};
	const struct replay_change none = {0};
	struct made *m = make_job(&plan);

	(void)state;
	assert_int_equal(m->s.replay.count, ALL);
	assert_int_equal(replay_saved_ns(&m->s.replay, &none, NULL), 0);
	free_job(m);
}

static double late_rank_2(size_t rank, size_t step)
{
	(void)step;
	return rank == 2 ? 3e6 : 0;
}

static double late_every_fifth(size_t rank, size_t step)
{
	return rank == 5 && step % 5 == 2 ? 6e6 : 0;
}

static double late_at_first(size_t rank, size_t step)
{
	return rank == 5 && step < 9 ? 6e6 : 0;
}

static double late_for_a_while(size_t rank, size_t step)
{
	return rank == 5 && step >= 6 && step <= 12 ? 6e6 : 0;
}

static double late_node_1(size_t rank, size_t step)
{
	return rank / 4 == 1 && step >= 8 ? 4e6 : 0;
}

static double late_more_and_more(size_t rank, size_t step)
{
	return rank == 3 ? 3e5 * (double)step : 0;
}

static double very_late_rank_2(size_t rank, size_t step)
{
	(void)step;
	return rank == 2 ? 8e6 : 0;
}

static double late_1_and_6(size_t rank, size_t step)
{
	(void)step;
	/* Rank 3 is late enough to be told of alone, but does not hold the job up with these. */
	return rank == 1 || rank == 6 ? 3e6 : rank == 3 ? 2.5e5 : 0;
}

static double late_1_and_6_in_turn(size_t rank, size_t step)
{
	return rank == 1 ? 2e6 : rank == 6 && step % 4 == 3 ? 6e6 : 0;
}

static double late_at_one_distance(size_t rank, size_t step)
{
	return rank == 3 && step % 5 == 4 ? 2e7 : 0;
}

static double late_at_any(size_t rank, size_t step)
{
	return rank == 3 && (step == 4 || step == 6 || step == 14 || step == 15) ? 2e7 : 0;
}

/* Which host stands still when, of one job. */
static double hiccups[RANKS_MAX][STEPS];

static double late_by_hiccup(size_t rank, size_t step)
{
	return hiccups[rank][step];
}

static double late_once(size_t rank, size_t step)
{
	return rank == 5 && step == 7 ? 2e7 : 0;
}

static const struct straggler *find_one(const struct made *m, enum straggler_kind kind,
					uint32_t number)
{
	const struct straggler *g = m->s.all;

	assert_int_equal(m->s.count, 1);
	assert_int_equal(g->kind, kind);
	assert_int_equal(g->number, number);
	return g;
}

static void assert_near(double is, double planted)
{
	assert_true(fabs(is - planted) <= 0.2 * planted);
}

/* What is planted, and what has to be said about it, whatever the jitter happens to be. */
static const struct planted {
	struct plan plan;
	enum straggler_kind kind;
	uint32_t number;
	double saved_ns;
	enum straggler_cause cause;
	const char *path;
	enum straggler_pattern pattern;
	uint32_t period, since, until;
} planted[] = {
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_rank_2},
	 STRAGGLER_RANK,
	 2,
	 3e6,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_PERSISTENT,
	 0,
	 0,
	 0},
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_rank_2, .computes = true},
	 STRAGGLER_RANK,
	 2,
	 3e6,
	 SLOW_BY_KERNELS,
	 "forward",
	 PATTERN_PERSISTENT,
	 0,
	 0,
	 0},
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_every_fifth},
	 STRAGGLER_RANK,
	 5,
	 6e6 / 5,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_PERIODIC,
	 5,
	 0,
	 0},
	{{.ranks = 16, .per_node = 4, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_node_1},
	 STRAGGLER_NODE,
	 1,
	 4e6 * 12 / 20,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_STRETCH,
	 0,
	 8,
	 STRETCH_OPEN},
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_at_first},
	 STRAGGLER_RANK,
	 5,
	 6e6 * 9 / 20,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_STRETCH,
	 0,
	 STRETCH_OPEN,
	 8},
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_for_a_while},
	 STRAGGLER_RANK,
	 5,
	 6e6 * 7 / 20,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_STRETCH,
	 0,
	 6,
	 12},
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_more_and_more},
	 STRAGGLER_RANK,
	 3,
	 3e5 * 9.5,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_GROWING,
	 0,
	 0,
	 0},
	/* A rank that only waits for another one is not slow itself. */
	{{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 2e6, .late_ns = late_rank_2, .chain = true},
	 STRAGGLER_RANK,
	 2,
	 3e6,
	 SLOW_BY_DATA,
	 "data",
	 PATTERN_PERSISTENT,
	 0,
	 0,
	 0},
};

static void test_stragglers_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(planted) * repeats(20); i++) {
		const struct planted *p = &planted[i % ARRAY_LEN(planted)];
		struct made *m = make_job(&p->plan);
		const struct straggler *g = find_one(m, p->kind, p->number);

		assert_near(g->saved_ns, p->saved_ns);
		assert_int_equal(g->cause, p->cause);
		assert_string_equal(g->path, p->path);
		assert_int_equal(g->pattern, p->pattern);
		assert_int_equal(g->period, p->period);
		assert_int_equal(g->since, p->since);
		assert_int_equal(g->until, p->until);
		free_job(m);
	}
}

/* Ranks that hold the job up together: without one of them nothing is saved. */
static void test_several_are_found(void **state)
{
	const struct plan plans[] = {
		{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_1_and_6},
		{.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_1_and_6_in_turn},
	};
	const double saved_ns[] = {3e6 - 2.5e5, 0.75 * 2e6 + 0.25 * 6e6};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(plans) * repeats(20); i++) {
		const size_t of = i % ARRAY_LEN(plans);
		struct made *m = make_job(&plans[of]);
		const struct straggler *g = find_one(m, STRAGGLER_SET, 1);

		assert_int_equal(g->members, 2);
		assert_int_equal(g->who[1], 6);
		assert_near(g->saved_ns, saved_ns[of]);
		assert_int_equal(g->each[0].pattern, PATTERN_PERSISTENT);
		assert_int_equal(g->each[1].pattern, of ? PATTERN_PERIODIC : PATTERN_PERSISTENT);
		assert_int_equal(g->each[1].cause, SLOW_BY_DATA);
		free_job(m);
	}
}

static double late_2_and_6(size_t rank, size_t step)
{
	(void)step;
	return rank % 4 == 2 ? 3e6 : 0;
}

/* Ranks at the same place of their nodes are a rail, unless they are late for different reasons. */
static void test_reasons_make_no_rail(void **state)
{
	struct plan plan = {.ranks = 8, .per_node = 4, .jitter_ns = 1e5, .late_ns = late_2_and_6};

	(void)state;
	for (size_t i = 0; i < repeats(20); i++) {
		struct made *m = make_job(&plan);

		find_one(m, STRAGGLER_RAIL, 2);
		free_job(m);
		plan.half_computes = true;
		m = make_job(&plan);
		assert_int_equal(find_one(m, STRAGGLER_SET, 2)->members, 2);
		assert_int_equal(m->s.all[0].each[0].cause, SLOW_BY_DATA);
		assert_int_equal(m->s.all[0].each[1].cause, SLOW_BY_KERNELS);
		free_job(m);
		plan.half_computes = false;
	}
}

/* Late in one step of twenty: that may be chance, and nobody is named; but it is not denied. */
static void test_once_is_doubtful(void **state)
{
	const struct plan plan = {
		.ranks = 8, .jitter_ns = 1e5, .offset_ns = 5e6, .late_ns = late_once};

	(void)state;
	for (size_t i = 0; i < repeats(20); i++) {
		struct made *m = make_job(&plan);
		const struct straggler *g = &m->s.doubtful;

		assert_int_equal(m->s.count, 0);
		assert_int_equal(g->members, 1);
		assert_int_equal(g->number, 5);
		assert_int_equal(g->late_steps, 1);
		assert_near(g->late_step_ns, 2e7);
		assert_near(g->saved_ns, 1e6);
		assert_int_equal(m->s.doubt, DOUBT_CHANCE);
		free_job(m);
	}
}

/* What a capture lacks says nothing about who shares a GPU. */
static void test_unknown_gpu_changes_nothing(void **state)
{
	struct plan plan = {.ranks = 4,
			    .per_node = 4,
			    .jitter_ns = 1e5,
			    .late_ns = very_late_rank_2,
			    .one_gpu = true};
	double least_ns = 0, most_ns = 0;

	(void)state;
	for (plan.unknown_gpu = 0; plan.unknown_gpu < 4; plan.unknown_gpu++) {
		struct made *m;
		const struct straggler *g;

		seed = 5;
		m = make_job(&plan);
		g = find_one(m, STRAGGLER_RANK, 2);
		assert_true(g->shares_gpu && g->saved_least_ns < g->saved_most_ns);
		assert_true(!plan.unknown_gpu ||
			    (g->saved_least_ns == least_ns && g->saved_most_ns == most_ns));
		least_ns = g->saved_least_ns;
		most_ns = g->saved_most_ns;
		free_job(m);
	}
}

/*
 * Ranks whose delays vary by a third of a step, but all alike: replacing any one's saves more than
 * is worth telling, and still nobody is slow. At most one job in fifty may be taken for one that
 * has somebody.
 */
static void test_chance_is_nobody(void **state)
{
	const struct plan plans[] = {
		{.ranks = 4, .jitter_ns = 4e6, .offset_ns = 3e6},
		{.ranks = 16, .per_node = 4, .jitter_ns = 4e6, .offset_ns = 3e6},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(plans); i++) {
		const size_t jobs = repeats(200);
		size_t named = 0;

		for (size_t k = 0; k < jobs; k++) {
			struct made *m = make_job(&plans[i]);

			named += m->s.count > 0;
			free_job(m);
		}
		assert_true(named <= 1 + jobs / 50);
	}
}

/*
 * Four of twenty steps are too few to tell that it is always the same of four ranks; that they are
 * at one distance as well is no chance.
 */
static void test_rhythm_is_no_chance(void **state)
{
	struct plan plan = {.ranks = 4, .jitter_ns = 1e5, .offset_ns = 5e6};

	(void)state;
	for (size_t i = 0; i < repeats(20); i++) {
		const struct straggler *g;
		struct made *m;

		plan.late_ns = late_at_one_distance;
		m = make_job(&plan);
		g = find_one(m, STRAGGLER_RANK, 3);
		assert_int_equal(g->pattern, PATTERN_PERIODIC);
		assert_int_equal(g->period, 5);
		assert_near(g->saved_ns, 4e6);
		free_job(m);
		plan.late_ns = late_at_any;
		m = make_job(&plan);
		assert_int_equal(m->s.count, 0);
		assert_int_equal(m->s.doubtful.number, 3);
		assert_int_equal(m->s.doubt, DOUBT_CHANCE);
		free_job(m);
	}
}

/* Hosts that stand still now and then, any of them: few jobs are unlucky enough to name one. */
static void test_hiccups_are_nobody(void **state)
{
	const struct plan plan = {
		.ranks = 4, .jitter_ns = 1e5, .offset_ns = 3e6, .late_ns = late_by_hiccup};
	const size_t jobs = repeats(400);
	size_t named = 0;

	(void)state;
	for (size_t i = 0; i < jobs; i++) {
		struct made *m;

		memset(hiccups, 0, sizeof(hiccups));
		for (size_t k = 0; k < 3 + i % 6; k++)
			hiccups[(size_t)(4 * draw())][(size_t)(STEPS * draw())] = 2e7;
		m = make_job(&plan);
		named += m->s.count > 0;
		free_job(m);
	}
	assert_true(named <= 1 + jobs / 50);
}

/* Two ranks in a collective, each with its class of the two that it has. */
static void meet(struct made *m, const size_t ranks[2], const uint32_t classes[2],
		 const double enter_ns[2], double leave_ns)
{
	for (size_t i = 0; i < 2; i++) {
		struct part_member *is = &m->members[ranks[i]];

		m->kernels[ranks[i]][is->collective_count++] = (struct part_collective){
			.class = classes[i],
			.start_ns = shown(m, ranks[i], enter_ns[i]),
			.end_ns = shown(m, ranks[i], leave_ns),
			.launched_ns = PART_UNKNOWN,
			.bytes = PART_UNKNOWN,
		};
	}
}

/* Ranks 0 and 2 meet when 2 has waited for 3 ms; both meet rank 1 at once. */
static void make_detour(struct made *m)
{
	static const uint64_t communicators[3][2] = {{7, 1}, {1, 2}, {7, 2}};

	m->offset_ns[1] = -4e5;
	m->offset_ns[2] = 1.2e6;
	for (size_t r = 0; r < 3; r++) {
		for (size_t i = 0; i < 2; i++)
			m->classes[r][i] =
				(struct part_collective_class){.has_communicator = true,
							       .communicator = communicators[r][i],
							       .kernel = ""};
		m->members[r] = (struct part_member){.rank = (uint32_t)r,
						     .label = "",
						     .gpu = "",
						     .classes = m->classes[r],
						     .class_count = 2,
						     .collectives = m->kernels[r]};
		m->parts[r] = (struct part){.file = "made.sqlite",
					    .utc_ns = PART_UNKNOWN,
					    .captured = SPAN_NONE,
					    .members = &m->members[r],
					    .member_count = 1};
		m->list[r] = &m->parts[r];
	}
	for (size_t i = 0; i < STEPS; i++) {
		/* No two steps are as long, so that none is like another. */
		const double at = (double)i * 1e7 + (double)(i * i) * 1e5, late = i % 2 ? 1e4 : 0;

		meet(m, (size_t[]){0, 2}, (uint32_t[]){0, 0}, (double[]){at + 3e6, at},
		     at + 3.02e6);
		meet(m, (size_t[]){0, 1}, (uint32_t[]){1, 0},
		     (double[]){at + 4e6 + late, at + 4.01e6 - late}, at + 4.03e6);
		meet(m, (size_t[]){1, 2}, (uint32_t[]){1, 1},
		     (double[]){at + 5e6 + late, at + 5.01e6 - late}, at + 5.03e6);
	}
}

/* What two ranks do not say of their clocks, those say that both meet. */
static void test_clocks_by_way_of_others(void **state)
{
	struct made *m = mem_zalloc(1, sizeof(*m));
	struct err e = {0};

	(void)state;
	make_detour(m);
	assert_int_equal(job_make(m->list, 3, &m->job, &e), 0);
	clocks_and_instances(&m->job, &m->x);
	for (uint32_t r = 1; r < 3; r++) {
		const struct job_clock *c = &m->job.parts[r].clock;
		const double found = (double)job_time(&m->job, r, 0);

		assert_true(c->known && c->uncertainty_ns < 2e5);
		assert_true(fabs(found - m->offset_ns[r]) <= c->uncertainty_ns);
	}
	free_job(m);
}

/* Three of four collectives of a step are a rail's own: in all they take 1.15 ms longer there. */
static void test_bad_rail_is_found(void **state)
{
	const struct plan plan = {.ranks = 16,
				  .per_node = 2,
				  .jitter_ns = 1e5,
				  .offset_ns = 2e6,
				  .rails = true,
				  .bad_transfer = 1.5};

	(void)state;
	for (size_t i = 0; i < repeats(20); i++) {
		struct made *m = make_job(&plan);
		const struct straggler *g = m->s.all;

		assert_int_equal(m->s.count, 1);
		assert_int_equal(g->kind, STRAGGLER_COMMUNICATOR);
		assert_int_equal(g->cause, SLOW_BY_NETWORK);
		assert_int_equal(m->x.classes[g->number].is->communicator, 1);
		assert_near(g->saved_ns, 1.15e6);
		assert_int_equal(g->pattern, PATTERN_PERSISTENT);
		free_job(m);
	}
}

/* Ranks of one clock that meet nobody, each held against all before it as long as that is bounded.
 */
static uint64_t untried_of(uint32_t ranks)
{
	enum { KERNELS = 4 };
	struct part *parts = mem_zalloc(ranks, sizeof(*parts));
	const struct part **list = mem_alloc(ranks, sizeof(const struct part *));
	struct part_member *members = mem_zalloc(ranks, sizeof(*members));
	struct part_collective *kernels = mem_zalloc((size_t)ranks * KERNELS, sizeof(*kernels));
	struct part_collective_class class = {.kernel = "ncclDevKernel_AllReduce"};
	struct instances x;
	struct job job;
	struct err e;
	uint64_t untried;

	for (uint32_t r = 0; r < ranks; r++) {
		for (uint32_t k = 0; k < KERNELS; k++) {
			const int64_t start_ns = (int64_t)((k + draw()) * 1e9);

			kernels[(size_t)r * KERNELS + k] =
				(struct part_collective){.start_ns = start_ns,
							 .end_ns = start_ns + 1000,
							 .launched_ns = PART_UNKNOWN,
							 .bytes = PART_UNKNOWN};
		}
		members[r] = (struct part_member){.rank = r,
						  .rank_source = PART_RANK_LABEL,
						  .local_rank = PART_NO_NUMBER,
						  .label = "",
						  .gpu = "",
						  .window_words = "",
						  .steps_name = "",
						  .classes = &class,
						  .class_count = 1,
						  .collectives = &kernels[(size_t)r * KERNELS],
						  .collective_count = KERNELS};
		parts[r] = (struct part){.file = "made.sqlite",
					 .tool = "",
					 .schema = "",
					 .cuda = "",
					 .driver = "",
					 .node = 7,
					 .utc_ns = 1000,
					 .captured = SPAN_NONE,
					 .members = &members[r],
					 .member_count = 1};
		list[r] = &parts[r];
	}
	assert_int_equal(job_make(list, ranks, &job, &e), 0);
	job.drift_max = CLOCK_DRIFT_MAX;
	instances_make(&job, true, &x);
	untried = x.untried;
	instances_free(&x);
	job_free(&job);
	free(kernels);
	free(members);
	free((void *)list);
	free(parts);
	return untried;
}

static void test_groups_that_are_too_many_are_told(void **state)
{
	(void)state;
	assert_int_equal(untried_of(500), 0);
	/* 3,000 · 2,999 / 2 pairs are more than two millions. */
	assert_true(untried_of(3000) > 0);
}

int fleet_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks_are_found),
		cmocka_unit_test(test_drift_is_found_where_needed),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_groups_that_are_too_many_are_told),
		cmocka_unit_test(test_job_has_one_clock),
		cmocka_unit_test(test_clocks_by_way_of_others),
		cmocka_unit_test(test_wrong_utc_is_not_believed),
		cmocka_unit_test(test_replay_changes_nothing),
		cmocka_unit_test(test_stragglers_are_found),
		cmocka_unit_test(test_several_are_found),
		cmocka_unit_test(test_reasons_make_no_rail),
		cmocka_unit_test(test_once_is_doubtful),
		cmocka_unit_test(test_unknown_gpu_changes_nothing),
		cmocka_unit_test(test_chance_is_nobody),
		cmocka_unit_test(test_rhythm_is_no_chance),
		cmocka_unit_test(test_hiccups_are_nobody),
		cmocka_unit_test(test_bad_rail_is_found),
	};

	return cmocka_run_group_tests_name("fleet", tests, NULL, NULL);
}
