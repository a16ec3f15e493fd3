/* What might have been a step, and is none? */
#include "analysis/iteration_notes.h"

static const char *s_of(size_t count)
{
	return count == 1 ? "" : "s";
}

void iteration_notes(struct report *r, const struct iterations *it)
{
	if (it->cut_steps)
		report_note(r,
			    "Left out: %zu repetition%s of which the capture has only a part: "
			    "some of the kernels were launched before it began, or after it ended.",
			    it->cut_steps, s_of(it->cut_steps));
}
