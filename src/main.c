/* gpuwhy: where the GPU time of an LLM run went, why, and what to do next. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* A trace is mapped into memory: when somebody cuts the file short meanwhile, its pages vanish. */
static void file_vanished(int signal)
{
	static const char message[] =
		"gpuwhy: the trace changed while it was being read\n"
		"  hint: wait until whatever writes it is done, then try again\n";
	ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)signal;
	(void)ignored;
	_exit(ERR_INPUT);
}

static int flush_stdout(int code)
{
	if (fflush(stdout) == 0 || code)
		return code;
	perror("gpuwhy: writing to standard output");
	return ERR_SYSTEM;
}

/*
 * A file that we open must not get the number of a standard stream that somebody has closed. What
 * stands there instead refuses, as the closed one did.
 */
static void occupy_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(ERR_SYSTEM);
	}
}

int main(int argc, char **argv)
{
	occupy_standard_streams();
	mem_init();
	signal(SIGBUS, file_vanished);
	/* A file that may not grow is an error as a full disk is: what is half written goes away.
	 */
	signal(SIGXFSZ, SIG_IGN);
	return flush_stdout(command_main(argc, argv));
}
