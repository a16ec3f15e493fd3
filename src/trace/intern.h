/*
 * Small numbers for the large ids of processes and threads, handed out while many workers scan.
 * Numbers are the same whatever the number of workers: intern_settle() sorts those that a scan
 * added.
 */
#ifndef TRACE_INTERN_H
#define TRACE_INTERN_H

#include "trace/trace.h"

enum { INTERN_CACHE = 64 };

/* One per worker and column: most rows repeat a few ids, and then no lock is taken. */
struct intern_cache {
	uint64_t key[INTERN_CACHE];
	uint32_t number[INTERN_CACHE]; /* ID_NONE: unused */
};

void intern_init(struct intern *in);
void intern_free(struct intern *in);
void intern_cache_init(struct intern_cache *c);
uint32_t intern_number(struct intern *in, struct intern_cache *c, uint64_t key);
/*
 * After a scan that began with `before` keys: puts the new keys in ascending order and rewrites
 * the scanned column accordingly.
 */
void intern_settle(struct intern *in, size_t before, uint32_t *column, uint64_t rows);

/* Undoes a scan that began with `before` keys and came to nothing. */
void intern_forget(struct intern *in, size_t before);

/* One key, outside a scan. */
uint32_t intern_add(struct intern *in, uint64_t key);

#endif
