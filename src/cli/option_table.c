/* What does each option do? */
#include "cli/option_table.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/text.h"
#include "capture/run_folder.h"
#include "report/present.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int bad_value(const char *name, const char *value, const char *wanted, struct err *e)
{
	return err_set(e, ERR_USAGE, "--%s takes %s, not '%s'", name, wanted, value);
}

static int parse_number(const char *name, const char *text, uint64_t max, uint64_t *ret,
			struct err *e)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end)
		return bad_value(name, text, "a whole number", e);
	if (errno || n > max)
		return err_set(e, ERR_USAGE, "--%s takes at most %llu, not %s", name,
			       (unsigned long long)max, text);
	*ret = n;
	return 0;
}

static int parse_seconds(const char *name, const char *text, int64_t *ret_ns, struct err *e)
{
	double s = strtod(text, NULL);

	if (!decimal_is_plain(text) || fabs(s) > 9e9)
		return bad_value(name, text, "seconds", e);
	*ret_ns = llround(s * 1e9);
	return 0;
}

static int set_trim(struct options *o, const char *name, char **values, struct err *e)
{
	struct params *p = &o->params;

	if (parse_seconds(name, values[0], &p->from_ns, e) < 0 ||
	    parse_seconds(name, values[1], &p->to_ns, e) < 0)
		return -1;
	if (p->to_ns <= p->from_ns)
		return err_set(e, ERR_USAGE,
			       "--trim %s %s is an empty window: FROM must come before TO",
			       values[0], values[1]);
	p->has_trim = true;
	return 0;
}

static int set_iteration(struct options *o, const char *name, char **values, struct err *e)
{
	o->params.has_iteration = true;
	return parse_number(name, values[0], UINT32_MAX, &o->params.iteration, e);
}

static int set_marker(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a regular expression", e);
	o->params.marker = values[0];
	return 0;
}

static int set_device(struct options *o, const char *name, char **values, struct err *e)
{
	uint64_t n = 0;

	if (parse_number(name, values[0], ID_NONE - 1, &n, e) < 0)
		return -1;
	o->params.device = (uint32_t)n;
	o->params.has_device = true;
	return 0;
}

static int set_pid(struct options *o, const char *name, char **values, struct err *e)
{
	uint64_t n = 0;

	if (parse_number(name, values[0], 0xffffff, &n, e) < 0)
		return -1;
	o->params.pid = (uint32_t)n;
	o->params.has_pid = true;
	return 0;
}

/* What the word may be depends on the command: options_parse() looks at it. */
static int set_by(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	o->by = values[0];
	return 0;
}

static int set_limit(struct options *o, const char *name, char **values, struct err *e)
{
	o->limit_given = true;
	return parse_number(name, values[0], UINT64_MAX, &o->params.limit, e);
}

static int set_sort(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	o->params.sort = values[0];
	return 0;
}

static int set_phase_map(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a file name", e);
	o->params.phase_map = values[0];
	return 0;
}

static int set_label(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a regular expression", e);
	o->params.label = values[0];
	return 0;
}

static int set_comm(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a regular expression", e);
	o->params.comm = values[0];
	return 0;
}

static int set_rank(struct options *o, const char *name, char **values, struct err *e)
{
	uint64_t n = 0;

	if (parse_number(name, values[0], ID_NONE - 1, &n, e) < 0)
		return -1;
	o->params.rank = (uint32_t)n;
	o->params.has_rank = true;
	return 0;
}

static int set_anchor(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a regular expression", e);
	o->params.anchor = values[0];
	return 0;
}

static int parse_ns(const char *name, const char *text, int64_t *ret, struct err *e)
{
	char *end;
	long long ns;

	errno = 0;
	ns = strtoll(text, &end, 10);
	if (!*text || *end || errno || strchr(" +", text[0]))
		return bad_value(name, text, "nanoseconds, a whole number", e);
	*ret = ns;
	return 0;
}

static int set_start(struct options *o, const char *name, char **values, struct err *e)
{
	o->params.has_start = true;
	return parse_ns(name, values[0], &o->params.start_ns, e);
}

static int set_end(struct options *o, const char *name, char **values, struct err *e)
{
	o->params.has_end = true;
	return parse_ns(name, values[0], &o->params.end_ns, e);
}

static int set_window(struct options *o, const char *name, char **values, struct err *e)
{
	o->params.gpu_window = strcmp(values[0], "gpu") == 0;
	if (!o->params.gpu_window && strcmp(values[0], "cpu") != 0)
		return bad_value(name, values[0], "cpu or gpu", e);
	return 0;
}

