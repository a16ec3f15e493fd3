/* gpuwhy stats: NVIDIA's own reports, on a machine without NVIDIA's software. */
#include "cli/command.h"

#include "analysis/kernel_names.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/say.h"
#include "text/nearest.h"

#include <stdlib.h>

/* What nsys makes when no report is named, as far as this program has it. */
static const char default_reports[] = "nvtx_sum,osrt_sum,cuda_api_sum,cuda_gpu_kern_sum,"
				      "cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum";

struct stats_args {
	struct string_list reports; /* not yet split at commas */
	bool list, quiet;
};

static const struct stats_args *stats_args(const struct invocation *inv)
{
	return inv->args;
}

struct request {
	const struct analysis *analysis;
	struct naming_args naming; /* for those that take it */
	char *file_part;	   /* "cuda_gpu_kern_sum_base": what nsys puts in the file's name */
};

struct requests {
	struct request *all;
	size_t count, cap;
};

static int unknown_report(const char *name, struct err *e)
{
	struct nearest n = {name, NULL, 6};

	for (size_t i = 0; analysis_at(i); i++) {
		if (analysis_at(i)->nsys)
			nearest_try(&n, analysis_at(i)->name);
	}
	err_set(e, ERR_USAGE, "there is no report '%s'", name);
	if (n.found)
		return err_hint(e, "did you mean %s? See: gpuwhy stats --list", n.found);
	return err_hint(e, "see: gpuwhy stats --list");
}

static int set_argument(struct request *q, const char *argument, struct err *e)
{
	const struct option_group *takes = q->analysis->options;
	const bool nvtx = group_has(takes, &nvtx_naming_options);

	if (!group_has(takes, &naming_options))
		return err_set(e, ERR_USAGE, "%s takes no arguments, but ':%s' was given",
			       q->analysis->name, argument);
	if (strcmp(argument, "base") == 0)
		q->naming.naming = NAMING_BASE;
	else if (strcmp(argument, "mangled") == 0)
		q->naming.naming = NAMING_MANGLED;
	else if (strcmp(argument, "nvtx-name") == 0 && nvtx)
		q->naming.nvtx_name = true;
	else
		return err_set(e, ERR_USAGE, "%s takes %s, not ':%s'", q->analysis->name,
			       nvtx ? ":base, :mangled and :nvtx-name" : ":base and :mangled",
			       argument);
	return 0;
}

/* Each ":argument" of `arguments`, which is cut at its colons. */
static int set_arguments(struct request *q, char *arguments, struct err *e)
{
	char *one;

	while ((one = strsep(&arguments, ":"))) {
		if (set_argument(q, one, e) < 0)
			return -1;
	}
	return 0;
}

/* One "name:argument:argument"; `text` is cut at its colons. */
static int add_request(struct requests *all, char *text, struct err *e)
{
	struct request q = {.file_part = mem_strdup(text)};
	char *arguments = strchr(text, ':');

	for (char *c = q.file_part; *c; c++)
		*c = *c == ':' ? '_' : *c;
	if (arguments)
		*arguments++ = '\0';
	MEM_GROW(all->all, all->cap, all->count + 1);
	q.analysis = analysis_find(text, true);
	all->all[all->count++] = q;
	if (!q.analysis)
		return unknown_report(text, e);
	return set_arguments(&all->all[all->count - 1], arguments, e);
}

static int add_requests(struct requests *all, const char *list, struct err *e)
{
	char *copy = mem_strdup(list), *rest = copy, *one;
	int result = 0;

	while (result == 0 && (one = strsep(&rest, ",")))
		result = add_request(all, one, e);
	free(copy);
	return result;
}

static void free_requests(struct requests *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->all[i].file_part);
	free(all->all);
}

