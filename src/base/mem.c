/* Where does memory come from, and what happens when there is none? */
#include "base/mem.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
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

/* Sanitizers are to see every use of what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SPARES = 0 };
#else
enum { SPARES = 16 };
#endif

static const size_t huge_page = (size_t)2 << 20;

/* Blocks that are kept. The heap is the process's own, and so are they. */
static struct {
	pthread_mutex_t lock;
	size_t count;
	struct spare {
		void *p;
		size_t size;
	} blocks[SPARES + 1];
} spares = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct spare take_spare(size_t i)
{
	struct spare s = spares.blocks[i];

	spares.blocks[i] = spares.blocks[--spares.count];
	return s;
}

/* The smallest that is large enough; `count`: none. */
static size_t find_spare(size_t size)
{
	size_t best = spares.count;

	for (size_t i = 0; i < spares.count; i++) {
		const size_t has = spares.blocks[i].size;

		if (has >= size && (best == spares.count || has < spares.blocks[best].size))
			best = i;
	}
	return best;
}

/* What is far too much for it goes back to the system; a little more may suit the next one too. */
static void *cut_to_size(struct spare s, size_t size)
{
	void *p = s.size - size > size / 32 + huge_page ? realloc(s.p, size) : s.p;

	return p ? p : s.p;
}

/* Makes room for as much as is about to be taken. */
static void drop_spares(size_t size)
{
	for (size_t dropped = 0; spares.count && dropped < size;) {
		size_t largest = 0;

		for (size_t i = 1; i < spares.count; i++) {
			if (spares.blocks[i].size > spares.blocks[largest].size)
				largest = i;
		}
		dropped += spares.blocks[largest].size;
		free(take_spare(largest).p);
	}
}

static void *reuse(size_t size)
{
	struct spare s = {0};
	size_t i;

	pthread_mutex_lock(&spares.lock);
	i = find_spare(size);
	if (i < spares.count)
		s = take_spare(i);
	else
		drop_spares(size);
	pthread_mutex_unlock(&spares.lock);
	return s.p ? cut_to_size(s, size) : NULL;
}

void *mem_alloc_large(size_t size)
{
	void *p;

	if (size < 2 * huge_page)
		return mem_alloc(size, 1);
	p = reuse(size);
	if (p)
		return p;
	if (posix_memalign(&p, huge_page, size) != 0)
		out_of_memory();
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

/* calloc() does not touch what it has mapped anew; a block that is kept would have to be cleared.
 */
void *mem_zalloc_large(size_t size)
{
	char *p = mem_zalloc(size, 1);
	const size_t before = -(uintptr_t)p % huge_page;

	if (size >= 2 * huge_page)
		madvise(p + before, (size - before) / huge_page * huge_page, MADV_HUGEPAGE);
	return p;
}

void mem_free_large(void *p)
{
	const size_t size = p ? malloc_usable_size(p) : 0;
	void *too_many = NULL;

	if (size < 2 * huge_page || !SPARES) {
		free(p);
		return;
	}
	pthread_mutex_lock(&spares.lock);
	if (spares.count == SPARES)
		too_many = take_spare(0).p;
	spares.blocks[spares.count++] = (struct spare){p, size};
	pthread_mutex_unlock(&spares.lock);
	free(too_many);
}

void mem_init(void)
{
	/* Otherwise the limit grows with what is freed, and a thread's heap keeps tens of MB. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void mem_give_back(void)
{
	pthread_mutex_lock(&spares.lock);
	drop_spares(SIZE_MAX);
	pthread_mutex_unlock(&spares.lock);
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
