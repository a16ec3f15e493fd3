/* What did a captured run do, and was anything captured at all? */
#include "analysis/capture/capture.h"
#include "analysis/steps/iteration_window.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/say.h"
#include "commands/report/report_parts.h"
#include "commands/runs/profile.h"
#include "report/finding.h"
#include "trace/small_table.h"
#include "trace/system/machine.h"

#include <stdio.h>
#include <stdlib.h>

/* A question about the export, as if it had been asked on a command line of its own. */
static void ask(struct invocation *one, const char *command, const char *trace,
		const struct invocation *inv)
{
	invocation_init(one, command, command_find(command), analysis_find(command, false));
	one->output.colour = inv->output.colour;
	one->trace_path = trace;
}

static struct scope *scope_of(struct invocation *one)
{
	return args_scope(one->analysis->options, one->asked);
}

static void ask_end(struct invocation *one)
{
	invocation_free(one);
	/* The next run of a matrix is to have all of the machine. */
	mem_give_back();
}

static int refuse_no_calls(const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "nothing was captured: nsys saw no CUDA call in '%s'", path);
	return err_hint(e,
			"does the program use the GPU (torch.cuda.is_available(), "
			"CUDA_VISIBLE_DEVICES)? Processes that were already running, as in a "
			"cluster or a server, are not captured: start them under gpuwhy profile");
}

static int refuse_no_work(const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' has CUDA calls, but no GPU work", path);
	return err_hint(e, "a program that is killed or calls os._exit loses events not yet "
			   "written: use --nsys-arg --cuda-flush-interval=1000; no other profiler "
			   "(ncu, DCGM, torch.profiler) may run at the same time");
}

static int refuse_gated(const struct nsys_request *q, const char *path, struct err *e)
{
	err_set(e, ERR_INPUT, "no GPU work was captured in '%s': there was none %s%s%s", path,
		q->range	  ? "in the range '"
		: q->profiler_api ? "between cudaProfilerStart and cudaProfilerStop"
				  : "between --delay and --duration",
		q->range ? q->range : "", q->range ? "'" : "");
	return err_hint(e, "GPU work counts when it runs, not when it is launched: synchronise "
			   "before the end, or capture more of the run");
}

/* An empty capture is told by name, before anybody looks for its kernels. */
static int check_capture(struct invocation *one, const struct nsys_request *q, struct err *e)
{
	struct capture c;

	if (capture_measure(one->trace, scope_of(one), NULL, &c, e) < 0)
		return -1;
	if (c.ops)
		return 0;
	if (q->range || q->profiler_api || q->delay_s || q->duration_s)
		return refuse_gated(q, one->trace_path, e);
	return c.has_calls ? refuse_no_work(one->trace_path, e)
			   : refuse_no_calls(one->trace_path, e);
}

/* From the start of the first step to the end of the last; without steps, all of it. */
static void choose_steps(struct invocation *one, const struct invocation *inv)
{
	const struct profile_args *c = profile_args(inv);
	struct scope *scope = scope_of(one), first = *scope, last;
	struct report notes = {0};
	struct err e;

	if (!c->request.steps)
		return;
	first.marker = c->marker;
	first.has_iteration = true;
	last = first;
	first.iteration = c->first_step;
	last.iteration = c->last_step;
	if (iteration_window(one->trace, &first, false, &notes, &e) < 0 ||
	    iteration_window(one->trace, &last, false, &notes, &e) < 0) {
		struct buf b = {0};

		buf_addf(&b, "--steps %s: %s; --steps is ignored", c->request.steps, e.message);
		say_warning(b.s);
		buf_free(&b);
	} else {
		scope->has_trim = true;
		scope->from_ns = first.from_ns;
		scope->to_ns = last.to_ns;
	}
	report_free(&notes);
}

/* The mean over the GPUs of how much of the window each is busy. */
static void note_busy(struct run_record *r, const struct table *t)
{
	double sum = 0;

	for (uint64_t i = 0; i < t->rows; i++) {
		struct cell idle = table_cell(t, i, "idle_pct");

		sum += 100 - (idle.kind == CELL_REAL ? idle.r : 100);
	}
	if (t->rows && table_column(t, "idle_pct") >= 0) {
		r->has_busy = true;
		r->busy_pct = sum / (double)t->rows;
	}
}

