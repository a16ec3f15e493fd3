/* How is a program to be profiled, and where are its runs? */
#include "cli/option_group.h"

#include "base/mem.h"
#include "capture/run_folder.h"
#include "text/decimal.h"

#include <stdlib.h>

/* NAME@, with \@ for an @ of the name's own. */
static bool lacks_domain(const char *range)
{
	return str_ends(str_of(range), "@") && !str_ends(str_of(range), "\\@");
}

static int set_range(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0] || values[0][0] == '@' || lacks_domain(values[0]))
		return option_bad_value(name, values[0],
					"the name of an NVTX range, NAME or NAME@DOMAIN", e);
	o->capture.request.range = values[0];
	return 0;
}

static int set_delay(struct options *o, const char *name, char **values, struct err *e)
{
	double s;

	/* None at all, for scripts that compute it. */
	if (decimal_is_plain(values[0]) && strtod(values[0], NULL) == 0) {
		o->capture.request.delay_s = NULL;
		return 0;
	}
	o->capture.request.delay_s = values[0];
	return option_parse_seconds(name, values[0], &s, e);
}

static int set_duration(struct options *o, const char *name, char **values, struct err *e)
{
	double s;

	o->capture.request.duration_s = values[0];
	return option_parse_seconds(name, values[0], &s, e);
}

static int set_run_timeout(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_seconds(name, values[0], &o->capture.timeout_s, e);
}

static int set_grace(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_seconds(name, values[0], &o->capture.grace_s, e);
}

static int set_steps(struct options *o, const char *name, char **values, struct err *e)
{
	struct capture_options *c = &o->capture;
	char *copy = mem_strdup(values[0]), *colon = strchr(copy, ':');
	int result = -1;

	if (colon)
		*colon = '\0';
	if (!colon)
		option_bad_value(name, values[0], "A:B, the first and the last step", e);
	else if (option_parse_number(name, copy, UINT32_MAX, &c->first_step, e) == 0 &&
		 option_parse_number(name, colon + 1, UINT32_MAX, &c->last_step, e) == 0)
		result = c->first_step <= c->last_step
				 ? 0
				 : option_bad_value(name, values[0],
						    "the first step before the last", e);
	free(copy);
	c->request.steps = values[0];
	return result;
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
		return option_bad_value(name, values[0], "an argument of nsys profile", e);
	words_add(&o->capture.nsys_args, values[0]);
	return 0;
}

static int add_input(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return option_bad_value(name, values[0], "a file name", e);
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
	return option_parse_number(name, values[0], UINT32_MAX, &n, e);
}

static int set_keep(struct options *o, const char *name, char **values, struct err *e)
{
	o->capture.has_keep = true;
	return option_parse_number(name, values[0], UINT32_MAX, &o->capture.keep, e);
}

static int set_top(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_some(name, values[0], 100, "a number of kernels", &o->inspect.top, e);
}

static int set_launches(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_some(name, values[0], 1000, "a number of launches",
				 &o->inspect.launches, e);
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
			return option_bad_value(name, values[0], modes[i].wanted, e);
	}
	return 0;
}

static int add_ncu_arg(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return option_bad_value(name, values[0], "an argument of ncu", e);
	words_add(&o->inspect.ncu_args, values[0]);
	return 0;
}