static int set_preset(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a name or a file", e);
	o->params.preset = values[0];
	return 0;
}

static int set_filter(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][strspn(values[0], " \t\n")])
		return bad_value(name, values[0], "an expression", e);
	o->params.filter = values[0];
	return 0;
}

static int set_columns(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "names of columns", e);
	o->params.columns = values[0];
	return 0;
}

/* An empty one is refused where it is used. */
static int set_pattern(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	o->params.pattern = values[0];
	return 0;
}

static int set_types(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "types of events", e);
	o->params.types = values[0];
	return 0;
}

static int set_parent(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "the name of a range", e);
	o->params.parent = values[0];
	return 0;
}

static int set_depth(struct options *o, const char *name, char **values, struct err *e)
{
	if (parse_number(name, values[0], UINT32_MAX, &o->params.depth, e) < 0)
		return -1;
	return o->params.depth ? 0 : bad_value(name, values[0], "1 or more", e);
}

static int set_min_ms(struct options *o, const char *name, char **values, struct err *e)
{
	double ms = strtod(values[0], NULL);

	if (!decimal_is_plain(values[0]) || !(ms >= 0 && ms < 9e12))
		return bad_value(name, values[0], "milliseconds", e);
	o->params.min_ns = llround(ms * 1e6);
	return 0;
}

static int set_thread(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a thread's number or name", e);
	o->params.thread = values[0];
	return 0;
}

static int set_format(struct options *o, const char *name, char **values, struct err *e)
{
	if (!presenter_find(values[0]))
		return bad_value(name, values[0], "text, markdown, json, csv, html or folded", e);
	o->format = values[0];
	return 0;
}

/* Which there are, and whether one was asked for, the command knows. */
static int set_export_format(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	o->export_format = values[0];
	return 0;
}

static int set_output(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a file name", e);
	o->to_stdout = strcmp(values[0], "-") == 0;
	o->output = o->to_stdout ? NULL : values[0];
	return 0;
}

static int set_nsys(struct options *o, const char *name, char **values, struct err *e)
{
	(void)e;
	o->nsys = values[0];
	o->nsys_option = name;
	return 0;
}

static int set_threads(struct options *o, const char *name, char **values, struct err *e)
{
	uint64_t n = 0;

	(void)o;
	if (parse_number(name, values[0], PARALLEL_MAX, &n, e) < 0)
		return -1;
	if (!n)
		return bad_value(name, values[0], "1 or more", e);
	parallel_set_workers((unsigned)n);
	return 0;
}

static int set_colour(struct options *o, const char *name, char **values, struct err *e)
{
	if (strcmp(values[0], "auto") == 0)
		o->colour = COLOUR_AUTO;
	else if (strcmp(values[0], "always") == 0)
		o->colour = COLOUR_ALWAYS;
	else if (strcmp(values[0], "never") == 0)
		o->colour = COLOUR_NEVER;
	else
		return bad_value(name, values[0], "auto, always or never", e);
	return 0;
}

static int set_report(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	MEM_GROW(o->reports, o->report_cap, o->report_count + 1);
	o->reports[o->report_count++] = values[0];
	return 0;
}

static int ignore(struct options *o, const char *name, char **values, struct err *e)
{
	(void)o;
	(void)name;
	(void)values;
	(void)e;
	return 0;
}

static int set_out_dir(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a folder's name", e);
	o->out_dir = values[0];
	return 0;
}

static int add_run(struct options *o, const char *name, char **values, struct err *e)
{
	(void)e;
	runs_add(&o->runs, values[0], strcmp(name, "trace") != 0);
	return 0;
}

static int set_run(struct options *o, const char *name, char **values, struct err *e)
{
	return runs_set(&o->runs, name, values[0], e);
}

static int add_engine_map(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a file name", e);
	runs_add_map(&o->runs, values[0]);
	return 0;
}

static int set_title(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	o->title = values[0];
	return 0;
}

static int set_kernel_limit(struct options *o, const char *name, char **values, struct err *e)
{
	return parse_number(name, values[0], UINT64_MAX, &o->kernel_limit, e);
}

static int set_coverage_warn(struct options *o, const char *name, char **values, struct err *e)
{
	double share = strtod(values[0], NULL);

	if (!decimal_is_plain(values[0]) || !(share >= 0 && share <= 1))
		return bad_value(name, values[0], "a share from 0 to 1", e);
	o->params.coverage_warn = share;
	return 0;
}

static int set_sql_file(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a file name", e);
	o->sql_file = values[0];
	return 0;
}

