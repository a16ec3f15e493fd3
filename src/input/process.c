/* What did another program say, and how did it end? */
#include "input/process.h"

#include "input/interrupt.h"
#include "input/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double process_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void process_read_news(struct process_state *r)
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
		r->group_s[news.signal] = process_now_s();
	} else {
		r->end = news;
		r->failed = news.what == KEPT_FAILED ? news.error : 0;
		r->has_ended = true;
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
	struct pollfd polled[PROCESS_STREAMS + 1];

	for (int i = 0; i < PROCESS_STREAMS; i++)
		polled[i] = stream_poll(&r->streams[i]);
	polled[PROCESS_STREAMS] =
		(struct pollfd){.fd = r->has_ended ? -1 : r->keeper.news, .events = POLLIN};
	if (poll(polled, PROCESS_STREAMS + 1, PROCESS_TICK_MS) <= 0)
		return;
	for (int i = 0; i < PROCESS_STREAMS; i++)
		note_log(r, stream_move(&r->streams[i], polled[i].revents, &r->ret->said, r->log));
	if (polled[PROCESS_STREAMS].revents)
		process_read_news(r);
}

/* What is still in the pipes; then the rest goes on to whoever reads, as slowly as that may be. */
static void finish_streams(struct process_state *r)
{
	for (int i = 0; i < PROCESS_STREAMS; i++)
		note_log(r, stream_drain(&r->streams[i], r->p->attended ? PROCESS_TICK_MS : 0,
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
			process_follow_signals(r);
			process_follow_clock(r);
			process_follow_disk(r);
		}
		for (int i = 0; i < PROCESS_STREAMS; i++)
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
		poll(NULL, 0, PROCESS_TICK_MS / 10);
}

/* Both ends of what it says; a quiet program has one for both. */
static int open_streams(struct process_state *r, int ends[PROCESS_STREAMS])
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
	int ends[PROCESS_STREAMS], result, saved;

	if (open_streams(r, ends) < 0)
		return -1;
	r->began_s = process_now_s();
	if (r->p->timeout_s > 0)
		r->next_s = r->began_s + r->p->timeout_s;
	result = keeper_start(&r->keeper, r->p, ends[0], ends[1]);
	saved = errno;
	close(ends[0]);
	if (ends[1] != ends[0])
		close(ends[1]);
	for (int i = 0; result < 0 && i < PROCESS_STREAMS; i++)
		stream_close(&r->streams[i]);
	errno = saved;
	return result;
}

static int run(struct process_state *r, struct err *e)
{
	if (start(r) < 0)
		return err_set_errno(e, "cannot run '%s'", r->p->argv[0]);
	attend(r);
	for (int i = 0; i < PROCESS_STREAMS; i++)
		stream_close(&r->streams[i]);
	reap_keeper(r);
	close(r->keeper.news);
	close(r->keeper.orders);
	r->ret->elapsed_s = process_now_s() - r->began_s;
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
