/*
 * What is made of a trace once and asked for by several. The trace keeps it and frees it when it
 * is closed; each thing has a key, the address of something constant.
 *
 * The lock is the trace's. Making something may take its time, and is not done under the lock:
 * others who ask for it wait, and nobody else does. What is made from other cached things asks for
 * those meanwhile. So the order is: begin making, then lock. Who waits for a thing while holding
 * the lock, or asks for what it is making, is stopped by an assertion.
 */
#ifndef TRACE_CACHE_H
#define TRACE_CACHE_H

#include "trace/trace.h"

/* One kind of thing; its address is the key. */
struct cached {
	size_t size;
	/* Fills `made`, which is zeroed. After an error nothing is kept: the next to ask tries. */
	int (*make)(struct trace *t, const void *ctx, void *made, struct err *e);
	void (*free)(void *made); /* what it holds, not itself */
};

/* What is cached under a key; NULL: nothing, or it is still being made. */
void *trace_cache_find(struct trace *t, const void *key);
/* The thing, made where nobody has yet; NULL after an error. */
void *trace_cache_get(struct trace *t, const struct cached *c, const void *ctx, struct err *e);
/*
 * The same for a trace that may use no cache (uses_cache): then `ret` is made anew and the
 * caller's. Otherwise it is a copy, and what it holds is the trace's, which *shared says.
 */
int trace_cache_make(struct trace *t, const struct cached *c, const void *ctx, void *ret,
		     bool *shared, struct err *e);
/* The same for what takes long to read: it is kept where answers are (keeps_answers), too. */
int trace_cache_keep(struct trace *t, const struct cached *c, void *ret, bool *shared,
		     struct err *e);

/* For those who make a thing themselves: others who begin the same wait until it ends. */
void trace_cache_begin(struct trace *t, const void *key);
void trace_cache_end(struct trace *t, const void *key);
/*
 * Keeps a block of mem_alloc(), which the cache frees; false: something is kept there already, and
 * the block stays the caller's.
 */
bool trace_cache_put(struct trace *t, const void *key, void *made, void (*free_made)(void *));
/* Frees it; nobody may use it any more. */
void trace_cache_drop(struct trace *t, const void *key);

/* For trace_open() and trace_close(). */
void trace_cache_init(struct trace *t);
void trace_cache_free(struct trace *t);

#endif
