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

/* Headers of a request; the key in plain sight only where `with_key`. In the arena. */
struct string_list;
void exchange_list_headers(const struct model_settings *s, bool with_key, struct arena *a,
			   struct string_list *ret);
/* -1: there is no whole reply. The error never has the key in it. */
int exchange(const struct model_settings *s, const struct conversation *c, struct budget *b,
	     struct model_reply *ret, struct err *e);

#endif
