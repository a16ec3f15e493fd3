/*
 * A model's answer while it comes: sentence by sentence it is made harmless, its values are filled
 * in and its numbers checked, and only then shown.
 */
#ifndef LLM_SPOKEN_H
#define LLM_SPOKEN_H

#include "llm/wording.h"

enum { SPOKEN_MOST = 20000 };

struct spoken {
	struct wording_terms terms;
	struct wording wording;
	size_t told; /* bytes of its text */
	/* Whole sentences, as people may read them; NULL: nobody listens. */
	void (*tell)(void *ctx, struct str text);
	void *ctx;
};

/* What the model says so far, and whether that is all of it. */
void spoken_go_on(struct spoken *s, struct str said, bool is_all);
/* It was no answer after all, and the next begins. */
void spoken_begin_anew(struct spoken *s);
void spoken_free(struct spoken *s);

/* Without what some models think before; empty where they still do. */
struct str spoken_without_thoughts(struct str text);

#endif
