/* How does nothing of a program outlive its run? */
#include "input/process_keeper.h"

#include "base/clock.h"
#include "base/mem.h"
#include "input/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAP_MS = 50, TERM_MS = 2000, GIVE_UP_MS = 5000 };

/*
 * What the kernel sends the keeper when we are gone. Others may send it, too, to the whole group:
 * it only wakes.
 */
#define ORPHANED SIGUSR1

struct post {
	pid_t parent;
	int orders, news;
	sigset_t awaited;
};

/* Whose end is to be told. */
struct watch {
	pid_t program;
	pid_t own; /* of a profiler: its child, which is the user's program; 0: not known */
	bool ended;
	struct keeper_news end;
};

/* How signals were before: the program's start in life. */
struct signals {
	sigset_t mask;
	bool child_ignored; /* SIGCHLD, as some daemons have it */
};

static void restore_signals(const struct signals *was)
{
	static const int held[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM,
				   SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ, SIGBUS};
	struct sigaction now;

	for (size_t i = 0; i < ARRAY_LEN(held); i++) {
		/* What whoever started us ignores, as under nohup, stays so. */
		if (sigaction(held[i], NULL, &now) == 0 &&
		    (now.sa_handler != SIG_IGN || held[i] == SIGXFSZ))
			signal(held[i], SIG_DFL);
	}
	if (was->child_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &was->mask, NULL);
}

bool process_env_replaces(const char *const *env, const char *entry)
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
		if (process_env_replaces(env, *old))
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

static void become(const struct process *p, const struct signals *was, int out_fd, int err_fd,
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
		restore_signals(was);
		execve(p->argv[0], p->argv, env);
	}
	if (write(failed, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/* Returns 0 or the errno for which there is no program. */
static int start(const struct process *p, const struct signals *was, int out_fd, int err_fd,
		 pid_t *ret)
{
	int failed[2], error = 0;

	if (pipe2(failed, O_CLOEXEC) < 0)
		return errno;
	*ret = fork();
	if (*ret == 0)
		become(p, was, out_fd, err_fd, failed[1]);
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

/* Takes leave of who has ended, and notes how those did that matter. */
static void reap(struct watch *w)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == w->program) {
			w->end.status = status;
			w->ended = true;
		} else if (pid == w->own) {
			w->end.own_status = status;
			w->end.outlived = true;
		}
	}
}

static int64_t now_ms(void)
{
	return clock_now_ns() / 1000000;
}

/* Until something happens, or a moment has passed. Returns false when the run is to be ended. */
static bool nap(const struct post *at)
{
	const struct timespec moment = {0, NAP_MS * 1000000L};
	struct pollfd order = {.fd = at->orders, .events = POLLIN};

	int number = sigtimedwait(&at->awaited, NULL, &moment);

	if (getppid() != at->parent)
		return false;
	if (number > 0 && number != SIGCHLD)
		tell(at->news, (struct keeper_news){.what = KEPT_SIGNALLED, .signal = number});
	return poll(&order, 1, 0) == 0;
}

/* Whether anything of the program is left in our session: daemons have one of their own. */
static bool goes_on(void)
{
	pid_t session = getsid(0);
	struct process_tree t;
	bool found = false;

	process_tree_read(getpid(), &t);
	for (size_t i = 0; i < t.count; i++)
		found |= t.all[i].session == session;
	process_tree_free(&t);
	return found;
}

/* All that is left. Returns how many of them we may end: somebody may have become root. */
static size_t left_over(struct process_left *ret)
{
	struct process_tree t;
	size_t ours = 0;

	*ret = (struct process_left){0};
	process_tree_read(getpid(), &t);
	for (size_t i = 0; i < t.count; i++) {
		if (ret->count < PROCESS_LEFT_TOLD)
			ret->pids[ret->count] = t.all[i].pid;
		ret->count++;
		ours += kill(t.all[i].pid, 0) == 0;
	}
	process_tree_free(&t);
	return ours;
}

/*
 * Ends all that is left; what does not go by itself in two seconds is killed. A process in the
 * midst of a driver's call does not even die of that: there must be an end to waiting.
 */
