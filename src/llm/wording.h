/*
 * A model's words on their way to people: its references become values with units and links, and
 * numbers that no evidence holds are struck out.
 */
#ifndef LLM_WORDING_H
#define LLM_WORDING_H

#include "base/string_list.h"
#include "llm/evidence.h"

struct wording {
	struct buf text; /* struck out: ~~12 ms~~ */
	struct arena arena;
	struct string_list struck;    /* numbers that are in no evidence, and references to none */
	struct string_list misplaced; /* numbers of another row than the sentence is about */
	/* Numbers in words, and such as are everywhere: that the evidence has one proves nothing.
	 */
	struct string_list unchecked;
	struct referred *referred; /* what references lead to, in their order */
	size_t referred_count, referred_cap;
	size_t taken;  /* bytes of what the model says */
	size_t judged; /* numbers */
	bool in_code;
};

struct wording_terms {
	struct evidence_store *evidence;
	struct str question; /* numbers that the user said may be said again */
	/* Whether it is the name of something in the trace. */
	bool (*is_name)(void *ctx, struct str text);
	void *ctx;
};

/* Takes what is said beyond what was taken before: the same text, longer by whole sentences. */
void wording_go_on(struct wording *w, const struct wording_terms *t, struct str said);
void wording_free(struct wording *w);

#endif
