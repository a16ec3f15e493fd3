/* How is one loop spread over the cores? */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

static unsigned workers;

struct loop {
	parallel_fn *fn;
	void *ctx;
	size_t n;
	size_t grain;
	atomic_size_t next_run;
	atomic_uint next_worker;
	pthread_mutex_t lock;
	size_t failed_at; /* under lock: first item of the earliest failing run */
	struct err failure;
};

unsigned parallel_workers(void)
{
	if (!workers) {
		long online = sysconf(_SC_NPROCESSORS_ONLN);

		parallel_set_workers(online > 0 ? (unsigned)online : 1);
	}
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

static void *work(void *arg)
{
	struct loop *loop = arg;
	unsigned worker = atomic_fetch_add(&loop->next_worker, 1);
	struct err e;

	for (;;) {
		size_t begin = atomic_fetch_add(&loop->next_run, 1) * loop->grain;
		size_t end = loop->n - begin < loop->grain ? loop->n : begin + loop->grain;

		/* Runs before a failure still go on: one of them may be the earliest to fail. */
		if (begin >= loop->n || begin > first_failure(loop))
			return NULL;
		e = (struct err){0};
		if (loop->fn(loop->ctx, begin, end, worker, &e) < 0)
			note_failure(loop, begin, &e);
	}
}

int parallel_for(size_t n, size_t grain, parallel_fn *fn, void *ctx, struct err *e)
{
	struct loop loop = {.fn = fn, .ctx = ctx, .n = n, .grain = grain ? grain : 1};
	size_t runs = (n + loop.grain - 1) / loop.grain;
	unsigned helpers = parallel_workers() - 1, started = 0;
	pthread_t threads[PARALLEL_MAX];

	loop.failed_at = SIZE_MAX;
	pthread_mutex_init(&loop.lock, NULL);
	if (runs && helpers > runs - 1)
		helpers = (unsigned)(runs - 1);
	/* A thread that cannot be had is no error: the others do its share. */
	while (runs && started < helpers &&
	       pthread_create(&threads[started], NULL, work, &loop) == 0)
		started++;
	work(&loop);
	while (started)
		pthread_join(threads[--started], NULL);
	pthread_mutex_destroy(&loop.lock);
	if (loop.failed_at == SIZE_MAX)
		return 0;
	*e = loop.failure;
	return -1;
}
