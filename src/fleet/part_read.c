/* Is this the file of a part, is it whole, and what does it hold? */
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "fleet/part_fields.h"
#include "fleet/part_file.h"
#include "text/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t whole_at(const char *s, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)s[i] << 8 * i;
	return value;
}

static int refuse(const char *name, const char *what, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' is damaged: %s", name, what);
	return err_hint(e, "make it again: gpuwhy fleet map TRACE -o PART");
}

static int check_head(struct str bytes, const char *name, struct err *e)
{
	const bool is_ours =
		bytes.len >= PART_MAGIC_BYTES && memcmp(bytes.s, part_magic, PART_MAGIC_BYTES) == 0;
	uint64_t version;

	if (!is_ours) {
		err_set(e, ERR_INPUT, "'%s' is no part of a fleet", name);
		return err_hint(e, "gpuwhy fleet map TRACE -o PART makes one");
	}
	if (bytes.len < PART_HEAD_BYTES)
		return refuse(name, "it ends too early", e);
	version = whole_at(bytes.s + PART_MAGIC_BYTES, 4);
	if (version == PART_VERSION)
		return 0;
	err_set(e, ERR_INPUT, "'%s' is a part of version %llu, not %d", name,
		(unsigned long long)version, PART_VERSION);
	return err_hint(e, "another version of gpuwhy wrote it: use one version for all parts");
}

static int check_sum(struct str bytes, const char *name, struct err *e)
{
	const struct str body = {bytes.s + PART_HEAD_BYTES, bytes.len - PART_HEAD_BYTES};
	const uint64_t length = whole_at(bytes.s + PART_MAGIC_BYTES + 4, 8);
	char sum[SHA256_TEXT_BYTES];
	struct sha256 hash;

	if (length != body.len)
		return refuse(name,
			      length > body.len ? "it ends too early" : "more follows its end", e);
	sha256_begin(&hash);
	sha256_add(&hash, body.s, body.len);
	sha256_end(&hash, sum);
	if (memcmp(sum, bytes.s + PART_MAGIC_BYTES + 12, SHA256_TEXT_BYTES - 1) != 0)
		return refuse(name, "its checksum does not fit", e);
	return 0;
}

static void read_texts(struct part_code *c)
{
	code_count(c, &c->text_count, UINT32_MAX, 1);
	c->texts = mem_zalloc(c->text_count, sizeof(*c->texts));
	for (size_t i = 0; code_goes_on(c, i, c->text_count); i++) {
		size_t len = 0;

		code_count(c, &len, PART_TEXT_BYTES, 1);
		if (!c->wrong && memchr(c->at, '\0', len))
			code_refuse(c, "a text has a zero in it");
		if (c->wrong)
			return;
		c->texts[i] = text_valid(c->arena, (struct str){(const char *)c->at, len});
		c->at += len;
	}
}

int part_decode(struct part *ret, struct str bytes, const char *name, struct err *e)
{
	struct part_code c = {.arena = &ret->arena};

	*ret = (struct part){.captured = SPAN_NONE};
	if (check_head(bytes, name, e) < 0 || check_sum(bytes, name, e) < 0)
		return -1;
	c.at = (const unsigned char *)bytes.s + PART_HEAD_BYTES;
	c.end = (const unsigned char *)bytes.s + bytes.len;
	read_texts(&c);
	part_fields(&c, ret);
	if (c.at != c.end)
		code_refuse(&c, "more follows its end");
	free(c.texts);
	return c.wrong ? refuse(name, c.wrong, e) : 0;
}

int part_read(struct part *ret, const char *path, struct err *e)
{
	SCOPED_BUF bytes = {0};

	*ret = (struct part){.captured = SPAN_NONE};
	if (file_read(&bytes, path, PART_LARGEST_BYTES, e) < 0)
		return -1;
	return part_decode(ret, buf_str(&bytes), path, e);
}

bool part_is_file(const char *path)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[PART_MAGIC_BYTES];

	return fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       memcmp(head, part_magic, sizeof(head)) == 0;
}

void part_free(struct part *p)
{
	arena_free(&p->arena);
	*p = (struct part){0};
}
