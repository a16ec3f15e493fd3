/* What does a zstd stream hold, and how is one made of a file? */
#include "base/file.h"
#include "base/mem.h"
#include "input/interrupt.h"
#include "input/pack.h"
#include "input/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
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

const struct unpack_format unpack_zstd = {"zstd",    "\x28\xb5\x2f\xfd", 4,
					  zstd_open, zstd_step,		 zstd_close};

enum { PACK_LEVEL = 6, PIECE_BYTES = 1 << 17 };

/* One piece of the file, or its end. -1 with errno set when it is not taken. */
static int pack_piece(ZSTD_CCtx *z, ZSTD_inBuffer in, bool last, int to, char *room)
{
	const ZSTD_EndDirective how = last ? ZSTD_e_end : ZSTD_e_continue;
	size_t left;

	do {
		ZSTD_outBuffer out = {room, PIECE_BYTES, 0};

		left = ZSTD_compressStream2(z, &out, &in, how);
		if (ZSTD_isError(left)) {
			errno = ENOMEM;
			return -1;
		}
		if (file_write_all(to, room, out.pos) < 0)
			return -1;
	} while (last ? left != 0 : in.pos < in.size);
	return 0;
}

static int pack_all(int from, int to)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	SCOPED char *piece = mem_alloc(PIECE_BYTES, 1), *room = mem_alloc(PIECE_BYTES, 1);
	ssize_t got = 1;
	int result = z ? 0 : -1;

	if (z) {
		ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, PACK_LEVEL);
		/* What is read back later is known to be what was written. */
		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	}
	while (result == 0 && got > 0) {
		got = interrupt_pending() ? -1 : read(from, piece, PIECE_BYTES);
		if (interrupt_pending())
			errno = EINTR;
		result = got < 0 ? -1
				 : pack_piece(z, (ZSTD_inBuffer){piece, (size_t)got, 0}, got == 0,
					      to, room);
	}
	ZSTD_freeCCtx(z);
	return result;
}

int zstd_pack_file(const char *source, const char *out, struct err *e)
{
	SCOPED_FD from = open(source, O_RDONLY | O_CLOEXEC);
	int to, result;

	if (from < 0)
		return err_set_errno(e, "cannot read '%s'", source);
	to = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	result = to < 0 ? -1 : pack_all(from, to);
	if (to >= 0 && close(to) < 0)
		result = -1;
	if (result < 0)
		err_set_errno(e, "cannot compress '%s' into '%s'", source, out);
	return result;
}
