/* How did the program end, and was it the program that ended? */
#include "capture/nsys_log.h"
#include "capture/nsys_output.h"
#include "cli/say.h"
#include "commands/runs/profile.h"
#include "text/units.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

/* nsys, and shells, end with 128 and the number of the signal that has killed a program. */
static void note_status(struct run_record *r, int status)
{
	r->has_ended = true;
	r->exit_code = process_exit_code(status);
	r->signal = r->exit_code > 128 && sigabbrev_np(r->exit_code - 128) ? r->exit_code - 128 : 0;
}

/*
 * nsys could not start itself, as its loader says, and nothing tells that it came to the program:
 * no process, which may have been too short to be seen, no word, no file.
 */
static bool never_started(const struct process_end *end, const char *folder, const char *log)
{
	return end->status && !end->had_child && nsys_log_lacks_library(log) &&
	       !nsys_left_anything(folder);
}

/*
 * nsys ends as the program did, unless it is killed itself or does not start it. Behind a launcher
 * it is the launcher that ends so.
 */
void profile_note_end(struct run_record *r, const struct process_end *end, const char *folder,
		      const char *log)
{
	const bool launched = r->profiler_argv[0] != r->nsys;

	r->ended = time(NULL);
	r->elapsed_s = end->elapsed_s;
	r->timed_out = end->timed_out;
	r->interrupted = end->interrupted;
	r->ended_processes = end->ended;
	r->left = end->left;
	if (WIFSIGNALED(end->status) && !launched)
		r->nsys_signal = WTERMSIG(end->status);
	if (end->outlived) {
		note_status(r, end->own_status);
		/* nsys-launcher, which ends as the program does, has to write that down. */
		r->doubtful = end->own_status && nsys_log_lacks_room(log);
	} else if (launched || (!r->nsys_signal && !nsys_log_refuses(log) &&
				!never_started(end, folder, log))) {
		note_status(r, end->status);
		r->doubtful = !launched && end->status && nsys_has_failed(folder, log);
	}
	/* It may end well where the program did not. */
	if (nsys_log_exit(log, &r->exit_code, &r->signal)) {
		r->has_ended = true;
		r->doubtful = false;
	}
}

static void add_signal(struct buf *b, int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		buf_addf(b, "SIG%s", name);
	else
		buf_addf(b, "signal %d", number);
}

static void add_code(struct buf *b, const struct run_record *r)
{
	buf_addf(b, "the program ended with exit code %d", r->exit_code);
	if (r->signal) {
		buf_adds(b, " (");
		add_signal(b, r->signal);
		buf_addc(b, ')');
	}
	if (r->doubtful)
		buf_adds(b, ", unless that is nsys's own,");
}

static void add_end(struct buf *b, const struct run_record *r)
{
	if (r->has_ended)
		add_code(b, r);
	else
		buf_adds(b, r->nsys_signal ? "the program's exit code is unknown"
					   : "nsys did not start the program");
	buf_adds(b, " after ");
	units_add_ns(b, r->elapsed_s * 1e9);
	if (r->timed_out)
		buf_adds(b, ", ended by the time limit");
	else if (r->interrupted)
		buf_adds(b, ", interrupted");
	if (r->nsys_signal) {
		buf_adds(b, "; nsys was killed by ");
		add_signal(b, r->nsys_signal);
	}
	if (r->ended_processes)
		buf_addf(b, "; %u process%s it left running %s ended", r->ended_processes,
			 r->ended_processes == 1 ? "" : "es",
			 r->ended_processes == 1 ? "was" : "were");
}

static void say_left(const struct process_left *left)
{
	struct buf b = {0};

	if (!left->count)
		return;
	buf_addf(&b, "%u process%s it left running could not be ended:", left->count,
		 left->count == 1 ? "" : "es");
	for (unsigned i = 0; i < left->count && i < PROCESS_LEFT_TOLD; i++)
		buf_addf(&b, "%s %d", i ? "," : "", (int)left->pids[i]);
	if (left->count > PROCESS_LEFT_TOLD)
		buf_adds(&b, ", …");
	buf_adds(&b, "; end them with sudo kill");
	say_warning(b.s);
	buf_free(&b);
}

void profile_say_end(const struct run_record *r)
{
	struct buf b = {0};

	buf_adds(&b, "gpuwhy: ");
	add_end(&b, r);
	fprintf(stderr, "%s\n", b.s);
	buf_free(&b);
	say_left(&r->left);
}
