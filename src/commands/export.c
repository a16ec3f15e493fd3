/* gpuwhy export: what happened, as a file that other tools' viewers open. */
#include "export/export_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/say.h"
#include "text/units.h"

#include <sys/stat.h>
#include <unistd.h>

struct export_args {
	struct scope scope;
	struct export_options what;
	const char *output; /* NULL: stdout, or nothing was said */
	bool to_stdout;	    /* -o - */
	const char *format; /* NULL: as the file's name ends */
	bool quiet;
};

static const struct export_args *export_args(const struct invocation *inv)
{
	return inv->args;
}

static const char *const format_names = "json, json.gz, pftrace or pftrace.gz";

static bool is_folder(const char *path)
{
	struct stat st;

	return path[strlen(path) - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* What opens fastest, where nobody says what. */
static const char *const folder_format = "pftrace";

static const struct export_format *find_format(const struct export_args *o)
{
	const char *name = o->format;

	if (!name && o->output && is_folder(o->output))
		name = folder_format;
	if (!name)
		return o->output ? export_format_of(o->output) : NULL;
	for (size_t i = 0; export_format_at(i); i++) {
		if (strcmp(name, export_format_at(i)->name) == 0)
			return export_format_at(i);
	}
	return NULL;
}

/* In a folder the timeline is called as the trace is. NULL: -o names the file. */
static char *name_in_folder(const struct invocation *inv, const struct export_format *f)
{
	const char *folder = export_args(inv)->output;
	const char *trace = inv->trace_path ? str_last_part(inv->trace_path) : "";
	struct buf path = {0};

	if (!folder || !is_folder(folder) || !*trace)
		return NULL;
	buf_adds(&path, folder);
	if (path.s[path.len - 1] != '/')
		buf_addc(&path, '/');
	buf_add(&path, trace, input_stem_length(trace));
	buf_adds(&path, f->ending);
	return path.s;
}

static int refuse_format(const struct export_args *o, struct err *e)
{
	if (o->format)
		return err_set(e, ERR_USAGE, "--format takes %s, not '%s'", format_names,
			       o->format);
	if (o->output) {
		err_set(e, ERR_USAGE, "unknown format: '%s' ends in none of the known ones",
			o->output);
		return err_hint(e,
				"use an ending of .json, .json.gz or .pftrace, or give --format");
	}
	err_set(e, ERR_USAGE,
		o->to_stdout ? "export to stdout needs --format: %s" : "export needs -o FILE",
		format_names);
	return err_hint(e, o->to_stdout ? "gpuwhy export trace.sqlite -o - --format json"
					: "gpuwhy export trace.sqlite -o trace.pftrace");
}

static int check_terminal(const struct export_args *o, const struct export_format *f, struct err *e)
{
	if (o->output || (f->writer->is_text && !f->packed) || !isatty(STDOUT_FILENO))
		return 0;
	err_set(e, ERR_USAGE, "%s cannot be written to a terminal", f->name);
	return err_hint(e, "name a file: -o trace.%s", f->name);
}

static int write_file(struct invocation *inv, const struct export_format *f,
		      struct export_counts *counts, struct err *e)
{
	const char *path = export_args(inv)->output;
	struct output out;
	int result;

	if (output_open(&out, path, e) < 0)
		return -1;
	progress_begin("writing", 0);
	result = export_write(inv->trace, &export_args(inv)->scope, &export_args(inv)->what, f,
			      &out.sink, counts, e);
	progress_end();
	if (result < 0 && path && e->code == ERR_SYSTEM)
		err_wrap(e, "writing '%s'", path);
	return output_close(&out, result == 0, e);
}

static void say_written(const char *path, const struct export_counts *c)
{
	struct buf b = {0};

	export_add_counts(&b, c);
	say_wrote(path, b.s);
	buf_free(&b);
}

static void remark_left_out(uint64_t n, const char *one, const char *many)
{
	struct buf b = {0};

	if (!n)
		return;
	units_add_count(&b, (int64_t)n);
	buf_addf(&b, " %s without a start or an end %s left out", n == 1 ? one : many,
		 n == 1 ? "is" : "are");
	say_warning(b.s);
	buf_free(&b);
}

static void remark(const char *before, const char *why)
{
	struct buf b = {0};

	if (!why[0])
		return;
	buf_addf(&b, "%s%s", before, why);
	say_warning(b.s);
	buf_free(&b);
}

/* What the file does not have, or has otherwise than the trace. */
static void say_remarks(const struct export_counts *c)
{
	struct buf b = {0};

	remark_left_out(c->ops_without_times, "GPU op", "GPU ops");
	remark_left_out(c->calls_without_times, "CUDA call", "CUDA calls");
	remark("no GPU work: ", c->no_ops);
	remark("no arrows: ", c->no_arrows);
	remark("no NVTX ranges: ", c->no_ranges);
	remark("", c->no_metrics);
	if (!c->shift_ns)
		return;
	buf_adds(&b, "some events start before zero: all times are ");
	units_add_ns(&b, (double)c->shift_ns);
	buf_addf(&b, " (%lld ns) later than in the trace", (long long)c->shift_ns);
	say_warning(b.s);
	buf_free(&b);
}

/* A timeline of a trace that recorded nothing would be no answer. */
static int require_events(struct trace *t, struct err *e)
{
	static const enum trace_kind kinds[] = {TRACE_API,     TRACE_NVTX,    TRACE_GRAPHS,
						TRACE_MEMSETS, TRACE_MEMCPYS, TRACE_KERNELS};
	int found = -1;

	for (size_t i = 0; i < ARRAY_LEN(kinds) && found < 0; i++)
		found = trace_require(t, kinds[i], e);
	return found;
}

/* A folder that is named as one and is not there yet is made, unless the file in it fails. */
static int write_in_folder(struct invocation *inv, const struct export_format *f,
			   const char *folder, struct export_counts *counts, struct err *e)
{
	const size_t missing = folder ? file_first_missing(folder) : 0;
	int result;

	if (missing && file_make_folders(folder, 0777) < 0)
		result = err_set_errno(e, "cannot create '%s'", folder);
	else
		result = write_file(inv, f, counts, e);
	if (missing && result < 0)
		file_unmake_folders(folder, missing);
	return result;
}

static int run(struct invocation *inv, struct err *e)
{
	struct export_args *o = inv->args;
	const char *folder = NULL;
	const struct export_format *f = find_format(o);
	struct export_counts counts = {0};
	SCOPED char *in_folder = NULL;

	if (!f)
		return refuse_format(o, e);
	in_folder = name_in_folder(inv, f);
	if (in_folder) {
		folder = o->output;
		o->output = in_folder;
	}
	if (check_terminal(o, f, e) < 0 ||
	    (o->output && inv->trace_path &&
	     output_spare_trace(o->output, inv->trace_path, e) < 0) ||
	    invocation_open_trace(inv, e) < 0 || require_events(inv->trace, e) < 0 ||
	    invocation_settle_scope(inv, &o->scope, e) < 0)
		return -1;
	if (write_in_folder(inv, f, folder, &counts, e) < 0)
		return -1;
	if (o->quiet)
		return 0;
	say_remarks(&counts);
	if (o->output)
		say_written(o->output, &counts);
	return 0;
}

static int set_output(void *args, const char *name, const char *value, struct err *e)
{
	struct export_args *a = args;

	if (!value[0])
		return option_bad_value(name, value, "a file name", e);
	a->to_stdout = strcmp(value, "-") == 0;
	a->output = a->to_stdout ? NULL : value;
	return 0;
}

static const char *format_at(size_t i)
{
	const struct export_format *f = export_format_at(i);

	/* The last one is another ending of one that is known. */
	return f && export_format_at(i + 1) ? f->name : NULL;
}

static const struct option_group export_options = OPTIONS(
	struct export_args,
	OPT_OUTPUT(set_output,
		   "output file, or a folder for a file named after the trace; - is stdout"),
	{.type = OPTION_TEXT,
	 .name = "format",
	 .letter = 'f',
	 .value = "FORMAT",
	 OPT_MEMBER(struct export_args, format, const char *),
	 .word_at = format_at,
	 .help = "json, json.gz, pftrace or pftrace.gz; default: by FILE's ending"},
	OPT_INCLUDE(struct export_args, scope, struct scope, scope_options),
	OPT_FLAG("no-api", struct export_args, what.no_api,
		 "omit CUDA calls, and with them arrows"),
	OPT_FLAG("no-nvtx", struct export_args, what.no_nvtx, "omit NVTX ranges"),
	OPT_FLAG("no-copies", struct export_args, what.no_copies, "omit copies and memsets"),
	OPT_FLAG("no-flows", struct export_args, what.no_flows,
		 "omit arrows from launches to kernels"),
	OPT_FLAG("no-counters", struct export_args, what.no_counters,
		 "omit copy bandwidth, launch queue and memory in use"),
	OPT_FLAG("no-args", struct export_args, what.no_args,
		 "omit arguments: grid, registers, bytes, range path, source line, …"),
	OPT_FLAG("no-samples", struct export_args, what.no_samples,
		 "omit the stacks of sampled threads"),
	OPT_FLAG("gpu-metrics", struct export_args, what.gpu_metrics,
		 "include sampled GPU metrics (many events)"),
	{.type = OPTION_FLAG,
	 .name = "quiet",
	 .letter = 'q',
	 OPT_MEMBER(struct export_args, quiet, bool),
	 .help = "do not list the files written"});

const struct command command_export = {
	.name = "export",
	.operand = "TRACE…",
	.summary = "Perfetto timeline: streams, ranges, calls, arrows, counters",
	.detail =
		"The ending of FILE selects the format: .json and .json.gz are Chrome trace "
		"events, .pftrace is Perfetto's own format, several times smaller. Both open in "
		"ui.perfetto.dev. Each GPU and each process of the program is a process there; "
		"streams, and each thread's ranges, calls and samples, are tracks. Ops that "
		"overlap on a "
		"stream get additional tracks. FILE is written completely or not at all; where it "
		"is a folder, or ends in /, the timeline is TRACE.pftrace in it. See "
		"docs/export.md.",
	.example = "gpuwhy export trace.sqlite -o trace.pftrace --trim 1.5 2.0",
	.options = &export_options,
	.common = COMMON_TRACE,
	.has_traces = true,
	.own_format = true,
	.run = run,
};
