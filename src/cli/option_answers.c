/* Which reports, runs, SQL or skills is a command about? */
#include "cli/option_group.h"

#include "base/mem.h"

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
		return option_bad_value(name, values[0], "a file name", e);
	runs_add_map(&o->runs, values[0]);
	return 0;
}

static int set_kernel_limit(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_number(name, values[0], UINT64_MAX, &o->kernel_limit, e);
}

static int set_timeout(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_seconds(name, values[0], &o->timeout_s, e);
}

static int add_skill_param(struct options *o, const char *name, char **values, struct err *e)
{
	const char *equals = strchr(values[0], '=');

	if (!equals || equals == values[0])
		return option_bad_value(name, values[0], "KEY=VALUE", e);
	MEM_GROW(o->skill_params, o->skill_param_cap, o->skill_param_count + 1);
	o->skill_params[o->skill_param_count++] = values[0];
	return 0;
}

static int add_skill_path(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return option_bad_value(name, values[0], "a folder", e);
	MEM_GROW(o->skill_paths, o->skill_path_cap, o->skill_path_count + 1);
	o->skill_paths[o->skill_path_count++] = values[0];
	return 0;
}

static const struct option options[] = {
	{"report", 'r', "NAME[,NAME…]", OPT_REPORTS,
	 "reports to make; NAME:base, NAME:mangled and NAME:nvtx-name as in nsys", SET(set_report)},
	{"list", 0, NULL, OPT_REPORTS, "list the reports", FLAG(list)},
	{"quiet", 'q', NULL, OPT_REPORTS | OPT_REPORT_DIR | OPT_EXPORT,
	 "say neither what was written nor what the trace has no data for", FLAG(quiet)},
	{"force-overwrite", 0, "BOOL", OPT_REPORTS, NULL, SET(ignore)},
	{"force-export", 0, "BOOL", OPT_REPORTS, NULL, SET(ignore)},
	{"out", 0, "DIR", OPT_REPORT_DIR, "the folder to write, whole or not at all",
	 TEXT(out_dir, "a folder's name")},
	{"force", 0, NULL, OPT_REPORT_DIR, "replace DIR where it is an earlier report",
	 FLAG(force)},
	{"kernel-limit", 0, "N", OPT_REPORT_DIR, "kernels listed in the report (30), 0 for all",
	 SET(set_kernel_limit)},
	{"top-kernels", 0, "N", OPT_REPORT_DIR, "the same as --kernel-limit",
	 SET(set_kernel_limit)},
	{"no-kernel-percentiles", 0, NULL, OPT_REPORT_DIR, "leave p50 and p90 of kernels out",
	 FLAG(no_kernel_percentiles)},
	{"no-nvtx-kernel-map", 0, NULL, OPT_REPORT_DIR,
	 "leave out which NVTX range or phase launched which GPU time", FLAG(params.no_kernel_map)},
	{"print-schema", 0, NULL, OPT_REPORT_DIR, "also print the trace's tables and columns",
	 FLAG(print_schema)},
	{"in_file", 0, "RUN…", OPT_RUNS,
	 "runs as FILE,ENGINE,MODEL,SECONDS; 0 seconds: as long as the trace", SET(add_run)},
	{"in-file", 0, "RUN…", OPT_RUNS, NULL, SET(add_run)},
	{"infile", 0, "RUN…", OPT_RUNS, NULL, SET(add_run)},
	{"trace", 0, "FILE", OPT_RUNS,
	 "one more run, of which the next three speak:", SET(add_run)},
	{"engine", 0, "NAME", OPT_RUNS,
	 "what ran it: default, vllm, sglang, trtllm, megatron, torch", SET(set_run)},
	{"model", 0, "NAME", OPT_RUNS, "what it ran, as the engine's map calls it", SET(set_run)},
	{"elapsed", 0, "SECONDS", OPT_RUNS, "how long it takes without the profiler", SET(set_run)},
	{"engine-map", 0, "FILE…", OPT_RUNS,
	 "maps of your own, up to an option or a trace: "
	 "{\"engine\": {\"model\": {\"regex\": \"category\", …}}}",
	 SET(add_engine_map)},
	{"merge-devices", 0, NULL, OPT_RUNS,
	 "take all GPUs for one: an instant counts once, however many are busy",
	 FLAG(merge_devices)},
	{"out_dir", 0, "DIR", OPT_RUNS, "where result.html and result.csv go (this folder)",
	 TEXT(out_dir, "a folder's name")},
	{"out-dir", 0, "DIR", OPT_RUNS, NULL, TEXT(out_dir, "a folder's name")},
	{"title", 0, "TEXT", OPT_RUNS, "of the page", TEXT(title, NULL)},
	{"nsys_cmd", 0, "PATH", OPT_RUNS, "the same as --nsys", SET(option_set_nsys)},
	{"nsys-cmd", 0, "PATH", OPT_RUNS, NULL, SET(option_set_nsys)},
	{"file", 0, "FILE", OPT_QUERY, "the SQL is in this file", TEXT(sql_file, "a file name")},
	{"explain", 0, NULL, OPT_QUERY, "show how SQLite would go about it; nothing is run",
	 FLAG(explain)},
	{"param", 'p', "KEY=VALUE", OPT_SKILL, "sets a parameter of the skill; may be repeated",
	 SET(add_skill_param)},
	{"max-rows", 0, "N", OPT_SKILL, "the same as --limit", SET(option_set_limit)},
	{"skill-path", 0, "DIR", OPT_SKILL, "a folder with skills of your own; may be repeated",
	 SET(add_skill_path)},
	{"launches", 0, NULL, OPT_NCU, "a row for each launch that was measured", FLAG(launches)},
	{"timeout", 0, "SECONDS", OPT_TIMEOUT, "stop SQL that takes longer", SET(set_timeout)},
};

const struct option_group options_of_answers = {options, ARRAY_LEN(options)};
