/* How does a browser get to know a URL that is nobody else's business? */
#include "web/browser.h"

#include "base/file.h"
#include "base/mem.h"
#include "input/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct handed_page {
	char *path;
	pid_t browser; /* 0: it has ended, or was not started */
};

/* Where nobody else can look, and what is forgotten goes with the session. */
static const char *folder(void)
{
	const char *own = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");

	return own && *own ? own : temporary && *temporary ? temporary : "/tmp";
}

static int write_page(const char *url, char *path, struct err *e)
{
	const int fd = mkstemps(path, strlen(".html")); /* mode 0600 */
	SCOPED_BUF b = {0};
	int result = fd < 0 ? -1 : 0;

	buf_addf(&b,
		 "<!doctype html><meta charset=utf-8><title>gpuwhy</title>"
		 "<meta name=referrer content=no-referrer>"
		 "<meta http-equiv=refresh content=\"0;url=%s\"><a href=\"%s\">gpuwhy</a>\n",
		 url, url);
	if (result == 0)
		result = file_write_all(fd, b.s, b.len);
	if (fd >= 0 && close(fd) < 0)
		result = -1;
	return result < 0 ? err_set_errno(e, "cannot write '%s'", path) : 0;
}

/* Whoever reads our standard output until its end is not to wait for the end of a browser. */
static bool leave_streams(posix_spawn_file_actions_t *streams)
{
	return posix_spawn_file_actions_addopen(streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ==
		       0 &&
	       posix_spawn_file_actions_addopen(streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ==
		       0;
}

/*
 * With a group of its own, so that Ctrl+C here does not end a browser; and with no signal held
 * back, as they are here.
 */
static bool spawn(const char *program, const char *path, pid_t *ret)
{
	char *const argv[] = {(char *)program, (char *)path, NULL};
	posix_spawn_file_actions_t streams;
	posix_spawnattr_t how;
	sigset_t none;
	bool is_started;

	sigemptyset(&none);
	if (posix_spawnattr_init(&how) != 0)
		return false;
	if (posix_spawn_file_actions_init(&streams) != 0) {
		posix_spawnattr_destroy(&how);
		return false;
	}
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&how, &none);
	is_started = leave_streams(&streams) &&
		     posix_spawnp(ret, program, &streams, &how, argv, environ) == 0;
	posix_spawn_file_actions_destroy(&streams);
	posix_spawnattr_destroy(&how);
	return is_started;
}

/* It goes on by itself: a launcher ends at once, a browser when the user closes it. */
static int start(const char *path, pid_t *ret, struct err *e)
{
	static const char *const programs[] = {"xdg-open", "open", "sensible-browser"};
	const char *chosen = getenv("BROWSER");

	for (size_t i = 0; i < ARRAY_LEN(programs) + 1; i++) {
		const char *program = i ? programs[i - 1] : chosen;

		if (program && *program && spawn(program, path, ret))
			return 0;
	}
	err_set(e, ERR_SYSTEM, "no browser could be started");
	return err_hint(e, "open the URL by hand, or set BROWSER");
}

int browser_open(const char *url, struct handed_page **ret, struct err *e)
{
	struct handed_page *p = mem_zalloc(1, sizeof(*p));
	SCOPED_BUF path = {0};

	buf_addf(&path, "%s/gpuwhy-XXXXXX.html", folder());
	p->path = mem_strdup(path.s);
	*ret = p;
	return write_page(url, p->path, e) < 0 ? -1 : start(p->path, &p->browser, e);
}

void browser_look(struct handed_page *p)
{
	if (p && p->browser && waitpid(p->browser, NULL, WNOHANG) == p->browser)
		p->browser = 0;
}

void browser_forget(struct handed_page *p)
{
	if (!p)
		return;
	unlink(p->path);
	free(p->path);
	free(p);
}
