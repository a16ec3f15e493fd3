/* What does nsys say of the program it was to start? */
#include "capture/nsys_log.h"

#include "base/file.h"
#include "base/mem.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>

/* Of a longer log the end: what nsys says comes after what the program does. */
enum { LOG_BYTES = 1 << 26 };

/* The number behind these words, and where it ends; -1: the line does not begin with them. */
static int number_after(struct str line, const char *said, struct str *ret_rest)
{
	size_t at = strlen(said), digits = 0;
	int n = 0;

	if (!str_starts(line, said))
		return -1;
	for (; at < line.len && isdigit((unsigned char)line.s[at]) && digits < 4; at++, digits++)
		n = n * 10 + (line.s[at] - '0');
	*ret_rest = (struct str){line.s + at, line.len - at};
	return digits && n < 256 ? n : -1;
}

/* "... signal 9 (SIGKILL)": a number without its name is not nsys's. */
static int signal_of(struct str line)
{
	struct str rest;
	int n = number_after(line, "The target application terminated with signal ", &rest);
	const char *name = n > 0 ? sigabbrev_np(n) : NULL;
	char wanted[32];

	if (!name)
		return -1;
	snprintf(wanted, sizeof(wanted), " (SIG%s)", name);
	return str_eq(rest, str_of(wanted)) ? n : -1;
}

static int code_of(struct str line)
{
	struct str rest;
	int n = number_after(line, "The target application returned non-zero exit code ", &rest);

	return n > 0 && rest.len == 0 ? n : -1;
}

/* The line that begins at *at, without its end; *at is then behind it. */
static struct str next_line(struct str log, size_t *at)
{
	const char *from = log.s + *at, *newline = memchr(from, '\n', log.len - *at);
	size_t len = newline ? (size_t)(newline - from) : log.len - *at;

	*at += len + 1;
	return (struct str){from, len && from[len - 1] == '\r' ? len - 1 : len};
}

bool nsys_said_exit(struct str log, int *ret_code, int *ret_signal)
{
	bool said = false;

	for (size_t at = 0; at < log.len;) {
		struct str line = next_line(log, &at);
		int number = signal_of(line), code = number > 0 ? 128 + number : code_of(line);

		if (code <= 0)
			continue;
		*ret_signal = number > 0 ? number : 0;
		*ret_code = code;
		said = true;
	}
	return said;
}

/* "Executable 'x' not found in current directory or standard search paths" */
static bool misses_program(struct str line)
{
	return (str_starts(line, "Executable '") && str_holds(line, "' not found in ")) ||
	       str_starts(line, NSYS_LOST_PROGRAM);
}

/* Whether nsys says that it collects, or has collected, what the program does. */
static bool has_started(struct str log)
{
	static const char *const words[] = {"Collecting data", "Generat", "Capture range ",
					    "The target application "};

	for (size_t at = 0; at < log.len;) {
		struct str line = next_line(log, &at);

		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			if (str_starts(line, words[i]))
				return true;
		}
	}
	return false;
}

bool nsys_said_refusal(struct str log, struct str *ret_line)
{
	struct str before = {0};
	bool refused = false;

	if (has_started(log))
		return false;
	for (size_t at = 0; at < log.len;) {
		struct str line = next_line(log, &at);

		if (!line.len)
			continue;
		if (refused) {
			if (!ret_line->len && !str_starts(line, "Try 'nsys"))
				*ret_line = line;
			continue;
		}
		refused = str_starts(line, "usage: nsys profile") || misses_program(line);
		*ret_line = misses_program(line) ? line : before;
		before = line;
	}
	return refused;
}

void nsys_log_read(struct buf *log, const char *path)
{
	struct err ignored;

	if (file_read_end(log, path, 0, LOG_BYTES, &ignored) < 0)
		buf_clear(log);
}

bool nsys_log_exit(const char *path, int *ret_code, int *ret_signal)
{
	SCOPED_BUF log = {0};

	nsys_log_read(&log, path);
	return nsys_said_exit(buf_str(&log), ret_code, ret_signal);
}

bool nsys_log_lacks_library(const char *path)
{
	SCOPED_BUF log = {0};

	nsys_log_read(&log, path);
	return str_holds(buf_str(&log), NSYS_LACKS_LIBRARY) && !has_started(buf_str(&log));
}

bool nsys_log_refuses(const char *path)
{
	SCOPED_BUF log = {0};
	struct str line;

	nsys_log_read(&log, path);
	return nsys_said_refusal(buf_str(&log), &line);
}

bool nsys_log_lacks_room(const char *path)
{
	SCOPED_BUF log = {0};

	nsys_log_read(&log, path);
	return str_holds(buf_str(&log), NSYS_LACKS_ROOM);
}

bool nsys_log_tells_failure(const char *path)
{
	SCOPED_BUF log = {0};

	nsys_log_read(&log, path);
	return str_holds(buf_str(&log), NSYS_LACKS_ROOM) ||
	       str_holds(buf_str(&log), "Importer error status") ||
	       str_holds(buf_str(&log), "No space left on device");
}
