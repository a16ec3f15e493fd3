/*
 * Connections, and which of them others make way for. One that sends a byte now and then is never
 * quiet, and would keep its place for hours: it is ended after a while all the same. One that has
 * not shown the token may be anybody's: where there are too many, the oldest of these is ended.
 */
#ifndef HTTP_LINKS_H
#define HTTP_LINKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct link_wait;

struct links {
	pthread_mutex_t lock;	 /* of all that follows */
	struct link_wait *first; /* the newest */
	size_t count, most;
};

/* With more than `most` of them, one of those that anybody may have opened makes way. */
void links_begin(struct links *l, size_t most);
void links_end(struct links *l); /* none of them is open any more */

/* From here on somebody is expected to ask by this socket. */
struct link_wait *links_add(struct links *l, int socket);
/* Before the socket is closed. */
void links_remove(struct links *l, struct link_wait *w); /* NULL is fine */
/* It has asked; or it has been answered, and is to ask again. */
void links_set_waiting(struct links *l, struct link_wait *w, bool is_waiting); /* NULL is fine */
/* Whoever asks by it may ask: it makes way for nobody. */
void links_trust(struct links *l, struct link_wait *w); /* NULL is fine */
/* Ends those that have been expected to ask for longer than that. */
void links_end_slow(struct links *l, int64_t most_ns);

#endif
