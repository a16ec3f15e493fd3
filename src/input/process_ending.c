/* How is a program asked to end, and whom do signals reach? */
#include "base/file.h"
#include "input/interrupt.h"
#include "input/process_state.h"

#include <signal.h>

#define USUAL_GRACE_S  10.0
#define QUIET_GRACE_S  2.0
#define PROFILER_TIMES 30
#define LAST_GRACE_S   5.0
#define FULL_BYTES     65536
#define IDLE_SHARE     0.1 /* of a core: more than that is work */
#define SAME_SIGNAL_S  0.5 /* two processes that are signalled at once hear of it within */

static double grace_s(const struct process_state *r)
{
	if (!r->p->attended)
		return QUIET_GRACE_S;
	return r->p->grace_s > 0 ? r->p->grace_s : USUAL_GRACE_S;
}

/* Quiet programs are ours, profilers or not. */
static const struct profiler *spared(const struct process_state *r)
{
	return r->p->attended ? &r->profiler : NULL;
}

/* Where nothing but the profiler is left, it is the profiler that is meant. */
static void pass_on(struct process_state *r, int signal_number)
{
	if (!process_tree_signal(r->keeper.pid, signal_number, spared(r)))
		process_tree_signal(r->keeper.pid, signal_number, NULL);
}

static void enter(struct process_state *r, enum process_stage stage)
{
	static const int signals[] = {[TOLD_INT] = SIGINT,
				      [TOLD_TERM] = SIGTERM,
				      [KILLED] = SIGKILL,
				      [ALL_KILLED] = SIGKILL};

	r->stage = stage;
	r->ret->given_up |= stage == ALL_KILLED && !r->ret->starved;
	if (stage == GIVEN_UP) {
		r->next_s = 0;
		keeper_order_end(&r->keeper);
		return;
	}
	r->next_s = process_now_s() + (stage == ALL_KILLED ? LAST_GRACE_S
				       : stage == KILLED   ? grace_s(r) * PROFILER_TIMES
							   : grace_s(r));
	process_tree_signal(r->keeper.pid, signals[stage], stage == ALL_KILLED ? NULL : spared(r));
}

/* What still runs is the profiler, at its report: the program has kept its limit. */
static bool has_kept_limit(const struct process_state *r)
{
	return r->stage == RUNS && r->p->attended && !process_tree_lives(r->keeper.pid, spared(r));
}

void process_follow_clock(struct process_state *r)
{
	if (!r->next_s || process_now_s() < r->next_s)
		return;
	if (has_kept_limit(r)) {
		r->stage = KILLED;
		r->next_s = process_now_s() + grace_s(r) * PROFILER_TIMES;
		return;
	}
	if (r->stage == RUNS)
		r->ret->timed_out = true;
	/* What is quiet has no profiler that would still write a report. */
	enter(r, r->stage == TOLD_TERM && !r->p->attended ? ALL_KILLED : r->stage + 1);
}

/* Alone, with a full disk, and doing nothing: one that still works may get done. */
static bool is_stuck(const struct process_state *r, double *cpu_s)
{
	if (!file_disk_lacks(r->p->scratch, FULL_BYTES) ||
	    process_tree_lives(r->keeper.pid, spared(r)))
		return false;
	*cpu_s = process_tree_cpu_s(r->keeper.pid);
	return !r->full_s ||
	       *cpu_s - r->full_cpu_s <= IDLE_SHARE * (process_now_s() - r->full_s) + IDLE_SHARE;
}

void process_follow_disk(struct process_state *r)
{
	double cpu_s = 0;

	if (!r->p->attended || !r->p->scratch || r->stage == ALL_KILLED || r->stage == GIVEN_UP)
		return;
	if (!is_stuck(r, &cpu_s)) {
		r->full_s = 0;
		return;
	}
	if (!r->full_s) {
		r->full_s = process_now_s();
		r->full_cpu_s = cpu_s;
	}
	if (process_now_s() - r->full_s < grace_s(r))
		return;
	r->ret->starved = true;
	enter(r, ALL_KILLED);
}

/* Whether the keeper, which shares our group, got the signal as well: it has a moment to say so. */
static bool went_to_group(struct process_state *r, int number)
{
	const double until_s = process_now_s() + PROCESS_TICK_MS / 1e3;

	while (!r->has_ended && process_now_s() < until_s &&
	       process_now_s() - r->group_s[number] > SAME_SIGNAL_S) {
		struct pollfd news = {.fd = r->keeper.news, .events = POLLIN};

		if (poll(&news, 1, PROCESS_TICK_MS / 10) > 0)
			process_read_news(r);
	}
	return process_now_s() - r->group_s[number] <= SAME_SIGNAL_S;
}

static bool is_message(int number)
{
	return number == SIGALRM || number == SIGUSR1 || number == SIGUSR2;
}

/*
 * Whom a signal has reached already gets it no second time. The program of the real nsys has a
 * session of its own, in which nothing reaches it but what nsys passes on: SIGINT and SIGTERM.
 */
static void deliver(struct process_state *r, int number, bool shared)
{
	if (shared && number != SIGINT && number != SIGTERM)
		process_tree_signal_beyond(r->keeper.pid, number, spared(r));
	else if (!shared && is_message(number))
		/* A message is for the program alone: a profiler would die of it. */
		process_tree_signal(r->keeper.pid, number, spared(r));
	else if (!shared)
		pass_on(r, number);
}

void process_follow_signals(struct process_state *r)
{
	bool terminal;
	int number;

	if (!r->p->attended) {
		if (interrupt_pending() && r->stage < TOLD_TERM)
			enter(r, TOLD_TERM);
		return;
	}
	while ((number = interrupt_take(&terminal))) {
		if (!is_message(number))
			r->ret->interrupted = number;
		deliver(r, number, terminal || went_to_group(r, number));
		if (number == SIGTERM && !terminal && r->stage < TOLD_TERM) {
			r->stage = TOLD_TERM;
			r->next_s = process_now_s() + grace_s(r);
		}
	}
}
