/* What a model replies, while it streams in: text, and calls of tools. */
#ifndef LLM_MODEL_REPLY_H
#define LLM_MODEL_REPLY_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

enum { REPLY_MOST_CALLS = 32 };

struct reply_call {
	struct buf id, name,
		arguments; /* arguments as the model wrote them: JSON, if all is well */
};

struct model_reply {
	struct buf text;
	struct reply_call calls[REPLY_MOST_CALLS];
	size_t call_count;
	bool has_events;		     /* it is a stream of such */
	bool is_complete;		     /* its end was seen */
	bool is_cut;			     /* it ran into the limit of tokens */
	int64_t input_tokens, output_tokens; /* as the server counts them; 0: it does not say */
};

void model_reply_free(struct model_reply *r);
/* NULL: there are too many. */
struct reply_call *model_reply_new_call(struct model_reply *r);

#endif
