/* How does a compressed file become a plain one, without filling the disk or trusting it? */
#include "input/unpack.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "input/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { IN_BYTES = 256 << 10, OUT_BYTES = 1 << 20 };

#define RESERVE_BYTES (UINT64_C(256) << 20)

struct unpacking {
	const struct unpack_format *format;
	void *state;
	struct unpack_step step;
	const char *source;
	int in_fd;
	int out_fd;
	unsigned char *in;
	unsigned char *out;
	uint64_t written;
};

static const struct unpack_format *const formats[] = {&unpack_gzip, &unpack_zstd};

const struct unpack_format *unpack_recognise(const void *head, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (len >= formats[i]->magic_len &&
		    memcmp(head, formats[i]->magic, formats[i]->magic_len) == 0)
			return formats[i];
	}
	return NULL;
}

static int refuse_space(const struct unpacking *u, struct err *e)
{
	err_wrap(e, "decompressing '%s'", u->source);
	return err_hint(e, "set GPUWHY_CACHE_DIR to a folder with more room");
}

/* A small file can claim to hold any amount: what the disk has left is the limit. */
static int check_space(const struct unpacking *u, struct err *e)
{
	struct statvfs fs;
	uint64_t reserve;

	if (fstatvfs(u->out_fd, &fs) < 0)
		return err_set_errno(e, "decompressing '%s'", u->source);
	reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 64;
	if (reserve > RESERVE_BYTES)
		reserve = RESERVE_BYTES;
	if ((uint64_t)fs.f_bavail * fs.f_frsize >= reserve)
		return 0;
	err_set(e, ERR_SYSTEM, "the cache folder's disk is nearly full");
	return refuse_space(u, e);
}

static int refuse_content(const char *source, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s', once decompressed, is not a SQLite file", source);
	return err_hint(e, "compress the .sqlite export; a compressed .nsys-rep must be "
			   "decompressed first");
}

/* Whether the bytes about to be written agree with the beginning of a SQLite file. */
static bool begins_well(const struct unpacking *u, size_t len)
{
	size_t at = u->written < MAGIC_BYTES ? (size_t)u->written : MAGIC_BYTES;
	size_t due = MAGIC_BYTES - at;

	return memcmp(u->out, magic_sqlite + at, due < len ? due : len) == 0;
}

static int write_out(struct unpacking *u, size_t len, struct err *e)
{
	if (!begins_well(u, len))
		return refuse_content(u->source, e);
	if (file_write_all(u->out_fd, u->out, len) < 0) {
		err_set_errno(e, "writing to the cache folder");
		return refuse_space(u, e);
	}
	u->written += len;
	return 0;
}

/* Decompresses the bytes that were just read. */
static int feed(struct unpacking *u, struct err *e)
{
	do {
		const char *wrong;

		if (interrupt_pending())
			return err_set(e, ERR_SYSTEM, "interrupted");
		if (check_space(u, e) < 0)
			return -1;
		u->step.out = u->out;
		u->step.out_room = OUT_BYTES;
		wrong = u->format->step(u->state, &u->step);
		if (wrong)
			return err_set(e, ERR_INPUT, "'%s' is not a valid %s file: %s", u->source,
				       u->format->name, wrong);
		if (write_out(u, OUT_BYTES - u->step.out_room, e) < 0)
			return -1;
	} while (u->step.in_left || !u->step.out_room);
	return 0;
}

static int unpack_all(struct unpacking *u, struct err *e)
{
	for (;;) {
		ssize_t got = read(u->in_fd, u->in, IN_BYTES);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(e, "reading '%s'", u->source);
		if (got == 0)
			break;
		u->step.in = u->in;
		u->step.in_left = (size_t)got;
		if (feed(u, e) < 0)
			return -1;
		progress_add((uint64_t)got);
	}
	if (!u->step.complete) {
		err_set(e, ERR_INPUT, "'%s' is cut short: its %s stream does not end", u->source,
			u->format->name);
		return err_hint(e, "copy or compress it again");
	}
	return u->written >= MAGIC_BYTES ? 0 : refuse_content(u->source, e);
}

static int unpack_open(struct unpacking *u, const char *out, struct err *e)
{
	struct stat st;

	u->in_fd = open(u->source, O_RDONLY | O_CLOEXEC);
	if (u->in_fd < 0 || fstat(u->in_fd, &st) < 0)
		return err_set_errno(e, "cannot read '%s'", u->source);
	u->out_fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (u->out_fd < 0)
		return err_set_errno(e, "cannot write '%s'", out);
	u->state = u->format->open();
	if (!u->state)
		return err_set(e, ERR_SYSTEM, "not enough memory to decompress '%s'", u->source);
	progress_begin("decompressing", (uint64_t)st.st_size);
	return 0;
}

/* Some file systems say only now that there was no room. */
static int finish_writing(struct unpacking *u, struct err *e)
{
	int rc = close(u->out_fd);

	u->out_fd = -1;
	if (rc == 0)
		return 0;
	err_set_errno(e, "writing to the cache folder");
	return refuse_space(u, e);
}

static void unpack_close(struct unpacking *u)
{
	if (u->state) {
		progress_end();
		u->format->close(u->state);
	}
	if (u->out_fd >= 0)
		close(u->out_fd);
	if (u->in_fd >= 0)
		close(u->in_fd);
	free(u->in);
	free(u->out);
}

int unpack_file(const char *source, const char *out, const void *format, struct err *e)
{
	struct unpacking u = {
		.format = format,
		.source = source,
		.in_fd = -1,
		.out_fd = -1,
		.in = mem_alloc(IN_BYTES, 1),
		.out = mem_alloc(OUT_BYTES, 1),
	};
	int rc = unpack_open(&u, out, e);

	if (rc == 0)
		rc = unpack_all(&u, e);
	if (rc == 0)
		rc = finish_writing(&u, e);
	unpack_close(&u);
	return rc;
}

const char magic_sqlite[MAGIC_BYTES] = "SQLite format 3";

bool magic_file_is_sqlite(const char *path)
{
	char head[MAGIC_BYTES];
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 && read(fd, head, sizeof(head)) == MAGIC_BYTES &&
	       memcmp(head, magic_sqlite, MAGIC_BYTES) == 0;
}
