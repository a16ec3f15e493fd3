/* How does nothing of a program outlive its run? */
#include "input/process_keeper.h"

#include "base/mem.h"
#include "input/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAP_MS = 50, TERM_MS = 2000 };

/* What the kernel sends the keeper when we are gone. */
#define ORPHANED SIGUSR1

/* How signals were before the keeper blocked them all: the program's start in life. */
static void restore_signals(const sigset_t *mask)
{
	static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGBUS};
	struct sigaction now;

	for (size_t i = 0; i < ARRAY_LEN(held); i++) {
		/* What whoever started us ignores, as under nohup, stays so. */
		if (sigaction(held[i], NULL, &now) == 0 &&
		    (now.sa_handler != SIG_IGN || held[i] == SIGXFSZ))
			signal(held[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
}

static bool is_replaced(const char *entry, const char *const *env)
{
	size_t len = strcspn(entry, "=");

	for (; env && *env; env++) {
		if (strncmp(*env, entry, len) == 0 && (*env)[len] == '=')
			return true;
	}
	return false;
}

static char **environment_with(const char *const *env)
{
	char **all = NULL;
	size_t count = 0, cap = 0;

	for (char **old = environ; *old; old++) {
		if (is_replaced(*old, env))
			continue;
		MEM_GROW(all, cap, count + 1);
		all[count++] = *old;
	}
	for (; env && *env; env++) {
		MEM_GROW(all, cap, count + 1);
		all[count++] = (char *)*env;
	}
	MEM_GROW(all, cap, count + 1);
	all[count] = NULL;
	return all;
}

static void become(const struct process *p, const sigset_t *mask, int out_fd, int err_fd,
		   int failed)
{
	char **env = environment_with(p->env);

	/* The keeper itself may be killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* stdin comes last: where ours is closed, one of the others may have its number. */
	if (dup2(out_fd, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0) {
		if (!p->attended) {
			close(STDIN_FILENO);
			open("/dev/null", O_RDONLY);
		}
		restore_signals(mask);
		execve(p->argv[0], p->argv, env);
	}
	if (write(failed, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/* Returns 0 or the errno for which there is no program. */
static int start(const struct process *p, const sigset_t *mask, int out_fd, int err_fd, pid_t *ret)
{
	int failed[2], error = 0;

	if (pipe2(failed, O_CLOEXEC) < 0)
		return errno;
	*ret = fork();
	if (*ret == 0)
		become(p, mask, out_fd, err_fd, failed[1]);
	if (*ret < 0)
		error = errno;
	close(failed[1]);
	close(out_fd);
	if (err_fd != out_fd)
		close(err_fd);
	/* Closed by exec, or what went wrong. */
	if (!error && read(failed[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(failed[0]);
	return error;
}

static void tell(int news, struct keeper_news what)
{
	ssize_t ignored = write(news, &what, sizeof(what));

	(void)ignored;
}

/* Takes leave of who has ended. Returns whether the program was among them. */
static bool reap(pid_t program, int *status)
{
	bool found = false;
	int one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid != program)
			continue;
		*status = one;
		found = true;
	}
	return found;
}

/* Until something happens, or a moment has passed. Returns false when we are alone. */
static bool nap(const sigset_t *awaited)
{
	const struct timespec moment = {0, NAP_MS * 1000000L};

	return sigtimedwait(awaited, NULL, &moment) != ORPHANED;
}

static int left_over(bool daemons_only)
{
	pid_t session = getsid(0);
	struct process_tree t;
	int count = 0;

	process_tree_read(getpid(), &t);
	for (size_t i = 0; i < t.count; i++)
		count += !daemons_only || t.all[i].session != session;
	process_tree_free(&t);
	return count;
}

/* Ends all that is left; what does not go by itself in two seconds is killed. */
static unsigned end_rest(const sigset_t *awaited)
{
	int left = left_over(false), none;
	bool killing = false;

	for (int ms = 0; left_over(false); ms += NAP_MS) {
		killing = ms >= TERM_MS;
		if (ms == 0 || killing)
			process_tree_signal(getpid(), killing ? SIGKILL : SIGTERM, 0);
		nap(awaited);
		reap(0, &none);
	}
	return (unsigned)left;
}

static void keep(const struct process *p, pid_t program, const sigset_t *awaited, int news)
{
	struct keeper_news end = {.what = KEPT_ENDED};
	bool ended = false, alone = false;

	while (!alone && !ended) {
		alone = !nap(awaited);
		ended = reap(program, &end.status);
	}
	/* A profiler may leave the program to itself: that is still the run. */
	while (!alone && p->attended && left_over(false) > left_over(true)) {
		alone = !nap(awaited);
		reap(0, &end.status);
	}
	end.ended = end_rest(awaited);
	tell(news, end);
}

static void be_keeper(const struct process *p, pid_t parent, const sigset_t *mask, int out_fd,
		      int err_fd, int news)
{
	sigset_t awaited;
	pid_t program = 0;
	int error;

	prctl(PR_SET_PDEATHSIG, ORPHANED);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, ORPHANED);
	if (!p->attended)
		setpgid(0, 0);
	error = start(p, mask, out_fd, err_fd, &program);
	if (error) {
		tell(news, (struct keeper_news){.what = KEPT_FAILED, .error = error});
		_exit(0);
	}
	tell(news, (struct keeper_news){.what = KEPT_STARTED, .pid = program});
	keep(p, program, &awaited, news);
	_exit(0);
}

int keeper_start(struct keeper *k, const struct process *p, int out_fd, int err_fd)
{
	pid_t parent = getpid();
	sigset_t all, mask;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	/* Nothing but our death, and SIGKILL, moves the keeper. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	k->pid = fork();
	if (k->pid == 0) {
		close(ends[0]);
		be_keeper(p, parent, &mask, out_fd, err_fd, ends[1]);
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	close(ends[1]);
	k->news = ends[0];
	if (k->pid > 0)
		return 0;
	close(ends[0]);
	return -1;
}
