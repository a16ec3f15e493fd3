/* Where does memory come from, and what happens when there is none? */
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void mem_out(void)
{
	fputs("gpuwhy: out of memory\n", stderr);
	_exit(4);
}

/* At least one byte, so that every allocation has an address of its own. */
static size_t bytes_of(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		mem_out();
	return bytes ? bytes : 1;
}

/* A block of malloc()'s, which is large enough for huge pages or is not; NULL: there is none. */
static void *checked(void *p, size_t bytes)
{
	const size_t huge_page = (size_t)1 << 21;
	const size_t before = -(uintptr_t)p % huge_page;

	if (!p)
		mem_out();
	if (bytes >= 2 * huge_page)
		madvise((char *)p + before, (bytes - before) / huge_page * huge_page,
			MADV_HUGEPAGE);
	return p;
}

void *mem_alloc(size_t count, size_t size)
{
	const size_t bytes = bytes_of(count, size);

	return checked(malloc(bytes), bytes);
}

void *mem_zalloc(size_t count, size_t size)
{
	const size_t bytes = bytes_of(count, size);

	return checked(calloc(bytes, 1), bytes);
}

void *mem_zalloc_apart(size_t count, size_t size)
{
	struct line {
		MEM_APART char bytes[1];
	};
	const size_t lines = (bytes_of(count, size) - 1) / sizeof(struct line) + 1;
	void *p = aligned_alloc(sizeof(struct line), lines * sizeof(struct line));

	if (!p)
		mem_out();
	return memset(p, 0, lines * sizeof(struct line));
}

void *mem_resize(void *old, size_t count, size_t size)
{
	const size_t bytes = bytes_of(count, size);

	return checked(realloc(old, bytes), bytes);
}

void *mem_copy(const void *items, size_t count, size_t size)
{
	void *copy = mem_alloc(count, size);

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

void mem_give_back(void)
{
	malloc_trim(0);
}

void mem_init(void)
{
	/* Blocks that are freed are handed out again as they are. From the system each would come
	 * cleared, which took a sixth of a report's time. mem_give_back() says when they may go. */
	mallopt(M_MMAP_THRESHOLD, INT_MAX);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	/* Of heaps of their own threads could take none as large. */
	mallopt(M_ARENA_MAX, 1);
}

char *mem_strdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(mem_alloc(len, 1), s, len);
}

void mem_free_scoped(void *pointer)
{
	const int saved = errno; /* of what failed in the block, and is still to be reported */
	void *block;

	memcpy(&block, pointer, sizeof(block));
	free(block);
	errno = saved;
}

size_t mem_next_cap(size_t cap, size_t want)
{
	size_t grown = cap + cap / 2 + 16;

	return grown > want ? grown : want;
}
