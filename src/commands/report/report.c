/* gpuwhy report: the whole explanation as a folder that people share and scripts read. */
#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/now.h"
#include "cli/out_dir.h"
#include "cli/output.h"
#include "commands/report/report_page.h"
#include "commands/report/report_summary.h"
#include "commands/report/report_tables.h"
#include "input/interrupt.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VIEWS = 4 };

static int write_text(const struct out_dir *d, const char *name, const struct buf *b, struct err *e)
{
	char *path = out_dir_file(d, name);
	int result = file_write(path, buf_str(b), e);

	free(path);
	return result;
}

static int add_document(const struct parts *p, struct report *view, struct err *e)
{
	parts_view_head(p, view);
	return parts_view_sections(p, view, false, e);
}

/* The documents for people. */
static const struct view {
	const char *name, *format;
	report_view_add *add;
} views[] = {
	{"summary.md", "markdown", summary_view},
	{"report.md", "markdown", add_document},
	{"report.html", "html", report_page_add},
};

static int write_view(const struct out_dir *d, const struct invocation *inv, const struct parts *p,
		      const struct view *v, struct err *e)
{
	SCOPED char *path = out_dir_file(d, v->name);

	return report_view_write(inv, p, v->add, v->format, path, e);
}

static int write_tables(const struct out_dir *d, const struct parts *p, struct err *e)
{
	if (out_dir_make(d, e) < 0)
		return -1;
	for (size_t i = 0; i < REPORT_TABLES; i++) {
		const struct report_table_file *file = report_table_file_at(i);
		struct buf text = {0};
		int result;

		if (!report_table_is_written(file, p))
			continue;
		file->add(&text, p);
		result = write_text(d, file->name, &text, e);
		buf_free(&text);
		if (result < 0)
			return -1;
	}
	return 0;
}

static int write_json(const struct out_dir *d, const struct parts *p,
		      const struct report_trace *trace, const char *when, struct err *e)
{
	struct buf text = {0};
	int result = report_json_add(&text, p, trace, when, e);

	if (result == 0)
		result = write_text(d, "report.json", &text, e);
	buf_free(&text);
	return result;
}

static int write_all(const struct out_dir *d, const struct invocation *inv, const struct parts *p,
		     const char *when, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		if (write_view(d, inv, p, &views[i], e) < 0)
			return -1;
	}
	if (write_json(d, p, &inv->report.trace, when, e) < 0)
		return -1;
	return write_tables(d, p, e);
}

static int print_schema(struct invocation *inv, const struct parts *p, struct err *e)
{
	const struct part *schema = &p->all[PART_SCHEMA];

	return output_report(&schema->report, presenter_find("text"), NULL, inv->output.colour, e);
}

/* Quick, and so not to be interrupted: nothing half made stays behind. */
static int write_folder(struct invocation *inv, struct out_dir *d, const struct parts *p,
			const char *when, struct err *e)
{
	int result;

	interrupt_hold();
	result = out_dir_open(d, inv->trace_path, e);
	if (result == 0)
		result = out_dir_close(d, write_all(d, inv, p, when, e) == 0, e);
	interrupt_release();
	return result;
}

static size_t count_tables(const struct parts *p)
{
	size_t count = 0;

	for (size_t i = 0; i < REPORT_TABLES; i++)
		count += report_table_is_written(report_table_file_at(i), p);
	return count;
}

static int make_report(struct invocation *inv, struct out_dir *d, const char *when,
		       size_t *ret_tables, struct err *e)
{
	struct report_args *a = inv->args;
	struct parts parts;
	int result;

	if (invocation_settle_scope(inv, &a->scope, e) < 0)
		return -1;
	result = parts_make(&parts, inv->trace, a, e);
	if (result == 0 && !parts.all[PART_FINDINGS].made)
		result = err_set(e, ERR_INPUT, "%s", parts.all[PART_FINDINGS].why_not);
	if (result == 0)
		result = write_folder(inv, d, &parts, when, e);
	if (result == 0 && a->print_schema)
		result = print_schema(inv, &parts, e);
	*ret_tables = count_tables(&parts);
	parts_free(&parts);
	return result;
}

static void say_written(const char *const *names, size_t tables, const char *path)
{
	struct buf b = {0};

	buf_adds(&b, "wrote ");
	text_add_safe(&b, str_of(path));
	for (size_t i = 0; i < VIEWS; i++)
		buf_addf(&b, "%s %s", i ? "," : ":", names[i]);
	progress_stop();
	printf("%s, %zu tables\n", b.s, tables);
	buf_free(&b);
}

