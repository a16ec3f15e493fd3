/* Who may add to a trace, and what has been made of it already? */
#include "trace/trace_cache.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

struct cache_entry {
	struct cache_entry *next;
	const void *key;
	const char *maker; /* the thread that makes it; NULL: nobody does */
	void *made;
	void (*free_made)(void *);
};

/* Its address tells threads apart. */
static _Thread_local const char self;

bool trace_is_locked(const struct trace *t)
{
	return atomic_load_explicit(&t->lock.owner, memory_order_relaxed) == &self;
}

static void own(struct trace *t, const char *owner, unsigned depth)
{
	atomic_store_explicit(&t->lock.owner, owner, memory_order_relaxed);
	t->lock.depth = depth;
}

void trace_lock(struct trace *t)
{
	if (trace_is_locked(t)) {
		t->lock.depth++;
		return;
	}
	pthread_mutex_lock(&t->lock.mutex);
	own(t, &self, 1);
}

void trace_unlock(struct trace *t)
{
	assert(trace_is_locked(t));
	if (--t->lock.depth)
		return;
	own(t, NULL, 0);
	pthread_mutex_unlock(&t->lock.mutex);
}

static void wait_for_others(struct trace *t)
{
	assert(t->lock.depth == 1);
	own(t, NULL, 0);
	pthread_cond_wait(&t->lock.changed, &t->lock.mutex);
	own(t, &self, 1);
}

/* NULL: there is none. Under the lock. */
static struct cache_entry *find_entry(const struct trace *t, const void *key)
{
	struct cache_entry *x = t->cache;

	assert(trace_is_locked(t));
	while (x && x->key != key)
		x = x->next;
	return x;
}

static struct cache_entry *get_entry(struct trace *t, const void *key)
{
	struct cache_entry *x = find_entry(t, key);

	if (!x) {
		x = mem_zalloc(1, sizeof(*x));
		x->key = key;
		x->next = t->cache;
		t->cache = x;
	}
	return x;
}

void *trace_cache_find(struct trace *t, const void *key)
{
	const struct cache_entry *x;
	TRACE_LOCK_SCOPE(t);

	x = find_entry(t, key);
	return x ? x->made : NULL;
}

void trace_cache_begin(struct trace *t, const void *key)
{
	struct cache_entry *x;

	assert(!trace_is_locked(t));
	trace_lock(t);
	x = get_entry(t, key);
	assert(x->maker != &self);
	while (x->maker)
		wait_for_others(t);
	x->maker = &self;
	trace_unlock(t);
}

void trace_cache_end(struct trace *t, const void *key)
{
	struct cache_entry *x;
	TRACE_LOCK_SCOPE(t);

	x = get_entry(t, key);
	assert(x->maker == &self);
	x->maker = NULL;
	pthread_cond_broadcast(&t->lock.changed);
}

bool trace_cache_put(struct trace *t, const void *key, void *made, void (*free_made)(void *))
{
	struct cache_entry *x;
	TRACE_LOCK_SCOPE(t);

	x = get_entry(t, key);
	if (x->made)
		return false;
	x->made = made;
	x->free_made = free_made;
	return true;
}

void *trace_cache_get(struct trace *t, const struct cached *c, const void *ctx, struct err *e)
{
	void *made;

	trace_cache_begin(t, c);
	made = trace_cache_find(t, c);
	if (!made) {
		made = mem_zalloc(1, c->size);
		if (c->make(t, ctx, made, e) == 0) {
			trace_cache_put(t, c, made, c->free);
		} else {
			free(made);
			made = NULL;
		}
	}
	trace_cache_end(t, c);
	return made;
}

static int make_or_share(struct trace *t, const struct cached *c, const void *ctx, void *ret,
			 bool *shares, struct err *e)
{
	const void *made;

	memset(ret, 0, c->size);
	if (!*shares)
		return c->make(t, ctx, ret, e);
	*shares = false;
	made = trace_cache_get(t, c, ctx, e);
	if (!made)
		return -1;
	memcpy(ret, made, c->size);
	*shares = true;
	return 0;
}

/* `shared` may be a part of `ret`, which is written as a whole. */
int trace_cache_make(struct trace *t, const struct cached *c, const void *ctx, void *ret,
		     bool *shared, struct err *e)
{
	bool shares = t->uses_cache;
	const int result = make_or_share(t, c, ctx, ret, &shares, e);

	*shared = shares;
	return result;
}

int trace_cache_keep(struct trace *t, const struct cached *c, void *ret, bool *shared,
		     struct err *e)
{
	bool shares = t->uses_cache || t->keeps_answers;
	const int result = make_or_share(t, c, NULL, ret, &shares, e);

	*shared = shares;
	return result;
}

static void free_made(struct cache_entry *x)
{
	if (x->made)
		x->free_made(x->made);
	free(x->made);
	x->made = NULL;
}

void trace_cache_drop(struct trace *t, const void *key)
{
	TRACE_LOCK_SCOPE(t);

	free_made(get_entry(t, key));
}

void trace_cache_init(struct trace *t)
{
	pthread_mutex_init(&t->lock.mutex, NULL);
	pthread_cond_init(&t->lock.changed, NULL);
}

void trace_cache_free(struct trace *t)
{
	while (t->cache) {
		struct cache_entry *x = t->cache;

		t->cache = x->next;
		free_made(x);
		free(x);
	}
	pthread_cond_destroy(&t->lock.changed);
	pthread_mutex_destroy(&t->lock.mutex);
}
