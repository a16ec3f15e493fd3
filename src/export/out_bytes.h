/* Bytes on their way to a sink: they gather, and leave in large pieces. */
#ifndef EXPORT_OUT_BYTES_H
#define EXPORT_OUT_BYTES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sink.h"

enum { OUT_PIECE = 1 << 18 };

struct out_bytes {
	struct buf bytes;
	struct sink *sink;
};

static inline int out_bytes_flush(struct out_bytes *o, struct err *e)
{
	if (o->bytes.len && o->sink->write(o->sink->ctx, o->bytes.s, o->bytes.len) < 0)
		return err_set_errno(e, "cannot write the timeline");
	o->bytes.len = 0;
	return 0;
}

/* Passes them on where there is a piece; after each event. */
static inline int out_bytes_poll(struct out_bytes *o, struct err *e)
{
	return o->bytes.len >= OUT_PIECE ? out_bytes_flush(o, e) : 0;
}

/* Where the next `len` bytes go; out_bytes_end() says where they ended. */
static inline char *out_bytes_begin(struct out_bytes *o, size_t len)
{
	return o->bytes.cap - o->bytes.len > len ? o->bytes.s + o->bytes.len
						 : buf_reserve(&o->bytes, len);
}

static inline void out_bytes_end(struct out_bytes *o, const char *at)
{
	o->bytes.len = (size_t)(at - o->bytes.s);
}

#endif
