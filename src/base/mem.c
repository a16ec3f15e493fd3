/* Where does memory come from, and what happens when there is none? */
#include "base/mem.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
	fputs("gpuwhy: out of memory\n", stderr);
	_exit(4);
}

/* At least one byte, so that every allocation has an address of its own. */
static size_t bytes_of(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	return bytes ? bytes : 1;
}

void *mem_alloc(size_t count, size_t size)
{
	void *p = malloc(bytes_of(count, size));

	if (!p)
		out_of_memory();
	return p;
}

void *mem_zalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *p = realloc(old, bytes_of(count, size));

	if (!p)
		out_of_memory();
	return p;
}

void *mem_alloc_large(size_t size)
{
	const size_t huge_page = (size_t)2 << 20;
	void *p;

	if (size < 2 * huge_page)
		return mem_alloc(size, 1);
	if (posix_memalign(&p, huge_page, size) != 0)
		out_of_memory();
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void mem_init(void)
{
	/* Otherwise the limit grows with what is freed, and a thread's heap keeps tens of MB. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void mem_give_back(void)
{
	malloc_trim(0);
}

char *mem_strdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(mem_alloc(len, 1), s, len);
}

size_t mem_next_cap(size_t cap, size_t want)
{
	size_t grown = cap + cap / 2 + 16;

	return grown > want ? grown : want;
}