static int set_timeout(struct options *o, const char *name, char **values, struct err *e)
{
	o->timeout_s = strtod(values[0], NULL);
	if (!decimal_is_plain(values[0]) || !(o->timeout_s > 0 && o->timeout_s <= 1e9))
		return bad_value(name, values[0], "seconds, more than 0", e);
	return 0;
}

static int add_skill_param(struct options *o, const char *name, char **values, struct err *e)
{
	const char *equals = strchr(values[0], '=');

	if (!equals || equals == values[0])
		return bad_value(name, values[0], "KEY=VALUE", e);
	MEM_GROW(o->skill_params, o->skill_param_cap, o->skill_param_count + 1);
	o->skill_params[o->skill_param_count++] = values[0];
	return 0;
}

static int add_skill_path(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a folder", e);
	MEM_GROW(o->skill_paths, o->skill_path_cap, o->skill_path_count + 1);
	o->skill_paths[o->skill_path_count++] = values[0];
	return 0;
}

static int add_ncu_file(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a CSV of Nsight Compute", e);
	MEM_GROW(o->ncu_files, o->ncu_file_cap, o->ncu_file_count + 1);
	o->ncu_files[o->ncu_file_count++] = values[0];
	return 0;
}

static int set_mfu(struct options *o, const char *name, char **values, struct err *e)
{
	return mfu_question_set(&o->params.mfu, name, values[0], e);
}

static int set_range(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0] || values[0][0] == '@')
		return bad_value(name, values[0], "the name of an NVTX range, NAME or NAME@DOMAIN",
				 e);
	o->capture.request.range = values[0];
	return 0;
}

static int check_seconds(const char *name, const char *text, struct err *e)
{
	double s = strtod(text, NULL);

	return decimal_is_plain(text) && s > 0 && s <= 1e9
		       ? 0
		       : bad_value(name, text, "seconds, more than 0", e);
}

static int set_delay(struct options *o, const char *name, char **values, struct err *e)
{
	/* None at all, for scripts that compute it. */
	if (decimal_is_plain(values[0]) && strtod(values[0], NULL) == 0) {
		o->capture.request.delay_s = NULL;
		return 0;
	}
	o->capture.request.delay_s = values[0];
	return check_seconds(name, values[0], e);
}

static int set_duration(struct options *o, const char *name, char **values, struct err *e)
{
	o->capture.request.duration_s = values[0];
	return check_seconds(name, values[0], e);
}

static int set_run_timeout(struct options *o, const char *name, char **values, struct err *e)
{
	o->capture.timeout_s = strtod(values[0], NULL);
	return check_seconds(name, values[0], e);
}

static int set_grace(struct options *o, const char *name, char **values, struct err *e)
{
	o->capture.grace_s = strtod(values[0], NULL);
	return check_seconds(name, values[0], e);
}

static int set_steps(struct options *o, const char *name, char **values, struct err *e)
{
	struct capture_options *c = &o->capture;
	char *copy = mem_strdup(values[0]), *colon = strchr(copy, ':');
	int result = -1;

	if (colon)
		*colon = '\0';
	if (!colon)
		bad_value(name, values[0], "A:B, the first and the last step", e);
	else if (parse_number(name, copy, UINT32_MAX, &c->first_step, e) == 0 &&
		 parse_number(name, colon + 1, UINT32_MAX, &c->last_step, e) == 0)
		result = c->first_step <= c->last_step
				 ? 0
				 : bad_value(name, values[0], "the first step before the last", e);
	free(copy);
	c->request.steps = values[0];
	return result;
}

static int set_gpu_metrics_devices(struct options *o, const char *name, char **values,
				   struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "all, cuda-visible or numbers of devices", e);
	o->capture.request.gpu_metrics = values[0];
	return 0;
}

static int set_gpu_metrics(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)values;
	(void)e;
	o->capture.request.gpu_metrics = "cuda-visible";
	return 0;
}

static int add_nsys_arg(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "an argument of nsys profile", e);
	words_add(&o->capture.nsys_args, values[0]);
	return 0;
}

static int add_input(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a file name", e);
	words_add(&o->capture.inputs, values[0]);
	return 0;
}

/* What an axis is, and whether the command has it, the command knows. */
static int add_matrix(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	words_add(&o->capture.matrix, values[0]);
	return 0;
}

static int set_launcher(struct options *o, const char *name, char **values, struct err *e)
{
	if (o->capture.preset && strcmp(o->capture.preset, values[0]) != 0) {
		err_set(e, ERR_USAGE, "--%s is given twice: '%s' and '%s'", name, o->capture.preset,
			values[0]);
		return err_hint(e, "name what starts the program; --preset list tells what each "
				   "sets, and --nsys-arg adds to it");
	}
	o->capture.preset = values[0];
	return 0;
}

