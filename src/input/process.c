/* What did another program say, how is it asked to end, and how did it end? */
#include "base/clock.h"
#include "base/file.h"
#include "input/interrupt.h"
#include "input/process_keeper.h"
#include "input/process_stream.h"
#include "input/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 100, STREAMS = 2 };

/* How far a program is being asked to end. */
enum stage { RUNS, TOLD_INT, TOLD_TERM, KILLED, ALL_KILLED, GIVEN_UP };

struct process_state {
	const struct process *p;
	struct keeper keeper;
	struct stream streams[STREAMS];
	int log;
	pid_t pid; /* of the program, 0 until it is known */
	struct profiler profiler;
	struct process_tree others; /* attended: what we had started before */
	double group_s[NSIG];	    /* when the keeper last got this signal */
	struct keeper_news end;
	bool has_ended;
	bool lost;  /* somebody killed the keeper */
	int failed; /* errno for which it did not start */
	enum stage stage;
	double began_s, next_s; /* next_s: when the stage ends; 0: never */
	double full_s;		/* since when the profiler is stuck at a full disk; 0: it is not */
	double full_cpu_s;	/* what it had worked by then */
	struct process_end *ret;
};

#define USUAL_GRACE_S  10.0
#define QUIET_GRACE_S  2.0
#define PROFILER_TIMES 30
#define LAST_GRACE_S   5.0
#define FULL_BYTES     65536
#define IDLE_SHARE     0.1 /* of a core: more than that is work */
#define SAME_SIGNAL_S  0.5 /* two processes that are signalled at once hear of it within */

static double now_s(void)
{
	return (double)clock_now_ns() / 1e9;
}

/* Takes what the keeper says next; waits for it. */
static void read_news(struct process_state *r)
{
	struct keeper_news news;
	ssize_t got = read(r->keeper.news, &news, sizeof(news));

	if (got < 0 && errno == EINTR)
		return;
	if (got != sizeof(news)) {
		/* Somebody killed the keeper, and with it the program. */
		r->lost = true;
		r->end = (struct keeper_news){.what = KEPT_ENDED, .status = SIGKILL};
		r->has_ended = true;
	} else if (news.what == KEPT_STARTED) {
		r->pid = news.pid;
		/* A launcher is told to end: what is behind it may be on other machines. */
		if (keeper_has_profiler(r->p))
			r->profiler.pid = news.pid;
	} else if (news.what == KEPT_SIGNALLED) {
		r->group_s[news.signal] = now_s();
	} else {
		r->end = news;
		r->failed = news.what == KEPT_FAILED ? news.error : 0;
		r->has_ended = true;
	}
}

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

static void enter(struct process_state *r, enum stage stage)
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
	r->next_s = now_s() + (stage == ALL_KILLED ? LAST_GRACE_S
			       : stage == KILLED   ? grace_s(r) * PROFILER_TIMES
						   : grace_s(r));
	process_tree_signal(r->keeper.pid, signals[stage], stage == ALL_KILLED ? NULL : spared(r));
}

/* What still runs is the profiler, at its report: the program has kept its limit. */
static bool has_kept_limit(const struct process_state *r)
{
	return r->stage == RUNS && r->p->attended && !process_tree_lives(r->keeper.pid, spared(r));
}

