/* Where does the report go, and does it arrive whole? */
#include "cli/output.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_fd(void *ctx, const char *bytes, size_t len)
{
	const struct output *out = ctx;

	if (out->path ? file_write_all(out->fd, bytes, len) < 0 : pager_write(bytes, len) < 0)
		return -1;
	progress_add(len);
	return 0;
}

/* The half-written file of this process, for the signal handler; there is one at a time. */
static char *volatile half_written;

static void remove_half_written(int number)
{
	if (half_written)
		unlink(half_written);
	signal(number, SIG_DFL);
	raise(number);
}

static void guard_half_written(char *path)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	static struct sigaction before[ARRAY_LEN(signals)];
	const struct sigaction removing = {.sa_handler = remove_half_written,
					   .sa_flags = SA_RESTART};

	half_written = path;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (path)
			sigaction(signals[i], NULL, &before[i]);
		/* What is ignored, as under nohup, or held by somebody else, stays so. */
		if ((before[i].sa_flags & SA_SIGINFO) || before[i].sa_handler != SIG_DFL)
			continue;
		sigaction(signals[i], path ? &removing : &before[i], NULL);
	}
}

static int cannot_write(const struct output *out, const char *path, struct err *e)
{
	const int why = errno;
	const char *name = str_last_part(path);
	SCOPED_BUF folder = {0};
	struct stat st;

	buf_add(&folder, path, name > path ? (size_t)(name - path - 1) : 0);
	errno = why;
	err_set_errno(e, "cannot write '%s'", path);
	/* A folder that is there may take no files, as /proc: then nobody is to make it. */
	if (why == ENOENT && folder.len && stat(folder.s, &st) < 0)
		err_hint(e, "the folder does not exist: mkdir -p %s", folder.s);
	else if ((why == EACCES || why == EROFS || why == EPERM) && !folder.len)
		err_hint(e, "this folder takes no files from you: choose another with %s",
			 out->option);
	else if (why == EACCES || why == EROFS || why == EPERM)
		err_hint(e, "'%s' takes no files from you: choose another folder with %s", folder.s,
			 out->option);
	return -1;
}

static int open_in_place(struct output *out, const char *path, struct err *e)
{
	out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return out->fd < 0 ? cannot_write(out, path, e) : 0;
}

/* What the file would have if it were made anew, or has already. */
static void take_over_mode(int fd, const struct stat *existing)
{
	mode_t mask = umask(0);

	umask(mask);
	if (!existing) {
		fchmod(fd, 0666 & ~mask);
	} else if (fchown(fd, existing->st_uid, existing->st_gid) == 0 || geteuid() != 0) {
		fchmod(fd, existing->st_mode & 07777);
	}
}

/* ".html" of "a/b.html"; "" where there is none. */
static const char *ending(const char *path)
{
	const char *dot = strrchr(str_last_part(path), '.');

	return dot && dot > str_last_part(path) ? dot : "";
}

/*
 * A file is written beside and then renamed, so that it appears whole or not at all. What is no
 * plain file (a device, a pipe, a link to either) is written in place, and so is a file in a folder
 * that takes no new ones.
 */
static int open_file(struct output *out, const char *path, struct err *e)
{
	struct stat st, target;
	bool exists = lstat(path, &st) == 0;
	struct buf name = {0};

	if (stat(path, &target) == 0 && S_ISDIR(target.st_mode)) {
		err_set(e, ERR_SYSTEM, "cannot write '%s': it is a folder", path);
		return err_hint(e, "give a file in it: %s %s/report%s", out->option, path,
				ending(path));
	}
	if (exists && !S_ISREG(st.st_mode))
		return open_in_place(out, path, e);
	buf_addf(&name, "%s.XXXXXX", path);
	out->temporary = name.s;
	/* Before it is there: the name is complete once the file is. */
	guard_half_written(out->temporary);
	out->fd = mkostemp(out->temporary, O_CLOEXEC);
	if (out->fd < 0) {
		const int why = errno;

		guard_half_written(NULL);
		free(out->temporary);
		out->temporary = NULL;
		errno = why;
		return exists && why == EACCES ? open_in_place(out, path, e)
					       : cannot_write(out, path, e);
	}
	take_over_mode(out->fd, exists ? &st : NULL);
	return 0;
}

static bool is_beside(const char *path, const char *trace, const char *suffix)
{
	size_t len = strlen(trace);

	return strncmp(path, trace, len) == 0 && strcmp(path + len, suffix) == 0;
}

int output_spare_trace(const char *path, const char *trace, struct err *e)
{
	struct stat a, b;
	bool same = stat(path, &a) == 0 && stat(trace, &b) == 0 && a.st_dev == b.st_dev &&
		    a.st_ino == b.st_ino;

	if (!same && !is_beside(path, trace, "-wal") && !is_beside(path, trace, "-journal"))
		return 0;
	err_set(e, ERR_USAGE, "'%s' is the trace itself: it would be overwritten", path);
	return err_hint(e, "choose another file with -o");
}