static int set_root(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "a folder", e);
	o->capture.root = values[0];
	return 0;
}

static int set_run_label(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	o->capture.label = values[0];
	return run_label_check(values[0], e);
}

static int set_seed(struct options *o, const char *name, char **values, struct err *e)
{
	uint64_t n = 0;

	o->capture.request.seed = values[0];
	return parse_number(name, values[0], UINT32_MAX, &n, e);
}

static int set_keep(struct options *o, const char *name, char **values, struct err *e)
{
	o->capture.has_keep = true;
	return parse_number(name, values[0], UINT32_MAX, &o->capture.keep, e);
}

static int set_top(struct options *o, const char *name, char **values, struct err *e)
{
	if (parse_number(name, values[0], 100, &o->inspect.top, e) < 0)
		return -1;
	return o->inspect.top ? 0 : bad_value(name, values[0], "a number of kernels", e);
}

static int set_launches(struct options *o, const char *name, char **values, struct err *e)
{
	if (parse_number(name, values[0], 1000, &o->inspect.launches, e) < 0)
		return -1;
	return o->inspect.launches ? 0 : bad_value(name, values[0], "a number of launches", e);
}

/* How ncu measures, by the option's name: a word that it knows, and that measures kernels. */
static int set_ncu_mode(struct options *o, const char *name, char **values, struct err *e)
{
	const struct {
		const char *name, **to, *words[2], *wanted;
	} modes[] = {
		{"clock-control",
		 &o->inspect.settings.clock_control,
		 {"base", "none"},
		 "base or none"},
		{"cache-control",
		 &o->inspect.settings.cache_control,
		 {"all", "none"},
		 "all or none"},
		{"replay-mode",
		 &o->inspect.settings.replay_mode,
		 {"kernel", "application"},
		 "kernel or application"},
	};

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		if (strcmp(modes[i].name, name) != 0)
			continue;
		*modes[i].to = values[0];
		if (strcmp(values[0], modes[i].words[0]) != 0 &&
		    strcmp(values[0], modes[i].words[1]) != 0)
			return bad_value(name, values[0], modes[i].wanted, e);
	}
	return 0;
}

/* Texts of `inspect` that ncu or the trace judges: by the option's name. */
static int set_inspect(struct options *o, const char *name, char **values, struct err *e)
{
	const struct {
		const char *name, **to;
	} texts[] = {
		{"range", &o->inspect.range},
		{"phase", &o->inspect.phase},
		{"ncu-path", &o->inspect.ncu},
		{"set", &o->inspect.settings.set},
		{"metrics", &o->inspect.settings.metrics},
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (strcmp(texts[i].name, name) == 0)
			*texts[i].to = values[0];
	}
	return values[0][0] ? 0 : bad_value(name, values[0], "a value", e);
}

static int add_ncu_arg(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return bad_value(name, values[0], "an argument of ncu", e);
	words_add(&o->inspect.ncu_args, values[0]);
	return 0;
}

#define FLAG(member) NULL, 0, offsetof(struct options, member)

