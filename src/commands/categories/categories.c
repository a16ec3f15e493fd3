/* gpuwhy categories: which categories of work did the time of several runs go to? */
#include "commands/categories/categories.h"

#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "input/interrupt.h"

struct categories_args {
	struct scope scope;
	struct row_choice rows; /* without --sort */
	struct runs runs;
	const char *out_dir, *title;
	bool merge_devices;
};

static const struct categories_args *categories_args(const struct invocation *inv)
{
	return inv->args;
}

static struct report_trace copy_trace(struct arena *a, const struct report_trace *t)
{
	struct report_trace copy = *t;

	copy.path = t->path ? arena_strdup(a, t->path) : NULL;
	copy.tool = t->tool ? arena_strdup(a, t->tool) : NULL;
	copy.schema = t->schema ? arena_strdup(a, t->schema) : NULL;
	return copy;
}

static int measure(const struct comparison *cmp, struct category_run *x, struct invocation *inv,
		   struct err *e)
{
	struct scope p = *cmp->scope;
	struct categories c;
	int result;

	/* Step N, or what is warm, is another time in each run. */
	if ((p.has_iteration || p.span) && invocation_settle_scope(inv, &p, e) < 0)
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
static int add_run(struct comparison *cmp, struct invocation *inv, const struct run *run,
		   struct err *e)
{
	struct category_run *x = &cmp->runs[cmp->run_count];

	*x = (struct category_run){.run = run};
	x->map = category_maps_find(&cmp->maps, str_of(run->engine), str_of(run->model),
				    &x->missing);
	inv->trace_path = run->trace;
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	inv->report.trace = copy_trace(&inv->report.arena, &inv->report.trace);
	if (measure(cmp, x, inv, e) < 0)
		return -1;
	cmp->run_count++;
	trace_close(inv->trace);
	inv->trace = NULL;
	mem_give_back();
	return 0;
}

static int add_runs(struct comparison *cmp, struct invocation *inv, struct err *e)
{
	const struct runs *runs = &categories_args(inv)->runs;

	cmp->runs = arena_zalloc(&cmp->arena, runs->count, sizeof(*cmp->runs));
	for (size_t i = 0; i < runs->count; i++) {
		if (add_run(cmp, inv, &runs->all[i], e) < 0)
			return -1;
	}
	/* An answer about several traces is about none of them alone. */
	if (runs->count > 1)
		inv->report.has_trace = false;
	return 0;
}

static int present(const struct comparison *cmp, struct invocation *inv, struct output *out,
		   struct err *e)
{
	const struct presenter *how = presenter_find(invocation_format(inv));
	bool human = strcmp(how->name, "text") == 0 || strcmp(how->name, "markdown") == 0;
	struct style style = output_style(out, inv->output.colour);

	if (strcmp(how->name, "html") == 0)
		comparison_page(cmp, &inv->report);
	else
		comparison_report(cmp, &inv->report, human, categories_args(inv)->rows.limit);
	report_note(&inv->report, "wrote %s/result.html and %s/result.csv",
		    categories_args(inv)->out_dir, categories_args(inv)->out_dir);
	if (present_report(how, &inv->report, &style, &out->sink, e) == 0)
		return 0;
	return out->path ? err_wrap(e, "writing '%s'", out->path) : -1;
}

/*
 * What goes to -o is written before the results are put into place, so that all is there or
 * nothing. A terminal comes last: who stops reading has the results.
 */
static int write_answer(const struct comparison *cmp, struct invocation *inv, struct output *out,
			struct result_files *files, struct err *e)
{
	bool to_file = inv->output.path != NULL;
	int result;

