/* How does what a program says reach the user at once? */
#include "input/process_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

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

struct pollfd stream_poll(const struct stream *s)
{
	if (s->at < s->len)
		return (struct pollfd){.fd = s->to, .events = POLLOUT};
	return (struct pollfd){.fd = s->from, .events = POLLIN};
}

static void keep(struct buf *kept, const char *bytes, size_t len)
{
	buf_add(kept, bytes, len);
	if (kept->len > STREAM_BYTES) {
		memmove(kept->s, kept->s + kept->len - STREAM_BYTES, STREAM_BYTES);
		kept->len = STREAM_BYTES;
		kept->s[kept->len] = '\0';
	}
}

static int write_log(int log, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(log, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int take(struct stream *s, struct buf *kept, int log)
{
	ssize_t got = read(s->from, s->held, sizeof(s->held));

	if (got <= 0) {
		/* A terminal whose other end is closed is an error to read from. */
		if (got == 0 || (errno != EINTR && errno != EAGAIN))
			stream_close(s);
		return 0;
	}
	s->at = 0;
	s->len = s->to < 0 ? 0 : (size_t)got;
	keep(kept, s->held, (size_t)got);
	return log < 0 ? 0 : write_log(log, s->held, (size_t)got);
}

int stream_move(struct stream *s, short found, struct buf *kept, int log)
{
	ssize_t n;

	if (!found)
		return 0;
	if (s->at == s->len)
		return take(s, kept, log);
	n = write(s->to, s->held + s->at, s->len - s->at);
	if (n >= 0)
		s->at += (size_t)n;
	else if (errno != EINTR && errno != EAGAIN)
		/* Nobody listens any more: the log still does. */
		s->to = -1, s->at = s->len = 0;
	return 0;
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
		close(s->from);
	s->from = -1;
}