static int make_folder(struct invocation *inv, const char *when, struct err *e)
{
	const char *names[VIEWS + REPORT_TABLES + 1] = {"summary.md", "report.md", "report.html",
							"report.json"};
	const struct report_args *a = inv->args;
	struct out_dir d = {
		.path = a->out_dir,
		.force = a->force,
		.names = names,
		.folder = "tables",
	};
	size_t tables;

	for (size_t i = 0; i < REPORT_TABLES; i++)
		names[VIEWS + i] = report_table_file_at(i)->name;
	/* Looked at before the work is done, too: who has to wait should not wait in vain. */
	if (out_dir_check(&d, inv->trace_path, e) < 0 || make_report(inv, &d, when, &tables, e) < 0)
		return -1;
	if (!a->quiet)
		say_written(names, tables, d.path);
	return 0;
}

static int run(struct invocation *inv, struct err *e)
{
	const struct report_args *a = inv->args;
	char when[32];

	if (!a->out_dir) {
		err_set(e, ERR_USAGE, "report needs an output folder");
		return err_hint(e, "gpuwhy report trace.sqlite --out report");
	}
	if (now_text(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", e) < 0 ||
	    invocation_open_trace(inv, e) < 0)
		return -1;
	return make_folder(inv, when, e);
}

#define OPT_KERNELS(n, h)                                                                   \
	{                                                                                   \
		.type = OPTION_COUNT, .name = (n), .value = "N",                            \
		OPT_MEMBER(struct report_args, kernel_limit, uint64_t), .most = UINT64_MAX, \
		.initial = "30", .help = (h)                                                \
	}

const struct option_group report_options = OPTIONS(
	struct report_args,
	OPT_FILE("out", struct report_args, out_dir, "DIR", "a folder's name", ACCESS_WRITES,
		 "output folder"),
	OPT_FLAG("force", struct report_args, force, "replace DIR if it is an earlier report"),
	OPT_INCLUDE(struct report_args, scope, struct scope, window_options),
	OPT_INCLUDE(struct report_args, scope, struct scope, phase_options),
	OPT_INCLUDE(struct report_args, comm, struct comm_args, comm_options),
	OPT_INCLUDE(struct report_args, question, struct mfu_question, mfu_question_options),
	OPT_LIST("ncu", struct report_args, ncu, "FILE", "a CSV of Nsight Compute", ACCESS_READS,
		 "Nsight Compute CSV, raw or details page; repeatable"),
	OPT_KERNELS("kernel-limit", "kernels listed in the report, 0 for all"),
	OPT_KERNELS("top-kernels", "same as --kernel-limit"),
	OPT_FLAG("no-kernel-percentiles", struct report_args, no_kernel_percentiles,
		 "omit p50 and p90 of kernels"),
	OPT_FLAG("no-nvtx-kernel-map", struct report_args, scope.host_only,
		 "do not attribute GPU time to NVTX ranges and phases"),
	OPT_INCLUDE(struct report_args, coverage, struct coverage_args, coverage_options),
	OPT_INCLUDE(struct report_args, price, struct price_args, price_options),
	OPT_FLAG("print-schema", struct report_args, print_schema,
		 "also print the trace's tables and columns"),
	{.type = OPTION_FLAG,
	 .name = "quiet",
	 .letter = 'q',
	 OPT_MEMBER(struct report_args, quiet, bool),
	 .help = "do not list the files written"});

const struct command command_report = {
	.name = "report",
	.operand = "TRACE…",
	.summary = "everything in one folder: summary, report, JSON, CSV tables",
	.detail =
		"Writes DIR completely or not at all; --force replaces an earlier report, and "
		"nothing else. summary.md is for decision makers: the verdict, what it could gain, "
		"three actions with their owners, findings, steps, kernels, environment. report.md "
		"fits a pull request, report.html is a single file "
		"that needs no network, report.json is for programs (docs/report.schema.json), and "
		"tables/ contains kernels, ranges and gaps, in total and by process, as CSV. "
		"Where the capture has samples of the host, there are the source lines that keep "
		"the GPU waiting, too, and where it has GPU metrics, these over time.\n\n"
		"--model with the batch shape, or --flops, adds tokens per second and MFU (see "
		"`gpuwhy mfu`); --ncu FILE.csv adds kernel bounds and a roofline (see `gpuwhy "
		"ncu`).",
	.example = "gpuwhy report trace.sqlite --out report",
	.options = &report_options,
	.common = COMMON_TRACE,
	.has_traces = true,
	.run = run,
};
