/* How does an answer that is longer than the screen reach the person before it? */
#include "cli/pager.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/say.h"
#include "cli/screen_lines.h"
#include "input/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	bool forbidden;
	bool open;     /* standard output is a terminal, and a pager may be used */
	char *command; /* for the shell */
	struct winsize screen;
	struct buf held; /* what might still fit the screen */
	struct screen_lines lines;
	volatile pid_t pid; /* of the pager; 0: it does not run */
	bool quit;
	int terminal[2]; /* standard output and error as they were; -1: untouched */
} pager;

static const int outputs[2] = {STDOUT_FILENO, STDERR_FILENO};

/* NULL: the user wants none. */
static const char *wanted_pager(void)
{
	const char *ours = getenv("GPUWHY_PAGER"), *others = getenv("PAGER");
	const char *wanted = ours ? ours : others ? others : "less";

	return !*wanted || strcmp(wanted, "cat") == 0 ? NULL : wanted;
}

/* A program that is not there would swallow the answer: it is looked for first. */
static bool is_there(const char *command)
{
	SCOPED char *first = mem_strdup(command), *found = NULL;
	struct err why;

	first[strcspn(first, " \t")] = '\0';
	/* What only a shell understands, it may try. */
	if (strpbrk(first, "|&;<>()$`\\\"'*?[#~=%{"))
		return true;
	if (program_find(first, &found, &why) == 0)
		return true;
	if (strcmp(command, "less") != 0)
		say_warning("the pager of GPUWHY_PAGER or PAGER was not found: going on without");
	return false;
}

void pager_forbid(void)
{
	pager.forbidden = true;
}

void pager_begin(void)
{
	const char *wanted = wanted_pager(), *term = getenv("TERM");

	if (pager.forbidden || pager.open || !wanted || !term || strcmp(term, "dumb") == 0 ||
	    !isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &pager.screen) < 0 ||
	    !pager.screen.ws_row || !pager.screen.ws_col)
		return;
	pager.command = mem_strdup(wanted);
	pager.open = true;
}

bool pager_is_open(struct winsize *ret)
{
	*ret = pager.open ? pager.screen : (struct winsize){0};
	return pager.open;
}

bool pager_was_quit(void)
{
	return pager.quit;
}

/* The terminal is the pager's until it ends, also where we are told to end before. */
static void wait_and_die(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(outputs); i++)
		close(outputs[i]);
	while (pager.pid && waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	signal(number, SIG_DFL);
	raise(number);
}

static void guard_terminal(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const struct sigaction waiting = {.sa_handler = wait_and_die, .sa_flags = SA_RESTART};
	struct sigaction before;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &waiting, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}

static void run_pager(int from)
{
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	dup2(from, STDIN_FILENO);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", pager.command, (char *)NULL);
	_exit(127);
}

/* From here on our standard output, and error where it is a terminal, are the pager's input. */
static void take_over(int to)
{
	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		pager.terminal[i] = -1;
		if (!isatty(outputs[i]))
			continue;
		pager.terminal[i] = fcntl(outputs[i], F_DUPFD_CLOEXEC, 3);
		/* What could not be given back would keep the pager waiting for more. */
		if (pager.terminal[i] >= 0)
			dup2(to, outputs[i]);
	}
}

/* Where it cannot be started, the terminal does. */
static void start(void)
{
	int ends[2];
	pid_t pid;

	if (!is_there(pager.command) || pipe2(ends, O_CLOEXEC) < 0)
		return;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		run_pager(ends[0]);
	close(ends[0]);
	if (pid > 0) {
		pager.pid = pid;
		take_over(ends[1]);
		guard_terminal();
	}
	close(ends[1]);
}

static int write_on(const char *bytes, size_t len)
{
	if (file_write_all(STDOUT_FILENO, bytes, len) == 0)
		return 0;
	pager.quit = pager.pid && errno == EPIPE;
	return -1;
}

static int release_held(void)
{
	int result = pager.held.len ? write_on(pager.held.s, pager.held.len) : 0;

	buf_free(&pager.held);
	return result;
}

int pager_write(const char *bytes, size_t len)
{
	/* The answer itself shows that something happens. */
	if (pager.open || isatty(STDOUT_FILENO))
		progress_stop();
	if (!pager.open)
		return file_write_all(STDOUT_FILENO, bytes, len);
	if (pager.lines.count >= pager.screen.ws_row)
		return write_on(bytes, len);
	screen_lines_add(&pager.lines, bytes, len, pager.screen.ws_col);
	buf_add(&pager.held, bytes, len);
	if (pager.lines.count < pager.screen.ws_row)
		return 0;
	start();
	return release_held();
}

/* Ctrl-C is for the pager now. */
static void wait_for_user(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	pager.pid = 0;
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

/* The pager's input ends when nobody has it open any more. */
static void give_back(void)
{
	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		if (pager.terminal[i] < 0)
			continue;
		dup2(pager.terminal[i], outputs[i]);
		close(pager.terminal[i]);
	}
}

void pager_end(void)
{
	if (!pager.open)
		return;
	release_held();
	fflush(stdout);
	if (pager.pid) {
		give_back();
		wait_for_user();
	}
	free(pager.command);
	pager.command = NULL;
	pager.open = false;
}
