/* What people read of a straggler. */
#ifndef FLEET_STRAGGLER_WORDS_H
#define FLEET_STRAGGLER_WORDS_H

#include "fleet/answer/answer.h"

/* Each once, in order, in the report's arena. */
const uint32_t *straggler_ranks(const struct fleet_answer *a, const struct straggler *g,
				uint32_t *ret_count);
/* "rank 2 is late, in nearly every step: held up by its host in `data`", in the report's arena. */
const char *straggler_title(const struct fleet_answer *a, const struct straggler *g);
/* "stage 2 (ranks 4 and 5) takes 31.0 ms of work a step, the other stages 24.0 ms: …", the same. */
const char *imbalance_title(const struct fleet_answer *a, const struct straggler *g);
/* "in nearly every step: held up by its host in `data`" */
void straggler_add_reason(struct buf *b, const struct straggler *g);
/* Whether the ranks of a set are late for one reason, at the same times. */
bool straggler_is_alike(const struct straggler *g);
/* What begins with a capital letter, in the report's arena; empties the buffer. */
const char *straggler_sentence(const struct fleet_answer *a, struct buf *b);

#endif
