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
/* Says so, and exits. */
_Noreturn void mem_out(void);
/*
 * Before all else, by the only thread there is. What malloc() is asked for by the megabyte goes
 * back at once when freed, whoever frees it; what follows for large blocks needs it.
 */
void mem_init(void);
/* For mem_init(). */
void mem_init_large(void);
/* What was freed, or kept, goes back to the system: called between two large jobs. */
void mem_give_back(void);
char *mem_strdup(const char *s);
/*
 * Whole columns: from a few megabytes on in huge pages, which are many times cheaper to touch. They
 * go to mem_free_large() alone, which keeps their pages for the next: the system would have to
 * clear them again.
 */
void *mem_alloc_large(size_t size) __attribute__((malloc, returns_nonnull));
/* All 0; what is never written to takes no memory. */
void *mem_zalloc_large(size_t size) __attribute__((malloc, returns_nonnull));
void mem_free_large(void *p);
/* A larger block with the first `used` items of the old one, which is freed. */
void *mem_resize_large(void *old, size_t used, size_t count, size_t size);

/* Grows *array so that it holds at least `want` items; *cap is kept in items. */
#define MEM_GROW(array, cap, want)                                              \
	do {                                                                    \
		if ((want) > (cap)) {                                           \
			(cap) = mem_next_cap((cap), (want));                    \
			(array) = mem_resize((array), (cap), sizeof(*(array))); \
		}                                                               \
	} while (0)

/* The same for one that goes to mem_free_large(). */
#define MEM_GROW_LARGE(array, cap, want)                                                     \
	do {                                                                                 \
		if ((want) > (cap)) {                                                        \
			const size_t used_ = (cap);                                          \
			(cap) = mem_next_cap((cap), (want));                                 \
			(array) = mem_resize_large((array), used_, (cap), sizeof(*(array))); \
		}                                                                            \
	} while (0)

size_t mem_next_cap(size_t cap, size_t want);

#endif
