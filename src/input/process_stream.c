/* How does what a program says reach the user at once? */
#include "input/process_stream.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { MOST_READS = 512 }; /* twice what the largest pipe holds */

static int open_terminal(struct stream *s, int *ret_end)
{
	char name[128];
	struct termios how;

	s->from = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->from < 0)
		return -1;
	if (grantpt(s->from) < 0 || unlockpt(s->from) < 0 ||
	    ptsname_r(s->from, name, sizeof(name)) != 0)
		goto fail;
	*ret_end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ret_end < 0)
		goto fail;
	/* The real one makes the ends of lines. */
	if (tcgetattr(*ret_end, &how) == 0) {
		how.c_oflag &= ~(tcflag_t)OPOST;
		how.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
		tcsetattr(*ret_end, TCSANOW, &how);
	}
	s->terminal = true;
	stream_resize(s);
	return 0;
fail:
	close(s->from);
	s->from = -1;
	return -1;
}

int stream_open(struct stream *s, int to, int *ret_end)
{
	int ends[2];

	*s = (struct stream){.from = -1, .to = to};
	if (to >= 0 && isatty(to) && open_terminal(s, ret_end) == 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	s->from = ends[0];
	*ret_end = ends[1];
	return 0;
}

bool stream_waits(const struct stream *s)
{
	return s->at < s->held.len;
}

struct pollfd stream_poll(const struct stream *s)
{
	if (stream_waits(s))
		return (struct pollfd){.fd = s->to, .events = POLLOUT};
	return (struct pollfd){.fd = s->from, .events = POLLIN};
}

static void keep_said(struct buf *kept, bool first, const char *bytes, size_t len)
{
	if (first && len > STREAM_FIRST_BYTES - kept->len)
		len = STREAM_FIRST_BYTES - kept->len;
	buf_add(kept, bytes, len);
	if (!first && kept->len > STREAM_BYTES) {
		memmove(kept->s, kept->s + kept->len - STREAM_BYTES, STREAM_BYTES);
		kept->len = STREAM_BYTES;
		kept->s[kept->len] = '\0';
	}
}

/* Nobody listens any more: the log still does. */
static void turn_away(struct stream *s)
{
	s->to = -1;
	s->at = 0;
	buf_clear(&s->held);
}

/* The program's end is closed, or its terminal, which is an error to read from. */
static void end_stream(struct stream *s)
{
	close(s->from);
	s->from = -1;
}

static int read_said(struct stream *s, struct buf *kept, int log)
{
	char bytes[STREAM_BYTES];
	ssize_t got = read(s->from, bytes, sizeof(bytes));

	if (got <= 0) {
		if (got == 0 || (errno != EINTR && errno != EAGAIN))
			end_stream(s);
		return 0;
	}
	if (s->to >= 0)
		buf_add(&s->held, bytes, (size_t)got);
	keep_said(kept, s->first, bytes, (size_t)got);
	return log < 0 ? 0 : file_write_all(log, bytes, (size_t)got);
}

static void pass_on(struct stream *s)
{
	size_t len = s->held.len - s->at;
	ssize_t n = write(s->to, s->held.s + s->at, len < STREAM_BYTES ? len : STREAM_BYTES);

	if (n >= 0)
		s->at += (size_t)n;
	else if (errno != EINTR && errno != EAGAIN)
		turn_away(s);
	if (!stream_waits(s)) {
		s->at = 0;
		buf_clear(&s->held);
	}
}

int stream_move(struct stream *s, short found, struct buf *kept, int log)
{
	if (!found)
		return 0;
	if (!stream_waits(s))
		return read_said(s, kept, log);
	pass_on(s);
	return 0;
}

int stream_drain(struct stream *s, int wait_ms, struct buf *kept, int log)
{
	int result = 0;

	for (int i = 0; i < MOST_READS && s->from >= 0; i++) {
		struct pollfd more = {.fd = s->from, .events = POLLIN};

		if (poll(&more, 1, wait_ms) <= 0)
			break;
		if (read_said(s, kept, result < 0 ? -1 : log) < 0)
			result = -1;
	}
	return result;
}

void stream_resize(const struct stream *s)
{
	struct winsize real, now;

	if (!s->terminal || s->from < 0 || ioctl(s->to, TIOCGWINSZ, &real) < 0 ||
	    ioctl(s->from, TIOCGWINSZ, &now) < 0)
		return;
	if (real.ws_col != now.ws_col || real.ws_row != now.ws_row)
		ioctl(s->from, TIOCSWINSZ, &real);
}

void stream_close(struct stream *s)
{
	if (s->from >= 0)
		end_stream(s);
	buf_free(&s->held);
	s->at = 0;
}
