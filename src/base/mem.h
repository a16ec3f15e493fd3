/*
 * Allocation that cannot fail: when memory is exhausted the program says so and exits with 4.
 * Sizes taken from a file must be bounded by what the file really holds before they come here.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void *mem_alloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_zalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *old, size_t count, size_t size);
/* Large blocks that are freed go back to the system at once, whoever freed them. */
void mem_init(void);
/* What was freed, or kept, goes back to the system: called between two large jobs. */
void mem_give_back(void);
char *mem_strdup(const char *s);
/* Whole columns: from a few megabytes on in huge pages, which are many times cheaper to touch. */
void *mem_alloc_large(size_t size);
/* All 0; what is never written to takes no memory. */
void *mem_zalloc_large(size_t size);
/*
 * Keeps the block for the next that needs no more: the system would have to clear its pages again.
 * What is kept goes back before more is taken than is given, and what the next does not need of it
 * goes back too, so that no more memory is held than without. free() does as well where nobody asks
 * for as much again, and better where the block was never written to.
 */
void mem_free_large(void *p);

/* Grows *array so that it holds at least `want` items; *cap is kept in items. */
#define MEM_GROW(array, cap, want)                                              \
	do {                                                                    \
		if ((want) > (cap)) {                                           \
			(cap) = mem_next_cap((cap), (want));                    \
			(array) = mem_resize((array), (cap), sizeof(*(array))); \
		}                                                               \
	} while (0)

size_t mem_next_cap(size_t cap, size_t want);

#endif
