/* Which part of the trace is asked about, and which rows are shown? */
#include "analysis/scope.h"

#include "options/args.h"

/* Steps are a window: there cannot be two. */
static int check_window(const void *args, const char *command, struct err *e)
{
	const struct scope *s = args;

	(void)command;
	if (s->has_iteration + s->has_trim + (s->span != SPAN_DEFAULT) > 1)
		return err_set(e, ERR_USAGE, "%s and %s both set the window: give one",
			       s->has_iteration ? "--iteration" : "--trim",
			       s->span ? "--span" : "--trim");
	return 0;
}

/* Naming steps says nothing unless one is meant. */
static int check_marker(const void *args, const char *command, struct err *e)
{
	const struct scope *s = args;

	if (check_window(args, command, e) < 0)
		return -1;
	if (!s->marker || s->has_iteration)
		return 0;
	err_set(e, ERR_USAGE, "--marker needs --iteration N: it selects the steps that N counts");
	return err_hint(e, "gpuwhy iters --marker REGEX lists the steps");
}

static const struct option_word span_words[] = {
	{"warm", SPAN_WARM}, {"gpu", SPAN_GPU}, {"all", SPAN_ALL}, {NULL, 0}};

static const struct option window_table[] = {
	{.type = OPTION_WINDOW,
	 .name = "trim",
	 .value = "FROM TO",
	 .at = offsetof(struct scope, from_ns),
	 .size = 2 * sizeof(int64_t),
	 .given = offsetof(struct scope, has_trim),
	 .help = "only this window, in seconds since the capture began; clips events"},
	{.type = OPTION_COUNT,
	 .name = "iteration",
	 .value = "N",
	 OPT_GIVEN(struct scope, iteration, has_iteration, uint64_t),
	 .most = UINT32_MAX,
	 .help = "only step N, counted from 0 (see `gpuwhy iters`)"},
	OPT_WORD("span", struct scope, span, span_words,
		 "the warm steps, first to last GPU work, or the whole capture"),
	OPT_REGEX("marker", struct scope, marker, "NVTX ranges or marks that define the steps"),
	OPT_END(),
};
const struct option_group window_options = {window_table, sizeof(struct scope), check_marker, NULL};
const struct option_group step_window_options = {window_table, sizeof(struct scope), check_window,
						 NULL};

const struct option_group filter_options =
	OPTIONS(struct scope,
		OPT_ID("device", struct scope, has_device, device, ID_NONE - 1,
		       "only this CUDA device; also --gpu N"),
		OPT_ID("gpu", struct scope, has_device, device, ID_NONE - 1, NULL),
		OPT_ID("pid", struct scope, has_pid, pid, 0xffffff, "only this process"));

const struct option_group rank_options = OPTIONS(
	struct scope, OPT_ID("rank", struct scope, has_rank, rank, ID_NONE - 1, "only this rank"),
	OPT_REGEX("label", struct scope, label,
		  "ranges that contain the rank: in the group 'rank', or the first group"));

const struct option_group phase_options = OPTIONS(
	struct scope,
	OPT_FILE("phase-map", struct scope, phase_map, "FILE", "a file name", ACCESS_READS,
		 "JSON that maps phases to ranges: {\"prefill\": [\"text\", \"re:^regex$\"]}"),
	OPT_FILE("phases-json", struct scope, phase_map, "FILE", "a file name", ACCESS_READS,
		 "same as --phase-map"));

const struct option_group scope_options =
	OPTIONS(struct scope, OPT_SAME(window_options), OPT_SAME(filter_options));

const struct option_group step_scope_options =
	OPTIONS(struct scope, OPT_SAME(step_window_options), OPT_SAME(filter_options));

const struct option_group limit_options =
	OPTIONS(struct row_choice,
		{.type = OPTION_COUNT,
		 .name = "limit",
		 .letter = 'n',
		 .value = "N",
		 OPT_GIVEN(struct row_choice, limit, has_limit, uint64_t),
		 .most = UINT64_MAX,
		 .help = "at most N rows, 0 for all; default: few in text, all in JSON and CSV"});

