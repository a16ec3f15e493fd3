/* What is the run bound by, in a word and in a sentence? */
#include "analysis/findings/explain.h"

#include "base/buf.h"
#include "text/shell_words.h"
#include "text/units.h"

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
	{"starving_device", "unbalanced"},
	{"held_back", "dependency_bound"},
	{"page_faults", "page_faults"},
	{"unused_prefetch", "copy_bound"},
	{"run_time_compilation", "compilation_bound"},
	{"narrow_kernel", "gpu_bound"},
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

/* In quotes where a shell would take it apart. */
static const char *quoted_path(struct explain *x)
{
	struct buf b = {0};
	const char *text;

	word_add_quoted(&b, x->trace->path);
	text = arena_strdup(&x->report->arena, b.s);
	buf_free(&b);
	return text;
}

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

const char *verdict_command(struct explain *x, const char *look)
{
	return arena_printf(&x->report->arena, "%s %s", look, quoted_path(x));
}

const char *verdict_next(struct explain *x)
{
	const struct finding *f = leading(x);
	const char *look = f ? finding_kind(f->id)->look : NULL;

	/* Kernels that the capture hides cannot be listed. */
	if (look && strcmp(look, "kernels") == 0 && x->graph_ns > x->kernel_ns)
		look = "graphs";
	if (look)
		return verdict_command(x, look);
	return arena_printf(&x->report->arena, "summary %s --span all", quoted_path(x));
}

static double mean_busy_pct(const struct explain *x)
{
	double sum = 0;

	for (size_t d = 0; d < x->timeline.count; d++)
		sum += (double)device_busy_ns(&x->timeline, &x->timeline.devices[d]);
	return x->window_ns > 0 ? 100 * sum / (double)x->timeline.count / (double)x->window_ns : 0;
}

static void add_busy(const struct explain *x, const struct finding *f, struct buf *b)
{
	const char *what = x->scope.chosen == SPAN_WARM ? "a step" : "this window";
	const double rest = (double)(x->window_ns - f->recoverable_ns);
	const double times = rest > 0 ? (double)x->window_ns / rest : 0;

	buf_addf(b, " %s busy ", x->timeline.count > 1 ? "The GPUs are" : "The GPU is");
	units_add_share(b, mean_busy_pct(x), 0);
	buf_adds(b, " of the time");
	if (times >= 1.05 && f->confidence == CONFIDENCE_LOW)
		buf_addf(b, "; fixing it may make %s shorter", what);
	else if (times >= 1.05)
		buf_addf(b, "; fixing it makes %s up to %.*f× shorter", what, times < 10 ? 1 : 0,
			 times);
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
	x->report->verdict_text = sentence(x, f);
}