/* Past its limit it is asked to end, and the more firmly the longer it takes. */
static void follow_clock(struct process_state *r)
{
	if (!r->next_s || now_s() < r->next_s)
		return;
	if (has_kept_limit(r)) {
		r->stage = KILLED;
		r->next_s = now_s() + grace_s(r) * PROFILER_TIMES;
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
	       *cpu_s - r->full_cpu_s <= IDLE_SHARE * (now_s() - r->full_s) + IDLE_SHARE;
}

/* A profiler that can write no more may never end by itself. */
static void follow_disk(struct process_state *r)
{
	double cpu_s = 0;

	if (!r->p->attended || !r->p->scratch || r->stage == ALL_KILLED || r->stage == GIVEN_UP)
		return;
	if (!is_stuck(r, &cpu_s)) {
		r->full_s = 0;
		return;
	}
	if (!r->full_s) {
		r->full_s = now_s();
		r->full_cpu_s = cpu_s;
	}
	if (now_s() - r->full_s < grace_s(r))
		return;
	r->ret->starved = true;
	enter(r, ALL_KILLED);
}

/* Whether the keeper, which shares our group, got the signal as well: it has a moment to say so. */
static bool went_to_group(struct process_state *r, int number)
{
	const double until_s = now_s() + TICK_MS / 1e3;

	while (!r->has_ended && now_s() < until_s && now_s() - r->group_s[number] > SAME_SIGNAL_S) {
		struct pollfd news = {.fd = r->keeper.news, .events = POLLIN};

		if (poll(&news, 1, TICK_MS / 10) > 0)
			read_news(r);
	}
	return now_s() - r->group_s[number] <= SAME_SIGNAL_S;
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

/* What came for it, or for us, since the last time: passed on to whom it has not reached. */
static void follow_signals(struct process_state *r)
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
			r->next_s = now_s() + grace_s(r);
		}
	}
}

static void note_log(struct process_state *r, int result)
{
	if (result == 0)
		return;
	r->ret->log_failed = true;
	r->log = -1;
}

/* One turn: what there is to pass on, or news. */
static void turn(struct process_state *r)
{
	struct pollfd polled[STREAMS + 1];

	for (int i = 0; i < STREAMS; i++)
		polled[i] = stream_poll(&r->streams[i]);
	polled[STREAMS] =
		(struct pollfd){.fd = r->has_ended ? -1 : r->keeper.news, .events = POLLIN};
	if (poll(polled, STREAMS + 1, TICK_MS) <= 0)
		return;
	for (int i = 0; i < STREAMS; i++)
		note_log(r, stream_move(&r->streams[i], polled[i].revents, &r->ret->said, r->log));
	if (polled[STREAMS].revents)
		read_news(r);
}

/* What is still in the pipes; then the rest goes on to whoever reads, as slowly as that may be. */
static void finish_streams(struct process_state *r)
{
	for (int i = 0; i < STREAMS; i++)
		note_log(r, stream_drain(&r->streams[i], r->p->attended ? TICK_MS : 0,
					 &r->ret->said, r->log));
	while (stream_waits(&r->streams[0]) || stream_waits(&r->streams[1])) {
		bool ignored;

		if (interrupt_pending()) {
			r->ret->interrupted = interrupt_take(&ignored);
			r->ret->dropped = true;
			return;
		}
		turn(r);
	}
}

static void attend(struct process_state *r)
{
	sigset_t pipes, before;

	/* Whoever reads what we pass on may be gone: then the report is still made. */
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipes, &before);
	while (!r->has_ended) {
		turn(r);
		/* Whom signals are for is known when it has been started. */
		if (r->pid) {
			follow_signals(r);
			follow_clock(r);
			follow_disk(r);
		}
		for (int i = 0; i < STREAMS; i++)
			stream_resize(&r->streams[i]);
		if (r->p->tick)
			r->p->tick(r->p->ctx);
	}
	finish_streams(r);
	while (sigtimedwait(&pipes, NULL, &(struct timespec){0}) > 0)
		continue;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool is_other(const struct process_state *r, pid_t pid)
{
	for (size_t i = 0; i < r->others.count; i++) {
		if (r->others.all[i].pid == pid)
			return true;
	}
	return false;
}

/* Without its keeper, what there is of the run has become ours. Returns whether it is gone. */
static bool end_adopted(const struct process_state *r)
{
	const pid_t self = getpid();
	struct process_tree t;
	bool gone = true;

	process_tree_read(self, &t);
	for (size_t i = 0; i < t.count; i++) {
		pid_t pid = t.all[i].pid;

		if (t.all[i].parent != self || is_other(r, pid))
			continue;
		gone = false;
		process_tree_signal(pid, SIGKILL, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, WNOHANG);
	}
	process_tree_free(&t);
	return gone;
}

