/* Who is connected, and for how long has nothing been asked? */
#include "web/links.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <sys/socket.h>

struct link_wait {
	struct link_wait *next, **from;
	int socket;
	bool is_waiting;
	int64_t since_ns;
};

void links_begin(struct links *l)
{
	pthread_mutex_init(&l->lock, NULL);
	l->first = NULL;
}

void links_end(struct links *l)
{
	pthread_mutex_destroy(&l->lock);
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

/* The socket stays open: whoever reads from it finds its end. */
void links_end_slow(struct links *l, int64_t most_ns)
{
	const int64_t now_ns = clock_now_ns();

	pthread_mutex_lock(&l->lock);
	for (const struct link_wait *w = l->first; w; w = w->next) {
		if (w->is_waiting && now_ns - w->since_ns > most_ns)
			shutdown(w->socket, SHUT_RDWR);
	}
	pthread_mutex_unlock(&l->lock);
}