const struct option_group row_options =
	OPTIONS(struct row_choice,
		OPT_COLUMN("sort", struct row_choice, sort, "KEY",
			   "sort by a column, by its key in --format json"),
		OPT_SAME(limit_options));

const struct option_group table_options = OPTIONS(
	struct table_args, OPT_INCLUDE(struct table_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct table_args, rows, struct row_choice, row_options));

const struct option_group step_table_options = OPTIONS(
	struct table_args, OPT_INCLUDE(struct table_args, scope, struct scope, step_scope_options),
	OPT_INCLUDE(struct table_args, rows, struct row_choice, row_options));

static const struct option_word place_or_line_words[] = {{"device", BY_DEVICE},
							 {"process", BY_PROCESS},
							 {"stream", BY_STREAM},
							 {"line", BY_LINE},
							 {NULL, 0}};

const struct option_group grouped_options =
	OPTIONS(struct grouped_args,
		OPT_INCLUDE(struct grouped_args, table, struct table_args, table_options),
		OPT_BY(struct grouped_args, by, place_or_line_words));

static const struct option options_of_kernels[] = {
	OPT_INCLUDE(struct grouped_args, table, struct table_args, table_options),
	OPT_BY(struct grouped_args, by, place_or_line_words),
	OPT_FLAG("metrics", struct grouped_args, metrics,
		 "with the GPU's counters (SMs, tensor cores, DRAM) and what bounds each; reads "
		 "all of them"),
	OPT_END(),
};

/* A counter is of a GPU: whose kernel it counts cannot be told where several run at once. */
static int check_kernel_options(const void *args, const char *command, struct err *e)
{
	const struct grouped_args *a = args;

	(void)command;
	if (!a->metrics || a->by == BY_NONE || a->by == BY_DEVICE)
		return 0;
	return err_set(e, ERR_USAGE, "--metrics goes with --by device alone");
}

const struct option_group kernel_options = {options_of_kernels, sizeof(struct grouped_args),
					    check_kernel_options, NULL};

static const struct option_word process_words[] = {{"process", BY_PROCESS}, {NULL, 0}};

const struct option_group by_process_options =
	OPTIONS(struct grouped_args,
		OPT_INCLUDE(struct grouped_args, table, struct table_args, table_options),
		OPT_BY(struct grouped_args, by, process_words));

static const struct option_word call_words[] = {
	{"process", BY_PROCESS}, {"line", BY_LINE}, {NULL, 0}};

const struct option_group call_options =
	OPTIONS(struct grouped_args,
		OPT_INCLUDE(struct grouped_args, table, struct table_args, table_options),
		OPT_BY(struct grouped_args, by, call_words));

static const struct option_word line_words[] = {{"line", BY_LINE}, {NULL, 0}};

const struct option_group by_line_options =
	OPTIONS(struct grouped_args,
		OPT_INCLUDE(struct grouped_args, table, struct table_args, table_options),
		OPT_BY(struct grouped_args, by, line_words));

const struct option_group comm_options = OPTIONS(
	struct comm_args, OPT_REGEX("comm", struct comm_args, comm,
				    "more communication kernels, in addition to the known ones"));

const struct option_group activity_options = OPTIONS(
	struct activity_args, OPT_INCLUDE(struct activity_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct activity_args, comm, struct comm_args, comm_options),
	OPT_INCLUDE(struct activity_args, rows, struct row_choice, limit_options));

const struct option_group fold_options = OPTIONS(
	struct fold_args, OPT_FLAG("no-fold", struct fold_args, no_fold,
				   "keep counters in names: 'iter 0' and 'iter 1' stay separate"));

/* Windows and filters lie in one struct. */
struct scope *args_scope(const struct option_group *g, void *args)
{
	void *s = args_part(g, args, &window_options);

	return s ? s : args_part(g, args, &filter_options);
}
