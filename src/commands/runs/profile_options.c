/* What is `gpuwhy profile` told? */
#include "base/mem.h"
#include "commands/runs/profile.h"
#include "text/decimal.h"

#include <stdlib.h>

/* NAME@, with \@ for an @ of the name's own. */
static bool lacks_domain(const char *range)
{
	return str_ends(str_of(range), "@") && !str_ends(str_of(range), "\\@");
}

static int set_range(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;

	if (!value[0] || value[0] == '@' || lacks_domain(value))
		return option_bad_value(name, value,
					"the name of an NVTX range, NAME or NAME@DOMAIN", e);
	a->request.range = value;
	return 0;
}

static int set_delay(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;
	double s;

	/* None at all, for scripts that compute it. */
	if (decimal_is_plain(value) && strtod(value, NULL) == 0) {
		a->request.delay_s = NULL;
		return 0;
	}
	a->request.delay_s = value;
	return option_parse_seconds(name, value, &s, e);
}

static int set_duration(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;
	double s;

	a->request.duration_s = value;
	return option_parse_seconds(name, value, &s, e);
}

static int set_steps(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;
	char *copy = mem_strdup(value), *colon = strchr(copy, ':');
	int result = -1;

	if (colon)
		*colon = '\0';
	if (!colon)
		option_bad_value(name, value, "A:B, the first and the last step", e);
	else if (option_parse_number(name, copy, 0, UINT32_MAX, NULL, &a->first_step, e) == 0 &&
		 option_parse_number(name, colon + 1, 0, UINT32_MAX, NULL, &a->last_step, e) == 0)
		result = a->first_step <= a->last_step
				 ? 0
				 : option_bad_value(name, value, "the first step before the last",
						    e);
	free(copy);
	a->request.steps = value;
	return result;
}

/* What an axis is, and whether the command has it, the command knows. */
static int add_matrix(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;

	(void)name;
	(void)e;
	string_list_add(&a->matrix, value);
	return 0;
}

static int set_launcher(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;

	if (a->preset && strcmp(a->preset, value) != 0) {
		err_set(e, ERR_USAGE, "--%s is given twice: '%s' and '%s'", name, a->preset, value);
		return err_hint(e, "give only the preset of the launcher; --preset list shows what "
				   "each sets, and --nsys-arg adds nsys options");
	}
	a->preset = value;
	return 0;
}

static int set_run_label(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;

	(void)name;
	a->label = value;
	return run_label_check(value, e);
}

static int set_seed(void *args, const char *name, const char *value, struct err *e)
{
	struct profile_args *a = args;
	uint64_t n = 0;

	a->request.seed = value;
	return option_parse_number(name, value, 0, UINT32_MAX, NULL, &n, e);
}

static void release(void *args)
{
	struct profile_args *a = args;

	string_list_free(&a->matrix);
}

static const char *preset_at(size_t i)
{
	return launcher_at(i) ? launcher_at(i)->name : NULL;
}

/* What nsys takes. */
enum { MOST_SAMPLES_HZ = 2000, LEAST_METRICS_HZ = 10, MOST_METRICS_HZ = 200000 };

static const struct option options[] = {
	OPT_CUSTOM("range", "NAME", set_range,
		   "capture while this NVTX range is open; NAME@DOMAIN outside the default domain"),
	OPT_FLAG("profiler-api", struct profile_args, request.profiler_api,
		 "capture from each cudaProfilerStart to its cudaProfilerStop"),
	OPT_CUSTOM("delay", "S", set_delay, "start capturing after S seconds"),
	OPT_CUSTOM("duration", "S", set_duration,
		   "capture for S seconds; the program keeps running"),
	OPT_CUSTOM("steps", "A:B", set_steps,
		   "analyse only steps A to B, counted from 0 (see `gpuwhy iters`)"),
	OPT_REGEX("marker", struct profile_args, marker,
		  "NVTX ranges or marks that define the steps"),
	OPT_SECONDS("timeout", struct profile_args, timeout_s, "S",
		    "stop the program after S seconds: SIGINT, then SIGTERM, then SIGKILL"),
	OPT_SECONDS("grace", struct profile_args, grace_s, "S",
		    "seconds between these signals (default: 10)"),
	{.type = OPTION_CUSTOM,
	 .name = "preset",
	 .value = "NAME",
	 .set = set_launcher,
	 .word_at = preset_at,
	 .help = "launcher: vllm, sglang, torchrun, accelerate, slurm, ray; or list"},
	OPT_FLAG("osrt", struct profile_args, request.osrt,
		 "also trace OS runtime calls (many events)"),
	OPT_FLAG("memory", struct profile_args, request.memory, "also trace GPU memory in use"),
	OPT_FLAG("no-samples", struct profile_args, no_samples,
		 "no Python samples, which Python programs get by default"),
	OPT(OPTION_COUNT, "sample-rate", "Python samples per second (default: 1000)",
	    OPT_MEMBER(struct profile_args, sample_rate, uint64_t), .value = "HZ", .least = 1,
	    .most = MOST_SAMPLES_HZ, .wanted = "1 to 2000"),
	OPT_FLAG("gpu-metrics", struct profile_args, visible_metrics,
		 "also sample hardware counters of visible GPUs"),
	OPT_TEXT("gpu-metrics-devices", struct profile_args, request.gpu_metrics, "LIST",
		 "all, cuda-visible or numbers of devices", "the same for these GPUs: all, 0,1, …"),
	OPT(OPTION_COUNT, "gpu-metrics-rate", "the same at this rate (default: 10000)",
	    OPT_MEMBER(struct profile_args, request.gpu_metrics_hz, uint64_t), .value = "HZ",
	    .least = LEAST_METRICS_HZ, .most = MOST_METRICS_HZ, .wanted = "10 to 200000"),
	OPT_FLAG("python-backtrace", struct profile_args, request.python_backtrace,
		 "also record the Python stack of CUDA calls: a step can take twice as long; "
		 "turns CPU sampling on"),
	OPT_LIST("nsys-arg", struct profile_args, nsys_args, "X", "an argument of nsys profile",
		 ACCESS_RUNS, "additional argument for nsys profile; repeatable"),
	OPT_CUSTOM("matrix", "NAME=V1,V2", add_matrix,
		   "one run per value, which replaces {NAME} in the command; repeatable"),
	OPT_LIST("input", struct profile_args, inputs, "FILE", "a file name", ACCESS_READS,
		 "input file whose hash goes into the manifest; repeatable"),
	OPT_CUSTOM("seed", "N", set_seed, "sets PYTHONHASHSEED; stored in the manifest"),
	OPT_FLAG("drop-report", struct profile_args, drop_report,
		 "delete the .nsys-rep after export: it contains the program's environment"),
	OPT_CUSTOM("name", "LABEL", set_run_label, "label in the name of the run's folder"),
	OPT_FILE("runs", struct profile_args, root, "DIR", "a folder", ACCESS_WRITES,
		 "folder of the runs (default: runs)"),
	OPT_FLAG("dry-run", struct profile_args, dry_run, "only show what would be done"),
	OPT_END(),
};
const struct option_group profile_options = {options, sizeof(struct profile_args), NULL, release};
