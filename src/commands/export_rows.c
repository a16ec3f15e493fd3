/* gpuwhy export-csv, export-json: every GPU op as a row for spreadsheets and scripts. */
#include "cli/command.h"

#include "base/mem.h"
#include "cli/output.h"
#include "cli/say.h"
#include "report/presenters.h"

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
	inv->analysis = analysis_find("ops", false);
	if (invocation_open_trace(inv, e) < 0 ||
	    analysis_run(inv->analysis, inv->trace, &inv->options.params, &inv->report, e) < 0)
		return -1;
	say_remarks(&inv->report);
	return output_report(&inv->report, how, inv->options.output, COLOUR_NEVER, e);
}

static int run_csv(struct invocation *inv, struct err *e)
{
	return export_rows(inv, presenter_find("csv"), e);
}

static int run_json(struct invocation *inv, struct err *e)
{
	return export_rows(inv, inv->options.lines ? &presenter_json_lines : &presenter_json_array,
			   e);
}

#define EXPORT_ROWS                                                                      \
	(PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT | PARAM_SORT | PARAM_COMM | \
	 PARAM_FILTER | PARAM_COLUMNS | OPT_TRACE | OPT_FILE)

const struct command command_export_csv = {
	.name = "export-csv",
	.operand = "TRACE",
	.summary = "every GPU op as a row of comma-separated values",
	.detail = "name, start_ns, end_ns, duration_us, stream, device, pid, class, bytes, "
		  "correlation,\n"
		  "nvtx_path, by start, or what --columns says. docs/filters.md lists the columns.",
	.example = "gpuwhy export-csv trace.sqlite --filter 'name~gemm && duration_us>50' -o "
		   "gemms.csv",
	.accepts = EXPORT_ROWS,
	.run = run_csv,
};

const struct command command_export_json = {
	.name = "export-json",
	.operand = "TRACE",
	.summary = "every GPU op as an object of an array, or on a line of its own (--lines)",
	.detail = "The same rows as export-csv. Times are nanoseconds since the capture began.",
	.example = "gpuwhy export-json trace.sqlite --lines --columns name,duration_us | head",
	.accepts = EXPORT_ROWS | OPT_LINES,
	.run = run_json,
};
