/* gpuwhy graph: which categories of work did the time of several runs go to? */
#include "commands/categories/graph.h"

#include "analysis/filters.h"
#include "analysis/steps/iteration_window.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "input/interrupt.h"

static struct report_trace copy_trace(struct arena *a, const struct report_trace *t)
{
	struct report_trace copy = *t;

	copy.path = t->path ? arena_strdup(a, t->path) : NULL;
	copy.tool = t->tool ? arena_strdup(a, t->tool) : NULL;
	copy.schema = t->schema ? arena_strdup(a, t->schema) : NULL;
	return copy;
}

static int measure(const struct graph *g, struct graph_run *x, struct invocation *inv,
		   struct err *e)
{
	struct params p = *g->params;
	struct categories c;
	int result;

	/* Step N is another time in each run. */
	if (p.has_iteration && (filters_check(inv->trace, &p, e) < 0 ||
				iteration_window(inv->trace, &p, false, &inv->report, e) < 0))
		return -1;
	if (categories_compile(&c, x->map, e) < 0)
		return -1;
	result = category_times_measure(inv->trace, &c, &p, &x->times, e);
	categories_free(&c);
	x->elapsed_ns = x->run->elapsed_ns
				? x->run->elapsed_ns
				: sat_sub(x->times.window.end_ns, x->times.window.start_ns);
	return result;
}

/* One trace at a time is open: ten of them need no more memory than the largest. */
static int add_run(struct graph *g, struct invocation *inv, const struct run *run, struct err *e)
{
	struct graph_run *x = &g->runs[g->run_count];

	*x = (struct graph_run){.run = run};
	x->map = category_maps_find(&g->maps, str_of(run->engine), str_of(run->model), &x->missing);
	inv->options.trace = run->trace;
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	inv->report.trace = copy_trace(&inv->report.arena, &inv->report.trace);
	if (measure(g, x, inv, e) < 0)
		return -1;
	g->run_count++;
	trace_close(inv->trace);
	inv->trace = NULL;
	mem_give_back();
	return 0;
}

static int add_runs(struct graph *g, struct invocation *inv, struct err *e)
{
	const struct runs *runs = &inv->options.runs;

	g->runs = arena_zalloc(&g->arena, runs->count, sizeof(*g->runs));
	for (size_t i = 0; i < runs->count; i++) {
		if (add_run(g, inv, &runs->all[i], e) < 0)
			return -1;
	}
	/* An answer about several traces is about none of them alone. */
	if (runs->count > 1)
		inv->report.has_trace = false;
	return 0;
}

static int present(const struct graph *g, struct invocation *inv, struct output *out, struct err *e)
{
	const struct presenter *how = presenter_find(invocation_format(inv));
	bool people = strcmp(how->name, "text") == 0 || strcmp(how->name, "markdown") == 0;
	struct style style = output_style(out, inv->options.colour);

	if (strcmp(how->name, "html") == 0)
		graph_page(g, &inv->report);
	else
		graph_report(g, &inv->report, people, inv->options.params.limit);
	report_note(&inv->report, "wrote %s/result.html and %s/result.csv", inv->options.out_dir,
		    inv->options.out_dir);
	if (how->report(&inv->report, &style, &out->sink, e) == 0)
		return 0;
	return out->path ? err_wrap(e, "writing '%s'", out->path) : -1;
}

/*
 * What goes to -o is written before the results are put into place, so that all is there or
 * nothing. A terminal comes last: who stops reading has the results.
 */
static int write_answer(const struct graph *g, struct invocation *inv, struct output *out,
			struct graph_files *files, struct err *e)
{
	bool to_file = inv->options.output != NULL;
	int result;

	interrupt_hold();
	result = graph_files_write(files, g, e);
	if (result == 0 && to_file)
		result = present(g, inv, out, e);
	result = output_close(out, result == 0, e);
	result = graph_files_close(files, result == 0, e);
	interrupt_release();
	return result == 0 && !to_file ? present(g, inv, out, e) : result;
}

