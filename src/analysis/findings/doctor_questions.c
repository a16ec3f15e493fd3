/* Which of the questions that people have does a capture answer? */
#include "analysis/findings/doctor.h"

#include "analysis/capture/capture_filter.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/units.h"

enum { WELL_COVERED_PCT = 90, BARELY_COVERED_PCT = 1 };

enum verdict { NO, PARTLY, YES };

struct answer {
	enum verdict verdict;
	const char *why;
	const char *fix; /* flags of nsys profile; NULL: nothing to fix */
	unsigned flags;	 /* the same for doctor_command(); ALWAYS: those it always has */
};

enum { ALWAYS = 1 << 30 };

static const struct column columns[] = {
	{"question", "", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"title", "Question", UNIT_NAME, 0, NULL, SHOW},
	{"verdict", "Answer", UNIT_NAME, 0, NULL, SHOW},
	{"why", "Why", UNIT_NAME, 0, NULL, SHOW},
	{"flags", "Capture with", UNIT_COMMAND, 0, NULL, SHOW},
};

static struct answer nothing_ran(const struct capture *c)
{
	if (scope_filters(c->asked))
		return (struct answer){NO, "no GPU work matches the filters", NULL, 0};
	return (struct answer){NO, "no GPU work was recorded", "--trace=cuda", ALWAYS};
}

static const char *quantity(struct report *r, uint64_t count, const char *what)
{
	struct buf b = {0};
	const char *text;

	units_add_count(&b, (int64_t)count);
	buf_addf(&b, " %s", what);
	text = arena_strdup(&r->arena, b.s);
	buf_free(&b);
	return text;
}

static double graph_percent(const struct capture *c)
{
	return doctor_percent((double)c->graph_time_ns, (double)c->gpu_time_ns);
}

static struct answer ask_gpu_time(struct report *r, const struct capture *c)
{
	if (!c->ops)
		return nothing_ran(c);
	if (c->graph_time_ns > 0)
		return (struct answer){
			graph_percent(c) < WELL_COVERED_PCT ? PARTLY : NO,
			arena_printf(&r->arena, "whole graphs hide %.1f%% of it", graph_percent(c)),
			"--cuda-graph-trace=node", ALWAYS};
	return (struct answer){YES, "all kernels and copies were recorded", NULL, 0};
}

static struct answer ask_idle(struct report *r, const struct capture *c)
{
	double joined = doctor_percent((double)c->time_with_call_ns, (double)c->gpu_time_ns);

	if (!c->ops)
		return nothing_ran(c);
	if (!c->has_calls)
		return (struct answer){NO, "no CUDA calls were recorded", "--trace=cuda", ALWAYS};
	if (joined < WELL_COVERED_PCT)
		return (struct answer){joined < BARELY_COVERED_PCT ? NO : PARTLY,
				       arena_printf(&r->arena,
						    "%.1f%% of GPU time has a known launch call",
						    joined),
				       "--trace=cuda", ALWAYS};
	return (struct answer){YES, "GPU work is linked to its launch calls", NULL, 0};
}

static struct answer ask_code(struct report *r, const struct capture *c)
{
	double covered = doctor_percent((double)c->time_in_ranges_ns, (double)c->gpu_time_ns);

	if (!c->ops)
		return nothing_ran(c);
	if (!c->has_ranges)
		return (struct answer){NO, "no NVTX ranges were recorded", "--trace=nvtx",
				       FLAG_PYTORCH};
	if (covered < WELL_COVERED_PCT)
		return (struct answer){
			covered < BARELY_COVERED_PCT ? NO : PARTLY,
			arena_printf(&r->arena, "%.1f%% of GPU time is in NVTX ranges", covered),
			"--pytorch=autograd-nvtx", FLAG_PYTORCH};
	return (struct answer){
		YES, arena_printf(&r->arena, "%.1f%% of GPU time is in NVTX ranges", covered), NULL,
		0};
}

