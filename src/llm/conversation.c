/* What was said so far? */
#include "llm/conversation.h"

#include <stdlib.h>

struct turn *conversation_add(struct conversation *c, bool is_model, struct str text)
{
	struct turn *t = &c->turns[c->turn_count++];

	if (c->turn_count > CONVERSATION_MOST_TURNS)
		abort();
	*t = (struct turn){.is_model = is_model, .text = arena_str(&c->arena, text).s};
	return t;
}

void conversation_free(struct conversation *c)
{
	arena_free(&c->arena);
	*c = (struct conversation){0};
}
