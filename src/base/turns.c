/* Whose turn is it? */
#include "base/turns.h"

void turns_begin(struct turns *t)
{
	*t = (struct turns){0};
	pthread_mutex_init(&t->mutex, NULL);
	pthread_cond_init(&t->change, NULL);
}

void turns_end(struct turns *t)
{
	pthread_cond_destroy(&t->change);
	pthread_mutex_destroy(&t->mutex);
}

void turns_take(struct turns *t)
{
	uint64_t own;

	pthread_mutex_lock(&t->mutex);
	own = t->next++;
	while (t->now != own)
		pthread_cond_wait(&t->change, &t->mutex);
	pthread_mutex_unlock(&t->mutex);
}

void turns_leave(struct turns *t)
{
	pthread_mutex_lock(&t->mutex);
	t->now++;
	pthread_cond_broadcast(&t->change);
	pthread_mutex_unlock(&t->mutex);
}
