/* How does a terminal look like itself again when the program dies? */
#include "tui/terminal/restore.h"

#include "base/mem.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Crashes and what others may send; SIGBUS is a trace that was cut short while it was read. */
static const int signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGSEGV,
			      SIGABRT, SIGFPE,	SIGILL, SIGBUS};

static struct {
	volatile sig_atomic_t active;
	bool has_modes;
	struct termios modes;
	struct sigaction before[ARRAY_LEN(signals)];
	bool has_exit;
} state;

/* No mouse, no application keys, plain looks, a cursor, the usual screen: safe in a handler. */
static void give_back(void)
{
	static const char reset[] = "\033[?1006l\033[?1002l\033[?1000l\033[?1l\033>\033[m\033[?25h"
				    "\033[?1049l\r";
	ssize_t ignored;

	if (!state.active)
		return;
	state.active = 0;
	ignored = write(STDOUT_FILENO, reset, sizeof(reset) - 1);
	(void)ignored;
	if (state.has_modes)
		tcsetattr(STDIN_FILENO, TCSANOW, &state.modes);
}

static void end_by(int signal)
{
	give_back();
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (signals[i] == signal)
			sigaction(signal, &state.before[i], NULL);
	}
	raise(signal);
}

void restore_begin(void)
{
	struct sigaction act = {.sa_handler = end_by};

	state.has_modes = tcgetattr(STDIN_FILENO, &state.modes) == 0;
	state.active = 1;
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &act, &state.before[i]);
	if (!state.has_exit)
		atexit(give_back);
	state.has_exit = true;
}

void restore_end(void)
{
	if (!state.has_modes && !state.active)
		return;
	state.active = 0;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &state.before[i], NULL);
}

void restore_pause(void)
{
	state.active = 0;
}

void restore_resume(void)
{
	state.active = 1;
}

bool restore_lost_terminal(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int waiting = 0;

	if (poll(&p, 1, 0) <= 0)
		return false;
	/* What can be read, and is nothing, is the end. */
	return (p.revents & (POLLHUP | POLLERR | POLLNVAL)) ||
	       ioctl(STDIN_FILENO, FIONREAD, &waiting) < 0 || !waiting;
}
