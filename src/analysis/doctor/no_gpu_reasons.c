/* Which reason for having no GPU work does a trace prove? */
#include "analysis/doctor/doctor.h"
#include "analysis/doctor/no_gpu.h"

#include "base/mem.h"
#include "text/units.h"
#include "trace/calls/call_error.h"

#include <inttypes.h>

enum { EARLY_NS = 1000000000 }; /* too soon for a program that does anything */

static bool is_cut_short(const struct no_gpu_facts *f)
{
	const uint64_t *said = f->said.count;

	/* Where launches were seen, that events may be missing is no reason that all of them are.
	 */
	return f->limit_ns && (said[DIAGNOSTIC_CUPTI_LOST] ||
			       (said[DIAGNOSTIC_CUDA_LOST] && !f->found.all.launches));
}

static bool has_launches(const struct no_gpu_facts *f)
{
	return f->found.all.launches > 0;
}

static bool has_failed(const struct no_gpu_facts *f)
{
	return f->found.all.failed > 0;
}

static bool is_not_followed(const struct no_gpu_facts *f)
{
	return f->processes.not_followed && (f->found.all.calls || f->traced);
}

static bool has_lost_calls(const struct no_gpu_facts *f)
{
	return f->found.all.calls &&
	       (f->said.count[DIAGNOSTIC_CUPTI_LOST] || f->said.count[DIAGNOSTIC_CUDA_LOST]);
}

static bool has_calls(const struct no_gpu_facts *f)
{
	return f->found.all.calls > 0;
}

static bool has_started(const struct no_gpu_facts *f)
{
	return f->started;
}

static bool has_library(const struct no_gpu_facts *f)
{
	return f->library != NULL;
}

static bool is_too_early(const struct no_gpu_facts *f)
{
	return f->limit_ns && f->traced;
}

/* The profiler noted that it started in the program, but not that it had to trace CUDA there. */
static bool is_never_loaded(const struct no_gpu_facts *f)
{
	return f->traced && f->prepared;
}

static bool has_runtime(const struct no_gpu_facts *f)
{
	return is_never_loaded(f) && f->runtime;
}

static bool has_ended_early(const struct no_gpu_facts *f)
{
	return is_never_loaded(f) && f->ended_ns && f->ended_ns < EARLY_NS;
}

static bool is_silent(const struct no_gpu_facts *f)
{
	return f->silent;
}

static bool is_traced(const struct no_gpu_facts *f)
{
	return f->traced;
}

static bool is_any(const struct no_gpu_facts *f)
{
	(void)f;
	return true;
}

/* One reason: what proves it, and what is said of it. */
struct rule {
	bool (*holds)(const struct no_gpu_facts *f);
	const char *why; /* NULL: it has figures, and */
	void (*add_why)(struct buf *b, const struct no_gpu_facts *f);
	const char *advice;
	unsigned flags;
	bool is_certain; /* else there may be another reason beside it */
	bool mend_first;
	bool reads_output; /* the advice goes on with where that is */
};

static void add_limit(struct buf *b, const struct no_gpu_facts *f)
{
	buf_adds(b, "collection stopped at its limit of ");
	units_add_ns(b, (double)f->limit_ns);
}

static void add_cut_short(struct buf *b, const struct no_gpu_facts *f)
{
	add_limit(b, f);
	buf_adds(b, ", before all CUDA events were kept");
}

static void add_too_early(struct buf *b, const struct no_gpu_facts *f)
{
	add_limit(b, f);
	buf_adds(b, ", before any CUDA call");
}

static void add_error(struct buf *b, const struct no_gpu_facts *f)
{
	const char *text = call_error_text(f->found.error);

	buf_addf(b, "CUDA calls failed, most often with error %" PRId64, f->found.error);
	if (text)
		buf_addf(b, " (%s)", text);
}

static void add_processes(struct buf *b, size_t count, const char *one, const char *many)
{
	if (count != 1)
		units_add_count(b, (int64_t)count);
	buf_adds(b, count == 1 ? one : many);
}

static void add_not_followed(struct buf *b, const struct no_gpu_facts *f)
{
	add_processes(b, f->processes.not_followed, "a forked process was",
		      " forked processes were");
	buf_adds(b, " not traced, and no other launched any");
}

static void add_library(struct buf *b, const struct no_gpu_facts *f)
{
	buf_addf(b, "NVTX ranges of %s show that the program used CUDA, but it was not %s",
		 f->library, f->traced ? "recorded" : "traced");
}

static void add_end(struct buf *b, const struct no_gpu_facts *f)
{
	add_processes(b, f->processes.traced, "the program ended ", " processes ended ");
	units_add_ns(b, (double)f->ended_ns);
	buf_addf(b, " after %s start, without a CUDA call",
		 f->processes.traced == 1 ? "its" : "their");
}

static void add_runtime(struct buf *b, const struct no_gpu_facts *f)
{
	buf_addf(b,
		 "the program loaded OpenACC or OpenMP for GPUs (%.*s), but never initialised CUDA",
		 (int)strcspn(f->runtime, "."), f->runtime);
}

