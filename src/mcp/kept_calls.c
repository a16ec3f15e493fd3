/* Which call was it that an answer came from? */
#include "mcp/kept_calls.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_there(const struct kept_calls *k, uint64_t number)
{
	return number && number <= k->count && number + KEPT_CALLS_MOST > k->count;
}

static struct kept_call *place(struct kept_calls *k, uint64_t number)
{
	return &k->all[number % KEPT_CALLS_MOST];
}

uint64_t kept_calls_add(struct kept_calls *k, const struct mcp_tool *t, const char *arguments)
{
	struct kept_call *c;

	for (size_t i = 0; i < KEPT_CALLS_MOST; i++) {
		c = &k->all[i];
		if (c->number && c->tool == t && strcmp(c->arguments, arguments) == 0)
			return c->number;
	}
	c = place(k, ++k->count);
	free(c->arguments);
	*c = (struct kept_call){k->count, t, mem_strdup(arguments)};
	return c->number;
}

const struct kept_call *kept_calls_find(const struct kept_calls *k, const char *id)
{
	char *end;
	uint64_t number;

	if (id[0] != 'E' || id[1] < '1' || id[1] > '9')
		return NULL;
	number = strtoull(id + 1, &end, 10);
	if (*end || !is_there(k, number))
		return NULL;
	return &k->all[number % KEPT_CALLS_MOST];
}

void kept_calls_free(struct kept_calls *k)
{
	for (size_t i = 0; i < KEPT_CALLS_MOST; i++)
		free(k->all[i].arguments);
	*k = (struct kept_calls){0};
}
