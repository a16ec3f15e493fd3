/*
 * A reply that is sent bit by bit, while whoever answers still works on it. Two hold it: who
 * answers adds to it, on a thread of its own, and ends it; who has the connection takes what is
 * there, and sleeps while nothing is. Either may go away before the other.
 */
#ifndef HTTP_LIVE_H
#define HTTP_LIVE_H

#include "base/buf.h"

#include <pthread.h>
#include <stdbool.h>

struct live {
	pthread_mutex_t lock; /* of all that follows */
	struct buf waiting;   /* was added, and is not taken yet */
	bool is_begun;	      /* something was added, ever */
	bool is_ended;	      /* nobody adds to it any more */
	bool is_left;	      /* the connection is gone */
	bool is_asleep;	      /* the connection waits to be woken */
	int connection;	      /* its socket; -1: nobody can give it up */
	void (*wake)(void *ctx);
	void *ctx;
};

/* The connection sleeps from the beginning. */
void live_begin(struct live *l, int connection, void (*wake)(void *ctx), void *ctx);
void live_free(struct live *l); /* both have gone */

/* Who answers. Nothing here waits for the connection; what nobody reads any more is dropped. */
void live_send(struct live *l, struct str bytes);
bool live_is_begun(struct live *l);
/* Whether whoever asked still waits. */
bool live_is_wanted(struct live *l);
/* Nothing more comes. false: the connection is gone already, and it is the caller's to free. */
bool live_end(struct live *l);

/*
 * Who has the connection. How many bytes there were, at most `room`; -1: that was all. At 0
 * nothing is there yet: `sleep` was called, and `wake` will be.
 */
long live_take(struct live *l, char *bytes, size_t room, void (*sleep)(void *ctx));
/* The connection is gone. false: somebody still works on it, who frees it. */
bool live_leave(struct live *l);

#endif