static void reap_keeper(const struct process_state *r)
{
	while (waitpid(r->keeper.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	for (int i = 0; r->lost && r->p->attended && i < 100 && !end_adopted(r); i++)
		poll(NULL, 0, TICK_MS / 10);
}

/* Both ends of what it says; a quiet program has one for both. */
static int open_streams(struct process_state *r, int ends[STREAMS])
{
	const bool attended = r->p->attended;

	r->streams[1] = (struct stream){.from = -1, .to = -1};
	if (stream_open(&r->streams[0], attended ? STDOUT_FILENO : -1, &ends[0]) < 0)
		return -1;
	r->streams[0].first = r->p->answers;
	ends[1] = ends[0];
	if (r->p->answers)
		ends[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	else if (attended && stream_open(&r->streams[1], STDERR_FILENO, &ends[1]) < 0)
		ends[1] = -1;
	if (ends[1] >= 0)
		return 0;
	close(ends[0]);
	stream_close(&r->streams[0]);
	return -1;
}

static int start(struct process_state *r)
{
	int ends[STREAMS], result, saved;

	if (open_streams(r, ends) < 0)
		return -1;
	r->began_s = now_s();
	if (r->p->timeout_s > 0)
		r->next_s = r->began_s + r->p->timeout_s;
	result = keeper_start(&r->keeper, r->p, ends[0], ends[1]);
	saved = errno;
	close(ends[0]);
	if (ends[1] != ends[0])
		close(ends[1]);
	for (int i = 0; result < 0 && i < STREAMS; i++)
		stream_close(&r->streams[i]);
	errno = saved;
	return result;
}

static int run(struct process_state *r, struct err *e)
{
	if (start(r) < 0)
		return err_set_errno(e, "cannot run '%s'", r->p->argv[0]);
	attend(r);
	for (int i = 0; i < STREAMS; i++)
		stream_close(&r->streams[i]);
	reap_keeper(r);
	close(r->keeper.news);
	close(r->keeper.orders);
	r->ret->elapsed_s = now_s() - r->began_s;
	if (r->failed) {
		errno = r->failed;
		return err_set_errno(e, "cannot run '%s'", r->p->argv[0]);
	}
	r->ret->status = r->end.status;
	r->ret->had_child = r->end.had_child;
	r->ret->outlived = r->end.outlived;
	r->ret->own_status = r->end.own_status;
	r->ret->ended = r->end.ended;
	r->ret->left = r->end.left;
	if (!r->p->attended && interrupt_pending())
		return err_set(e, ERR_SYSTEM, "interrupted");
	return 0;
}

static int open_log(struct process_state *r, struct err *e)
{
	if (!r->p->attended || !r->p->log)
		return 0;
	r->log = open(r->p->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return r->log < 0 ? err_set_errno(e, "cannot write '%s'", r->p->log) : 0;
}

int process_run(const struct process *p, struct process_end *ret, struct err *e)
{
	struct process_state r = {.p = p, .log = -1, .ret = ret};
	int result, log;
	bool ignored;

	*ret = (struct process_end){0};
	if (open_log(&r, e) < 0)
		return -1;
	log = r.log;
	if (p->attended) {
		interrupt_hold();
		interrupt_hold_messages();
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		process_tree_read(getpid(), &r.others);
		r.profiler.folder = profiler_find_folder(p->profiler ? p->profiler : p->argv[0]);
	}
	result = run(&r, e);
	if (p->attended) {
		prctl(PR_SET_CHILD_SUBREAPER, 0);
		/* They were the program's. */
		while (interrupt_take(&ignored))
			continue;
		interrupt_release_messages();
		interrupt_release();
		process_tree_free(&r.others);
		free(r.profiler.folder);
	}
	if (log >= 0)
		close(log);
	return result;
}

void process_end_free(struct process_end *end)
{
	buf_free(&end->said);
}

int process_exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
