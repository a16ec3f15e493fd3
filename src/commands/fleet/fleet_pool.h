/*
 * Many captures, several at once: as many as there are cores and memory for. Where only one has
 * room, its own loops take all cores.
 */
#ifndef COMMANDS_FLEET_FLEET_POOL_H
#define COMMANDS_FLEET_FLEET_POOL_H

#include "base/err.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdint.h>

struct fleet_pool {
	uint64_t allowed, used; /* bytes of memory */
	pthread_mutex_t lock;	/* of `used` */
	pthread_cond_t freed;
	pthread_mutex_t opening; /* one after the other: some are unpacked, or exported by nsys */
};

/* `max_memory`: 0: a quarter of the machine's. */
void fleet_pool_start(struct fleet_pool *p, uint64_t max_memory);
void fleet_pool_end(struct fleet_pool *p);

/*
 * Calls `make` for each file, in their order as far as they begin, and on several threads. One that
 * fails ends the rest: -1 with the error of the first that did.
 */
typedef int fleet_pool_fn(void *ctx, size_t file, struct err *e);
int fleet_pool_run(const struct fleet_pool *p, const char *const *paths, size_t count,
		   fleet_pool_fn *make, void *ctx, struct err *e);

/* Waits until there is room for a map of the trace, whose bytes it takes until they are given back.
 * ERR_INPUT: there never will be. */
int fleet_pool_take(struct fleet_pool *p, const struct trace *t, uint64_t *ret_bytes,
		    struct err *e);
void fleet_pool_give_back(struct fleet_pool *p, uint64_t bytes);

#endif
