/* Which thread called which function, as a small number? */
#include "trace/calls/call_origins.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "trace/strings.h"

#include <stdlib.h>

static void clear_caches(struct call_origins *o)
{
	for (unsigned w = 0; w < parallel_workers(); w++)
		memset(o->caches[w].number, 0xff, sizeof(o->caches[w].number));
}

void call_origins_begin(struct call_origins *o, struct trace *t)
{
	*o = (struct call_origins){.trace = t, .threads_before = t->thread_keys.count};
	intern_init(&o->pairs);
	o->caches = mem_alloc(parallel_workers(), sizeof(*o->caches));
	clear_caches(o);
}

static uint32_t add_locked(struct intern *in, uint64_t key)
{
	uint32_t number;

	pthread_mutex_lock(&in->lock);
	number = intern_add(in, key);
	pthread_mutex_unlock(&in->lock);
	return number;
}

static uint32_t number_anew(struct call_origins *o, const struct sqlite_values *tid,
			    const struct sqlite_values *name, size_t i)
{
	uint32_t thread = ID_NONE, function = NAME_NONE;

	if (tid && tid->type[i] == SQLITE_IS_INT)
		thread = add_locked(&o->trace->thread_keys, (uint64_t)tid->num[i]);
	if (name && name->type[i] == SQLITE_IS_INT)
		function = strings_number(o->trace, name->num[i]);
	return add_locked(&o->pairs, (uint64_t)thread << 32 | function);
}

static size_t cache_slot(int64_t tid, int64_t name)
{
	return ((uint64_t)name + ((uint64_t)tid * 0x9e3779b97f4a7c15u >> 56)) % ORIGIN_CACHE;
}

static inline uint32_t number_cached(struct call_origins *o, struct origin_cache *c,
				     const struct sqlite_values *tid,
				     const struct sqlite_values *name, size_t i)
{
	size_t slot = cache_slot(tid->num[i], name->num[i]);

	if (c->tid[slot] != tid->num[i] || c->name[slot] != name->num[i] ||
	    c->number[slot] == ID_NONE) {
		c->number[slot] = number_anew(o, tid, name, i);
		c->tid[slot] = tid->num[i];
		c->name[slot] = name->num[i];
	}
	return c->number[slot];
}

uint32_t call_origins_number(struct call_origins *o, unsigned worker,
			     const struct sqlite_values *tid, const struct sqlite_values *name,
			     size_t i)
{
	if (!tid || !name || tid->type[i] != SQLITE_IS_INT || name->type[i] != SQLITE_IS_INT)
		return number_anew(o, tid, name, i);
	return number_cached(o, &o->caches[worker], tid, name, i);
}

void call_origins_number_some(struct call_origins *o, unsigned worker,
			      const struct sqlite_values *tid, const struct sqlite_values *name,
			      size_t first, size_t count, uint32_t *out)
{
	bool usual = tid && name && tid->all == SQLITE_IS_INT && name->all == SQLITE_IS_INT;

	for (size_t i = 0; i < count; i++)
		out[i] = usual ? number_cached(o, &o->caches[worker], tid, name, first + i)
			       : call_origins_number(o, worker, tid, name, first + i);
}

void call_origins_forget(struct call_origins *o)
{
	intern_forget(&o->pairs, 0);
	intern_forget(&o->trace->thread_keys, o->threads_before);
	clear_caches(o);
}

/* Threads were numbered as they came: settle them like a loaded column, in the few origins. */
struct call_origin *call_origins_settle(struct call_origins *o, size_t *ret_count)
{
	size_t count = o->pairs.count;
	uint32_t *threads = mem_alloc(count, sizeof(*threads));
	struct call_origin *origins = mem_alloc(count, sizeof(*origins));

	for (size_t i = 0; i < count; i++)
		threads[i] = (uint32_t)(o->pairs.keys[i] >> 32);
	intern_settle(&o->trace->thread_keys, o->threads_before, threads, count);
	for (size_t i = 0; i < count; i++)
		origins[i] = (struct call_origin){threads[i], (uint32_t)o->pairs.keys[i]};
	free(threads);
	trace_number_processes(o->trace);
	*ret_count = count;
	return origins;
}

void call_origins_end(struct call_origins *o)
{
	free(o->caches);
	intern_free(&o->pairs);
	*o = (struct call_origins){0};
}
