/*
 * One loop over many items on all cores. The items are cut into runs of `grain`; runs are handed
 * out in order. The result must not depend on which worker took which run (law: deterministic).
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/err.h"

#include <stddef.h>

enum {
	PARALLEL_MAX = 64,
	PARALLEL_ROWS = 1 << 16, /* a grain for loops of a few nanoseconds an item */
};

/* Called for items [begin, end) by worker `worker` < parallel_workers(). */
typedef int parallel_fn(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e);

/* Returns 0, or -1 with the error of the earliest run that failed, whatever the timing. */
int parallel_for(size_t n, size_t grain, parallel_fn *fn, void *ctx, struct err *e);

/* The same for what cannot fail. */
typedef void parallel_each_fn(void *ctx, size_t begin, size_t end, unsigned worker);
void parallel_each(size_t n, size_t grain, parallel_each_fn *fn, void *ctx);

/* How many workers a parallel_for may use. Defaults to cores_usable(), at most PARALLEL_MAX. */
unsigned parallel_workers(void);
void parallel_set_workers(unsigned n);

#endif
