/* Where does an answer go, and what does every command take? */
#include "cli/option_group.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "report/present.h"

/* What there is instead depends on the command. */
static int set_format(struct options *o, const char *name, char **values, struct err *e)
{
	(void)name;
	(void)e;
	if (presenter_find(values[0]))
		o->format = values[0];
	else
		o->unknown_format = values[0];
	return 0;
}

static int set_output(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return option_bad_value(name, values[0], "a file name", e);
	o->to_stdout = strcmp(values[0], "-") == 0;
	o->output = o->to_stdout ? NULL : values[0];
	return 0;
}

static int set_threads(struct options *o, const char *name, char **values, struct err *e)
{
	uint64_t n = 0;

	(void)o;
	if (option_parse_some(name, values[0], PARALLEL_MAX, "1 or more", &n, e) < 0)
		return -1;
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
		return option_bad_value(name, values[0], "auto, always or never", e);
	return 0;
}

static const struct option options[] = {
	{"format", 'f', "FORMAT", OPT_OUTPUT, "text, markdown, json, csv or html", SET(set_format)},
	{"lines", 0, NULL, OPT_LINES, "an object on each line instead of one array", FLAG(lines)},
	{"output", 'o', "FILE", OPT_OUTPUT | OPT_FILE, "write there instead of the terminal",
	 SET(set_output)},
	{"output", 'o', "FILE", OPT_EXPORT, "the file to write, whole or not at all; - is stdout",
	 SET(set_output)},
	{"format", 'f', "FORMAT", OPT_EXPORT,
	 "json, json.gz, pftrace or pftrace.gz, where FILE does not end so",
	 TEXT(export_format, NULL)},
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
	 "auto (default), always or never; NO_COLOR is honoured", SET(set_colour)},
	{"nsys", 0, "PATH", OPT_TRACE, "the nsys that opens .nsys-rep files", SET(option_set_nsys)},
	{"threads", 0, "N", OPT_TRACE, "use N threads instead of all cores", SET(set_threads)},
	{"help", 'h', NULL, OPT_ALWAYS, "show this help", FLAG(help)},
};

const struct option_group options_of_output = {options, ARRAY_LEN(options)};
