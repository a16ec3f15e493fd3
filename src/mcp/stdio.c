/* Who asks on standard input, and what is written to standard output? */
#include "mcp/stdio.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "mcp/lines.h"
#include "mcp/work.h"
#include "web/workers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_WAITING = 4096,
	MOST_WAITING_BYTES = 64 << 20,
	PIECE_BYTES = 1 << 16,
	TELL_MS = 200,	  /* between two messages of progress */
	END_MS = 600,	  /* for what was asked before the end */
	GIVE_UP_MS = 200, /* for what is given up then */
	LOOK_NS = 2000000,
	TOO_MANY = -32000,
};

/* A request that waits for its turn, or is being answered. */
struct job {
	struct message request;
	size_t bytes;
	bool is_cancelled;
	struct stdio *of;
	struct job *next;
};

struct stdio {
	struct mcp *mcp;
	struct mcp_session session;
	struct workers *worker; /* one thread */
	int out;
	pthread_mutex_t lock; /* of what follows */
	struct job *jobs;     /* in any order */
	struct job *running;
	size_t waiting_bytes;
	int64_t told_ms; /* of progress, of the running one */
	bool has_failed; /* nobody reads any more */
};

/* With the lock: whole lines. */
static void send_line(struct stdio *s, struct buf *line)
{
	if (!line->len || s->has_failed)
		return;
	buf_addc(line, '\n');
	s->has_failed = file_write_all(s->out, line->s, line->len) < 0;
}

static void lock_and_send(struct stdio *s, struct buf *line)
{
	pthread_mutex_lock(&s->lock);
	send_line(s, line);
	pthread_mutex_unlock(&s->lock);
}

static void forget(struct stdio *s, struct job *j)
{
	struct job **at = &s->jobs;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	s->waiting_bytes -= j->bytes;
	message_free(&j->request);
	free(j);
}

/* Whoever was told not to wait for it is told nothing more of it. */
static void do_job(void *ctx)
{
	struct job *j = ctx;
	struct stdio *s = j->of;
	SCOPED_BUF reply = {0};
	bool is_wanted;

	pthread_mutex_lock(&s->lock);
	is_wanted = !j->is_cancelled;
	s->running = j;
	s->told_ms = 0;
	work_begin(NULL, NULL);
	pthread_mutex_unlock(&s->lock);
	if (is_wanted)
		mcp_work(s->mcp, &j->request, &reply);
	pthread_mutex_lock(&s->lock);
	s->running = NULL;
	if (!j->is_cancelled)
		send_line(s, &reply);
	forget(s, j);
	pthread_mutex_unlock(&s->lock);
}

static void cancel(struct stdio *s, struct str id)
{
	pthread_mutex_lock(&s->lock);
	for (struct job *j = s->jobs; j; j = j->next) {
		if (!str_eq(buf_str(&j->request.id), id))
			continue;
		j->is_cancelled = true;
		if (j == s->running)
			work_give_up();
	}
	pthread_mutex_unlock(&s->lock);
}

static void refuse_job(struct stdio *s, struct message *request)
{
	struct rpc_error e = {0};
	SCOPED_BUF line = {0};

	rpc_fail(&e, (enum rpc_code)TOO_MANY,
		 "too many requests wait: ask again when some are "
		 "answered");
	message_add_error(&line, buf_str(&request->id), &e);
	message_free(request);
	lock_and_send(s, &line);
}

/* The message is the job's from here on. */
static void add_job(struct stdio *s, struct message *request, size_t bytes)
{
	struct job *j;
	bool has_room;

	pthread_mutex_lock(&s->lock);
	has_room = s->waiting_bytes + bytes <= MOST_WAITING_BYTES;
	if (has_room) {
		j = mem_zalloc(1, sizeof(*j));
		*j = (struct job){*request, bytes, false, s, s->jobs};
		s->jobs = j;
		s->waiting_bytes += bytes;
		has_room = workers_add(s->worker, do_job, j);
		if (!has_room) {
			*request = j->request;
			j->request = (struct message){0};
			forget(s, j);
		}
	}
	pthread_mutex_unlock(&s->lock);
	if (!has_room)
		refuse_job(s, request);
}

