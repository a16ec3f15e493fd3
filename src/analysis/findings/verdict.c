/* What is the run bound by, in a word and in a sentence? */
#include "analysis/findings/explain.h"

#include "analysis/steps/steady.h"
#include "base/buf.h"
#include "text/shell_words.h"
#include "text/units.h"
#include "trace/joined.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Which findings say so, and by which word; the others are remarks. */
static const struct {
	const char *id, *word;
} words[] = {
	{"host_stall", "host_bound"},
	{"managed_host", "host_bound"},
	{"slow_calls", "host_bound"},
	{"launch_bound", "launch_bound"},
	{"tiny_kernels", "launch_bound"},
	{"slow_launches", "launch_bound"},
	{"launch_storm", "launch_bound"},
	{"sync_each_launch", "sync_bound"},
	{"blocking_sync", "sync_bound"},
	{"alloc_in_steady", "allocation_bound"},
	{"exposed_copy", "copy_bound"},
	{"pageable_h2d", "copy_bound"},
	{"blocking_d2h", "copy_bound"},
	{"copy_bound", "copy_bound"},
	{"small_copies", "copy_bound"},
	{"exposed_memset", "copy_bound"},
	{"exposed_comm", "communication_bound"},
	{"rank_skew", "communication_bound"},
	{"straggler", "straggler"},
	{"stage_imbalance", "unbalanced"},
	{"pipeline_bubble", "communication_bound"},
	{"hang", "hang"},
	{"starving_device", "unbalanced"},
	{"held_back", "dependency_bound"},
	{"page_faults", "page_faults"},
	{"unused_prefetch", "copy_bound"},
	{"run_time_compilation", "compilation_bound"},
	{"narrow_kernel", "gpu_bound"},
	{"few_sms", "gpu_bound"},
	{"few_threads", "gpu_bound"},
	{"off_tensor_cores", "gpu_bound"},
	{"dominant_kernel", "gpu_bound"},
	{"gpu_bound", "gpu_bound"},
	{"paced", "paced"},
	{"waiting_for_input", "waiting_for_input"},
	{"one_shot", "one_shot"},
	{"profiler_overhead", "profiler_overhead"},
	{"idle_unexplained", "unexplained"},
	{"no_gpu_work", "no_gpu_work"},
};

const char *verdict_word(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(id, words[i].id) == 0)
			return words[i].word;
	}
	return NULL;
}

/* The finding that is the verdict; NULL: none is. */
static const struct finding *leading(const struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		if (verdict_word(x->found[i].id))
			return &x->found[i];
	}
	return NULL;
}

/* Seconds as --trim takes them, to the nanosecond and no longer than that takes. */
static void add_seconds(struct buf *b, int64_t ns)
{
	const uint64_t whole = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char text[32];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64,
				      ns < 0 ? "-" : "", whole / 1000000000, whole % 1000000000);

	while (text[len - 1] == '0')
		len--;
	if (text[len - 1] == '.')
		len--;
	buf_adds(b, " ");
	buf_add(b, text, len);
}

/* What was asked about, so that the next answer is about the same. */
static void add_scope(struct buf *b, const struct scope *s)
{
	static const char *const spans[] = {"", " --span warm", " --span gpu", " --span all"};

	if (s->has_iteration || s->in_iteration) {
		buf_addf(b, " --iteration %" PRIu64, s->iteration);
	} else if (scope_is_trimmed(s)) {
		buf_adds(b, " --trim");
		add_seconds(b, s->from_ns);
		add_seconds(b, s->to_ns);
	} else {
		buf_adds(b, spans[s->span]);
	}
	if (s->marker) {
		buf_adds(b, " --marker ");
		word_add_quoted(b, s->marker);
	}
	if (s->has_device)
		buf_addf(b, " --device %u", s->device);
	if (s->has_pid)
		buf_addf(b, " --pid %u", s->pid);
}

static const char *command(struct explain *x, const char *look, bool with_folders,
			   const struct scope *s)
{
	struct buf b = {0};

	buf_addf(&b, "%s ", look);
	trace_add_operands(&b, x->trace, with_folders);
	add_scope(&b, s);
	return report_take_text(x->report, &b);
}

