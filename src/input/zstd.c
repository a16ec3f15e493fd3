/* What does a zstd stream hold? */
#include "input/unpack.h"

#include <zstd.h>

static void *zstd_open(void)
{
	return ZSTD_createDStream();
}

static const char *zstd_step(void *state, struct unpack_step *s)
{
	ZSTD_inBuffer in = {s->in, s->in_left, 0};
	ZSTD_outBuffer out = {s->out, s->out_room, 0};
	size_t rc;

	/* Without input zstd would begin, and then miss, another frame. */
	if (s->complete && !s->in_left)
		return NULL;
	rc = ZSTD_decompressStream(state, &out, &in);
	s->in += in.pos;
	s->in_left -= in.pos;
	s->out += out.pos;
	s->out_room -= out.pos;
	s->complete = rc == 0;
	return ZSTD_isError(rc) ? ZSTD_getErrorName(rc) : NULL;
}

static void zstd_close(void *state)
{
	ZSTD_freeDStream(state);
}

const struct unpack_format unpack_zstd = {
	.name = "zstd",
	.magic = "\x28\xb5\x2f\xfd",
	.magic_len = 4,
	.open = zstd_open,
	.step = zstd_step,
	.close = zstd_close,
};