const struct option option_table[] = {
	{"report", 'r', "NAME[,NAME…]", OPT_REPORTS,
	 "reports to make; NAME:base, NAME:mangled and NAME:nvtx-name as in nsys", set_report, 0,
	 0},
	{"list", 0, NULL, OPT_REPORTS, "list the reports", FLAG(list)},
	{"quiet", 'q', NULL, OPT_REPORTS | OPT_REPORT_DIR | OPT_EXPORT,
	 "say neither what was written nor what the trace has no data for", FLAG(quiet)},
	{"force-overwrite", 0, "BOOL", OPT_REPORTS, NULL, ignore, 0, 0},
	{"force-export", 0, "BOOL", OPT_REPORTS, NULL, ignore, 0, 0},
	{"out", 0, "DIR", OPT_REPORT_DIR, "the folder to write, whole or not at all", set_out_dir,
	 0, 0},
	{"force", 0, NULL, OPT_REPORT_DIR, "replace DIR where it is an earlier report",
	 FLAG(force)},
	{"kernel-limit", 0, "N", OPT_REPORT_DIR, "kernels listed in the report (30), 0 for all",
	 set_kernel_limit, 0, 0},
	{"top-kernels", 0, "N", OPT_REPORT_DIR, "the same as --kernel-limit", set_kernel_limit, 0,
	 0},
	{"no-kernel-percentiles", 0, NULL, OPT_REPORT_DIR, "leave p50 and p90 of kernels out",
	 FLAG(no_kernel_percentiles)},
	{"no-nvtx-kernel-map", 0, NULL, OPT_REPORT_DIR,
	 "leave out which NVTX range or phase launched which GPU time", FLAG(params.no_kernel_map)},
	{"print-schema", 0, NULL, OPT_REPORT_DIR, "also print the trace's tables and columns",
	 FLAG(print_schema)},
	{"in_file", 0, "RUN…", OPT_RUNS,
	 "runs as FILE,ENGINE,MODEL,SECONDS; 0 seconds: as long as the trace", add_run, 0, 0},
	{"in-file", 0, "RUN…", OPT_RUNS, NULL, add_run, 0, 0},
	{"infile", 0, "RUN…", OPT_RUNS, NULL, add_run, 0, 0},
	{"trace", 0, "FILE", OPT_RUNS, "one more run, of which the next three speak:", add_run, 0,
	 0},
	{"engine", 0, "NAME", OPT_RUNS,
	 "what ran it: default, vllm, sglang, trtllm, megatron, torch", set_run, 0, 0},
	{"model", 0, "NAME", OPT_RUNS, "what it ran, as the engine's map calls it", set_run, 0, 0},
	{"elapsed", 0, "SECONDS", OPT_RUNS, "how long it takes without the profiler", set_run, 0,
	 0},
	{"engine-map", 0, "FILE…", OPT_RUNS,
	 "maps of your own, up to an option or a trace: "
	 "{\"engine\": {\"model\": {\"regex\": \"category\", …}}}",
	 add_engine_map, 0, 0},
	{"merge-devices", 0, NULL, OPT_RUNS,
	 "take all GPUs for one: an instant counts once, however many are busy",
	 FLAG(merge_devices)},
	{"out_dir", 0, "DIR", OPT_RUNS, "where result.html and result.csv go (this folder)",
	 set_out_dir, 0, 0},
	{"out-dir", 0, "DIR", OPT_RUNS, NULL, set_out_dir, 0, 0},
	{"title", 0, "TEXT", OPT_RUNS, "of the page", set_title, 0, 0},
	{"nsys_cmd", 0, "PATH", OPT_RUNS, "the same as --nsys", set_nsys, 0, 0},
	{"nsys-cmd", 0, "PATH", OPT_RUNS, NULL, set_nsys, 0, 0},
	{"file", 0, "FILE", OPT_QUERY, "the SQL is in this file", set_sql_file, 0, 0},
	{"explain", 0, NULL, OPT_QUERY, "show how SQLite would go about it; nothing is run",
	 FLAG(explain)},
	{"param", 'p', "KEY=VALUE", OPT_SKILL, "sets a parameter of the skill; may be repeated",
	 add_skill_param, 0, 0},
	{"max-rows", 0, "N", OPT_SKILL, "the same as --limit", set_limit, 0, 0},
	{"skill-path", 0, "DIR", OPT_SKILL, "a folder with skills of your own; may be repeated",
	 add_skill_path, 0, 0},
	{"launches", 0, NULL, OPT_NCU, "a row for each launch that was measured", FLAG(launches)},
	{"timeout", 0, "SECONDS", OPT_TIMEOUT, "stop SQL that takes longer", set_timeout, 0, 0},
	{"range", 0, "NAME", OPT_PROFILE,
	 "capture while this NVTX range is open; NAME@DOMAIN in another domain than the default",
	 set_range, 0, 0},
	{"profiler-api", 0, NULL, OPT_PROFILE,
	 "capture from each cudaProfilerStart to its cudaProfilerStop",
	 FLAG(capture.request.profiler_api)},
	{"delay", 0, "S", OPT_PROFILE, "begin to capture after so many seconds", set_delay, 0, 0},
	{"duration", 0, "S", OPT_PROFILE, "capture so many seconds; the program runs on",
	 set_duration, 0, 0},
	{"steps", 0, "A:B", OPT_PROFILE,
	 "explain steps A to B alone, from 0, as gpuwhy iters counts them", set_steps, 0, 0},
	{"timeout", 0, "S", OPT_PROFILE | OPT_INSPECT,
	 "end the program after so many seconds: as Ctrl-C, then SIGTERM, then SIGKILL",
	 set_run_timeout, 0, 0},
	{"grace", 0, "S", OPT_PROFILE | OPT_INSPECT, "from one of these to the next (10)",
	 set_grace, 0, 0},
	{"preset", 0, "NAME", OPT_PROFILE,
	 "what starts the program: vllm, sglang, torchrun, accelerate, slurm, ray; or list",
	 set_launcher, 0, 0},
	{"osrt", 0, NULL, OPT_PROFILE, "also what threads wait for outside CUDA: many events",
	 FLAG(capture.request.osrt)},
	{"memory", 0, NULL, OPT_PROFILE, "also GPU memory in use", FLAG(capture.request.memory)},
	{"gpu-metrics", 0, NULL, OPT_PROFILE, "also the hardware's counters, of visible GPUs",
	 set_gpu_metrics, 0, 0},
	{"gpu-metrics-devices", 0, "LIST", OPT_PROFILE, "the same of these: all, 0,1, …",
	 set_gpu_metrics_devices, 0, 0},
	{"python-backtrace", 0, NULL, OPT_PROFILE,
	 "also the Python code behind CUDA calls; needs CPU sampling, which it turns on",
	 FLAG(capture.request.python_backtrace)},
	{"nsys-arg", 0, "X", OPT_PROFILE, "one more argument of nsys profile; may be repeated",
	 add_nsys_arg, 0, 0},
	{"matrix", 0, "NAME=V1,V2", OPT_PROFILE,
	 "run once for each value, in place of {NAME} in the command; may be repeated", add_matrix,
	 0, 0},
	{"input", 0, "FILE", OPT_PROFILE, "a file whose hash is kept, too; may be repeated",
	 add_input, 0, 0},
	{"seed", 0, "N", OPT_PROFILE, "sets PYTHONHASHSEED, and is kept", set_seed, 0, 0},
	{"name", 0, "LABEL", OPT_PROFILE, "part of the run's folder's name", set_run_label, 0, 0},
	{"top", 0, "N", OPT_INSPECT, "so many kernels, those that take the most time (5)", set_top,
	 0, 0},
	{"launches", 0, "N", OPT_INSPECT, "of each kernel, from one in the middle on (1)",
	 set_launches, 0, 0},
	{"each", 0, NULL, OPT_INSPECT,
	 "a run of the program for each kernel, also where one would do", FLAG(inspect.each)},
	{"range", 0, "NAME", OPT_INSPECT, "only kernels that are launched inside such a range",
	 set_inspect, 0, 0},
	{"phase", 0, "NAME", OPT_INSPECT, "only kernels of this phase: prefill, decode, …",
	 set_inspect, 0, 0},
	{"set", 0, "NAME", OPT_INSPECT, "ncu's set of sections (roofline)", set_inspect, 0, 0},
	{"metrics", 0, "LIST", OPT_INSPECT,
	 "further metrics; those that the device lacks are left out", set_inspect, 0, 0},
	{"clock-control", 0, "base|none", OPT_INSPECT, "whether ncu holds the clocks (base)",
	 set_ncu_mode, 0, 0},
	{"cache-control", 0, "all|none", OPT_INSPECT,
	 "whether ncu empties the caches before each pass (all)", set_ncu_mode, 0, 0},
	{"replay-mode", 0, "kernel|application", OPT_INSPECT,
	 "what runs again for each pass: the kernel, or all of the program", set_ncu_mode, 0, 0},
	{"ncu-arg", 0, "X", OPT_INSPECT, "one more argument of ncu; may be repeated", add_ncu_arg,
	 0, 0},
	{"ncu-path", 0, "PATH", OPT_INSPECT, "the ncu to run", set_inspect, 0, 0},
	{"out", 0, "DIR", OPT_INSPECT, "where its reports go: a new folder", set_out_dir, 0, 0},
	{"keep", 0, "N", OPT_RUN_FOLDERS, "prune: the newest N stay", set_keep, 0, 0},
	{"runs", 0, "DIR", OPT_PROFILE | OPT_RUN_FOLDERS, "where runs have their folders (runs)",
	 set_root, 0, 0},
	{"dry-run", 0, NULL, OPT_PROFILE | OPT_RUN_FOLDERS | OPT_INSPECT,
	 "only say what would be done", FLAG(capture.dry_run)},
	{"nvtx-coverage-warn-threshold", 0, "X", PARAM_COVERAGE,
	 "warn where less than this share of kernel time lies in NVTX ranges (0.70)",
	 set_coverage_warn, 0, 0},
	{"trim", 0, "FROM TO", PARAM_TRIM,
	 "only this window, in seconds since the capture began; events are clipped", set_trim, 2,
	 0},
	{"iteration", 0, "N", PARAM_TRIM,
	 "only this step of the run, from 0, as gpuwhy iters lists them", set_iteration, 0, 0},
	{"marker", 0, "REGEX", PARAM_TRIM | OPT_PROFILE,
	 "the NVTX ranges or marks that are the steps", set_marker, 0, 0},
	{"device", 0, "N", PARAM_DEVICE, "only this CUDA device", set_device, 0, 0},
	{"pid", 0, "N", PARAM_PID, "only this process", set_pid, 0, 0},
	{"rank", 0, "N", PARAM_RANK, "only this rank of the program", set_rank, 0, 0},
	{"label", 0, "REGEX", PARAM_RANK,
	 "ranges that name ranks; its group 'rank', or its first, is the number", set_label, 0, 0},
	{"comm", 0, "REGEX", PARAM_COMM,
	 "kernels that communicate, beside those of NCCL and others that are known", set_comm, 0,
	 0},
	{"by", 0, "WORD", PARAM_BY_ANY, "a row for each of these", set_by, 0, 0},
	{"anchor", 0, "REGEX", PARAM_ANCHOR,
	 "the range whose median instance is each rank's window", set_anchor, 0, 0},
	{"start", 0, "NS", PARAM_ANCHOR,
	 "the window begins here, in nanoseconds; alone: to the capture's end", set_start, 0, 0},
	{"end", 0, "NS", PARAM_ANCHOR, "the window ends here; alone: from the capture's beginning",
	 set_end, 0, 0},
	{"window", 0, "cpu|gpu", PARAM_WINDOW,
	 "GPU work while the range lasts (cpu), or while what it launched runs (gpu)", set_window,
	 0, 0},
	{"preset", 0, "NAME|FILE", PARAM_PRESET,
	 "what the names of ranges mean: pithtrain, or a file of your own", set_preset, 0, 0},
	{"tree", 0, NULL, PARAM_TREE, "a row for each path of names, indented", FLAG(params.tree)},
	{"no-fold", 0, NULL, PARAM_FOLD, "keep counters in names: 'iter 0' and 'iter 1' are two",
	 FLAG(params.no_fold)},
	{"phase-map", 0, "FILE", PARAM_PHASES,
	 "which ranges are which phase, as JSON: {\"prefill\": [\"text\", \"re:^regex$\"], …}",
	 set_phase_map, 0, 0},
	{"phases-json", 0, "FILE", PARAM_PHASES, "the same as --phase-map", set_phase_map, 0, 0},
	{"flops", 0, "N", PARAM_MFU, "FLOPs, as 1e12 or 2.5T; --per says of what", set_mfu, 0, 0},
	{"per", 0, "step|token|range|window", PARAM_MFU,
	 "what --flops, or one batch of --model, is for", set_mfu, 0, 0},
	{"model", 0, "FILE", PARAM_MFU, "the config.json of a Hugging Face model", set_mfu, 0, 0},
	{"ncu", 0, "FILE", PARAM_NCU,
	 "what Nsight Compute measured, a CSV of its raw or details page; may be given again",
	 add_ncu_file, 0, 0},
	{"ncu", 0, "FILE", PARAM_HFU,
	 "FLOPs that Nsight Compute counted, a CSV of its raw page: HFU of a window", set_mfu, 0,
	 0},
	{"mode", 0, "prefill|decode|train", PARAM_MFU, "what the model was asked to do", set_mfu, 0,
	 0},
	{"batch", 0, "N", PARAM_MFU, "sequences at once", set_mfu, 0, 0},
	{"seq", 0, "N", PARAM_MFU, "positions of each; for decode those before it begins", set_mfu,
	 0, 0},
	{"new-tokens", 0, "N", PARAM_MFU, "tokens that decode adds to each sequence, a step each",
	 set_mfu, 0, 0},
	{"lm-head", 0, "last|all", PARAM_MFU,
	 "positions whose logits prefill computes: the last of each sequence (default), or all",
	 set_mfu, 0, 0},
	{"recompute", 0, "none|selective|full", PARAM_MFU,
	 "what training computes again: nothing (default), attention, every layer; for HFU",
	 set_mfu, 0, 0},
	{"phase", 0, "NAME", PARAM_MFU, "measure this phase: prefill, decode, …", set_mfu, 0, 0},
	{"range", 0, "NAME", PARAM_MFU,
	 "measure the ranges whose name has this in it; * and ?, /regex/", set_mfu, 0, 0},
	{"shared", 0, NULL, PARAM_MFU, "processes do the FLOPs together, not each for itself",
	 FLAG(params.mfu.shared)},
	{"dtype", 0, "TYPE", PARAM_MFU,
	 "what products are computed in: fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4", set_mfu, 0,
	 0},
	{"peak-tflops", 0, "X", PARAM_MFU, "the dense peak of one GPU, instead of the table's",
	 set_mfu, 0, 0},
	{"peaks", 0, NULL, PARAM_HFU, "list the peaks that are known; takes no trace", FLAG(peaks)},
	{"filter", 0, "EXPR", PARAM_FILTER,
	 "only events like this: 'name~flash && duration_us>50'; docs/filters.md tells more",
	 set_filter, 0, 0},
	{"columns", 0, "KEY,…", PARAM_COLUMNS, "what to show of each, as --format json names it",
	 set_columns, 0, 0},
	{"summary", 0, NULL, PARAM_COLUMNS, "sum them up by name", FLAG(params.summary)},
	{"pattern", 0, "PATTERN", PARAM_PATTERN, "the same as the second operand", set_pattern, 0,
	 0},
	{"type", 0, "TYPE,…", PARAM_SEARCH,
	 "kernel, memcpy, memset, graph, api, range, mark, thread, stream", set_types, 0, 0},
	{"parent", 0, "RANGE", PARAM_SEARCH, "only what lies under such a range", set_parent, 0, 0},
	{"depth", 0, "N", PARAM_SHAPE, "ranges inside one another, at most", set_depth, 0, 0},
	{"min-ms", 0, "X", PARAM_SHAPE, "only what took as long, on the host or on the GPU",
	 set_min_ms, 0, 0},
	{"thread", 0, "T", PARAM_SHAPE, "only this thread: its number, or a pattern of its name",
	 set_thread, 0, 0},
	{"merge", 0, NULL, PARAM_SHAPE, "sum up ranges with the same names above them",
	 FLAG(params.merge)},
	{"instances", 0, NULL, PARAM_SHAPE, "every range by itself", FLAG(params.instances)},
	{"kernels", 0, NULL, PARAM_SHAPE, "GPU ops as leaves (as it is without)",
	 FLAG(params.kernels)},
	{"no-kernels", 0, NULL, PARAM_SHAPE, "ranges alone", FLAG(params.no_ops)},
	{"sort", 0, "KEY", PARAM_SORT, "sort by a column, as --format json names it", set_sort, 0,
	 0},
	{"limit", 'n', "N", PARAM_LIMIT,
	 "at most N rows, 0 for all; people see a few by default, machines all", set_limit, 0, 0},
	{"html", 0, NULL, PARAM_EXPLORER,
	 "a page to look around in: keys drawn, example queries, search", FLAG(explorer)},
	{"format", 'f', "FORMAT", OPT_OUTPUT, "text, markdown, json, csv or html", set_format, 0,
	 0},
	{"lines", 0, NULL, OPT_LINES, "an object on each line instead of one array", FLAG(lines)},
	{"output", 'o', "FILE", OPT_OUTPUT | OPT_FILE, "write there instead of the terminal",
	 set_output, 0, 0},
	{"output", 'o', "FILE", OPT_EXPORT, "the file to write, whole or not at all; - is stdout",
	 set_output, 0, 0},
	{"format", 'f', "FORMAT", OPT_EXPORT,
	 "json, json.gz, pftrace or pftrace.gz, where FILE does not end so", set_export_format, 0,
	 0},
	{"no-api", 0, NULL, OPT_EXPORT, "leave the CUDA calls out, and arrows with them",
	 FLAG(export.no_api)},
	{"no-nvtx", 0, NULL, OPT_EXPORT, "leave the NVTX ranges out", FLAG(export.no_nvtx)},
	{"no-copies", 0, NULL, OPT_EXPORT, "leave copies and memory sets out",
	 FLAG(export.no_copies)},
	{"no-flows", 0, NULL, OPT_EXPORT, "leave the arrows from launches to kernels out",
	 FLAG(export.no_flows)},
	{"no-counters", 0, NULL, OPT_EXPORT,
	 "leave copy bandwidth, launch queue and memory in use out", FLAG(export.no_counters)},
	{"no-args", 0, NULL, OPT_EXPORT,
	 "leave grid, registers, bytes, range path and the like out", FLAG(export.no_args)},
	{"gpu-metrics", 0, NULL, OPT_EXPORT, "put the GPUs' sampled metrics in: there are many",
	 FLAG(export.gpu_metrics)},
	{"color", 0, "WHEN", OPT_OUTPUT | OPT_PROFILE,
	 "auto (default), always or never; NO_COLOR is honoured", set_colour, 0, 0},
	{"nsys", 0, "PATH", OPT_TRACE, "the nsys that opens .nsys-rep files", set_nsys, 0, 0},
	{"threads", 0, "N", OPT_TRACE, "use N threads instead of all cores", set_threads, 0, 0},
	{"help", 'h', NULL, OPT_ALWAYS, "show this help", FLAG(help)},
};

const size_t option_count = ARRAY_LEN(option_table);
