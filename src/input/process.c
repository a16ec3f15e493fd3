/* What did another program say, and how did it end? */
#include "input/process.h"

#include "input/interrupt.h"
#include "input/process_keeper.h"
#include "input/process_stream.h"
#include "input/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, LAST_READS = 64, STREAMS = 2 };

#define USUAL_GRACE_S  10.0
#define QUIET_GRACE_S  2.0
#define PROFILER_TIMES 30

/* How far a program is being asked to end. */
enum stage { RUNS, TOLD_INT, TOLD_TERM, KILLED, ALL_KILLED };

struct run {
	const struct process *p;
	struct keeper keeper;
	struct stream streams[STREAMS];
	int log;
	pid_t pid; /* of the program, 0 until it is known */
	struct keeper_news end;
	bool has_ended;
	int failed; /* errno for which it did not start */
	enum stage stage;
	double began_s, next_s; /* next_s: when the stage ends; 0: never */
	struct process_end *ret;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double grace_s(const struct run *r)
{
	if (!r->p->attended)
		return QUIET_GRACE_S;
	return r->p->grace_s > 0 ? r->p->grace_s : USUAL_GRACE_S;
}

/* Quiet programs are ours, profilers or not. */
static pid_t spared(const struct run *r)
{
	return r->p->attended ? r->pid : 0;
}

/* Where nothing but the profiler is left, it is the profiler that is meant. */
static void pass_on(struct run *r, int signal_number)
{
	if (!process_tree_signal(r->keeper.pid, signal_number, spared(r)))
		process_tree_signal(r->keeper.pid, signal_number, 0);
}

static void enter(struct run *r, enum stage stage)
{
	static const int signals[] = {
		[TOLD_INT] = SIGINT, [TOLD_TERM] = SIGTERM, [KILLED] = SIGKILL};

	r->stage = stage;
	r->next_s = now_s() + grace_s(r) * (stage == KILLED ? PROFILER_TIMES : 1);
	if (stage != ALL_KILLED) {
		process_tree_signal(r->keeper.pid, signals[stage], spared(r));
		return;
	}
	r->next_s = 0;
	process_tree_signal(r->keeper.pid, SIGKILL, 0);
}

static void follow_clock(struct run *r)
{
	if (!r->next_s || now_s() < r->next_s)
		return;
	if (r->stage == RUNS)
		r->ret->timed_out = true;
	/* What is quiet has no profiler that would still write a report. */
	enter(r, r->stage == KILLED || (r->stage == TOLD_TERM && !r->p->attended) ? ALL_KILLED
										  : r->stage + 1);
}

/* A signal from the terminal has reached the program already. */
static void follow_signals(struct run *r)
{
	bool shared;
	int number;

	if (!r->p->attended) {
		if (interrupt_pending() && r->stage < TOLD_TERM)
			enter(r, TOLD_TERM);
		return;
	}
	while ((number = interrupt_take(&shared))) {
		r->ret->interrupted = number;
		if (shared)
			continue;
		pass_on(r, number);
		if (number != SIGINT && r->stage < TOLD_TERM) {
			r->stage = TOLD_TERM;
			r->next_s = now_s() + grace_s(r);
		}
	}
}

static void read_news(struct run *r)
{
	struct keeper_news news;
	ssize_t got = read(r->keeper.news, &news, sizeof(news));

	if (got < 0 && errno == EINTR)
		return;
	if (got != sizeof(news)) {
		/* Somebody killed the keeper, and with it the program. */
		r->end = (struct keeper_news){.what = KEPT_ENDED, .status = SIGKILL};
		r->has_ended = true;
	} else if (news.what == KEPT_STARTED) {
		r->pid = news.pid;
	} else {
		r->end = news;
		r->failed = news.what == KEPT_FAILED ? news.error : 0;
		r->has_ended = true;
	}
}

static void move_streams(struct run *r, const struct pollfd *polled)
{
	for (int i = 0; i < STREAMS; i++) {
		if (stream_move(&r->streams[i], polled[i].revents, &r->ret->said, r->log) < 0) {
			r->ret->log_failed = true;
			r->log = -1;
		}
	}
}

/* One turn: what there is to pass on, or news. Returns false when nothing came. */
static bool turn(struct run *r, int wait_ms)
{
	struct pollfd polled[STREAMS + 1];
	bool came;

	for (int i = 0; i < STREAMS; i++)
		polled[i] = stream_poll(&r->streams[i]);
	polled[STREAMS] =
		(struct pollfd){.fd = r->has_ended ? -1 : r->keeper.news, .events = POLLIN};
	came = poll(polled, STREAMS + 1, wait_ms) > 0;
	if (!came)
		return false;
	move_streams(r, polled);
	if (polled[STREAMS].revents)
		read_news(r);
	return true;
}

static void attend(struct run *r)
{
	sigset_t pipes, before;

	/* Whoever reads what we pass on may be gone: then the report is still made. */
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipes, &before);
	while (!r->has_ended) {
		turn(r, TICK_MS);
		/* Whom signals are for is known when it has been started. */
		if (r->pid) {
			follow_signals(r);
			follow_clock(r);
		}
		for (int i = 0; i < STREAMS; i++)
			stream_resize(&r->streams[i]);
		if (r->p->tick)
			r->p->tick(r->p->ctx);
	}
	/* What is still in the pipes: no more, for somebody may have them and talk on. */
	for (int i = 0; i < LAST_READS && turn(r, r->p->attended ? TICK_MS : 0); i++)
		if (r->streams[0].from < 0 && r->streams[1].from < 0)
			break;
	while (sigtimedwait(&pipes, NULL, &(struct timespec){0}) > 0)
		continue;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void reap_keeper(const struct run *r)
{
	int status;

	while (waitpid(r->keeper.pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) || !r->p->attended)
		return;
	/* Without its keeper, what there was of the run became ours. */
	for (int i = 0; i < 100 && process_tree_signal(getpid(), SIGKILL, 0); i++) {
		poll(NULL, 0, TICK_MS / 10);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
	}
}

/* Both ends of what it says; a quiet program has one for both. */
static int open_streams(struct run *r, int ends[STREAMS])
{
	const bool attended = r->p->attended;

	r->streams[1] = (struct stream){.from = -1, .to = -1};
	if (stream_open(&r->streams[0], attended ? STDOUT_FILENO : -1, &ends[0]) < 0)
		return -1;
	ends[1] = ends[0];
	if (!attended || stream_open(&r->streams[1], STDERR_FILENO, &ends[1]) == 0)
		return 0;
	close(ends[0]);
	stream_close(&r->streams[0]);
	return -1;
}

static int start(struct run *r)
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

static int run(struct run *r, struct err *e)
{
	if (start(r) < 0)
		return err_set_errno(e, "cannot run '%s'", r->p->argv[0]);
	attend(r);
	for (int i = 0; i < STREAMS; i++)
		stream_close(&r->streams[i]);
	reap_keeper(r);
	close(r->keeper.news);
	r->ret->elapsed_s = now_s() - r->began_s;
	if (r->failed) {
		errno = r->failed;
		return err_set_errno(e, "cannot run '%s'", r->p->argv[0]);
	}
	r->ret->status = r->end.status;
	r->ret->ended = r->end.ended;
	if (!r->p->attended && interrupt_pending())
		return err_set(e, ERR_SYSTEM, "interrupted");
	return 0;
}

static int open_log(struct run *r, struct err *e)
{
	if (!r->p->attended || !r->p->log)
		return 0;
	r->log = open(r->p->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return r->log < 0 ? err_set_errno(e, "cannot write '%s'", r->p->log) : 0;
}

int process_run(const struct process *p, struct process_end *ret, struct err *e)
{
	struct run r = {.p = p, .log = -1, .ret = ret};
	int result, log;
	bool ignored;

	*ret = (struct process_end){0};
	if (open_log(&r, e) < 0)
		return -1;
	log = r.log;
	if (p->attended) {
		interrupt_hold();
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	}
	result = run(&r, e);
	if (p->attended) {
		prctl(PR_SET_CHILD_SUBREAPER, 0);
		/* They were the program's. */
		while (interrupt_take(&ignored))
			continue;
		interrupt_release();
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