/* Of several reports the first speaks for the run. */
static void note_result(struct run_record *r, const struct report *found)
{
	const struct table *partition = report_find_table(found, "gpu_partition");

	if (r->has_busy)
		return;
	if (partition)
		note_busy(r, partition);
	for (size_t i = 0; i < found->block_count && !r->finding; i++) {
		if (found->blocks[i].kind == BLOCK_FINDING)
			r->finding = arena_strdup(&r->arena, found->blocks[i].finding->title);
	}
}

/* CUDA writes 12.8 as 12080. */
static const char *cuda_version(struct arena *a, struct str text)
{
	char digits[16];
	long number;

	snprintf(digits, sizeof(digits), "%.*s", STR_FMT(text));
	number = strtol(digits, NULL, 10);
	return number < 1000 ? NULL : arena_printf(a, "%ld.%ld", number / 1000, number % 1000 / 10);
}

/* Of what the export says of the system these two alone: the rest may be somebody's secret. */
static int note_system(struct run_record *r, struct trace *t, struct err *e)
{
	static const char *const columns[] = {"name", "value", NULL};
	struct small_table s;

	if (trace_read_small(t, "TARGET_INFO_SYSTEM_ENV", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		struct str name = small_value(&s, i, 0)->s, value = small_value(&s, i, 1)->s;

		if (!r->facts.driver && str_eq(name, STR_LIT("NvDriverVersion")))
			r->facts.driver = arena_str(&r->arena, value).s;
		else if (!r->facts.cuda && str_eq(name, STR_LIT("CudaDriverVersion")))
			r->facts.cuda = cuda_version(&r->arena, value);
	}
	return 0;
}

/* Where nobody could ask the machine, the export knows its GPUs. */
static int note_machine(struct run_record *r, struct trace *t, struct err *e)
{
	struct machine m;

	if (note_system(r, t, e) < 0)
		return -1;
	if (r->facts.gpu_count)
		return 0;
	if (machine_read(t, &m, e) < 0)
		return -1;
	r->facts.gpus = arena_zalloc(&r->arena, m.gpu_count, sizeof(*r->facts.gpus));
	for (size_t i = 0; i < m.gpu_count; i++) {
		r->facts.gpus[i].name = arena_str(&r->arena, m.gpus[i].name).s;
		r->facts.gpus[i].memory_bytes = m.gpus[i].memory_bytes;
	}
	r->facts.gpu_count = m.gpu_count;
	return 0;
}

static int make_overview(struct invocation *one, struct run_record *r, struct err *e)
{
	if (analysis_run(one->analysis, one->trace, one->asked, &one->report, e) < 0)
		return -1;
	note_result(r, &one->report);
	return 0;
}

void profile_show(struct invocation *inv, const struct report *r, const char *title)
{
	struct err e;

	if (title)
		printf("\n%s\n", title);
	if (output_report_if_read(r, presenter_find("text"), NULL, inv->output.colour, &e) == 0)
		return;
	say_error(&e);
	inv->exit_code = e.code;
}

static int write_report(const struct invocation *inv, struct invocation *shown, const char *trace,
			const char *out_dir, struct err *e)
{
	struct invocation one;
	struct report_args *a;
	int result;

	ask(&one, "report", trace, inv);
	a = one.args;
	a->scope = *scope_of(shown);
	a->out_dir = out_dir;
	a->quiet = true;
	result = one.spec->run(&one, e);
	ask_end(&one);
	return result;
}

int profile_explain(struct running *u, const char *trace, const char *out_dir, bool several,
		    struct err *e)
{
	struct invocation one;
	int result = 0;

	ask(&one, "overview", trace, u->inv);
	profile_enter(u, STAGE_CHECK);
	if (invocation_open_trace(&one, e) < 0 || note_machine(u->record, one.trace, e) < 0 ||
	    check_capture(&one, &profile_args(u->inv)->request, e) < 0)
		result = -1;
	if (result == 0) {
		profile_enter(u, STAGE_EXPLAIN);
		choose_steps(&one, u->inv);
		result = make_overview(&one, u->record, e);
	}
	if (result == 0)
		result = write_report(u->inv, &one, trace, out_dir, e);
	if (result == 0)
		profile_show(u->inv, &one.report, several ? trace : NULL);
	ask_end(&one);
	return result;
}
