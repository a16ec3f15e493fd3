/* What does a small file hold, and what is it to hold? */
#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

/* What failed before the block ended is still to be reported: errno stays. */
void file_close_scoped(const int *fd)
{
	const int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

void file_close_dir_scoped(DIR **dir)
{
	const int saved = errno;

	if (*dir)
		closedir(*dir);
	errno = saved;
}

int file_make_folders(const char *path, mode_t mode)
{
	SCOPED char *part = mem_strdup(path);

	for (char *at = part;; at++) {
		const char end = *at;

		if (end && (end != '/' || at == part))
			continue;
		*at = '\0';
		if (mkdir(part, mode) < 0 && errno != EEXIST)
			return -1;
		if (!end)
			return 0;
		*at = end;
	}
}

size_t file_first_missing(const char *path)
{
	SCOPED char *part = mem_strdup(path);
	struct stat st;

	for (char *at = part;; at++) {
		const char end = *at;

		if (end && (end != '/' || at == part))
			continue;
		*at = '\0';
		if (stat(part, &st) < 0)
			return (size_t)(at - part);
		if (!end)
			return 0;
		*at = end;
	}
}

void file_unmake_folders(const char *path, size_t first)
{
	SCOPED char *part = mem_strdup(path);

	for (size_t len = strlen(part); first && len >= first; len--) {
		if (part[len] && part[len] != '/')
			continue;
		part[len] = '\0';
		rmdir(part);
	}
}

char *file_in(const char *folder, const char *name)
{
	struct buf b = {0};

	buf_addf(&b, "%s/%s", folder, name);
	return b.s;
}

int file_cannot_read(const char *path, struct err *e)
{
	const bool is_absent = errno == ENOENT || errno == ENOTDIR;

	err_set_errno(e, "cannot read '%s'", path);
	if (is_absent)
		e->code = ERR_INPUT;
	return -1;
}

/* At most so many bytes. */
static int read_some(struct buf *b, int fd, size_t most, const char *path, struct err *e)
{
	ssize_t n = 1;

	while (most && n) {
		n = read(fd, buf_reserve(b, CHUNK), most < CHUNK ? most : CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return file_cannot_read(path, e);
		b->len += (size_t)n;
		most -= (size_t)n;
	}
	buf_add(b, "", 0);
	return 0;
}

static int read_open(struct buf *b, int fd, bool plain, size_t most, const char *path,
		     struct err *e)
{
	const size_t begin = b->len;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return file_cannot_read(path, e);
	if (S_ISDIR(st.st_mode) || (plain && !S_ISREG(st.st_mode)))
		return err_set(e, ERR_INPUT, "cannot read '%s': it is %s", path,
			       S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
	if (read_some(b, fd, most + 1, path, e) < 0)
		return -1;
	if (b->len - begin <= most)
		return 0;
	return err_set(e, ERR_INPUT,
		       "'%s' is larger than %zu bytes: too large for this kind of file", path,
		       most);
}

/* A pipe would be waited for: only what is opened at once is looked at. */
int file_read(struct buf *b, const char *path, size_t most, struct err *e)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? file_cannot_read(path, e) : read_open(b, fd, true, most, path, e);
}

int file_read_end(struct buf *b, const char *path, uint64_t from, size_t most, struct err *e)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return file_cannot_read(path, e);
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size > from + most)
		from = (uint64_t)st.st_size - most;
	if (lseek(fd, (off_t)from, SEEK_SET) < 0)
		return file_cannot_read(path, e);
	return read_some(b, fd, most, path, e);
}

int file_read_stream(struct buf *b, const char *path, size_t most, struct err *e)
{
	SCOPED_FD fd = -1;

	if (strcmp(path, "-") == 0)
		return read_open(b, STDIN_FILENO, false, most, "standard input", e);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? file_cannot_read(path, e) : read_open(b, fd, false, most, path, e);
}

int file_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write(const char *path, struct str bytes, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int result = fd < 0 || file_write_all(fd, bytes.s, bytes.len) < 0 ? -1 : 0;
	int saved = errno;

	if (fd >= 0 && close(fd) < 0 && result == 0) {
		result = -1;
		saved = errno;
	}
	errno = saved;
	return result < 0 ? err_set_errno(e, "cannot write '%s'", path) : 0;
}

bool file_disk_lacks(const char *path, uint64_t bytes)
{
	struct statvfs fs;

	return statvfs(path, &fs) == 0 && fs.f_blocks &&
	       (uint64_t)fs.f_bavail * fs.f_frsize < bytes;
}
