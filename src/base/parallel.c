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

/* The loops that are going on, the newest first. */
static struct {
	pthread_mutex_t lock;
	struct loop *newest;
} loops = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The loop whose run this thread is in. */
static _Thread_local struct loop *inside;

struct helper {
	pthread_t thread;
	struct loop *loop;
	unsigned worker; /* its number there */
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
	unsigned last_worker;  /* the number given out last; the one that began the loop has 0 */
	unsigned guests;       /* helpers of other loops, who had nothing left to do */
	pthread_cond_t parted; /* one of them has gone */
	struct loop *outer;    /* in one run of which this one began, or NULL */
	struct loop *older;    /* of `loops` */
	size_t failed_at;      /* first item of the earliest failing run */
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

/* A number for one more worker; false: there are as many as there may be. Under the lock. */
static bool number_worker(struct loop *loop, unsigned *ret)
{
	if (loop->last_worker + 1 >= parallel_workers())
		return false;
	*ret = ++loop->last_worker;
	return true;
}

/* Under the lock. */
static bool add_helper(struct loop *loop)
{
	struct helper *h = &loop->helpers[loop->helper_count];

	if (!number_worker(loop, &h->worker))
		return false;
	h->loop = loop;
	if (pthread_create(&h->thread, NULL, help, h) == 0) {
		loop->helper_count++;
		return true;
	}
	loop->last_worker--;
	return false;
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
	struct loop *before = inside;
	struct err e;

	inside = loop;
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
	inside = before;
}

/* Whether the loop has runs left, and room for one more worker; counts the guest then. */
static bool invites(struct loop *loop, unsigned *ret_worker)
{
	bool yes;

	pthread_mutex_lock(&loop->lock);
	yes = atomic_load(&loop->next_run) * loop->grain < loop->n &&
	      number_worker(loop, ret_worker);
	loop->guests += yes;
	pthread_mutex_unlock(&loop->lock);
	return yes;
}

static bool is_within(const struct loop *loop, const struct loop *outer)
{
	while (loop && loop != outer)
		loop = loop->outer;
	return loop;
}

/*
 * A loop within the helper's own, which cannot be over before: nobody waits for the helper
 * meanwhile who could go on without. A loop is not over while it is in the list, nor while it has
 * guests.
 */
static struct loop *find_invitation(const struct loop *own, unsigned *ret_worker)
{
	struct loop *loop;

	pthread_mutex_lock(&loops.lock);
	loop = loops.newest;
	while (loop && (!is_within(loop, own) || !invites(loop, ret_worker)))
		loop = loop->older;
	pthread_mutex_unlock(&loops.lock);
	return loop;
}

static void part(struct loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	loop->guests--;
	pthread_cond_signal(&loop->parted);
	pthread_mutex_unlock(&loop->lock);
}

/* Nothing left to begin, a helper goes on with what others began within the same loop. */
static void *help(void *arg)
{
	const struct helper *self = arg;
	struct loop *other;
	unsigned worker;

	work(self->loop, self->worker);
	while ((other = find_invitation(self->loop, &worker))) {
		work(other, worker);
		part(other);
	}
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

/*
 * The one that began the loop has nothing to do until the others are done. Guests, of whom no more
 * can come, go first: until then they may hire helpers, who must not be left behind.
 */
static void wait_for_others(struct loop *loop)
{
	pthread_t helper;

	atomic_fetch_sub(&busy, 1);
	pthread_mutex_lock(&loop->lock);
	while (loop->guests)
		pthread_cond_wait(&loop->parted, &loop->lock);
	pthread_mutex_unlock(&loop->lock);
	for (unsigned i = 0; find_helper(loop, i, &helper); i++)
		pthread_join(helper, NULL);
	atomic_fetch_add(&busy, 1);
}

static void enlist(struct loop *loop)
{
	pthread_mutex_lock(&loops.lock);
	loop->older = loops.newest;
	loops.newest = loop;
	pthread_mutex_unlock(&loops.lock);
}

static void strike_out(struct loop *loop)
{
	struct loop **at = &loops.newest;

	pthread_mutex_lock(&loops.lock);
	while (*at != loop)
		at = &(*at)->older;
	*at = loop->older;
	pthread_mutex_unlock(&loops.lock);
}

int parallel_for(size_t n, size_t grain, parallel_fn *fn, void *ctx, struct err *e)
{
	struct loop loop = {
		.fn = fn, .ctx = ctx, .n = n, .grain = grain ? grain : 1, .outer = inside};

	loop.failed_at = SIZE_MAX;
	pthread_mutex_init(&loop.lock, NULL);
	pthread_cond_init(&loop.parted, NULL);
	enlist(&loop);
	work(&loop, 0);
	strike_out(&loop);
	wait_for_others(&loop);
	pthread_cond_destroy(&loop.parted);
	pthread_mutex_destroy(&loop.lock);
	if (loop.failed_at == SIZE_MAX)
		return 0;
	*e = loop.failure;
	return -1;
}
