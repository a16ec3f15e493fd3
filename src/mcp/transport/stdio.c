/* Who asks on standard input, and what is written to standard output? */
#include "mcp/transport/stdio.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "mcp/transport/lines.h"
#include "mcp/transport/runner.h"
#include "mcp/work.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	PIECE_BYTES = 1 << 16,
	END_MS = 600,	  /* for what was asked before the end */
	GIVE_UP_MS = 200, /* for what is given up then */
	LOOK_NS = 2000000,
	TOO_MANY = -32000,
};

struct stdio {
	struct mcp *mcp;
	struct mcp_session session;
	struct runner *runner;
	int out;
	_Atomic bool has_failed; /* nobody reads any more */
};

static volatile sig_atomic_t is_ended;

static void note_end(int signal)
{
	(void)signal;
	is_ended = 1;
}

static void send_line(void *ctx, struct buf *line)
{
	struct stdio *s = ctx;

	if (!line->len || atomic_load(&s->has_failed))
		return;
	buf_addc(line, '\n');
	if (file_write_all(s->out, line->s, line->len) < 0)
		atomic_store(&s->has_failed, true);
}

static void refuse(struct stdio *s, const struct message *request)
{
	struct rpc_error e = {0};
	SCOPED_BUF line = {0};

	rpc_fail(&e, (enum rpc_code)TOO_MANY,
		 "too many requests wait: ask again when some are answered");
	message_add_error(&line, buf_str(&request->id), &e);
	runner_send(s->runner, &line);
}

static void take_line(void *ctx, struct str line)
{
	struct stdio *s = ctx;
	SCOPED_BUF reply = {0};
	struct message m;

	switch (mcp_take(s->mcp, &s->session, line, &m, &reply)) {
	case MCP_WORK:
		if (runner_add(s->runner, &m, line.len))
			return;
		refuse(s, &m);
		break;
	case MCP_CANCEL:
		runner_cancel(s->runner, buf_str(&m.id));
		break;
	case MCP_DONE:
		runner_send(s->runner, &reply);
		break;
	}
	message_free(&m);
}

/* Read in pieces as they come: what is pipelined is never waited for. */
static void read_all(struct stdio *s, int in)
{
	struct lines l = {.most = MESSAGE_MOST_BYTES};
	char *bytes = mem_alloc(PIECE_BYTES, 1);

	while (!is_ended && !atomic_load(&s->has_failed)) {
		struct pollfd waits = {.fd = in, .events = POLLIN};
		ssize_t got;

		if (poll(&waits, 1, runner_tick(s->runner)) <= 0)
			continue;
		got = read(in, bytes, PIECE_BYTES);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			break;
		lines_feed(&l, bytes, (size_t)got, take_line, s);
	}
	lines_end(&l, take_line, s);
	free(bytes);
}

static bool wait_until_idle(struct stdio *s, int64_t ms)
{
	const int64_t end_ns = clock_now_ns() + ms * 1000000;
	const struct timespec a_little = {0, LOOK_NS};

	while (!runner_is_idle(s->runner)) {
		if (clock_now_ns() > end_ns)
			return false;
		runner_tick(s->runner);
		nanosleep(&a_little, NULL);
	}
	return true;
}

/* Calls have limits of their own. */
static void wait_for_all(struct stdio *s)
{
	while (!is_ended && !wait_until_idle(s, END_MS))
		;
}

/* What is ignored stays so: nohup, and jobs that a script has begun with &. */
static void note_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction note = {.sa_handler = note_end};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct sigaction now;

		if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(ends[i], &note, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}

int stdio_serve(struct mcp *m, int in, int out, bool once, bool *ret_is_idle, struct err *e)
{
	struct stdio *s = mem_zalloc(1, sizeof(*s));

	*s = (struct stdio){.mcp = m, .out = out};
	note_signals();
	s->runner = runner_start(m, send_line, s);
	if (!s->runner) {
		free(s);
		return err_set(e, ERR_SYSTEM, "no thread is to be had");
	}
	read_all(s, in);
	if (once)
		wait_for_all(s);
	*ret_is_idle = wait_until_idle(s, END_MS);
	if (!*ret_is_idle) {
		work_end_all();
		*ret_is_idle = wait_until_idle(s, GIVE_UP_MS);
	}
	/* Whoever still works uses what is here: the program ends without it. */
	*ret_is_idle = *ret_is_idle && runner_end(s->runner);
	if (*ret_is_idle)
		free(s);
	return 0;
}
