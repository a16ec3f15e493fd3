/* Which call was it that an answer came from? */
#include "mcp/kept_calls.h"

#include "base/mem.h"

#include <stdlib.h>

void kept_calls_begin(struct kept_calls *k)
{
	pthread_mutex_init(&k->lock, NULL);
}

static struct kept_call *place(struct kept_calls *k, uint64_t number)
{
	return &k->all[number % KEPT_CALLS_MOST];
}

/* With the lock; 0: it is not there. */
static uint64_t find_same(const struct kept_calls *k, const struct mcp_tool *t,
			  const char *arguments)
{
	for (size_t i = 0; i < KEPT_CALLS_MOST; i++) {
		const struct kept_call *c = &k->all[i];

		if (c->number && c->tool == t && strcmp(c->arguments, arguments) == 0)
			return c->number;
	}
	return 0;
}

uint64_t kept_calls_add(struct kept_calls *k, const struct mcp_tool *t, const char *arguments)
{
	uint64_t number;

	pthread_mutex_lock(&k->lock);
	number = find_same(k, t, arguments);
	if (!number) {
		number = ++k->count;
		free(place(k, number)->arguments);
		*place(k, number) = (struct kept_call){number, t, mem_strdup(arguments)};
	}
	pthread_mutex_unlock(&k->lock);
	return number;
}

const struct mcp_tool *kept_calls_find(struct kept_calls *k, const char *id, struct buf *ret)
{
	const struct mcp_tool *t = NULL;
	const struct kept_call *c;
	uint64_t number;
	char *end;

	if (id[0] != 'A' || id[1] < '1' || id[1] > '9')
		return NULL;
	number = strtoull(id + 1, &end, 10);
	if (*end)
		return NULL;
	pthread_mutex_lock(&k->lock);
	c = place(k, number);
	if (c->number == number) {
		t = c->tool;
		buf_adds(ret, c->arguments);
	}
	pthread_mutex_unlock(&k->lock);
	return t;
}

void kept_calls_free(struct kept_calls *k)
{
	for (size_t i = 0; i < KEPT_CALLS_MOST; i++)
		free(k->all[i].arguments);
	pthread_mutex_destroy(&k->lock);
}