/* "." stands for the trace's own name without its ending, as in nsys. */
static void add_base(struct buf *path, const struct invocation *inv)
{
	struct str trace = str_of(inv->trace_path);
	const char *ending = strrchr(inv->trace_path, '.'), *slash = strrchr(trace.s, '/');

	if (strcmp(inv->output.path, ".") != 0) {
		buf_adds(path, inv->output.path);
		return;
	}
	if (ending && (!slash || ending > slash + 1) && ending != trace.s)
		trace.len = (size_t)(ending - trace.s);
	buf_addstr(path, trace);
}

/* With -o BASE each report is a file of its own: BASE_NAME.csv. */
static int write_file(struct invocation *inv, const struct report *r, const struct request *q,
		      const struct presenter *how, struct err *e)
{
	struct buf path = {0};
	int result;

	add_base(&path, inv);
	buf_addf(&path, "_%s%s", q->file_part, how->extension);
	result = output_report(r, how, path.s, inv->output.colour, e);
	buf_free(&path);
	return result;
}

/* The answer as it is made. */
struct answer {
	struct invocation *inv;
	const struct presenter *how;
	bool in_pieces; /* each report is written and forgotten before the next is made */
	bool begun;	/* some of it is out */
};

static struct report new_piece(const struct answer *a)
{
	return (struct report){
		.command = "stats",
		.has_trace = true,
		.trace = a->inv->report.trace,
		.continues = a->begun,
	};
}

static int write_piece(struct answer *a, const struct report *r, const struct request *q,
		       struct err *e)
{
	struct invocation *inv = a->inv;

	if (inv->output.path)
		return write_file(inv, r, q, a->how, e);
	a->begun = true;
	return output_report(r, a->how, NULL, inv->output.colour, e);
}

/* No report keeps memory from the next one: three traces of a long run do not fit together. */
static int run_piece(struct answer *a, const struct request *q, struct err *e)
{
	struct report r = new_piece(a);
	int result = analysis_run(q->analysis, a->inv->trace, &q->naming, &r, e);

	if (result == 0)
		result = write_piece(a, &r, q, e);
	report_free(&r);
	for (int kind = 0; kind < TRACE_KINDS; kind++)
		trace_unload(a->inv->trace, kind, COLS_ALL);
	mem_give_back();
	return result;
}

/*
 * A trace without data for one report is no failure of the others; nsys says SKIPPED, and so do we:
 * in the answer, and on stderr where the answer has no place for it.
 */
static int skip(struct answer *a, const struct request *q, struct err *e)
{
	struct invocation *inv = a->inv;
	bool is_csv = strcmp(a->how->name, "csv") == 0;
	struct report r = new_piece(a);
	int result = 0;

	if (!stats_args(inv)->quiet && (inv->output.path || is_csv))
		say_skipped(q->analysis->name, e->message);
	report_warning(a->in_pieces ? &r : &inv->report, "SKIPPED %s: %s", q->analysis->name,
		       e->message);
	if (a->in_pieces && !inv->output.path && !is_csv)
		result = write_piece(a, &r, q, e);
	report_free(&r);
	return result;
}

static const struct presenter *chosen_presenter(const struct invocation *inv)
{
	const char *otherwise = inv->output.path ? "csv" : "text";

	return presenter_find(inv->output.format ? inv->output.format : otherwise);
}

static int run_requests(struct invocation *inv, const struct requests *all, struct err *e)
{
	struct answer a = {.inv = inv, .how = chosen_presenter(inv)};
	size_t made = 0;

	a.in_pieces = inv->output.path || a.how->in_pieces;
	/* Rows are made when they are written: what they are made from has to stay. */
	for (int kind = 0; kind < TRACE_KINDS && !a.in_pieces; kind++)
		inv->trace->keeps_columns[kind] = COLS_ALL;
	for (size_t i = 0; i < all->count; i++) {
		const struct request *q = &all->all[i];
		int result = a.in_pieces ? run_piece(&a, q, e)
					 : analysis_run(q->analysis, inv->trace, &q->naming,
							&inv->report, e);

		if (result == 0)
			made++;
		else if (!e->absent || all->count == 1 || skip(&a, q, e) < 0)
			return -1;
	}
	if (!made)
		return err_wrap(e, "none of the reports could be created; the last");
	return a.in_pieces ? 0 : output_report(&inv->report, a.how, NULL, inv->output.colour, e);
}