static int write_all(const struct graph *g, struct invocation *inv, struct err *e)
{
	const char *path = inv->options.output;
	struct graph_files files;
	struct output out;

	if (graph_files_open(&files, g, inv->options.out_dir, path, e) < 0)
		return -1;
	if (output_open(&out, path, e) < 0)
		return graph_files_close(&files, false, e);
	return write_answer(g, inv, &out, &files, e);
}

static int spare_traces(const struct invocation *inv, struct err *e)
{
	const struct runs *runs = &inv->options.runs;

	for (size_t i = 0; inv->options.output && i < runs->count; i++) {
		if (output_spare_trace(inv->options.output, runs->all[i].trace, e) < 0)
			return -1;
	}
	return 0;
}

/* How long a run takes without the profiler says nothing of a part of it. */
static int check_seconds(const struct options *o, struct err *e)
{
	const struct params *p = &o->params;

	for (size_t i = 0; (p->has_trim || p->has_iteration) && i < o->runs.count; i++) {
		const struct run *run = &o->runs.all[i];

		if (!run->elapsed_ns)
			continue;
		err_set(e, ERR_USAGE,
			"'%s' is given %s seconds, the time of the whole run, but --%s selects "
			"only a part of it",
			run->trace, run->elapsed, p->has_trim ? "trim" : "iteration");
		return err_hint(e, "give 0 seconds to use the length of that part");
	}
	return 0;
}

static int answer(struct graph *g, struct invocation *inv, struct err *e)
{
	const struct runs *runs = &inv->options.runs;

	if (spare_traces(inv, e) < 0 ||
	    category_maps_read(&g->maps, runs->maps, runs->map_count, e) < 0 ||
	    add_runs(g, inv, e) < 0)
		return -1;
	graph_sum(g);
	e->output = write_all(g, inv, e) < 0;
	return e->output ? -1 : 0;
}

static int run(struct invocation *inv, struct err *e)
{
	struct graph g = {
		.merge = inv->options.merge_devices,
		.params = &inv->options.params,
		.title = inv->options.title ? inv->options.title : "GPU time by category",
	};
	int result;

	if (!inv->options.runs.count) {
		err_set(e, ERR_USAGE, "graph needs a trace");
		return err_hint(e, "gpuwhy graph trace.sqlite");
	}
	if (!inv->options.out_dir)
		inv->options.out_dir = ".";
	invocation_default_limit(inv);
	result = runs_settle(&inv->options.runs, e);
	if (result == 0)
		result = check_seconds(&inv->options, e);
	if (result == 0)
		result = answer(&g, inv, e);
	graph_free(&g);
	return result;
}

const struct command command_graph = {
	.name = "graph",
	.operand = "TRACE…",
	.summary =
		"GPU time by category of work, several runs side by side: result.html, result.csv",
	.detail =
		"Which kernel belongs to which category is said by patterns, the first that "
		"matches:\n"
		"those of the run's engine and model, or of the default map. In every instant a "
		"GPU\n"
		"is busy with one op, the one that began first; so categories sum up to its busy\n"
		"time, and CPU(non-GPU) is what is left of the elapsed time. A map of "
		"--engine-map\n"
		"takes the place of an earlier one of that engine and model. Options that speak of "
		"a\n"
		"run follow it; before the first one they speak of all. SECONDS are of a whole "
		"run: "
		"with\n"
		"--trim or --iteration they must be 0, which is then as long as that part.",
	.example = "gpuwhy graph --in_file run1.nsys-rep,vllm,llama,100 "
		   "run2.nsys-rep,vllm,gpt-oss,102 \\\n"
		   "    --out_dir results --title \"Comparison of vLLM models\"",
	.accepts = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT | OPT_RUNS | OPT_OUTPUT |
		   OPT_TRACE,
	.run = run,
};
