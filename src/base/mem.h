/*
 * Allocation that cannot fail: when memory is exhausted the program says so and exits with 4.
 * Sizes taken from a file must be bounded by what the file really holds before they come here.
 * Blocks of several megabytes lie in huge pages, which are many times cheaper to touch.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Says so, and exits: nothing here goes on without memory. */
_Noreturn void mem_out(void);
void *mem_alloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_zalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *mem_resize(void *old, size_t count, size_t size);
/*
 * What one core writes all the time must share no cache line with what another does. A block that
 * shares none, cleared; and, as the first thing of a struct's first member, what keeps the items of
 * an array of them, in such a block, apart from each other.
 */
void *mem_zalloc_apart(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
#define MEM_APART _Alignas(128)
/*
 * Before all else, by the only thread there is: what is asked for by the megabyte goes back to the
 * system when it is freed, whoever frees it.
 */
void mem_init(void);
/* What was freed goes back to the system: called between two large jobs. */
void mem_give_back(void);
char *mem_strdup(const char *s);
/* Before the type of a local pointer: what it points to is freed when its block is left. */
#define SCOPED __attribute__((cleanup(mem_free_scoped)))
void mem_free_scoped(void *pointer);
/* A block of its own with what `items` are. */
void *mem_copy(const void *items, size_t count, size_t size);
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
