/* What people read of a straggler, whoever tells them. Texts live in the arena that is given. */
#ifndef FLEET_STRAGGLER_WORDS_H
#define FLEET_STRAGGLER_WORDS_H

#include "base/buf.h"
#include "fleet/stragglers/stragglers.h"

/* For machines: "host", "data", … */
extern const char *const straggler_cause_keys[STRAGGLER_CAUSES];

/* Each once, in order. */
const uint32_t *straggler_ranks(const struct stragglers *s, const struct straggler *g,
				struct arena *arena, uint32_t *ret_count);
/* "rank 3", "ranks 1 and 6", "node 1 (ranks 8, 9 and 10)" */
const char *straggler_name(const struct stragglers *s, const struct straggler *g,
			   struct arena *arena);
/* "rank 2 is late, in nearly every step: held up by its host in `data`" */
const char *straggler_title(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena);
/* "stage 2 (ranks 4 and 5) takes 31.0 ms of work a step, the other stages 24.0 ms: …" */
const char *imbalance_title(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena);
/* "…. Were it like the others, a step would take 37.6 ms instead of 44.2 ms (15.1 %)." */
const char *straggler_verdict(const struct stragglers *s, const struct straggler *g,
			      struct arena *arena);
/* What begins with a capital letter. */
const char *straggler_sentence(const char *text, struct arena *arena);
/* "in nearly every step: held up by its host in `data`" */
void straggler_add_reason(struct buf *b, const struct straggler *g);
/* Whether the ranks of a set are late for one reason, at the same times. */
bool straggler_is_alike(const struct straggler *g);

#endif