/* By how much they prove: the first that holds is the reason, and relies on those before it. */
static const struct rule rules[] = {
	{
		.holds = is_cut_short,
		.add_why = add_cut_short,
		.advice = "capture for longer, or without --duration: what the profiler holds when "
			  "collection stops is lost",
		.flags = FLAG_FLUSH,
	},
	{
		.holds = has_launches,
		.why = "the host launched GPU work, but the driver recorded none (WSL2, missing "
		       "permissions)",
		.advice = "WSL2 and some drivers record CUDA calls, but no GPU activity: capture "
			  "on Linux itself, with an Nsight Systems as new as the driver; in a "
			  "container see to its permissions; let no other profiler use the GPU; a "
			  "program that is killed loses what was not flushed",
		.flags = FLAG_FLUSH,
	},
	{
		.holds = has_failed,
		.add_why = add_error,
		.advice = "see to what these calls return: does the program run without the "
			  "profiler, and does nvidia-smi list the GPU?",
	},
	{
		.holds = is_not_followed,
		.add_why = add_not_followed,
		.advice = "follow forked processes, too: they have worked without the profiler",
		.flags = FLAG_FORK,
	},
	{
		.holds = has_lost_calls,
		.why = "no CUDA call that was kept launches any, and the profiler reports that "
		       "CUDA events may be missing",
		.advice = "let the program end normally before collection stops: what was not "
			  "flushed is lost",
		.flags = FLAG_FLUSH,
	},
	{
		.holds = has_calls,
		.why = "no CUDA call of this capture launches any",
		.advice = "let the capture include the part of the program that launches work",
		.is_certain = true,
	},
	{
		.holds = has_started,
		.why = "CUDA was traced and the program loaded it, but no CUDA event was kept",
		.advice = "the program crashed, hung or was killed before they were written, or "
			  "made no CUDA call: let it end normally; a kernel that never ends loses "
			  "its event",
		.flags = FLAG_FLUSH,
	},
	{
		.holds = has_library,
		.add_why = add_library,
		.advice = "trace CUDA, too: --trace=cuda; if it was, with an Nsight Systems as new "
			  "as the driver",
		.is_certain = true,
	},
	{
		.holds = has_runtime,
		.add_why = add_runtime,
		.advice = "compile for the GPU (nvc -acc or -mp=gpu, with -gpu=ccNN of this one), "
			  "and let neither ACC_DEVICE_TYPE nor OMP_TARGET_OFFLOAD choose the host: "
			  "OMP_TARGET_OFFLOAD=MANDATORY and NVCOMPILER_ACC_NOTIFY=3 show whether a "
			  "GPU is used",
		.mend_first = true,
	},
	{
		.holds = has_ended_early,
		.add_why = add_end,
		.advice = "read what was printed",
		.mend_first = true,
		.reads_output = true,
	},
	{
		.holds = is_too_early,
		.add_why = add_too_early,
		.advice = "capture for longer, or without --duration",
	},
	{
		.holds = is_never_loaded,
		.why = "CUDA was traced, but never initialised in the program",
		.advice = "check that the program chose its GPU backend and ran as far as that; "
			  "read what it printed",
		.mend_first = true,
		.reads_output = true,
	},
	{
		.holds = is_silent,
		.why = "CUDA was traced, but no CUDA call was seen",
		.advice = "the program did not get as far as CUDA, ran it in a process that was "
			  "not followed, or nsys is older than the driver",
	},
	{
		.holds = is_traced,
		.why = "CUDA was traced, and the program made no CUDA call",
		.advice = "capture the process that uses CUDA, from its start",
	},
	{
		.holds = is_any,
		.why = "CUDA was not traced, or the program did not use it",
		.advice = "trace CUDA, too: --trace=cuda",
	},
};

static const struct rule *find_rule(const struct no_gpu_facts *f)
{
	const struct rule *r = rules;

	while (!r->holds(f))
		r++;
	return r;
}

static const char *make_why(struct report *r, const struct rule *rule, const struct no_gpu_facts *f)
{
	struct buf b = {0};

	if (rule->why)
		return rule->why;
	rule->add_why(&b, f);
	return report_take_text(r, &b);
}

static const char *make_advice(struct report *r, const struct rule *rule,
			       const struct diagnostics *said)
{
	if (!rule->reads_output || !said->pid)
		return rule->advice;
	/* In two parts, each of which fits a line of a terminal. */
	return arena_printf(&r->arena,
			    "%s: on the machine of the capture nsys had it under "
			    "/tmp/nvidia/nsight_systems, in quadd_session_%" PRIu64
			    "/streams/pid_%" PRIu64 "_stderr.log",
			    rule->advice, said->session, said->pid);
}

struct no_gpu_reason no_gpu_find_reason(struct report *r, const struct no_gpu_facts *f)
{
	const struct rule *rule = find_rule(f);
	struct no_gpu_reason found = {
		.why = make_why(r, rule, f),
		.confidence = rule->is_certain ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM,
		.flags = rule->flags,
		.mend_first = rule->mend_first,
		.advice = make_advice(r, rule, &f->said),
	};

	/* Calls that launch nothing may fail without harm. */
	if (rule->holds == has_failed && f->found.all.failed_launches)
		found.confidence = CONFIDENCE_HIGH;
	if (f->said.count[DIAGNOSTIC_DRIVER_TOO_NEW])
		found.driver_advice = arena_printf(
			&r->arena,
			"use a newer Nsight Systems: this one does not support the installed "
			"driver%s%s",
			*f->said.driver ? " for CUDA " : "", f->said.driver);
	if (f->launcher && !f->found.all.calls)
		found.launcher_advice = arena_printf(
			&r->arena,
			"start nsys inside of it, in each rank: %s … nsys profile … <your command>",
			f->launcher);
	return found;
}
