/* One request to the model and its reply, with another try where the server asks for it. */
#ifndef LLM_EXCHANGE_H
#define LLM_EXCHANGE_H

#include "llm/settings.h"

/* What a conversation may still use. */
struct budget {
	int64_t deadline_ns;
	int64_t tokens;
	size_t sent_bytes; /* so far */
};

/* Who reads a reply while it comes: all of it so far, each time there is more. */
struct reply_reader {
	void (*read)(void *ctx, const struct model_reply *r);
	void *ctx;
};

/* Headers of a request; the key in plain sight only where `with_key`. In the arena. */
struct string_list;
void exchange_list_headers(const struct model_settings *s, bool with_key, struct arena *a,
			   struct string_list *ret);
/* -1: there is no whole reply. Neither reply nor error ever have the key in them. */
int exchange(const struct model_settings *s, const struct conversation *c, struct budget *b,
	     const struct reply_reader *reader, struct model_reply *ret, struct err *e);

#endif
