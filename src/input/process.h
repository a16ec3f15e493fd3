/*
 * Other programs, run to their end. There is no shell in between, and nothing that a program has
 * started outlives the call, whatever happens: a keeper stands between us and it, adopts what it
 * leaves behind, and ends all of it when we ourselves are killed.
 *
 * Two ways to run one. A quiet program has a process group and /dev/null of its own, what it says
 * is only kept, and a held interrupt (input/interrupt.h) ends it. An attended one is the user's:
 *
 * - It shares our terminal, standard input and process group, so that Ctrl-C and Ctrl-Z reach it
 *   as they would alone: once, from the terminal. We live on, and wait.
 * - What it says goes on at once, stdout to stdout and stderr to stderr, and to a log as well. On a
 *   terminal it finds one, of the same size.
 * - SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1 and SIGUSR2 that somebody sends to us alone
 *   are passed on to what it is made of, apart from the profiler: that ends by itself, and writes
 *   its report, once the rest is gone. What is sent to the whole group is passed on to those alone
 *   that are not in it; but SIGINT and SIGTERM, which nsys passes on itself, to nobody.
 * - After `timeout_s` it gets SIGINT, then SIGTERM, then SIGKILL, `grace_s` apart. SIGTERM from
 *   outside begins with the second of these. A profiler that has not ended 30 times
 *   `grace_s` after that, or after a limit that found nothing but it, is killed, too; and so is one
 *   that does nothing, alone with a full disk, for `grace_s`: nsys then waits for what never comes.
 * - When it ends, whatever is left of it in our session is waited for; a process with a session of
 *   its own, a daemon, is ended (SIGTERM, two seconds later SIGKILL) and counted. What cannot be
 *   ended, because it is root's or the kernel holds it, is told.
 * - What it has said by then is in the log whoever reads it; we wait until stdout and stderr have
 *   taken the rest, are closed, or somebody interrupts.
 */
#ifndef INPUT_PROCESS_H
#define INPUT_PROCESS_H

#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

struct process {
	char *const *argv;	/* argv[0] is the program's path: there is no search */
	const char *const *env; /* "NAME=value" on top of our environment; NULL after the last */
	bool attended;
	bool answers; /* quiet: the first 256 KB of stdout alone are kept */
	/* attended: the profiler's path where argv[0] is a launcher of it; NULL: argv[0] is it */
	const char *profiler;
	const char *scratch;	 /* attended: where the profiler keeps what it records; or NULL */
	const char *log;	 /* attended: a file that is appended to; or NULL */
	double timeout_s;	 /* 0 is none */
	double grace_s;		 /* attended: 0 is 10 */
	void (*tick)(void *ctx); /* called about ten times a second while it runs; or NULL */
	void *ctx;
};

enum { PROCESS_LEFT_TOLD = 8 };

/* What could not be ended. */
struct process_left {
	unsigned count;
	pid_t pids[PROCESS_LEFT_TOLD]; /* the first of them */
};

struct process_end {
	int status;	 /* of argv[0], as from waitpid */
	bool had_child;	 /* a profiler, argv[0], was seen to have one; a short life may go unseen */
	bool outlived;	 /* a profiler, argv[0], had ended when its own child, the program, did */
	int own_status;	 /* how that ended, where it did so after the profiler */
	bool timed_out;	 /* it got at least the SIGINT of a time limit */
	bool starved;	 /* the profiler was killed because its disk was full */
	bool given_up;	 /* it was killed because it took too long */
	int interrupted; /* the last signal that came from the terminal or from outside; or 0 */
	bool log_failed; /* not all of it is in the log: the disk is full, perhaps */
	bool dropped;	 /* interrupted before all of it had been passed on */
	unsigned ended;	 /* processes that it left behind and that were ended */
	struct process_left left;
	struct buf said;  /* the last 4 KB of stdout and stderr together, raw; see `answers` */
	double elapsed_s; /* from its start to the end of all of it */
};

/*
 * Returns 0 once the program has ended, whatever its fate. Returns -1 when it could not be started,
 * when the log cannot be written, or when a held interrupt ended a quiet one. Either way the caller
 * gives *ret to process_end_free().
 */
int process_run(const struct process *p, struct process_end *ret, struct err *e);
void process_end_free(struct process_end *end);

/* Whether "NAME=..." of an environment gives way to an entry of `env`, which ends in NULL. */
bool process_env_replaces(const char *const *env, const char *entry);

/* The exit code as a shell has it: 128 and the signal where it was killed. */
int process_exit_code(int status);

#endif
