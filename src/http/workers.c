/* Who does what takes a while? */
#include "http/workers.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>

struct work {
	work_fn *fn;
	void *ctx;
};

struct workers {
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t change;
	struct work
		*ring; /* `count` of them wait, from `first` on; room for one more than `most` */
	size_t first, count, most;
	size_t busy; /* threads that do something */
	bool is_stopped;
	pthread_t *threads;
	size_t thread_count;
};

static void *work(void *ctx)
{
	struct workers *w = ctx;

	pthread_mutex_lock(&w->lock);
	while (w->count || !w->is_stopped) {
		struct work next;

		if (!w->count) {
			pthread_cond_wait(&w->change, &w->lock);
			continue;
		}
		next = w->ring[w->first];
		w->first = (w->first + 1) % (w->most + 1);
		w->count--;
		w->busy++;
		pthread_mutex_unlock(&w->lock);
		next.fn(next.ctx);
		pthread_mutex_lock(&w->lock);
		w->busy--;
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct workers *workers_start(size_t threads, size_t most)
{
	struct workers *w = mem_zalloc(1, sizeof(*w));

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->change, NULL);
	w->most = most;
	w->ring = mem_alloc(most + 1, sizeof(*w->ring));
	w->threads = mem_alloc(threads, sizeof(*w->threads));
	while (w->thread_count < threads &&
	       pthread_create(&w->threads[w->thread_count], NULL, work, w) == 0)
		w->thread_count++;
	if (w->thread_count)
		return w;
	workers_free(w);
	return NULL;
}

static bool add(struct workers *w, work_fn *fn, void *ctx, size_t most)
{
	bool is_taken;

	pthread_mutex_lock(&w->lock);
	is_taken = !w->is_stopped && w->count < most;
	if (is_taken) {
		w->ring[(w->first + w->count++) % (w->most + 1)] = (struct work){fn, ctx};
		pthread_cond_signal(&w->change);
	}
	pthread_mutex_unlock(&w->lock);
	return is_taken;
}

bool workers_add(struct workers *w, work_fn *fn, void *ctx)
{
	return add(w, fn, ctx, w->most);
}

bool workers_add_own(struct workers *w, work_fn *fn, void *ctx)
{
	return add(w, fn, ctx, w->most + 1);
}

void workers_refuse(struct workers *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_stopped = true;
	pthread_cond_broadcast(&w->change);
	pthread_mutex_unlock(&w->lock);
}

bool workers_are_idle(struct workers *w)
{
	bool is_idle;

	if (!w)
		return true;
	pthread_mutex_lock(&w->lock);
	is_idle = !w->busy && !w->count;
	pthread_mutex_unlock(&w->lock);
	return is_idle;
}

void workers_free(struct workers *w)
{
	if (!w)
		return;
	workers_refuse(w);
	for (size_t i = 0; i < w->thread_count; i++)
		pthread_join(w->threads[i], NULL);
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	free(w->ring);
	free(w->threads);
	free(w);
}
