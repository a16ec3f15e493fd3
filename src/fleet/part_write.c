/* How is a part kept as a file? */
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "fleet/part_fields.h"
#include "fleet/part_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char part_magic[PART_MAGIC_BYTES] = {'g', 'p', 'u', 'w', 'h', 'y',
					   ' ', 'p', 'a', 'r', 't', '\n'};

static void add_whole(struct buf *b, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_addc(b, (char)(value >> 8 * i));
}

/* Texts go first: fields name them by number. */
static void add_texts(struct buf *b, const struct strtab *texts)
{
	struct part_code c = {.writes = true};
	uint64_t count = texts->count;

	code_u64(&c, &count, UINT64_MAX);
	for (size_t i = 0; i < texts->count; i++) {
		uint64_t len = texts->items[i].len;

		code_u64(&c, &len, UINT64_MAX);
		buf_addstr(&c.out, texts->items[i]);
	}
	buf_addstr(b, buf_str(&c.out));
	buf_free(&c.out);
}

void part_seal(struct buf *b, struct str body)
{
	char sum[SHA256_TEXT_BYTES];
	struct sha256 hash;

	sha256_begin(&hash);
	sha256_add(&hash, body.s, body.len);
	sha256_end(&hash, sum);
	buf_add(b, part_magic, PART_MAGIC_BYTES);
	add_whole(b, PART_VERSION, 4);
	add_whole(b, body.len, 8);
	buf_add(b, sum, SHA256_TEXT_BYTES - 1);
	buf_addstr(b, body);
}

const char *part_encode(struct buf *b, const struct part *p)
{
	struct part_code c = {.writes = true};
	struct part fields = *p;
	SCOPED_BUF body = {0};

	part_fields(&c, &fields);
	add_texts(&body, &c.told);
	buf_addstr(&body, buf_str(&c.out));
	part_seal(b, buf_str(&body));
	buf_free(&c.out);
	strtab_free(&c.told);
	return c.wrong;
}

/* On the disk before it has its name: a machine that stops leaves no part that is half there. */
static int write_whole(const char *path, struct str bytes)
{
	SCOPED_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0 || file_write_all(fd, bytes.s, bytes.len) < 0)
		return -1;
	return fsync(fd);
}

/*
 * A hidden file beside it, which no folder of parts is asked for. A map that was given up for lost
 * may still go on on another node: no two write to one file.
 */
static void add_temporary(struct buf *b, const char *path)
{
	const char *name = str_last_part(path);
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	buf_addf(b, "%.*s.%s.%ld-%lx%lx.tmp", (int)(name - path), path, name, (long)getpid(),
		 (unsigned long)now.tv_sec, (unsigned long)now.tv_nsec);
}

int part_write(const char *path, const struct part *p, struct err *e)
{
	SCOPED_BUF bytes = {0}, half = {0};
	const char *wrong = part_encode(&bytes, p);

	if (wrong)
		return err_set(e, ERR_INPUT, "'%s' makes no part: %s", p->file, wrong);
	add_temporary(&half, path);
	if (write_whole(half.s, buf_str(&bytes)) == 0 && rename(half.s, path) == 0)
		return 0;
	err_set_errno(e, "cannot write '%s'", path);
	e->output = true;
	unlink(half.s);
	return -1;
}
