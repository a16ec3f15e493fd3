/* Which part of a trace is asked about, and what of it? */
#include "cli/option_group.h"

#include "base/mem.h"
#include "text/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int parse_seconds(const char *name, const char *text, int64_t *ret_ns, struct err *e)
{
	double s = strtod(text, NULL);

	if (!decimal_is_plain(text) || fabs(s) > 9e9)
		return option_bad_value(name, text, "seconds", e);
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
	return option_parse_number(name, values[0], UINT32_MAX, &o->params.iteration, e);
}

static int set_id(const char *name, const char *text, uint64_t max, uint32_t *ret, bool *ret_has,
		  struct err *e)
{
	uint64_t n = 0;

	if (option_parse_number(name, text, max, &n, e) < 0)
		return -1;
	*ret = (uint32_t)n;
	*ret_has = true;
	return 0;
}

static int set_device(struct options *o, const char *name, char **values, struct err *e)
{
	struct params *p = &o->params;

	return set_id(name, values[0], ID_NONE - 1, &p->device, &p->has_device, e);
}

static int set_pid(struct options *o, const char *name, char **values, struct err *e)
{
	return set_id(name, values[0], 0xffffff, &o->params.pid, &o->params.has_pid, e);
}

static int set_rank(struct options *o, const char *name, char **values, struct err *e)
{
	return set_id(name, values[0], ID_NONE - 1, &o->params.rank, &o->params.has_rank, e);
}

static int parse_ns(const char *name, const char *text, int64_t *ret, struct err *e)
{
	char *end;
	long long ns;

	errno = 0;
	ns = strtoll(text, &end, 10);
	if (!*text || *end || errno || strchr(" +", text[0]))
		return option_bad_value(name, text, "nanoseconds, a whole number", e);
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
		return option_bad_value(name, values[0], "cpu or gpu", e);
	return 0;
}

static int set_filter(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][strspn(values[0], " \t\n")])
		return option_bad_value(name, values[0], "an expression", e);
	o->params.filter = values[0];
	return 0;
}

static int set_depth(struct options *o, const char *name, char **values, struct err *e)
{
	return option_parse_some(name, values[0], UINT32_MAX, "1 or more", &o->params.depth, e);
}

static int set_min_ms(struct options *o, const char *name, char **values, struct err *e)
{
	double ms = strtod(values[0], NULL);

	if (!decimal_is_plain(values[0]) || !(ms >= 0 && ms < 9e12))
		return option_bad_value(name, values[0], "milliseconds", e);
	o->params.min_ns = llround(ms * 1e6);
	return 0;
}

static int set_coverage_warn(struct options *o, const char *name, char **values, struct err *e)
{
	double share = strtod(values[0], NULL);

	if (!decimal_is_plain(values[0]) || !(share >= 0 && share <= 1))
		return option_bad_value(name, values[0], "a share from 0 to 1", e);
	o->params.coverage_warn = share;
	return 0;
}

static int add_ncu_file(struct options *o, const char *name, char **values, struct err *e)
{
	if (!values[0][0])
		return option_bad_value(name, values[0], "a CSV of Nsight Compute", e);
	MEM_GROW(o->ncu_files, o->ncu_file_cap, o->ncu_file_count + 1);
	o->ncu_files[o->ncu_file_count++] = values[0];
	return 0;
}

/* The same where they say the FLOPs: the question borrows the list. */
static int add_counted_file(struct options *o, const char *name, char **values, struct err *e)
{
	if (add_ncu_file(o, name, values, e) < 0)
		return -1;
	o->params.mfu.ncu = o->ncu_files;
	o->params.mfu.ncu_count = o->ncu_file_count;
	return 0;
}

static int set_mfu(struct options *o, const char *name, char **values, struct err *e)
{
	return mfu_question_set(&o->params.mfu, name, values[0], e);
}

