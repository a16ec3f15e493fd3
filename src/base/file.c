/* What does a small file hold? */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

static int cannot_read(const char *path, struct err *e)
{
	return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
}

static int read_all(struct buf *b, int fd, size_t most, const char *path, struct err *e)
{
	const size_t begin = b->len;
	ssize_t n;

	do {
		n = read(fd, buf_reserve(b, CHUNK), CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cannot_read(path, e);
		b->len += (size_t)n;
		if (b->len - begin > most)
			return err_set(e, ERR_INPUT,
				       "'%s' is larger than %zu bytes: not a file written by hand",
				       path, most);
	} while (n != 0);
	buf_add(b, "", 0);
	return 0;
}

/* A pipe would be waited for: only what is opened at once is looked at. */
int file_read(struct buf *b, const char *path, size_t most, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;
	struct stat st;

	if (fd < 0)
		return cannot_read(path, e);
	if (fstat(fd, &st) < 0)
		result = cannot_read(path, e);
	else if (!S_ISREG(st.st_mode))
		result = err_set(e, ERR_INPUT, "cannot read '%s': it is %s", path,
				 S_ISDIR(st.st_mode) ? "a folder" : "no plain file");
	else
		result = read_all(b, fd, most, path, e);
	close(fd);
	return result;
}