static const struct option options[] = {
	{"range", 0, "NAME", OPT_PROFILE,
	 "capture while this NVTX range is open; NAME@DOMAIN in another domain than the default",
	 SET(set_range)},
	{"profiler-api", 0, NULL, OPT_PROFILE,
	 "capture from each cudaProfilerStart to its cudaProfilerStop",
	 FLAG(capture.request.profiler_api)},
	{"delay", 0, "S", OPT_PROFILE, "begin to capture after so many seconds", SET(set_delay)},
	{"duration", 0, "S", OPT_PROFILE, "capture so many seconds; the program runs on",
	 SET(set_duration)},
	{"steps", 0, "A:B", OPT_PROFILE,
	 "explain steps A to B alone, from 0, as gpuwhy iters counts them", SET(set_steps)},
	{"timeout", 0, "S", OPT_PROFILE | OPT_INSPECT,
	 "end the program after so many seconds: as Ctrl-C, then SIGTERM, then SIGKILL",
	 SET(set_run_timeout)},
	{"grace", 0, "S", OPT_PROFILE | OPT_INSPECT, "from one of these to the next (10)",
	 SET(set_grace)},
	{"preset", 0, "NAME", OPT_PROFILE,
	 "what starts the program: vllm, sglang, torchrun, accelerate, slurm, ray; or list",
	 SET(set_launcher)},
	{"osrt", 0, NULL, OPT_PROFILE, "also what threads wait for outside CUDA: many events",
	 FLAG(capture.request.osrt)},
	{"memory", 0, NULL, OPT_PROFILE, "also GPU memory in use", FLAG(capture.request.memory)},
	{"gpu-metrics", 0, NULL, OPT_PROFILE, "also the hardware's counters, of visible GPUs",
	 SET(set_gpu_metrics)},
	{"gpu-metrics-devices", 0, "LIST", OPT_PROFILE, "the same of these: all, 0,1, …",
	 TEXT(capture.request.gpu_metrics, "all, cuda-visible or numbers of devices")},
	{"python-backtrace", 0, NULL, OPT_PROFILE,
	 "also the Python code behind CUDA calls; needs CPU sampling, which it turns on",
	 FLAG(capture.request.python_backtrace)},
	{"nsys-arg", 0, "X", OPT_PROFILE, "one more argument of nsys profile; may be repeated",
	 SET(add_nsys_arg)},
	{"matrix", 0, "NAME=V1,V2", OPT_PROFILE,
	 "run once for each value, in place of {NAME} in the command; may be repeated",
	 SET(add_matrix)},
	{"input", 0, "FILE", OPT_PROFILE, "a file whose hash is kept, too; may be repeated",
	 SET(add_input)},
	{"seed", 0, "N", OPT_PROFILE, "sets PYTHONHASHSEED, and is kept", SET(set_seed)},
	{"drop-report", 0, NULL, OPT_PROFILE,
	 "remove the .nsys-rep once it is exported: nsys keeps the program's environment in it",
	 FLAG(capture.drop_report)},
	{"name", 0, "LABEL", OPT_PROFILE, "part of the run's folder's name", SET(set_run_label)},
	{"top", 0, "N", OPT_INSPECT, "so many kernels, those that take the most time (5)",
	 SET(set_top)},
	{"launches", 0, "N", OPT_INSPECT, "of each kernel, from one in the middle on (1)",
	 SET(set_launches)},
	{"each", 0, NULL, OPT_INSPECT,
	 "a run of the program for each kernel, also where one would do", FLAG(inspect.each)},
	{"range", 0, "NAME", OPT_INSPECT, "only kernels that are launched inside such a range",
	 TEXT(inspect.range, "a value")},
	{"phase", 0, "NAME", OPT_INSPECT, "only kernels of this phase: prefill, decode, …",
	 TEXT(inspect.phase, "a value")},
	{"set", 0, "NAME", OPT_INSPECT, "ncu's set of sections (roofline)",
	 TEXT(inspect.settings.set, "a value")},
	{"metrics", 0, "LIST", OPT_INSPECT,
	 "further metrics; those that the device lacks are left out",
	 TEXT(inspect.settings.metrics, "a value")},
	{"clock-control", 0, "base|none", OPT_INSPECT, "whether ncu holds the clocks (base)",
	 SET(set_ncu_mode)},
	{"cache-control", 0, "all|none", OPT_INSPECT,
	 "whether ncu empties the caches before each pass (all)", SET(set_ncu_mode)},
	{"replay-mode", 0, "kernel|application", OPT_INSPECT,
	 "what runs again for each pass: the kernel, or all of the program", SET(set_ncu_mode)},
	{"ncu-arg", 0, "X", OPT_INSPECT, "one more argument of ncu; may be repeated",
	 SET(add_ncu_arg)},
	{"ncu-path", 0, "PATH", OPT_INSPECT, "the ncu to run", TEXT(inspect.ncu, "a value")},
	{"out", 0, "DIR", OPT_INSPECT, "where its reports go: a new folder",
	 TEXT(out_dir, "a folder's name")},
	{"keep", 0, "N", OPT_RUN_FOLDERS, "prune: the newest N stay", SET(set_keep)},
	{"runs", 0, "DIR", OPT_PROFILE | OPT_RUN_FOLDERS, "where runs have their folders (runs)",
	 TEXT(capture.root, "a folder")},
	{"dry-run", 0, NULL, OPT_PROFILE | OPT_RUN_FOLDERS | OPT_INSPECT,
	 "only say what would be done", FLAG(capture.dry_run)},
};

const struct option_group options_of_capture = {options, ARRAY_LEN(options)};
