/* gpuwhy export-csv, export-json: every GPU op as a row for spreadsheets and scripts. */
#include "cli/command.h"

#include "base/mem.h"
#include "cli/output.h"
#include "cli/say.h"
#include "report/present.h"

/* Notes and warnings have no place among rows. */
static void say_remarks(const struct report *r)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_WARNING)
			say_warning(r->blocks[i].text);
	}
}

static int export_rows(struct invocation *inv, const struct presenter *how, struct err *e)
{
	if (invocation_open_trace(inv, e) < 0 ||
	    analysis_run(inv->analysis, inv->trace, inv->asked, &inv->report, e) < 0)
		return -1;
	say_remarks(&inv->report);
	return output_report(&inv->report, how, inv->output.path, COLOUR_NEVER, e);
}

static int run_csv(struct invocation *inv, struct err *e)
{
	return export_rows(inv, presenter_find("csv"), e);
}

struct lines_args {
	bool lines;
};

static int run_json(struct invocation *inv, struct err *e)
{
	return export_rows(inv,
			   ((struct lines_args *)inv->args)->lines ? &presenter_json_lines
								   : &presenter_json_array,
			   e);
}

static const struct option_group lines_options =
	OPTIONS(struct lines_args, OPT_FLAG("lines", struct lines_args, lines,
					    "one object per line instead of an array"));

const struct command command_export_csv = {
	.name = "export-csv",
	.operand = "TRACE",
	.summary = "every GPU op as a CSV row",
	.detail = "Columns: name, start_ns, end_ns, duration_us, stream, device, pid, class, "
		  "bytes, correlation, nvtx_path, or those of --columns. Rows are sorted by start. "
		  "docs/filters.md lists all columns.",
	.example = "gpuwhy export-csv trace.sqlite --filter 'name~gemm && duration_us>50' -o "
		   "gemms.csv",
	.analysis = "ops",
	.common = COMMON_TRACE | COMMON_FILE,
	.run = run_csv,
};

const struct command command_export_json = {
	.name = "export-json",
	.operand = "TRACE",
	.summary = "every GPU op as a JSON object, in an array or one per line",
	.detail = "The same rows as export-csv. Times are nanoseconds since the start of the "
		  "capture.",
	.example = "gpuwhy export-json trace.sqlite --lines --columns name,duration_us | head",
	.options = &lines_options,
	.analysis = "ops",
	.common = COMMON_TRACE | COMMON_FILE,
	.run = run_json,
};
