/* What was given in place of a trace, and which command makes a trace of it? */
#include "input/foreign.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <fcntl.h>
#include <unistd.h>

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

static const struct stand_in {
	const char *magic;
	size_t magic_len;
	const char *what, *hint;
} stand_ins[] = {
	{MAGIC("version https://git-lfs.github.com/"),
	 "is a Git LFS pointer: the trace itself was not downloaded",
	 "in its repository: git lfs install, then git lfs pull"},
	{MAGIC("/annex/objects/"), "is a git-annex pointer: the trace itself was not downloaded",
	 "in its repository: git annex get FILE"},
	{MAGIC("<!DOCTYPE"), "is a web page: the download did not return the trace",
	 "download it again: log in if needed, and use the link to the raw file"},
	{MAGIC("gpuwhy part"), "is a part of a job, made by gpuwhy fleet map, and no trace",
	 "gpuwhy fleet reduce PART… answers from parts"},
};

static const struct packed {
	const char *magic;
	size_t magic_len;
	const char *tool, *ending; /* which the tool takes off */
} packed[] = {
	{MAGIC("\xfd\x37zXZ\0"), "xz", ".xz"},
	{MAGIC("BZh"), "bzip2", ".bz2"},
	{MAGIC("\x04\x22\x4d\x18"), "lz4", ".lz4"},
};

enum { HEAD_BYTES = 64 };

struct head {
	char bytes[HEAD_BYTES];
	size_t len;
};

static struct head read_head(const char *path)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct head h = {.len = 0};
	ssize_t got = fd < 0 ? -1 : read(fd, h.bytes, sizeof(h.bytes));

	h.len = got > 0 ? (size_t)got : 0;
	return h;
}

static bool begins(const struct head *h, const char *magic, size_t len)
{
	return h->len >= len && memcmp(h->bytes, magic, len) == 0;
}

int foreign_refuse_stand_in(const char *path, struct err *e)
{
	const struct head h = read_head(path);

	for (size_t i = 0; i < ARRAY_LEN(stand_ins); i++) {
		const struct stand_in *s = &stand_ins[i];

		if (!begins(&h, s->magic, s->magic_len))
			continue;
		err_set(e, ERR_INPUT, "'%s' %s", path, s->what);
		return err_hint(e, "%s", s->hint);
	}
	return 0;
}

static int refuse_packed(const char *path, const struct packed *p, struct err *e)
{
	const size_t len = strlen(path), n = strlen(p->ending);

	err_set(e, ERR_INPUT, "'%s' is compressed with %s, which gpuwhy does not read", path,
		p->tool);
	if (len > n && str_ends(str_of(path), p->ending))
		return err_hint(e, "%s -dk %s, then give gpuwhy %.*s", p->tool, path,
				(int)(len - n), path);
	return err_hint(e, "%s -dc %s > trace.sqlite, then give gpuwhy trace.sqlite", p->tool,
			path);
}

int foreign_refuse_packed(const char *path, struct err *e)
{
	const struct head h = read_head(path);

	for (size_t i = 0; i < ARRAY_LEN(packed); i++) {
		if (begins(&h, packed[i].magic, packed[i].magic_len))
			return refuse_packed(path, &packed[i], e);
	}
	if (!begins(&h, MAGIC("PK\x03\x04")))
		return 0;
	err_set(e, ERR_INPUT, "'%s' is a zip archive", path);
	return err_hint(e, "unzip %s, then give gpuwhy the trace in it", path);
}
