/* Where do whole columns come from, and who gets the pages that one no longer needs? */
#include "base/mem.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { HUGE_SHIFT = 21, LARGE_PAGES = 2 };

static const size_t huge_page = (size_t)1 << HUGE_SHIFT;

/* gcc says by the one which sanitizer looks on, clang by the other. */
#ifndef __has_feature
#define __has_feature(sanitizer) 0
#endif

/* Sanitizers are to see every use of what was freed, and who frees it in another way. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { HAS_POOL = 0, BEFORE = 64 };
#else
enum { HAS_POOL = 1, BEFORE = 0 };
#endif

/* Neighbouring pages, in numbers of pages from the pool's beginning. */
struct page_run {
	uint32_t begin, count;
};

/*
 * A stretch of addresses that only large blocks lie in. Pages of freed ones are kept, together with
 * those beside them: the system would have to clear others, which costs as much as all that an
 * analysis does with them. The heap is the process's own, and so is this.
 */
static struct {
	pthread_mutex_t lock;
	char *begin; /* NULL: the system does not lend as many addresses, or nobody has asked */
	uint32_t pages;
	uint32_t used;		/* those from here on were never lent */
	uint32_t *block_of;	/* by the first page of a block: how many it has */
	struct page_run *spare; /* by place; no two touch */
	size_t spare_count, spare_cap;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* As many addresses as there is memory, and some for what lies unused between blocks. */
static size_t addresses_wanted(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	/* Who limits addresses means memory. */
	if (pages <= 0 || page <= 0 || getrlimit(RLIMIT_AS, &limit) < 0 ||
	    limit.rlim_cur != RLIM_INFINITY)
		return 0;
	return (size_t)pages * (size_t)page / huge_page * huge_page * 2;
}

void mem_init_large(void)
{
	const size_t size = HAS_POOL ? addresses_wanted() : 0;
	char *p;

	if (!size || size >> HUGE_SHIFT > UINT32_MAX)
		return;
	p = mmap(NULL, size + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		 0);
	if (p == MAP_FAILED)
		return;
	pool.begin = p + -(uintptr_t)p % huge_page;
	pool.pages = (uint32_t)(size >> HUGE_SHIFT);
	pool.block_of = mem_zalloc(pool.pages, sizeof(*pool.block_of));
}

static char *page_at(uint32_t page)
{
	return pool.begin + ((size_t)page << HUGE_SHIFT);
}

static void remove_spare(size_t i)
{
	memmove(&pool.spare[i], &pool.spare[i + 1], (--pool.spare_count - i) * sizeof(*pool.spare));
}

/* The first pages of the smallest run that has as many; false: none has. */
static bool take_spare(uint32_t count, uint32_t *ret)
{
	size_t best = pool.spare_count;

	for (size_t i = 0; i < pool.spare_count; i++) {
		const uint32_t has = pool.spare[i].count;

		if (has >= count && (best == pool.spare_count || has < pool.spare[best].count))
			best = i;
	}
	if (best == pool.spare_count)
		return false;
	*ret = pool.spare[best].begin;
	pool.spare[best].begin += count;
	pool.spare[best].count -= count;
	if (!pool.spare[best].count)
		remove_spare(best);
	return true;
}

/* Pages that were never lent, behind those of the last run where it ends before them. */
static bool take_fresh(uint32_t count, uint32_t *ret)
{
	const struct page_run *last =
		pool.spare_count ? &pool.spare[pool.spare_count - 1] : &(struct page_run){0};
	const bool touches = last->count && last->begin + last->count == pool.used;
	const uint32_t fresh = touches ? count - last->count : count;
	const size_t size = (size_t)fresh << HUGE_SHIFT;

	if (fresh > pool.pages - pool.used ||
	    mprotect(page_at(pool.used), size, PROT_READ | PROT_WRITE) < 0)
		return false;
	madvise(page_at(pool.used), size, MADV_HUGEPAGE);
	*ret = touches ? last->begin : pool.used;
	pool.used += fresh;
	if (touches)
		pool.spare_count--;
	return true;
}

static void *take_pages(size_t size)
{
	const size_t count = (size >> HUGE_SHIFT) + (size % huge_page != 0);
	uint32_t first;
	bool taken;

	pthread_mutex_lock(&pool.lock);
	taken = count <= pool.pages &&
		(take_spare((uint32_t)count, &first) || take_fresh((uint32_t)count, &first));
	if (taken)
		pool.block_of[first] = (uint32_t)count;
	pthread_mutex_unlock(&pool.lock);
	return taken ? page_at(first) : NULL;
}

/* Joins the pages with what is spare on either side. */
static void add_spare(uint32_t begin, uint32_t count)
{
	size_t i = 0;

	while (i < pool.spare_count && pool.spare[i].begin < begin)
		i++;
	if (i < pool.spare_count && begin + count == pool.spare[i].begin) {
		count += pool.spare[i].count;
		remove_spare(i);
	}
	if (i && pool.spare[i - 1].begin + pool.spare[i - 1].count == begin) {
		pool.spare[i - 1].count += count;
		return;
	}
	MEM_GROW(pool.spare, pool.spare_cap, pool.spare_count + 1);
	memmove(&pool.spare[i + 1], &pool.spare[i], (pool.spare_count++ - i) * sizeof(*pool.spare));
	pool.spare[i] = (struct page_run){begin, count};
}

static bool is_of_pool(const char *p)
{
	return pool.begin && p >= pool.begin && p < pool.begin + ((size_t)pool.pages << HUGE_SHIFT);
}

void *mem_alloc_large(size_t size)
{
	void *p = NULL;

	if (HAS_POOL && size >= LARGE_PAGES * huge_page)
		p = take_pages(size);
	if (p)
		return p;
	if (size > SIZE_MAX - BEFORE)
		mem_out();
	return (char *)mem_alloc(size + BEFORE, 1) + BEFORE;
}

/* calloc() does not touch what it has mapped anew; a page of the pool would have to be cleared. */
void *mem_zalloc_large(size_t size)
{
	char *p = mem_zalloc(size > SIZE_MAX - BEFORE ? SIZE_MAX : size + BEFORE, 1);
	const size_t before = -(uintptr_t)p % huge_page;

	if (HAS_POOL && size >= LARGE_PAGES * huge_page)
		madvise(p + before, (size - before) / huge_page * huge_page, MADV_HUGEPAGE);
	return p + BEFORE;
}

void mem_free_large(void *p)
{
	uint32_t first;

	if (!p)
		return;
	if (!is_of_pool(p)) {
		free((char *)p - BEFORE);
		return;
	}
	first = (uint32_t)((size_t)((char *)p - pool.begin) >> HUGE_SHIFT);
	pthread_mutex_lock(&pool.lock);
	add_spare(first, pool.block_of[first]);
	pthread_mutex_unlock(&pool.lock);
}

void *mem_resize_large(void *old, size_t used, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		mem_out();
	p = mem_alloc_large(bytes);
	if (used)
		memcpy(p, old, used * size);
	mem_free_large(old);
	return p;
}

void mem_give_back(void)
{
	pthread_mutex_lock(&pool.lock);
	for (size_t i = 0; i < pool.spare_count; i++)
		madvise(page_at(pool.spare[i].begin), (size_t)pool.spare[i].count << HUGE_SHIFT,
			MADV_DONTNEED);
	pthread_mutex_unlock(&pool.lock);
	malloc_trim(0);
}