	interrupt_hold();
	result = result_files_write(files, cmp, e);
	if (result == 0 && to_file)
		result = present(cmp, inv, out, e);
	result = output_close(out, result == 0, e);
	result = result_files_close(files, result == 0, e);
	interrupt_release();
	return result == 0 && !to_file ? present(cmp, inv, out, e) : result;
}

static int write_all(const struct comparison *cmp, struct invocation *inv, struct err *e)
{
	const char *path = inv->output.path;
	struct result_files files;
	struct output out;

	if (result_files_open(&files, cmp, categories_args(inv)->out_dir, path, e) < 0)
		return -1;
	if (output_open(&out, path, e) < 0)
		return result_files_close(&files, false, e);
	return write_answer(cmp, inv, &out, &files, e);
}

static int spare_traces(const struct invocation *inv, struct err *e)
{
	const struct runs *runs = &categories_args(inv)->runs;

	for (size_t i = 0; inv->output.path && i < runs->count; i++) {
		if (output_spare_trace(inv->output.path, runs->all[i].trace, e) < 0)
			return -1;
	}
	return 0;
}

/* How long a run takes without the profiler says nothing of a part of it. */
static int check_seconds(const struct categories_args *o, struct err *e)
{
	const struct scope *p = &o->scope;

	for (size_t i = 0; scope_is_part(p) && i < o->runs.count; i++) {
		const struct run *run = &o->runs.all[i];

		if (!run->elapsed_ns)
			continue;
		err_set(e, ERR_USAGE,
			"'%s' is given %s seconds, the time of the whole run, but --%s selects "
			"only a part of it",
			run->trace, run->elapsed,
			p->has_trim	   ? "trim"
			: p->has_iteration ? "iteration"
					   : "span");
		return err_hint(e, "give 0 seconds to use the length of that part");
	}
	return 0;
}

static int read_maps(struct comparison *cmp, const struct runs *runs, struct err *e)
{
	struct map_files files;
	int result = map_files_find(&files, runs, e);

	if (result == 0)
		result = category_maps_read(&cmp->maps, files.paths.all, files.paths.count, e);
	map_files_free(&files);
	return result;
}

static int answer(struct comparison *cmp, struct invocation *inv, struct err *e)
{
	if (spare_traces(inv, e) < 0 || read_maps(cmp, &categories_args(inv)->runs, e) < 0 ||
	    add_runs(cmp, inv, e) < 0)
		return -1;
	comparison_sum(cmp);
	e->output = write_all(cmp, inv, e) < 0;
	return e->output ? -1 : 0;
}

static int run(struct invocation *inv, struct err *e)
{
	struct categories_args *a = inv->args;
	struct comparison cmp = {
		.merge = a->merge_devices,
		.scope = &a->scope,
		.title = a->title ? a->title : "GPU time by category",
	};
	int result = 0;

	if (!a->runs.count) {
		err_set(e, ERR_USAGE, "categories needs a trace");
		return err_hint(e, "gpuwhy categories trace.sqlite");
	}
	if (!a->out_dir)
		a->out_dir = ".";
	invocation_default_limit(inv);
	if (runs_settle(&a->runs, e) < 0 || check_seconds(a, e) < 0 || answer(&cmp, inv, e) < 0)
		result = -1;
	comparison_free(&cmp);
	return result;
}

static int take_operand(struct invocation *inv, const char *arg, struct err *e)
{
	struct categories_args *a = inv->args;

	(void)e;
	runs_add_operand(&a->runs, arg);
	return 0;
}

static void begin_option(struct invocation *inv)
{
	struct categories_args *a = inv->args;

	runs_end_list(&a->runs);
}

static void release(void *args)
{
	struct categories_args *a = args;

	runs_free(&a->runs);
}

/* --trace names a file alone, the others also what it is a run of. */
static int add_named_run(void *args, const char *name, const char *value, struct err *e)
{
	struct categories_args *a = args;

	(void)e;
	runs_add(&a->runs, value, strcmp(name, "trace") != 0);
	return 0;
}

static int set_run(void *args, const char *name, const char *value, struct err *e)
{
	struct categories_args *a = args;

	return runs_set(&a->runs, name, value, e);
}

static int add_map(void *args, const char *name, const char *value, struct err *e)
{
	struct categories_args *a = args;

	if (!value[0])
		return option_bad_value(name, value, "a file name", e);
	runs_add_map(&a->runs, value);
	return 0;
}

#define OPT_READS(n, v, s, h)                                                              \
	{                                                                                  \
		.type = OPTION_CUSTOM, .name = (n), .value = (v), .set = (s), .help = (h), \
		.access = ACCESS_READS                                                     \
	}
#define OPT_OUT(n, h) \
	OPT_FILE(n, struct categories_args, out_dir, "DIR", "a folder's name", ACCESS_WRITES, h)

static const struct option options[] = {
	OPT_READS("in_file", "RUN…", add_named_run,
		  "runs as FILE,ENGINE,MODEL,SECONDS; 0 seconds: length of the trace"),
	OPT_READS("in-file", "RUN…", add_named_run, NULL),
	OPT_READS("infile", "RUN…", add_named_run, NULL),
	OPT_READS("trace", "FILE", add_named_run,
		  "another run, described by the next three options"),
	OPT_CUSTOM("engine", "NAME", set_run,
		   "engine: default, vllm, sglang, trtllm, megatron, torch"),
	OPT_CUSTOM("model", "NAME", set_run, "model, by its name in the engine's map"),
	OPT_CUSTOM("elapsed", "SECONDS", set_run, "run time without the profiler"),
	OPT_READS("engine-map", "FILE…", add_map,
		  "your own maps, files or folders of .json files: {\"engine\": {\"model\": "
		  "{\"regex\": \"category\", …}}}; ends at an option or a trace"),
	OPT_FLAG("merge-devices", struct categories_args, merge_devices,
		 "count time once if any GPU is busy, instead of per GPU"),
	OPT_OUT("out_dir", "folder for result.html and result.csv (default: .)"),
	OPT_OUT("out-dir", NULL),
	OPT_TEXT("title", struct categories_args, title, "TEXT", NULL, "title of the page"),
	OPT_INCLUDE(struct categories_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct categories_args, rows, struct row_choice, limit_options),
	OPT_END(),
};
static const struct option_group categories_options = {options, sizeof(struct categories_args),
						       NULL, release};

const struct command command_categories = {
	.name = "categories",
	.operand = "TRACE…",
	.summary = "GPU time by category of work, several runs side by side",
	.detail =
		"Regular expressions assign kernels to categories; the first match wins. They come "
		"from the map of the run's engine and model, or from the default map. Maps in "
		"~/.config/gpuwhy/maps and of --engine-map are added, or replace the map of the "
		"same engine and model. result.html and result.csv of an earlier call are "
		"overwritten, other files of these names are not. At every instant a "
		"GPU counts as busy with the op that started first, so categories add up to its "
		"busy time; CPU(non-GPU) is the rest of the elapsed time.\n\n"
		"Options about a run follow it; before the first run they apply to all. SECONDS is "
		"the time of a whole run: with --trim or --iteration it must be 0, which means the "
		"length of the window.",
	.example = "gpuwhy categories --in_file run1.nsys-rep,vllm,llama,100 "
		   "run2.nsys-rep,vllm,gpt-oss,102 \\\n"
		   "    --out_dir results --title \"Comparison of vLLM models\"",
	.options = &categories_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.take_operand = take_operand,
	.begin_option = begin_option,
	.run = run,
};
