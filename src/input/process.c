/* What did another program say, and how did it end? */
#include "input/process.h"

#include "input/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT_BYTES = 4096, TICK_MS = 100, STOP_TRIES = 20, PIPE_READS = 16 };

/* A group of its own lets it be killed together with whatever it starts. */
static int spawn(char *const *argv, int out_fd, pid_t *ret_pid)
{
	const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t set;
	int rc;

	posix_spawn_file_actions_init(&files);
	/* stdin comes last: where ours is closed, out_fd may be its number. */
	posix_spawn_file_actions_adddup2(&files, out_fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, out_fd, STDERR_FILENO);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, flags);
	posix_spawnattr_setpgroup(&attr, 0);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &set);
	rc = posix_spawn(ret_pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* Returns false at the end of what can be read. */
static bool read_more(int fd, struct buf *said)
{
	ssize_t got = read(fd, buf_reserve(said, KEPT_BYTES), KEPT_BYTES);

	if (got <= 0)
		return got < 0 && (errno == EINTR || errno == EAGAIN);
	said->len += (size_t)got;
	if (said->len > KEPT_BYTES) {
		memmove(said->s, said->s + said->len - KEPT_BYTES, KEPT_BYTES);
		said->len = KEPT_BYTES;
	}
	said->s[said->len] = '\0';
	return true;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	/* The zombie is kept, so that its group cannot become somebody else's meanwhile. */
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

static void stop(pid_t pid)
{
	kill(-pid, SIGTERM);
	for (int i = 0; i < STOP_TRIES && !has_ended(pid); i++)
		poll(NULL, 0, TICK_MS);
	kill(-pid, SIGKILL);
}

static void attend(const struct process *p, pid_t pid, int fd, struct buf *said)
{
	struct pollfd pipe_end = {.fd = fd, .events = POLLIN};

	while (!has_ended(pid)) {
		if (interrupt_pending()) {
			stop(pid);
			return;
		}
		/* A closed pipe is left out of the poll: no output any more, only its end. */
		if (poll(&pipe_end, 1, pipe_end.fd < 0 ? TICK_MS / 10 : TICK_MS) > 0 &&
		    !read_more(fd, said))
			pipe_end.fd = -1;
		p->tick(p->ctx);
	}
	/* What it started may outlive it and talk on: no more than a full pipe is read. */
	for (int i = 0; i < PIPE_READS && pipe_end.fd >= 0 && poll(&pipe_end, 1, 0) > 0; i++) {
		if (!read_more(fd, said))
			pipe_end.fd = -1;
	}
}

int process_run(const struct process *p, int *ret_status, struct buf *ret_said, struct err *e)
{
	int ends[2], rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set_errno(e, "cannot run '%s'", p->argv[0]);
	rc = spawn(p->argv, ends[1], &pid);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		errno = rc;
		return err_set_errno(e, "cannot run '%s'", p->argv[0]);
	}
	attend(p, pid, ends[0], ret_said);
	close(ends[0]);
	while (waitpid(pid, ret_status, 0) < 0) {
		if (errno != EINTR)
			return err_set_errno(e, "waiting for '%s'", p->argv[0]);
	}
	if (interrupt_pending())
		return err_set(e, ERR_SYSTEM, "interrupted");
	return 0;
}
