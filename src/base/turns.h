/*
 * A lock that is handed on in the order in which it was asked for: who takes it again and again for
 * a moment does not keep others waiting. Each holder lets it go before it asks again.
 */
#ifndef BASE_TURNS_H
#define BASE_TURNS_H

#include <pthread.h>
#include <stdint.h>

struct turns {
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t change;
	uint64_t next; /* for who asks next */
	uint64_t now;  /* who has it, or may have it */
};

void turns_begin(struct turns *t);
void turns_end(struct turns *t);
void turns_take(struct turns *t);
void turns_leave(struct turns *t);

#endif
