/* What has the model replied so far? */
#include "llm/model_reply.h"

void model_reply_free(struct model_reply *r)
{
	buf_free(&r->text);
	for (size_t i = 0; i < r->call_count; i++) {
		buf_free(&r->calls[i].id);
		buf_free(&r->calls[i].name);
		buf_free(&r->calls[i].arguments);
	}
	*r = (struct model_reply){0};
}

struct reply_call *model_reply_new_call(struct model_reply *r)
{
	return r->call_count < REPLY_MOST_CALLS ? &r->calls[r->call_count++] : NULL;
}