int output_open(struct output *out, const char *path, struct err *e)
{
	return output_open_by(out, path, "-o", e);
}

int output_open_by(struct output *out, const char *path, const char *option, struct err *e)
{
	*out = (struct output){.fd = STDOUT_FILENO, .option = option};
	out->sink = (struct sink){write_fd, out};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	out->path = path;
	return open_file(out, path, e);
}

int output_close(struct output *out, bool ok, struct err *e)
{
	int result = ok ? 0 : -1;

	if (!out->path)
		return result;
	if (close(out->fd) < 0 && ok)
		result = err_set_errno(e, "cannot write '%s'", out->path);
	if (out->temporary) {
		if (result == 0 && rename(out->temporary, out->path) < 0)
			result = err_set_errno(e, "cannot write '%s'", out->path);
		if (result < 0)
			unlink(out->temporary);
		guard_half_written(NULL);
		free(out->temporary);
	}
	return result;
}

/* Nobody means a screen beyond these. */
enum {
	MOST_COLUMNS = 10000,
	LEAST_LINES = 5,
	MOST_LINES = 10000,
	USUAL_COLUMNS = 80,
};

/* What COLUMNS or LINES says; 0: nothing that makes sense. */
static size_t wanted_size(const char *variable, long least, long most)
{
	const char *text = getenv(variable);
	char *end;
	long n;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	n = strtol(text, &end, 10);
	return !*end && n >= least && n <= most ? (size_t)n : 0;
}

/* Standard output is still the user's terminal where a pager shows it. */
static bool is_terminal(const struct output *out, struct winsize *ret)
{
	if (!out->path && pager_is_open(ret))
		return true;
	if (ioctl(out->fd, TIOCGWINSZ, ret) < 0)
		*ret = (struct winsize){0};
	return isatty(out->fd);
}

/* The one rule for the width of text: COLUMNS, else the terminal's, else any. */
static size_t text_columns(bool terminal, size_t columns)
{
	const size_t wanted = wanted_size("COLUMNS", LEAST_WIDTH, MOST_COLUMNS);

	if (wanted)
		return wanted;
	if (!terminal)
		return 0;
	return !columns ? USUAL_COLUMNS : columns < LEAST_WIDTH ? LEAST_WIDTH : columns;
}

/* The same of its height, where one is asked for at all. */
static size_t text_rows(bool terminal, size_t rows)
{
	const size_t wanted = wanted_size("LINES", LEAST_LINES, MOST_LINES);

	return wanted ? wanted : terminal ? rows : 0;
}

struct style output_style(const struct output *out, enum colour colour)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;
	bool terminal = is_terminal(out, &size);
	bool plain = (no_colour && *no_colour) || (term && strcmp(term, "dumb") == 0);

	return (struct style){
		.colour = colour == COLOUR_ALWAYS || (colour == COLOUR_AUTO && terminal && !plain),
		.width = text_columns(terminal, size.ws_col),
		.rows = text_rows(terminal, size.ws_row),
	};
}

static int write_report(const struct report *r, const struct presenter *how, const char *path,
			enum colour colour, struct err *e)
{
	struct output out;
	struct style style;
	struct winsize size;
	int result;

	if (output_open(&out, path, e) < 0)
		return -1;
	style = output_style(&out, colour);
	/* On a terminal the rows themselves show that something happens. */
	if (!is_terminal(&out, &size))
		progress_begin("writing", 0);
	result = present_report(how, r, &style, &out.sink, e);
	progress_end();
	if (result < 0 && path)
		err_wrap(e, "writing '%s'", path);
	return output_close(&out, result == 0, e);
}

int output_report(const struct report *r, const struct presenter *how, const char *path,
		  enum colour colour, struct err *e)
{
	int result = 0;

	if (path && r->trace.path)
		result = output_spare_trace(path, r->trace.path, e);
	for (size_t i = 0; path && i < r->trace_count && result == 0; i++)
		result = output_spare_trace(path, r->traces[i].path, e);
	if (result == 0)
		result = write_report(r, how, path, colour, e);
	if (result < 0)
		e->output = true;
	return result;
}

static bool has_reader(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) <= 0 || !(p.revents & (POLLERR | POLLHUP));
}

int output_report_if_read(const struct report *r, const struct presenter *how, const char *path,
			  enum colour colour, struct err *e)
{
	fflush(stdout);
	if (output_report(r, how, path, colour, e) == 0)
		return 0;
	/* What did not get out now would fail again in the end. */
	__fpurge(stdout);
	return path || has_reader(STDOUT_FILENO) ? -1 : 0;
}
