/* What might have been a step, and is none? */
#include "analysis/steps/iteration_notes.h"

#include "base/buf.h"
#include "text/units.h"

static const double much_between = 0.02; /* of the time from the first step to the last */
static const double long_between = 0.5;	 /* of the median step */

static const char *s_of(size_t count)
{
	return count == 1 ? "" : "s";
}

static uint32_t tid_of(const struct trace *t, const struct iteration_thread *x)
{
	return thread_tid(t->thread_keys.keys[x->thread]);
}

/* Threads of one process, or of several. */
static void note_threads(struct report *r, const struct trace *t, const struct iterations *it)
{
	size_t steps = 0;

	for (size_t i = 0; i < it->apart_count; i++)
		steps += it->apart[i].steps;
	if (it->apart_count == 1)
		report_note(r,
			    "Left out: thread %u of the same process has %zu steps of its own; its "
			    "launches are not in any step here.",
			    tid_of(t, it->apart), steps);
	else if (it->apart_count)
		report_note(r,
			    "Left out: %zu other threads have %zu steps of their own; their "
			    "launches are not in any step here.",
			    it->apart_count, steps);
}

void iteration_notes(struct report *r, const struct trace *t, const struct iterations *it)
{
	if (it->never_closed)
		report_note(
			r,
			"Left out: %zu range%s never closed, so the length of the step is unknown.",
			it->never_closed, it->never_closed == 1 ? " was" : "s were");
	note_threads(r, t, it);
	if (!it->joined && it->source != ITER_KERNELS)
		report_note(r,
			    "The work of each step is unknown without %s (%s): step times are host "
			    "times.",
			    trace_kind_title(TRACE_API), trace_kind_flag(TRACE_API));
	if (it->cut_steps)
		report_note(r,
			    "Left out: %zu repetition%s only partly captured: some kernels were "
			    "launched before the capture began or after it ended.",
			    it->cut_steps, s_of(it->cut_steps));
}

static double span_of(const struct iterations *it, const struct iteration_lane *lane)
{
	const struct iteration *steps = lane_steps(it, lane);

	return (double)steps[lane->count - 1].to_ns - (double)steps[0].from_ns;
}

static void add_between(struct buf *b, const struct iteration_stats *s, double span_ns)
{
	buf_adds(b, "Between steps: ");
	units_add_ns(b, (double)s->between_ns);
	buf_addf(b, ", %.1f %% of the time from the first to the last, ",
		 100 * (double)s->between_ns / span_ns);
	buf_adds(b, "are in none; the longest ");
	units_add_ns(b, (double)s->longest_between_ns);
	buf_addf(b, " after step %u, at ", s->longest_after);
	units_add_time(b, s->longest_at_ns);
}

/* Of several processes the one that has most. */
void iteration_note_between(struct report *r, const struct trace *t, const struct iterations *it,
			    const struct iteration_stats *stats)
{
	struct buf b = {0};
	size_t most = 0;
	double span_ns;

	for (size_t i = 1; i < it->lane_count; i++) {
		if (stats[i].between_ns > stats[most].between_ns)
			most = i;
	}
	span_ns = span_of(it, &it->lanes[most]);
	if (!stats[most].between_ns ||
	    ((double)stats[most].between_ns < much_between * span_ns &&
	     (double)stats[most].longest_between_ns <= long_between * stats[most].p50_ns))
		return;
	add_between(&b, &stats[most], span_ns);
	if (it->lane_count > 1 && it->lanes[most].process != ID_NONE)
		buf_addf(&b, ", in process %u",
			 process_pid(t->process_keys.keys[it->lanes[most].process]));
	report_note(r, "%s.", b.s);
	buf_free(&b);
}