static const struct option options[] = {
	{"nvtx-coverage-warn-threshold", 0, "X", PARAM_COVERAGE,
	 "warn where less than this share of kernel time lies in NVTX ranges (0.70)",
	 SET(set_coverage_warn)},
	{"trim", 0, "FROM TO", PARAM_TRIM,
	 "only this window, in seconds since the capture began; events are clipped",
	 SET_TWO(set_trim)},
	{"iteration", 0, "N", PARAM_TRIM,
	 "only this step of the run, from 0, as gpuwhy iters lists them", SET(set_iteration)},
	{"marker", 0, "REGEX", PARAM_TRIM | OPT_PROFILE,
	 "the NVTX ranges or marks that are the steps",
	 TEXT(params.marker, "a regular expression")},
	{"device", 0, "N", PARAM_DEVICE, "only this CUDA device", SET(set_device)},
	{"pid", 0, "N", PARAM_PID, "only this process", SET(set_pid)},
	{"rank", 0, "N", PARAM_RANK, "only this rank of the program", SET(set_rank)},
	{"label", 0, "REGEX", PARAM_RANK,
	 "ranges that name ranks; its group 'rank', or its first, is the number",
	 TEXT(params.label, "a regular expression")},
	{"comm", 0, "REGEX", PARAM_COMM,
	 "kernels that communicate, beside those of NCCL and others that are known",
	 TEXT(params.comm, "a regular expression")},
	{"by", 0, "WORD", PARAM_BY_ANY, "a row for each of these", TEXT(by, NULL)},
	{"anchor", 0, "REGEX", PARAM_ANCHOR,
	 "the range whose median instance is each rank's window",
	 TEXT(params.anchor, "a regular expression")},
	{"start", 0, "NS", PARAM_ANCHOR,
	 "the window begins here, in nanoseconds; alone: to the capture's end", SET(set_start)},
	{"end", 0, "NS", PARAM_ANCHOR, "the window ends here; alone: from the capture's beginning",
	 SET(set_end)},
	{"window", 0, "cpu|gpu", PARAM_WINDOW,
	 "GPU work while the range lasts (cpu), or while what it launched runs (gpu)",
	 SET(set_window)},
	{"preset", 0, "NAME|FILE", PARAM_PRESET,
	 "what the names of ranges mean: pithtrain, or a file of your own",
	 TEXT(params.preset, "a name or a file")},
	{"tree", 0, NULL, PARAM_TREE, "a row for each path of names, indented", FLAG(params.tree)},
	{"no-fold", 0, NULL, PARAM_FOLD, "keep counters in names: 'iter 0' and 'iter 1' are two",
	 FLAG(params.no_fold)},
	{"phase-map", 0, "FILE", PARAM_PHASES,
	 "which ranges are which phase, as JSON: {\"prefill\": [\"text\", \"re:^regex$\"], …}",
	 TEXT(params.phase_map, "a file name")},
	{"phases-json", 0, "FILE", PARAM_PHASES, "the same as --phase-map",
	 TEXT(params.phase_map, "a file name")},
	{"flops", 0, "N", PARAM_MFU, "FLOPs, as 1e12 or 2.5T; --per says of what", SET(set_mfu)},
	{"per", 0, "step|token|range|window", PARAM_MFU,
	 "what --flops, or one batch of --model, is for", SET(set_mfu)},
	{"model", 0, "FILE", PARAM_MFU, "the config.json of a Hugging Face model", SET(set_mfu)},
	{"ncu", 0, "FILE", PARAM_NCU,
	 "what Nsight Compute measured, a CSV of its raw or details page; may be given again",
	 SET(add_ncu_file)},
	{"ncu", 0, "FILE", PARAM_HFU,
	 "FLOPs that Nsight Compute counted, a CSV of its raw page: HFU of a window; may be given "
	 "again",
	 SET(add_counted_file)},
	{"mode", 0, "prefill|decode|train", PARAM_MFU, "what the model was asked to do",
	 SET(set_mfu)},
	{"batch", 0, "N", PARAM_MFU, "sequences at once", SET(set_mfu)},
	{"seq", 0, "N", PARAM_MFU, "positions of each; for decode those before it begins",
	 SET(set_mfu)},
	{"new-tokens", 0, "N", PARAM_MFU, "tokens that decode adds to each sequence, a step each",
	 SET(set_mfu)},
	{"lm-head", 0, "last|all", PARAM_MFU,
	 "positions whose logits prefill computes: the last of each sequence (default), or all",
	 SET(set_mfu)},
	{"recompute", 0, "none|selective|full", PARAM_MFU,
	 "what training computes again: nothing (default), attention, every layer; for HFU",
	 SET(set_mfu)},
	{"phase", 0, "NAME", PARAM_MFU, "measure this phase: prefill, decode, …", SET(set_mfu)},
	{"range", 0, "NAME", PARAM_MFU,
	 "measure the ranges whose name has this in it; * and ?, /regex/", SET(set_mfu)},
	{"shared", 0, NULL, PARAM_MFU, "processes do the FLOPs together, not each for itself",
	 FLAG(params.mfu.shared)},
	{"dtype", 0, "TYPE", PARAM_MFU,
	 "what products are computed in: fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4",
	 SET(set_mfu)},
	{"peak-tflops", 0, "X", PARAM_MFU, "the dense peak of one GPU, instead of the table's",
	 SET(set_mfu)},
	{"peaks", 0, NULL, PARAM_HFU, "list the peaks that are known; takes no trace", FLAG(peaks)},
	{"filter", 0, "EXPR", PARAM_FILTER,
	 "only events like this: 'name~flash && duration_us>50'; docs/filters.md tells more",
	 SET(set_filter)},
	{"columns", 0, "KEY,…", PARAM_COLUMNS, "what to show of each, as --format json names it",
	 TEXT(params.columns, "names of columns")},
	{"summary", 0, NULL, PARAM_COLUMNS, "sum them up by name", FLAG(params.summary)},
	{"pattern", 0, "PATTERN", PARAM_PATTERN, "the same as the second operand",
	 TEXT(params.pattern, NULL)},
	{"type", 0, "TYPE,…", PARAM_SEARCH,
	 "kernel, memcpy, memset, graph, api, range, mark, thread, stream",
	 TEXT(params.types, "types of events")},
	{"parent", 0, "RANGE", PARAM_SEARCH, "only what lies under such a range",
	 TEXT(params.parent, "the name of a range")},
	{"depth", 0, "N", PARAM_SHAPE, "ranges inside one another, at most", SET(set_depth)},
	{"min-ms", 0, "X", PARAM_SHAPE, "only what took as long, on the host or on the GPU",
	 SET(set_min_ms)},
	{"thread", 0, "T", PARAM_SHAPE, "only this thread: its number, or a pattern of its name",
	 TEXT(params.thread, "a thread's number or name")},
	{"merge", 0, NULL, PARAM_SHAPE, "sum up ranges with the same names above them",
	 FLAG(params.merge)},
	{"instances", 0, NULL, PARAM_SHAPE, "every range by itself", FLAG(params.instances)},
	{"kernels", 0, NULL, PARAM_SHAPE, "GPU ops as leaves (as it is without)",
	 FLAG(params.kernels)},
	{"no-kernels", 0, NULL, PARAM_SHAPE, "ranges alone", FLAG(params.no_ops)},
	{"sort", 0, "KEY", PARAM_SORT, "sort by a column, as --format json names it",
	 TEXT(params.sort, NULL)},
	{"limit", 'n', "N", PARAM_LIMIT,
	 "at most N rows, 0 for all; people see a few by default, machines all",
	 SET(option_set_limit)},
	{"html", 0, NULL, PARAM_EXPLORER,
	 "a page to look around in: keys drawn, example queries, search", FLAG(explorer)},
};

const struct option_group options_of_params = {options, ARRAY_LEN(options)};
