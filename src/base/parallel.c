/* How are loops spread over the cores, also those within others? */
#include "base/parallel.h"

#include "base/cores.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static unsigned workers;

/*
 * Threads at work in all loops, and the one that runs the program. A loop within another takes a
 * helper when a core has nothing to do, and no sooner: too many threads would keep the one from the
 * cores that all will have to wait for.
 */
static atomic_uint busy = 1;

struct helper {
	pthread_t thread;
	struct loop *loop;
	unsigned worker; /* its number; the one that began the loop has 0 */
};

struct loop {
	parallel_fn *fn;
	void *ctx;
	size_t n;
	size_t grain;
	atomic_size_t next_run;
	pthread_mutex_t lock; /* of what follows */
	struct helper helpers[PARALLEL_MAX];
	unsigned helper_count;
	size_t failed_at; /* first item of the earliest failing run */
	struct err failure;
};

unsigned parallel_workers(void)
{
	if (!workers)
		parallel_set_workers(cores_usable());
	return workers;
}

void parallel_set_workers(unsigned n)
{
	workers = n < 1 ? 1 : n > PARALLEL_MAX ? PARALLEL_MAX : n;
}

static void note_failure(struct loop *loop, size_t begin, const struct err *e)
{
	pthread_mutex_lock(&loop->lock);
	if (begin < loop->failed_at) {
		loop->failed_at = begin;
		loop->failure = *e;
	}
	pthread_mutex_unlock(&loop->lock);
}

static size_t first_failure(struct loop *loop)
{
	size_t at;

	pthread_mutex_lock(&loop->lock);
	at = loop->failed_at;
	pthread_mutex_unlock(&loop->lock);
	return at;
}

/* Whether a core has nothing to do; it is the caller's from then on. */
static bool take_core(void)
{
	unsigned now = atomic_load(&busy);

	while (now < parallel_workers()) {
		if (atomic_compare_exchange_weak(&busy, &now, now + 1))
			return true;
	}
	return false;
}

static void *help(void *arg);

/* Under the lock. */
static bool add_helper(struct loop *loop)
{
	struct helper *h = &loop->helpers[loop->helper_count];

	if (loop->helper_count + 1 >= parallel_workers())
		return false;
	*h = (struct helper){.loop = loop, .worker = loop->helper_count + 1};
	if (pthread_create(&h->thread, NULL, help, h))
		return false;
	loop->helper_count++;
	return true;
}

/* A thread that cannot be had is no error: the others do its share. */
static void hire(struct loop *loop)
{
	size_t begin = atomic_load(&loop->next_run) * loop->grain;

	if (begin >= loop->n || !take_core())
		return;
	pthread_mutex_lock(&loop->lock);
	if (!add_helper(loop))
		atomic_fetch_sub(&busy, 1);
	pthread_mutex_unlock(&loop->lock);
}

static void work(struct loop *loop, unsigned worker)
{
	struct err e;

	for (;;) {
		size_t begin = atomic_fetch_add(&loop->next_run, 1) * loop->grain;
		size_t end = loop->n - begin < loop->grain ? loop->n : begin + loop->grain;

		/* Runs before a failure still go on: one of them may be the earliest to fail. */
		if (begin >= loop->n || begin > first_failure(loop))
			break;
		hire(loop);
		e = (struct err){0};
		if (loop->fn(loop->ctx, begin, end, worker, &e) < 0)
			note_failure(loop, begin, &e);
	}
}

static void *help(void *arg)
{
	const struct helper *self = arg;

	work(self->loop, self->worker);
	atomic_fetch_sub(&busy, 1);
	return NULL;
}

/* A helper may have hired others before it left. */
static bool find_helper(struct loop *loop, unsigned i, pthread_t *ret)
{
	bool found;

	pthread_mutex_lock(&loop->lock);
	found = i < loop->helper_count;
	if (found)
		*ret = loop->helpers[i].thread;
	pthread_mutex_unlock(&loop->lock);
	return found;
}

/* The one that began the loop has nothing to do until the others are done. */
static void wait_for_helpers(struct loop *loop)
{
	pthread_t helper;

	atomic_fetch_sub(&busy, 1);
	for (unsigned i = 0; find_helper(loop, i, &helper); i++)
		pthread_join(helper, NULL);
	atomic_fetch_add(&busy, 1);
}

int parallel_for(size_t n, size_t grain, parallel_fn *fn, void *ctx, struct err *e)
{
	struct loop loop = {.fn = fn, .ctx = ctx, .n = n, .grain = grain ? grain : 1};

	loop.failed_at = SIZE_MAX;
	pthread_mutex_init(&loop.lock, NULL);
	work(&loop, 0);
	wait_for_helpers(&loop);
	pthread_mutex_destroy(&loop.lock);
	if (loop.failed_at == SIZE_MAX)
		return 0;
	*e = loop.failure;
	return -1;
}

struct each {
	parallel_each_fn *fn;
	void *ctx;
};

static int run_each(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct each *x = ctx;

	(void)e;
	x->fn(x->ctx, begin, end, worker);
	return 0;
}

void parallel_each(size_t n, size_t grain, parallel_each_fn *fn, void *ctx)
{
	struct each x = {fn, ctx};
	struct err never;

	parallel_for(n, grain, run_each, &x, &never);
}
