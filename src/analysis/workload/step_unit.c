/* Is a step of this run a training step, or one of the parts that a schedule cuts it into? */
#include "analysis/workload/step_unit.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct step_unit step = {"step", "steps", "Steps"};

/* Words of names, in any case. */
static const struct {
	const char *word;
	struct step_unit unit;
} parts[] = {
	{"microbatch", {"micro-batch", "micro-batches", "Micro-batches"}},
	{"micro-batch", {"micro-batch", "micro-batches", "Micro-batches"}},
	{"micro_batch", {"micro-batch", "micro-batches", "Micro-batches"}},
	{"micro batch", {"micro-batch", "micro-batches", "Micro-batches"}},
	{"microstep", {"micro-step", "micro-steps", "Micro-steps"}},
	{"micro-step", {"micro-step", "micro-steps", "Micro-steps"}},
	{"micro_step", {"micro-step", "micro-steps", "Micro-steps"}},
	{"chunk", {"chunk", "chunks", "Chunks"}},
};

/* As a word of its own: a step of "4 microbatches" is a step, and "chunked" says how it is done. */
static bool has_word(const char *name, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = name; *at; at++) {
		if (strncasecmp(at, word, len) == 0 &&
		    (at == name || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[len]))
			return true;
	}
	return false;
}

const struct step_unit *step_unit_of(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(parts); i++) {
		if (has_word(name, parts[i].word))
			return &parts[i].unit;
	}
	return &step;
}
