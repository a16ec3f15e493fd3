/*
 * A string that grows. Invariants: `s` is always terminated once anything was added (and is NULL
 * before: buf_str() has "" then), `len` does not count the terminator, a zeroed struct buf is empty
 * and valid.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
	char *s;
	size_t len;
	size_t cap;
};

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addn(struct buf *b, char c, size_t times);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void buf_addstr(struct buf *b, struct str s)
{
	buf_add(b, s.s, s.len);
}
/* Makes room for `extra` more bytes and returns where they go; the caller advances len. */
char *buf_reserve(struct buf *b, size_t extra);
void buf_clear(struct buf *b);
/* To a length that it had before. */
void buf_shorten(struct buf *b, size_t len);
void buf_free(struct buf *b);
/* A local buffer that is freed when its block is left: nothing may keep its bytes. */
#define SCOPED_BUF __attribute__((cleanup(buf_free))) struct buf
static inline struct str buf_str(const struct buf *b)
{
	return (struct str){b->s ? b->s : "", b->len};
}

#endif
