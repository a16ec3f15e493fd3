/* Who is connected, for how long has nothing been asked, and who makes way? */
#include "http/links.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <sys/socket.h>

struct link_wait {
	struct link_wait *next, **from;
	int socket;
	bool is_waiting;
	bool is_trusted; /* it has shown the token */
	bool is_ended;	 /* and will be removed in a moment */
	int64_t since_ns;
};

void links_begin(struct links *l, size_t most)
{
	*l = (struct links){.most = most};
	pthread_mutex_init(&l->lock, NULL);
}

void links_end(struct links *l)
{
	pthread_mutex_destroy(&l->lock);
}

/* The socket stays open: whoever reads from it finds its end. Under the lock. */
static void end_link(struct link_wait *w)
{
	w->is_ended = true;
	shutdown(w->socket, SHUT_RDWR);
}

/* Under the lock. The newest of all has not had the time to say anything: it stays. */
static void make_way(struct links *l)
{
	struct link_wait *oldest = NULL;

	for (struct link_wait *w = l->first->next; w; w = w->next) {
		if (!w->is_trusted && !w->is_ended)
			oldest = w;
	}
	if (oldest)
		end_link(oldest);
}

struct link_wait *links_add(struct links *l, int socket)
{
	struct link_wait *w = mem_zalloc(1, sizeof(*w));

	*w = (struct link_wait){.socket = socket, .is_waiting = true, .since_ns = clock_now_ns()};
	pthread_mutex_lock(&l->lock);
	w->next = l->first;
	w->from = &l->first;
	if (w->next)
		w->next->from = &w->next;
	l->first = w;
	if (++l->count > l->most)
		make_way(l);
	pthread_mutex_unlock(&l->lock);
	return w;
}

void links_remove(struct links *l, struct link_wait *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&l->lock);
	*w->from = w->next;
	if (w->next)
		w->next->from = w->from;
	l->count--;
	pthread_mutex_unlock(&l->lock);
	free(w);
}

void links_set_waiting(struct links *l, struct link_wait *w, bool is_waiting)
{
	if (!w)
		return;
	pthread_mutex_lock(&l->lock);
	w->is_waiting = is_waiting;
	w->since_ns = clock_now_ns();
	pthread_mutex_unlock(&l->lock);
}

void links_trust(struct links *l, struct link_wait *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&l->lock);
	w->is_trusted = true;
	pthread_mutex_unlock(&l->lock);
}

void links_end_slow(struct links *l, int64_t most_ns)
{
	const int64_t now_ns = clock_now_ns();

	pthread_mutex_lock(&l->lock);
	for (struct link_wait *w = l->first; w; w = w->next) {
		if (w->is_waiting && now_ns - w->since_ns > most_ns)
			end_link(w);
	}
	pthread_mutex_unlock(&l->lock);
}
