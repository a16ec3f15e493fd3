/* What both writers of timelines use: bytes that leave in large pieces, what is made ready, digits.
 */
#ifndef EXPORT_WRITER_H
#define EXPORT_WRITER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/sink.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes on their way to a sink: they gather, and leave in large pieces. */
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

/*
 * What a writer has made ready to be copied, by number: names in quotes, args of a shape. A hostile
 * trace has more of it than memory: what is beyond a bound is made anew each time.
 */
enum { READY_BYTES = 64 << 20 };

struct ready {
	struct str *all; /* s NULL: not made yet */
	size_t count, cap;
	size_t bytes;
	struct arena arena;
};

static inline bool ready_has(const struct ready *r, uint32_t number)
{
	return number < r->count && r->all[number].s;
}

/* Keeps a copy, which is returned. */
static inline struct str ready_keep_always(struct ready *r, uint32_t number, struct str made)
{
	MEM_GROW(r->all, r->cap, (size_t)number + 1);
	while (r->count <= number)
		r->all[r->count++] = (struct str){NULL, 0};
	r->bytes += made.len;
	return r->all[number] = arena_str(&r->arena, made);
}

/* The same where there is room; else it is `made`, to be used before the next is made. */
static inline struct str ready_keep(struct ready *r, uint32_t number, struct str made)
{
	return r->bytes + made.len > READY_BYTES ? made : ready_keep_always(r, number, made);
}

static inline void ready_free(struct ready *r)
{
	free(r->all);
	arena_free(&r->arena);
	*r = (struct ready){0};
}

/* Numbers as digits, straight to where they go: a timeline is millions of them. */
/* No number takes more, with its sign and three decimals. */
enum { DIGITS_MOST = 24 };

static inline char *digits_put(char *at, uint64_t n)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char text[20];
	size_t i = sizeof(text);

	while (n >= 100) {
		i -= 2;
		memcpy(text + i, pairs + 2 * (n % 100), 2);
		n /= 100;
	}
	if (n >= 10) {
		i -= 2;
		memcpy(text + i, pairs + 2 * n, 2);
	} else {
		text[--i] = (char)('0' + n);
	}
	memcpy(at, text + i, sizeof(text) - i);
	return at + sizeof(text) - i;
}

static inline char *digits_put_signed(char *at, int64_t n)
{
	if (n >= 0)
		return digits_put(at, (uint64_t)n);
	*at++ = '-';
	return digits_put(at, -(uint64_t)n);
}

/* Nanoseconds as microseconds, exactly: 1234567 is 1234.567. */
static inline char *digits_put_us(char *at, uint64_t ns)
{
	uint32_t rest = (uint32_t)(ns % 1000);

	at = digits_put(at, ns / 1000);
	at[0] = '.';
	at[1] = (char)('0' + rest / 100);
	at[2] = (char)('0' + rest / 10 % 10);
	at[3] = (char)('0' + rest % 10);
	return at + 4;
}

#endif