static void take_line(void *ctx, struct str line)
{
	struct stdio *s = ctx;
	SCOPED_BUF reply = {0};
	struct message m;

	switch (mcp_take(s->mcp, &s->session, line, &m, &reply)) {
	case MCP_WORK:
		add_job(s, &m, line.len);
		return;
	case MCP_CANCEL:
		cancel(s, buf_str(&m.id));
		break;
	case MCP_DONE:
		lock_and_send(s, &reply);
		break;
	}
	message_free(&m);
}

/* Under the lock nothing of it can come after its answer. */
static void tell_progress(struct stdio *s)
{
	struct progress_task task = {0};
	SCOPED_BUF line = {0}, what = {0};
	int64_t elapsed_ms;

	pthread_mutex_lock(&s->lock);
	elapsed_ms = work_elapsed_ns() / 1000000;
	if (s->running && s->running->request.progress.len && !s->running->is_cancelled &&
	    elapsed_ms - s->told_ms >= TELL_MS) {
		s->told_ms = elapsed_ms;
		if (progress_current(&task))
			buf_addf(&what, "%s%s", task.verb, task.what);
		message_add_progress(&line, buf_str(&s->running->request.progress),
				     (double)elapsed_ms, what.s);
		send_line(s, &line);
	}
	pthread_mutex_unlock(&s->lock);
}

static bool is_idle(struct stdio *s)
{
	bool idle;

	pthread_mutex_lock(&s->lock);
	idle = !s->jobs;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

static bool has_failed(struct stdio *s)
{
	bool failed;

	pthread_mutex_lock(&s->lock);
	failed = s->has_failed;
	pthread_mutex_unlock(&s->lock);
	return failed;
}

static volatile sig_atomic_t is_ended;

static void note_end(int signal)
{
	(void)signal;
	is_ended = 1;
}

/* Read in pieces as they come: what is pipelined is never waited for. */
static void read_all(struct stdio *s, int in)
{
	struct lines l = {.most = MESSAGE_MOST_BYTES};
	char *bytes = mem_alloc(PIECE_BYTES, 1);

	while (!is_ended && !has_failed(s)) {
		struct pollfd waits = {.fd = in, .events = POLLIN};
		ssize_t got;

		if (poll(&waits, 1, is_idle(s) ? -1 : TELL_MS) <= 0) {
			tell_progress(s);
			continue;
		}
		got = read(in, bytes, PIECE_BYTES);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			break;
		lines_feed(&l, bytes, (size_t)got, take_line, s);
		tell_progress(s);
	}
	lines_end(&l, take_line, s);
	free(bytes);
}

static bool wait_until_idle(struct stdio *s, int64_t ms)
{
	const int64_t end_ns = clock_now_ns() + ms * 1000000;
	const struct timespec a_little = {0, LOOK_NS};

	while (!is_idle(s)) {
		if (clock_now_ns() > end_ns)
			return false;
		nanosleep(&a_little, NULL);
	}
	return true;
}

/* The worker, and what it starts, leave signals to the thread that reads. */
static struct workers *start_worker(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction note = {.sa_handler = note_end};
	struct workers *w;
	sigset_t set, before;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct sigaction now;

		if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(ends[i], &note, NULL);
		sigaddset(&set, ends[i]);
	}
	pthread_sigmask(SIG_BLOCK, &set, &before);
	w = workers_start(1, MOST_WAITING);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return w;
}

int stdio_serve(struct mcp *m, int in, int out, bool *ret_is_idle, struct err *e)
{
	struct stdio *s = mem_zalloc(1, sizeof(*s));

	*s = (struct stdio){.mcp = m, .out = out, .worker = start_worker()};
	pthread_mutex_init(&s->lock, NULL);
	if (!s->worker) {
		free(s);
		return err_set(e, ERR_SYSTEM, "no thread is to be had");
	}
	signal(SIGPIPE, SIG_IGN);
	read_all(s, in);
	*ret_is_idle = wait_until_idle(s, END_MS);
	if (!*ret_is_idle) {
		work_end_all();
		*ret_is_idle = wait_until_idle(s, GIVE_UP_MS);
	}
	/* Whoever still works uses what is here: the program ends without it. */
	if (!*ret_is_idle)
		return 0;
	workers_free(s->worker);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return 0;
}
