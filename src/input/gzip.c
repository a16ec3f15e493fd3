/* What does a gzip stream hold, and how is one made? */
#include "base/mem.h"
#include "input/pack.h"
#include "input/unpack.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP_ONLY = 16 }; /* added to the window bits: a stream with gzip's header */

static void *gzip_open(void)
{
	z_stream *z = mem_zalloc(1, sizeof(*z));

	if (inflateInit2(z, MAX_WBITS + GZIP_ONLY) == Z_OK)
		return z;
	free(z);
	return NULL;
}

/* After a member there may be padding with zeros and then another member. */
static bool next_member(z_stream *z, struct unpack_step *s)
{
	while (s->in_left && *s->in == 0) {
		s->in++;
		s->in_left--;
	}
	if (!s->in_left)
		return false;
	inflateReset(z);
	s->complete = false;
	return true;
}

static const char *gzip_step(void *state, struct unpack_step *s)
{
	z_stream *z = state;
	int rc;

	if (s->complete && !next_member(z, s))
		return NULL;
	z->next_in = s->in;
	z->avail_in = (uInt)s->in_left;
	z->next_out = s->out;
	z->avail_out = (uInt)s->out_room;
	rc = inflate(z, Z_NO_FLUSH);
	s->in = z->next_in;
	s->in_left = z->avail_in;
	s->out = z->next_out;
	s->out_room = z->avail_out;
	s->complete = rc == Z_STREAM_END;
	/* Z_BUF_ERROR only says that there was nothing to do. */
	if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR)
		return NULL;
	return z->msg ? z->msg : zError(rc);
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}

const struct unpack_format unpack_gzip = {"gzip", "\x1f\x8b", 2, gzip_open, gzip_step, gzip_close};

/* A timeline is many alike lines: more than the quickest level hardly makes it smaller. */
enum { PACK_LEVEL = 2, PACK_PIECE = 1 << 17 };

struct packer {
	z_stream z;
	struct sink *out;
	unsigned char piece[PACK_PIECE];
};

/* Z_NO_FLUSH takes all of the input, Z_FINISH ends the stream. */
static int pack(struct packer *p, int flush)
{
	int rc;

	do {
		p->z.next_out = p->piece;
		p->z.avail_out = sizeof(p->piece);
		rc = deflate(&p->z, flush);
		if (rc == Z_STREAM_ERROR) {
			errno = EINVAL;
			return -1;
		}
		if (p->z.avail_out < sizeof(p->piece) &&
		    p->out->write(p->out->ctx, (const char *)p->piece,
				  sizeof(p->piece) - p->z.avail_out) < 0)
			return -1;
	} while (p->z.avail_in || p->z.avail_out == 0 || (flush == Z_FINISH && rc != Z_STREAM_END));
	return 0;
}

static int pack_write(void *ctx, const char *bytes, size_t len)
{
	struct packer *p = ctx;

	while (len) {
		uInt part = len < UINT32_MAX ? (uInt)len : UINT32_MAX;

		p->z.next_in = (unsigned char *)bytes;
		p->z.avail_in = part;
		if (pack(p, Z_NO_FLUSH) < 0)
			return -1;
		bytes += part;
		len -= part;
	}
	return 0;
}

struct packer *gzip_pack_open(struct sink *out, struct sink *ret)
{
	struct packer *p = mem_zalloc(1, sizeof(*p));

	p->out = out;
	*ret = (struct sink){pack_write, p};
	if (deflateInit2(&p->z, PACK_LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_ONLY, 9,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return p;
	free(p);
	return NULL;
}

int gzip_pack_finish(struct packer *p)
{
	return pack(p, Z_FINISH);
}

void gzip_pack_close(struct packer *p)
{
	if (p)
		deflateEnd(&p->z);
	free(p);
}

bool gzip_add(struct buf *b, struct str bytes)
{
	struct sink to = buf_sink(b), from;
	struct packer *p = gzip_pack_open(&to, &from);
	const bool is_done =
		p && from.write(from.ctx, bytes.s, bytes.len) == 0 && gzip_pack_finish(p) == 0;

	gzip_pack_close(p);
	return is_done;
}
