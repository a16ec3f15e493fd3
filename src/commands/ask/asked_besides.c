/* What do skills that ship say to a question in words? */
#include "commands/ask/asked_besides.h"

#include "commands/skills/skill.h"

static int run_skill(const struct analysis *self, struct trace *t, const void *args,
		     struct report *r, struct err *e)
{
	(void)args;
	return skill_answer_shipped(self->name, t, r, e);
}

static const struct topic topics_stragglers[] = {
	{.table = "kernel_stragglers",
	 .subject = "outlier",
	 .words = "kernel kernels straggler outlier outliers tail jitter variance vary varies "
		  "inconsistent erratic occasionally sometimes",
	 .questions = "which kernels have slow outliers\n"
		      "which kernel sometimes takes much longer than its median\n"
		      "are there kernels whose duration varies a lot\n"
		      "kernels with a long tail\n"
		      "which kernel has the most jitter\n"
		      "how much time do stragglers among kernel launches cost\n",
	 .row = "{kernel} takes up to {slowest_ns}|, {slowest_ratio} times its median of "
		"{median_ns}|; {stragglers} of its {instances} launches are that slow|, which "
		"costs "
		"{lost_ns}",
	 .by = "lost_ns",
	 .needs = "gpu_time",
	 .none = "no kernel has launches of over 3 times its median",
	 .command = "skill run kernel_stragglers"},
	{0},
};

static const struct topic topics_first[] = {
	{.table = "first_vs_steady",
	 .words = "first launch initial cold lazy loading autotuning later kernel extra penalty",
	 .questions = "how much slower is the first launch of each kernel than later ones\n"
		      "what does the first launch of a kernel cost\n"
		      "which kernel is slowest on its first launch compared to steady state\n"
		      "cold launches compared to warm launches of each kernel\n"
		      "lazy loading penalty per kernel\n",
	 .row = "{kernel} takes {first_ns} at first|, {steady_ns} later|; its first launch call "
		"takes {launch_first_ns}|, later ones {launch_steady_ns}|; that is {extra_ns} more",
	 .by = "extra_ns",
	 .needs = "gpu_time",
	 .none = "no kernel was launched more than once",
	 .command = "skill run first_vs_steady"},
	{0},
};

static const struct topic topics_copies[] = {
	{.table = "copies_by_range",
	 .subject = "copy",
	 .words = "copies copied range ranges nvtx annotation section inside issue issues bytes "
		  "per",
	 .questions = "which NVTX range copies the most data\n"
		      "how many bytes does each range copy\n"
		      "copies by range\n"
		      "in which range do the h2d copies happen\n"
		      "which range are the copies launched in\n"
		      "which annotated part moves most bytes\n",
	 .row = "{range}: |{copies} {copy} copies|, {bytes}|, {total_ns}|, "
		"{throughput_bytes_per_s}|, from {from_memory} memory",
	 .by = "total_ns",
	 .needs = "copies",
	 .none = "nothing was copied",
	 .command = "skill run copies_by_range"},
	{0},
};

static const struct analysis kernel_stragglers = {
	.name = "kernel_stragglers",
	.summary = "kernels whose slowest instances take many times the median",
	.topics = topics_stragglers,
	.needs = NEEDS(TRACE_KERNELS),
	.run = run_skill,
};
static const struct analysis first_vs_steady = {
	.name = "first_vs_steady",
	.summary = "extra time of the first launches of each kernel",
	.topics = topics_first,
	.needs = NEEDS(TRACE_KERNELS),
	.run = run_skill,
};
static const struct analysis copies_by_range = {
	.name = "copies_by_range",
	.summary = "copies by NVTX range",
	.topics = topics_copies,
	.needs = NEEDS(TRACE_MEMCPYS),
	.run = run_skill,
};

const struct analysis *const asked_besides[] = {&kernel_stragglers, &first_vs_steady,
						&copies_by_range,   &asked_categories,
						&asked_os_calls,    NULL};