static struct answer ask_communication(struct report *r, const struct capture *c)
{
	if (!c->ops)
		return nothing_ran(c);
	if (c->graph_time_ns > 0)
		return (struct answer){PARTLY, "whole graphs may hide some",
				       "--cuda-graph-trace=node", ALWAYS};
	if (!c->communication)
		return (struct answer){YES, "no communication kernels ran", NULL, 0};
	return (struct answer){YES, quantity(r, c->communication, "communication kernels"), NULL,
			       0};
}

static struct answer ask_copies(struct report *r, const struct capture *c)
{
	if (!c->ops)
		return nothing_ran(c);
	if (c->graph_time_ns > 0)
		return (struct answer){PARTLY, "whole graphs may hide some",
				       "--cuda-graph-trace=node", ALWAYS};
	if (!c->count[TRACE_MEMCPYS])
		return (struct answer){YES, "no copies ran", NULL, 0};
	if (!c->has_memory_kinds)
		return (struct answer){PARTLY, "not recorded whether pageable or pinned", NULL, 0};
	return (struct answer){YES, quantity(r, c->count[TRACE_MEMCPYS], "copies"), NULL, 0};
}

static struct answer ask_memory(struct report *r, const struct capture *c)
{
	(void)r;
	if (c->has_memory_usage)
		return (struct answer){YES, "allocations were recorded", NULL, 0};
	return (struct answer){NO, "allocations were not recorded", "--cuda-memory-usage=true",
			       FLAG_MEMORY_USAGE};
}

static struct answer ask_host(struct report *r, const struct capture *c)
{
	bool cpu = c->has_cpu_samples || c->has_schedule;

	(void)r;
	if (c->count[TRACE_OSRT] && cpu)
		return (struct answer){YES, "OS calls and CPU activity were recorded", NULL, 0};
	if (c->count[TRACE_OSRT])
		return (struct answer){PARTLY, "OS calls, but no CPU activity",
				       "--sample=process-tree", FLAG_CPU};
	if (cpu)
		return (struct answer){PARTLY, "CPU activity, but no OS calls", "--trace=osrt",
				       ALWAYS};
	return (struct answer){NO, "neither OS calls nor CPU activity", "--trace=osrt", FLAG_CPU};
}

static struct answer ask_units(struct report *r, const struct capture *c)
{
	(void)r;
	if (c->has_gpu_metrics)
		return (struct answer){YES, "GPU metrics were sampled", NULL, 0};
	return (struct answer){NO, "GPU metrics were not sampled", "--gpu-metrics-devices=all",
			       FLAG_GPU_METRICS};
}

static const struct {
	const char *name, *title;
	struct answer (*ask)(struct report *r, const struct capture *c);
} questions[] = {
	{"gpu_time", "where GPU time went", ask_gpu_time},
	{"gpu_idle", "why the GPU was idle", ask_idle},
	{"code", "which code launched it", ask_code},
	{"communication", "communication", ask_communication},
	{"copies", "copies", ask_copies},
	{"memory_use", "memory use", ask_memory},
	{"host_waits", "host waits outside CUDA", ask_host},
	{"gpu_units", "SM and tensor core use", ask_units},
};

unsigned doctor_add_questions(struct report *r, const struct capture *c)
{
	static const char *const verdicts[] = {[NO] = "no", [PARTLY] = "partly", [YES] = "yes"};
	struct rows *rows = report_new_rows(r, "questions", NULL, columns, ARRAY_LEN(columns));
	unsigned flags = 0;

	rows->table.kind = "question";
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		struct answer a = questions[i].ask(r, c);

		rows_add(rows, cell_text(questions[i].name));
		rows_add(rows, cell_text(questions[i].title));
		rows_add(rows, cell_text(verdicts[a.verdict]));
		rows_add(rows, cell_text(a.why));
		rows_add(rows, a.fix ? cell_text(a.fix) : cell_null());
		flags |= a.flags;
	}
	return flags;
}
