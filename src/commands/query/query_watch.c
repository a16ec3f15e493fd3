/* Does a query end when it is told to, even in the middle of one long function? */
#include "commands/query/query_watch.h"

#include "base/mem.h"
#include "cli/say.h"
#include "input/interrupt.h"
#include "sqlitefile/sql.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How often it is looked, and how often a query is found late before it is the end. */
enum { LOOK_MS = 50, PATIENCE = 20 };

struct query_watch {
	const struct sqlitefile *file;
	double timeout_s;
	double until_s; /* when its time is up; 0: never */
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t change;
	bool ended;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Nothing else is left behind: answers are written when a query is over. */
static void end_program(const struct query_watch *w)
{
	struct err e;
	bool shared;
	int number;

	sqlitefile_remove_copy(w->file);
	number = interrupt_take(&shared);
	if (number) {
		signal(number, SIG_DFL);
		raise(number);
	}
	sql_say_late(w->timeout_s, &e);
	say_error(&e);
	_exit(ERR_SYSTEM);
}

static void wait_a_little(struct query_watch *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&w->change, &w->lock, &until);
}

static void *watch(void *ctx)
{
	struct query_watch *w = ctx;
	int late = 0;

	pthread_mutex_lock(&w->lock);
	while (!w->ended) {
		wait_a_little(w);
		late += interrupt_pending() || (w->until_s > 0 && now_s() >= w->until_s);
		if (late > PATIENCE && !w->ended)
			end_program(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void free_watch(struct query_watch *w)
{
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

struct query_watch *query_watch_begin(const struct sqlitefile *f, double timeout_s)
{
	struct query_watch *w = mem_zalloc(1, sizeof(*w));
	pthread_condattr_t steady;

	w->file = f;
	w->timeout_s = timeout_s;
	w->until_s = timeout_s > 0 ? now_s() + timeout_s : 0;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&w->change, &steady);
	pthread_condattr_destroy(&steady);
	if (pthread_create(&w->thread, NULL, watch, w) == 0)
		return w;
	free_watch(w);
	return NULL;
}

void query_watch_end(struct query_watch *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ended = true;
	pthread_cond_signal(&w->change);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	free_watch(w);
}
