/* What might have been a step, and is none? */
#include "analysis/iteration_notes.h"

static const char *s_of(size_t count)
{
	return count == 1 ? "" : "s";
}

static uint32_t tid_of(const struct trace *t, const struct iteration_thread *x)
{
	return t->thread_keys.keys[x->thread] & 0xffffff;
}

/* Threads of one process, or of several. */
static void note_threads(struct report *r, const struct trace *t, const struct iterations *it)
{
	size_t steps = 0;

	for (size_t i = 0; i < it->apart_count; i++)
		steps += it->apart[i].steps;
	if (it->apart_count == 1)
		report_note(
			r,
			"Left out: thread %u of the same process has %zu steps of its own; what "
			"it launches is in no step here.",
			tid_of(t, it->apart), steps);
	else if (it->apart_count)
		report_note(r,
			    "Left out: %zu other threads have %zu steps of their own; what they "
			    "launch is in no step here.",
			    it->apart_count, steps);
}

void iteration_notes(struct report *r, const struct trace *t, const struct iterations *it)
{
	if (it->never_closed)
		report_note(r,
			    "Left out: %zu range%s never closed, so that nobody knows how long "
			    "the step was.",
			    it->never_closed, it->never_closed == 1 ? " was" : "s were");
	note_threads(r, t, it);
	if (it->cut_steps)
		report_note(r,
			    "Left out: %zu repetition%s of which the capture has only a part: "
			    "some of the kernels were launched before it began, or after it ended.",
			    it->cut_steps, s_of(it->cut_steps));
}