static void end_rest(const struct post *at, struct watch *w)
{
	const int64_t began_ms = now_ms();
	struct keeper_news *end = &w->end;
	size_t ours = left_over(&end->left);
	unsigned before = end->left.count;

	if (ours)
		process_tree_signal(getpid(), SIGTERM, NULL);
	while (ours && now_ms() - began_ms < GIVE_UP_MS) {
		nap(at);
		reap(w);
		if (now_ms() - began_ms >= TERM_MS)
			process_tree_signal(getpid(), SIGKILL, NULL);
		ours = left_over(&end->left);
	}
	end->ended = before > end->left.count ? before - end->left.count : 0;
}

/*
 * Whose child a process was is not to be seen any more when its parent has ended. Of nsys it is the
 * program, or nsys-launcher, which ends as the program does.
 */
static void look_for_own(const struct process *p, struct watch *w)
{
	pid_t own = keeper_has_profiler(p) ? process_tree_child(w->program) : 0;

	if (!own)
		return;
	w->own = own;
	w->end.had_child = true;
}

static void keep_running(const struct process *p, pid_t program, const struct post *at)
{
	/* What it has where it never ends. */
	struct watch w = {.program = program, .end = {.what = KEPT_ENDED, .status = SIGKILL}};
	bool stop = false;

	while (!stop && !w.ended) {
		look_for_own(p, &w);
		stop = !nap(at);
		reap(&w);
	}
	/* A profiler may leave the program to itself: that is still the run. */
	while (!stop && p->attended && goes_on()) {
		stop = !nap(at);
		reap(&w);
	}
	end_rest(at, &w);
	/* Who ended since the last time is not among what is left. */
	reap(&w);
	tell(at->news, w.end);
}

/* What others send to the whole group reaches us as well: see KEPT_SIGNALLED. */
static void await_group(sigset_t *ret)
{
	static const int sent[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < ARRAY_LEN(sent); i++)
		sigaddset(ret, sent[i]);
}

static void be_keeper(const struct process *p, struct post *at, struct signals *was, int out_fd,
		      int err_fd)
{
	struct sigaction child;
	pid_t program = 0;
	int error;

	prctl(PR_SET_PDEATHSIG, ORPHANED);
	/* Who kills all that is called as we are, with pkill, is to spare it: it ends the rest. */
	prctl(PR_SET_NAME, "run-keeper");
	if (getppid() != at->parent)
		_exit(0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Where it is ignored, nobody ever learns how a child has ended. */
	was->child_ignored = sigaction(SIGCHLD, NULL, &child) == 0 && child.sa_handler == SIG_IGN;
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&at->awaited);
	sigaddset(&at->awaited, SIGCHLD);
	sigaddset(&at->awaited, ORPHANED);
	if (p->attended)
		await_group(&at->awaited);
	else
		setpgid(0, 0);
	error = start(p, was, out_fd, err_fd, &program);
	if (error) {
		tell(at->news, (struct keeper_news){.what = KEPT_FAILED, .error = error});
		_exit(0);
	}
	tell(at->news, (struct keeper_news){.what = KEPT_STARTED, .pid = program});
	keep_running(p, program, at);
	_exit(0);
}

static int open_pipes(int news[2], int orders[2])
{
	if (pipe2(news, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(orders, O_CLOEXEC) == 0)
		return 0;
	close(news[0]);
	close(news[1]);
	return -1;
}

int keeper_start(struct keeper *k, const struct process *p, int out_fd, int err_fd)
{
	pid_t parent = getpid();
	struct signals was = {0};
	int news[2], orders[2];
	sigset_t all;

	if (open_pipes(news, orders) < 0)
		return -1;
	/* Nothing but our death, an order, and SIGKILL moves the keeper. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &was.mask);
	k->pid = fork();
	if (k->pid == 0) {
		close(news[0]);
		close(orders[1]);
		be_keeper(p, &(struct post){.parent = parent, .orders = orders[0], .news = news[1]},
			  &was, out_fd, err_fd);
	}
	pthread_sigmask(SIG_SETMASK, &was.mask, NULL);
	close(news[1]);
	close(orders[0]);
	k->news = news[0];
	k->orders = orders[1];
	if (k->pid > 0)
		return 0;
	close(news[0]);
	close(orders[1]);
	return -1;
}

void keeper_order_end(const struct keeper *k)
{
	ssize_t ignored = write(k->orders, "e", 1);

	(void)ignored;
}
