/* How often were functions of the operating system called, and for how long, to a question in
 * words? */
#include "commands/ask/asked_besides.h"

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct analysis *sums = analysis_find("osrt_sum", true);

	(void)self;
	return sums->run(sums, t, args, r, e);
}

static const struct topic topics[] = {
	{.table = "osrt_sum",
	 .subject = "syscall",
	 .words = "file files read reads write writes disk system syscall syscalls call calls "
		  "function functions poll os operating sleep",
	 .questions = "were any files read\n"
		      "how long did reading files take\n"
		      "which system calls were made\n"
		      "which call of the operating system takes the most time\n"
		      "OS runtime calls by total time\n"
		      "how often was poll called\n"
		      "how much time is spent in recv\n",
	 .row = "in the whole capture {name} takes {total_ns}|, {time_pct} of the time in calls of "
		"the operating system|, in {calls} calls|, {avg_ns} each on average|, at most "
		"{max_ns}",
	 .sum = "in the whole capture {calls} calls of {#} functions of the operating system take "
		"{total_ns}",
	 .by = "total_ns",
	 .needs = "host_waits",
	 .none = "no call of the operating system was recorded",
	 .command = "stats -r osrt_sum"},
	{0},
};

const struct analysis asked_os_calls = {
	.name = "stats",
	.title = "Calls of the operating system",
	.summary = "functions of the operating system by total time",
	.topics = topics,
	.span = SPAN_ALL,
	.needs = NEEDS(TRACE_OSRT),
	.run = run,
};
