/* What is there to be sent of a reply that is not done yet? */
#include "http/live.h"

#include <poll.h>
#include <string.h>

void live_begin(struct live *l, int connection, void (*wake)(void *ctx), void *ctx)
{
	*l = (struct live){.is_asleep = true, .connection = connection, .wake = wake, .ctx = ctx};
	pthread_mutex_init(&l->lock, NULL);
}

void live_free(struct live *l)
{
	buf_free(&l->waiting);
	pthread_mutex_destroy(&l->lock);
}

/* With the lock: who is woken cannot go away before it is let go of. */
static void wake(struct live *l)
{
	if (!l->is_asleep || l->is_left)
		return;
	l->is_asleep = false;
	l->wake(l->ctx);
}

void live_send(struct live *l, struct str bytes)
{
	pthread_mutex_lock(&l->lock);
	l->is_begun = true;
	if (!l->is_left)
		buf_addstr(&l->waiting, bytes);
	wake(l);
	pthread_mutex_unlock(&l->lock);
}

bool live_is_begun(struct live *l)
{
	bool is_begun;

	pthread_mutex_lock(&l->lock);
	is_begun = l->is_begun;
	pthread_mutex_unlock(&l->lock);
	return is_begun;
}

/* A client that waits keeps its side open. The socket is another's once the connection is gone. */
bool live_is_wanted(struct live *l)
{
	struct pollfd look = {.fd = l->connection, .events = POLLRDHUP};
	bool is_wanted;

	pthread_mutex_lock(&l->lock);
	is_wanted = !l->is_left && (l->connection < 0 || poll(&look, 1, 0) <= 0);
	pthread_mutex_unlock(&l->lock);
	return is_wanted;
}

bool live_end(struct live *l)
{
	bool is_there;

	pthread_mutex_lock(&l->lock);
	l->is_ended = true;
	is_there = !l->is_left;
	wake(l);
	pthread_mutex_unlock(&l->lock);
	return is_there;
}

long live_take(struct live *l, char *bytes, size_t room, void (*sleep)(void *ctx))
{
	long taken;

	pthread_mutex_lock(&l->lock);
	taken = (long)(l->waiting.len < room ? l->waiting.len : room);
	if (taken) {
		memcpy(bytes, l->waiting.s, (size_t)taken);
		l->waiting.len -= (size_t)taken;
		memmove(l->waiting.s, l->waiting.s + taken, l->waiting.len);
	} else if (l->is_ended) {
		taken = -1;
	} else {
		l->is_asleep = true;
		sleep(l->ctx);
	}
	pthread_mutex_unlock(&l->lock);
	return taken;
}

bool live_leave(struct live *l)
{
	bool is_ended;

	pthread_mutex_lock(&l->lock);
	l->is_left = true;
	is_ended = l->is_ended;
	pthread_mutex_unlock(&l->lock);
	return is_ended;
}
