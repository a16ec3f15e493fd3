/* Messages of Protocol Buffers, written by hand: varints, and bytes after their length. */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include "base/buf.h"

#include <stdint.h>

/* A varint of 64 bits, and a field's number and type before it. */
enum { VARINT_MOST = 10, FIELD_MOST = 2 * VARINT_MOST };

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static inline char *pb_put_varint(char *at, uint64_t n)
{
	while (n >= 0x80) {
		*at++ = (char)(n | 0x80);
		n >>= 7;
	}
	*at++ = (char)n;
	return at;
}

static inline char *pb_begin(struct buf *b, size_t len)
{
	return b->cap - b->len > len ? b->s + b->len : buf_reserve(b, len);
}

static inline void pb_end(struct buf *b, const char *at)
{
	b->len = (size_t)(at - b->s);
}

static inline void pb_add_uint(struct buf *b, uint32_t field, uint64_t value)
{
	char *at = pb_begin(b, FIELD_MOST);

	at = pb_put_varint(at, (uint64_t)field << 3 | WIRE_VARINT);
	pb_end(b, pb_put_varint(at, value));
}

/* int32 and int64: negative ones take ten bytes. */
static inline void pb_add_int(struct buf *b, uint32_t field, int64_t value)
{
	pb_add_uint(b, field, (uint64_t)value);
}

/* fixed64 and, by its bits, double. */
static inline void pb_add_fixed64(struct buf *b, uint32_t field, uint64_t value)
{
	char *at = pb_begin(b, FIELD_MOST);

	at = pb_put_varint(at, (uint64_t)field << 3 | WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		*at++ = (char)(value >> 8 * i);
	pb_end(b, at);
}

/* Strings, and messages that have been put together. */
static inline void pb_add_bytes(struct buf *b, uint32_t field, struct str s)
{
	char *at = pb_begin(b, FIELD_MOST + s.len);

	at = pb_put_varint(at, (uint64_t)field << 3 | WIRE_BYTES);
	at = pb_put_varint(at, s.len);
	if (s.len)
		memcpy(at, s.s, s.len);
	pb_end(b, at + s.len);
}

#endif
