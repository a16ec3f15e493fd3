/* How did another command of this program end, and what did it say? */
#include "mcp/tools/run_self.h"

#include "base/file.h"
#include "base/mem.h"
#include "input/process.h"
#include "mcp/work.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT_BYTES = 4096, LOOK_MS = 100 };

/* What is left of it are system calls: after fork() nothing else is safe. */
static _Noreturn void become(char *const *argv, const char *folder, int out)
{
	const int nothing = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (setpgid(0, 0) == 0 && chdir(folder) == 0 && nothing >= 0 && dup2(nothing, 0) == 0 &&
	    dup2(out, 1) == 1 && dup2(out, 2) == 2)
		execv("/proc/self/exe", argv);
	_exit(127);
}

/* The last bytes alone: a program may say anything, for hours. */
static void keep_end(struct buf *said, const char *bytes, size_t len)
{
	buf_add(said, bytes, len);
	if (said->len > 2 * KEPT_BYTES) {
		memmove(said->s, said->s + said->len - KEPT_BYTES, KEPT_BYTES);
		said->len = KEPT_BYTES;
	}
}

/* Until it has closed its output; whether it was given up. */
static bool listen_to(int from, pid_t child, struct buf *said)
{
	bool gave_up = false;

	for (;;) {
		struct pollfd waits = {.fd = from, .events = POLLIN};
		char bytes[4096];
		ssize_t got;

		if (!gave_up && work_is_cancelled()) {
			gave_up = true;
			kill(child, SIGTERM);
		}
		if (poll(&waits, 1, LOOK_MS) <= 0)
			continue;
		got = read(from, bytes, sizeof(bytes));
		if (got <= 0)
			return gave_up;
		keep_end(said, bytes, (size_t)got);
	}
}

int run_self(char *const *argv, const char *folder, struct self_end *ret, struct err *e)
{
	SCOPED_BUF said = {0};
	int ends[2], status = 0;
	bool gave_up;
	pid_t child;

	*ret = (struct self_end){0};
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set_errno(e, "a pipe");
	child = fork();
	if (child == 0)
		become(argv, folder, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return err_set_errno(e, "cannot start a process");
	}
	gave_up = listen_to(ends[0], child, &said);
	close(ends[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	ret->exit_code = process_exit_code(status);
	text_add_safe(&ret->said, buf_str(&said));
	return gave_up ? err_set(e, ERR_SYSTEM, "it was given up") : 0;
}
