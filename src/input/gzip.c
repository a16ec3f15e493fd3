/* What does a gzip stream hold? */
#include "input/unpack.h"

#include "base/mem.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_ONLY = 16 }; /* added to the window bits: a gzip header is required */

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

const struct unpack_format unpack_gzip = {
	.name = "gzip",
	.magic = "\x1f\x8b",
	.magic_len = 2,
	.open = gzip_open,
	.step = gzip_step,
	.close = gzip_close,
};