const char *verdict_command(struct explain *x, const char *look)
{
	return command(x, look, true, &x->scope);
}

/* Advice goes into pages that are passed on: they name no folder. */
const char *verdict_advised(struct explain *x, const char *look, enum span_choice span)
{
	struct scope s = x->scope;

	s.span = span;
	return command(x, look, false, &s);
}

const char *verdict_next(struct explain *x)
{
	const struct finding *f = leading(x);
	const char *look = f ? finding_kind(f->id)->look : NULL;
	struct scope whole = x->scope;

	/* Kernels that the capture hides cannot be listed. */
	if (look && strcmp(look, "kernels") == 0 && x->graph_ns > x->kernel_ns)
		look = "graphs";
	/* Samples say more of a gap than that it is there. */
	if (look && x->code.stacks.count &&
	    (strcmp(look, "idle") == 0 || strcmp(look, "sync") == 0))
		look = "code";
	if (look)
		return verdict_command(x, look);
	whole.span = SPAN_ALL;
	return command(x, "summary", true, &whole);
}

static double mean_busy_pct(const struct explain *x, int64_t of_ns)
{
	double sum = 0;

	for (size_t d = 0; d < x->timeline.count; d++)
		sum += (double)device_busy_ns(&x->timeline, &x->timeline.devices[d]);
	return of_ns > 0 ? 100 * sum / (double)x->timeline.count / (double)of_ns : 0;
}

static const double steps_filled = 0.9; /* of the window */

/* Pauses between some steps make none of them longer. */
static bool is_about_steps(const struct explain *x)
{
	return x->scope.chosen == SPAN_WARM && x->scope.warm.count &&
	       steady_filled(&x->scope.warm) >= steps_filled;
}

/* A little is told in percent: "1.1×" may be 5 % or 15 %. */
static void add_gain(const struct explain *x, const struct finding *f, int64_t of_ns, struct buf *b)
{
	const char *what = x->input_ns ? "that time" : is_about_steps(x) ? "a step" : "this window";
	const double rest = (double)(of_ns - f->recoverable_ns);
	const double times = rest > 0 ? (double)of_ns / rest : 0;

	if (times < 1.05)
		return;
	if (f->confidence == CONFIDENCE_LOW)
		buf_addf(b, "; fixing it may make %s shorter", what);
	else if (times < 1.25)
		buf_addf(b, "; fixing it makes %s up to %.0f %% shorter", what, 100 - 100 / times);
	else
		buf_addf(b, "; fixing it makes %s up to %.*f× shorter", what, times < 10 ? 1 : 0,
			 times);
}

static void add_busy(const struct explain *x, const struct finding *f, struct buf *b)
{
	const int64_t of_ns = x->window_ns - x->input_ns;
	const bool many = x->timeline.count > 1;

	if (x->input_ns) {
		buf_adds(b, " Apart from ");
		units_add_ns(b, (double)x->input_ns);
		buf_addf(b, " of waiting for input%s%s%s, ", x->input_call ? " (" : "",
			 x->input_call ? x->input_call : "", x->input_call ? ")" : "");
	}
	buf_addf(b, "%s%s GPU%s busy ", x->input_ns ? "" : " ", x->input_ns ? "the" : "The",
		 many ? "s are" : " is");
	units_add_share(b, mean_busy_pct(x, of_ns), 0);
	buf_adds(b, " of the time");
	add_gain(x, f, of_ns, b);
	buf_addc(b, '.');
}

static const char *sentence(struct explain *x, const struct finding *f)
{
	struct buf b = {0};
	const char *text;

	buf_addf(&b, "%s.", f->bound ? f->bound : f->title);
	/* Of a one-shot program the window is not what the sentence is about. */
	if (strcmp(f->id, "one_shot") != 0 && x->timeline.count)
		add_busy(x, f, &b);
	text = arena_strdup(&x->report->arena, b.s);
	buf_free(&b);
	return text;
}

void explain_verdict(struct explain *x)
{
	const struct finding *f = leading(x);

	if (!f)
		return;
	x->report->verdict = verdict_word(f->id);
	x->report->verdict_text = arena_printf(&x->report->arena, "%s%s", sentence(x, f),
					       x->warm_up ? x->warm_up : "");
}
