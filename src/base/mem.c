/* Where does memory come from, and what happens when there is none? */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void *mem_alloc(size_t count, size_t size)
{
	void *p = malloc(bytes_of(count, size));

	if (!p)
		mem_out();
	return p;
}

void *mem_zalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		mem_out();
	return p;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *p = realloc(old, bytes_of(count, size));

	if (!p)
		mem_out();
	return p;
}

void mem_init(void)
{
	mem_init_large();
	/* Otherwise the limit grows with what is freed, and a thread's heap keeps tens of MB. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
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
