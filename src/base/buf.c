/* How is text of unknown length put together? */
#include "base/buf.h"

#include "base/mem.h"
#include "base/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char *buf_reserve(struct buf *b, size_t extra)
{
	MEM_GROW(b->s, b->cap, b->len + extra + 1);
	return b->s + b->len;
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	char *end = buf_reserve(b, len);

	if (len)
		memcpy(end, bytes, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addn(struct buf *b, char c, size_t times)
{
	memset(buf_reserve(b, times), c, times);
	b->len += times;
	b->s[b->len] = '\0';
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	buf_add(b, text, (size_t)len);
	free(text);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = '\0';
}

void buf_shorten(struct buf *b, size_t len)
{
	if (len < b->len)
		b->s[b->len = len] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->s);
	*b = (struct buf){0};
}

static int gather(void *ctx, const char *bytes, size_t len)
{
	buf_add(ctx, bytes, len);
	return 0;
}

struct sink buf_sink(struct buf *b)
{
	return (struct sink){gather, b};
}
