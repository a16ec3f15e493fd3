/* How are many small things with one lifetime kept together? */
#include "base/arena.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 64 * 1024, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	bool is_single; /* holds one large array and nothing else */
	_Alignas(ALIGN) char bytes[];
};

static char *link_block(struct arena *a, struct arena_block *b, bool is_single)
{
	b->next = a->blocks;
	b->is_single = is_single;
	a->blocks = b;
	return b->bytes;
}

static char *add_block(struct arena *a, size_t size, bool is_single)
{
	return link_block(a, mem_alloc(1, sizeof(struct arena_block) + size), is_single);
}

/* Too much for anybody is left for mem.h to refuse. */
static size_t aligned_bytes(size_t count, size_t size)
{
	size_t want;

	if (__builtin_mul_overflow(count, size, &want) || want > (size_t)-1 / 4)
		want = (size_t)-1 / 4;
	return (want + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static bool is_large(size_t want)
{
	return want > BLOCK_BYTES / 4;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	const size_t want = aligned_bytes(count, size);
	char *p;

	if (is_large(want))
		return add_block(a, want, true);
	if (want > a->left || !a->next) {
		a->next = add_block(a, BLOCK_BYTES, false);
		a->left = BLOCK_BYTES;
	}
	p = a->next;
	a->next += want;
	a->left -= want;
	return p;
}

void *arena_zalloc(struct arena *a, size_t count, size_t size)
{
	const size_t want = aligned_bytes(count, size);

	if (is_large(want))
		return link_block(a, mem_zalloc(1, sizeof(struct arena_block) + want), true);
	return memset(arena_alloc(a, count, size), 0, count * size);
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(arena_alloc(a, len, 1), s, len);
}

struct str arena_str(struct arena *a, struct str s)
{
	char *copy = arena_alloc(a, s.len + 1, 1);

	if (s.len)
		memcpy(copy, s.s, s.len);
	copy[s.len] = '\0';
	return (struct str){copy, s.len};
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	SCOPED char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_out();
	va_end(ap);
	return arena_strdup(a, text);
}

void arena_drop(struct arena *a, void *p)
{
	for (struct arena_block **at = &a->blocks; *at; at = &(*at)->next) {
		struct arena_block *b = *at;

		/* The first thing in a shared block lies at the same place. */
		if (b->bytes != p || !b->is_single)
			continue;
		*at = b->next;
		free(b);
		return;
	}
}

void arena_free(struct arena *a)
{
	struct arena_block *b = a->blocks;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	*a = (struct arena){0};
}
