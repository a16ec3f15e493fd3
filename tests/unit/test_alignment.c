/* Kernels of two ranks that both lack some: however they are put side by side, they stay in order.
 */
#include "fleet/job/alignment.h"
#include "groups.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RANKS = 2, KERNELS = 64 };

static uint64_t state = 1;

static int64_t draw(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((state >> 33) % below);
}

/* Two captures of one run of collectives, each on a clock of its own, with holes of its own. */
struct made {
	struct part parts[RANKS];
	struct part_member members[RANKS];
	struct part_collective_class class;
	struct part_collective kernels[RANKS][KERNELS];
	uint32_t numbers[RANKS][KERNELS];
	struct instance_queue queues[RANKS];
	struct job_part job_parts[RANKS];
	struct job_member job_members[RANKS];
	struct job job;
};

static void begin(struct made *m)
{
	*m = (struct made){.job = {.parts = m->job_parts,
				   .part_count = RANKS,
				   .members = m->job_members,
				   .member_count = RANKS}};
	for (uint32_t r = 0; r < RANKS; r++) {
		m->parts[r] = (struct part){.file = "", .utc_ns = draw(2) ? 0 : PART_UNKNOWN};
		m->members[r].classes = &m->class;
		m->members[r].collectives = m->kernels[r];
		m->queues[r] = (struct instance_queue){.member = r, .kernels = m->numbers[r]};
		m->job_parts[r].part = &m->parts[r];
		m->job_members[r] = (struct job_member){.is = &m->members[r], .part = r};
	}
}

static void add_kernel(struct made *m, size_t rank, int64_t start_ns, int64_t end_ns)
{
	struct instance_queue *q = &m->queues[rank];

	m->kernels[rank][q->count] =
		(struct part_collective){.start_ns = start_ns, .end_ns = end_ns};
	m->numbers[rank][q->count] = (uint32_t)q->count;
	m->members[rank].collective_count = ++q->count;
}

static void make(struct made *m)
{
	const int64_t shift_ns[RANKS] = {0, draw(2000000) - 1000000};
	const int64_t count = 6 + draw(40);
	int64_t lost[RANKS] = {0}, now_ns = 0;

	begin(m);
	for (int64_t i = 0; i < count; i++) {
		const int64_t stay_ns = 10000 + draw(200000);

		now_ns += 5000 + draw(400000);
		for (size_t r = 0; r < RANKS; r++) {
			const int64_t start_ns = now_ns + draw(100000) + shift_ns[r];

			if (!lost[r] && !draw(8))
				lost[r] = 1 + draw(4);
			if (lost[r] > 0)
				lost[r]--;
			else
				add_kernel(m, r, start_ns,
					   now_ns + stay_ns + 100000 + draw(5000) + shift_ns[r]);
		}
		now_ns += stay_ns;
	}
}

static bool align(const struct made *m, struct alignment *ret)
{
	struct queue_guess guess;
	unsigned int searches = 1;
	struct queue_pair p;

	queue_pair_init(&p, &m->job, &m->queues[0], &m->queues[1], false);
	if (queues_align(&p, 0, &guess, ret))
		return true;
	alignment_free(ret);
	return queues_align_searching(&p, 0, &guess, &searches, ret);
}

static void assert_ordered(const struct alignment *a, size_t of_b)
{
	for (size_t i = 0; i < a->count; i++) {
		const struct stretch *s = &a->stretches[i], *before = s - 1;

		assert_true(s->first < of_b);
		if (!i)
			continue;
		assert_true(s->first > before->first);
		assert_true(s->place >=
			    before->place + (before->extra ? 0 : s->first - before->first));
	}
}

/* Walks to both ends begin in the middle: a gap of one was put before where the other began. */
static void test_gaps_stay_in_order(void **unused)
{
	struct made *m = mem_alloc(1, sizeof(*m));
	const size_t pairs = repeats(2000);
	size_t with_gaps = 0;

	(void)unused;
	for (size_t i = 0; i < pairs; i++) {
		struct alignment a = {0};

		make(m);
		if (m->queues[0].count && m->queues[1].count && align(m, &a)) {
			with_gaps += a.count > 1;
			assert_ordered(&a, m->queues[1].count);
		}
		alignment_free(&a);
	}
	assert_true(with_gaps > pairs / 10);
	free(m);
}

enum { SENDS = 40 };

/* Both compute for about as long; `lag_ns`: so much later the receiver comes than the sender, who
 * waits for it or goes on. */
static void make_sends(struct made *m, int64_t lag_ns, int64_t varies_ns, bool goes_on)
{
	const int64_t shift_ns = draw(2000000) - 1000000;
	int64_t now_ns = 0;

	begin(m);
	for (int64_t i = 0; i < SENDS; i++) {
		const int64_t sent_ns = now_ns += 400000 + draw(100000);
		const int64_t come_ns = sent_ns + lag_ns + draw(varies_ns);
		const int64_t met_ns = (come_ns > sent_ns ? come_ns : sent_ns) + 20000;

		add_kernel(m, 0, sent_ns, (goes_on ? sent_ns + 20000 : met_ns) + draw(1500));
		add_kernel(m, 1, come_ns + shift_ns, met_ns + draw(1500) + shift_ns);
	}
}

static bool leave_early(const struct made *m, double *ret_apart_ns)
{
	return sends_leave_early(&m->job, &m->queues[0], &m->queues[1], false, ret_apart_ns);
}

static void test_senders_that_wait_meet(void **unused)
{
	struct made *m = mem_alloc(1, sizeof(*m));
	double apart_ns;

	(void)unused;
	for (size_t i = 0; i < repeats(50); i++) {
		make_sends(m, -50000, 100000, false);
		assert_false(leave_early(m, &apart_ns));
		assert_true(apart_ns > 0 && apart_ns < 2000);
	}
	free(m);
}

/* A lag that hardly varies contradicts no clock: that exits vary with entries shows it. */
static void test_senders_that_go_on_do_not(void **unused)
{
	struct made *m = mem_alloc(1, sizeof(*m));
	double apart_ns;

	(void)unused;
	for (size_t i = 0; i < repeats(50); i++) {
		make_sends(m, -50000, 400000, true);
		assert_true(leave_early(m, &apart_ns));
		make_sends(m, 100000, 12000, true);
		assert_true(leave_early(m, &apart_ns));
	}
	free(m);
}

int alignment_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps_stay_in_order),
		cmocka_unit_test(test_senders_that_wait_meet),
		cmocka_unit_test(test_senders_that_go_on_do_not),
	};

	return cmocka_run_group_tests_name("alignment", tests, NULL, NULL);
}