static const struct column list_columns[] = {
	{"report", "Report", UNIT_NAME, 0, "", SHOW},
	{"arguments", "Arguments", UNIT_NAME, 0, NULL, SHOW},
	{"title", "What it is", UNIT_NAME, 0, NULL, SHOW},
};

static struct cell arguments_cell(const struct analysis *a)
{
	if (!group_has(a->options, &naming_options))
		return cell_null();
	return cell_text(group_has(a->options, &nvtx_naming_options)
				 ? "[:nvtx-name][:base|:mangled]"
				 : "[:base|:mangled]");
}

static int list_reports(struct invocation *inv, struct err *e)
{
	struct rows *rows = REPORT_ROWS(&inv->report, "reports", NULL, list_columns);

	rows->table.kind = "report";
	for (size_t i = 0; analysis_at(i); i++) {
		const struct analysis *a = analysis_at(i);

		if (!a->nsys)
			continue;
		ROWS_ADD(rows, cell_text(a->name), arguments_cell(a), cell_text(a->title));
	}
	return invocation_present(inv, e);
}

static int run(struct invocation *inv, struct err *e)
{
	struct requests all = {0};
	int result = 0;

	if (stats_args(inv)->list)
		return list_reports(inv, e);
	for (size_t i = 0; result == 0 && i < stats_args(inv)->reports.count; i++)
		result = add_requests(&all, stats_args(inv)->reports.all[i], e);
	if (result == 0 && !all.count)
		result = add_requests(&all, default_reports, e);
	if (result < 0 || invocation_open_trace(inv, e) < 0 || run_requests(inv, &all, e) < 0)
		result = -1;
	free_requests(&all);
	return result;
}

static const char *report_at(size_t i)
{
	for (size_t k = 0; analysis_at(k); k++) {
		if (analysis_at(k)->nsys && i-- == 0)
			return analysis_at(k)->name;
	}
	return NULL;
}

/* Scripts pass it to nsys: here every export is new, and nothing is overwritten by accident. */
static int ignore(void *args, const char *name, const char *value, struct err *e)
{
	(void)args;
	(void)name;
	(void)value;
	(void)e;
	return 0;
}

static const struct option_group stats_options =
	OPTIONS(struct stats_args,
		{.type = OPTION_LIST,
		 .name = "report",
		 .letter = 'r',
		 .value = "NAME[,NAME…]",
		 OPT_MEMBER(struct stats_args, reports, struct string_list),
		 .word_at = report_at,
		 .help = "reports to print; NAME:base, NAME:mangled and NAME:nvtx-name as in nsys"},
		OPT_FLAG("list", struct stats_args, list, "list the reports"),
		{.type = OPTION_FLAG,
		 .name = "quiet",
		 .letter = 'q',
		 OPT_MEMBER(struct stats_args, quiet, bool),
		 .help = "do not report missing data"},
		OPT_CUSTOM("force-overwrite", "BOOL", ignore, NULL),
		OPT_CUSTOM("force-export", "BOOL", ignore, NULL));

const struct command command_stats = {
	.name = "stats",
	.operand = "TRACE…",
	.summary = "the reports of `nsys stats`: same numbers, same CSV",
	.detail = "CSV output is the same text as NVIDIA's own reports. With -o BASE each report "
		  "is written to BASE_REPORT.csv (or .txt, .md, .json, .html by --format), as nsys "
		  "names them: an ending of BASE selects no format.",
	.example = "gpuwhy stats -r cuda_gpu_kern_sum:base,cuda_api_sum --format csv trace.sqlite",
	.options = &stats_options,
	.common = COMMON_OUTPUT | COMMON_TRACE,
	.has_traces = true,
	.lists_reports = true,
	.run = run,
};
