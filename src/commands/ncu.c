/*
 * gpuwhy ncu and roofline: what did Nsight Compute measure, what does that mean in the run, and
 * what would it gain if kernels came up to what the device can do? Operands are CSVs of Nsight
 * Compute, and at most one trace, in any order.
 */
#include "analysis/counters/ncu_study.h"
#include "analysis/counters/roofline.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/say.h"
#include "input/input.h"
#include "input/run_traces.h"
#include "report/chart.h"
#include "report/html/html_chart.h"

/* What `ncu` and `roofline` are told. */
struct ncu_args {
	struct scope scope;
	struct row_choice rows; /* without --sort */
	bool launches;		/* ncu: each by itself */
};

/* A profile and what was found out about it; to be closed in any case. */
struct ncu_input {
	struct ncu_report ncu;
	struct ncu_study study;
};

static int two_traces(const char *a, const char *b, struct err *e)
{
	return err_set(e, ERR_USAGE, "one trace at a time: '%s' and '%s' were given", a, b);
}

static int read_operands(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	size_t tables = 0;

	for (size_t i = 0; i < inv->words.count; i++) {
		const char *word = inv->words.all[i];

		if (inv->output.path && output_spare_trace(inv->output.path, word, e) < 0)
			return -1;
		if (!input_is_folder(word) && !input_may_be_trace(word)) {
			tables++;
			if (ncu_read(&in->ncu, word, e) < 0)
				return -1;
			continue;
		}
		if (inv->trace_path)
			return two_traces(inv->trace_path, word, e);
		inv->trace_path = word;
	}
	if (tables)
		return 0;
	/* A folder that is no run is a mistake of its own, before what is missing beside it. */
	if (invocation_settle_trace(inv, e) < 0)
		return -1;
	err_set(e, ERR_USAGE, "%s needs an Nsight Compute CSV", inv->command);
	return err_hint(e,
			"ncu --import REPORT.ncu-rep --page raw --csv > FILE.csv; gpuwhy %s "
			"FILE.csv%s%s",
			inv->command, inv->trace_path ? " " : "",
			inv->trace_path ? inv->trace_path : "");
}

/* A window is a trace's: without one there is nothing that it could cut. */
static int check_window(const struct invocation *inv, struct err *e)
{
	const struct scope *p = &((const struct ncu_args *)inv->args)->scope;

	if (inv->trace_path ||
	    !(p->has_trim || p->has_iteration || p->span || p->has_device || p->has_pid))
		return 0;
	err_set(e, ERR_USAGE, "--%s needs a trace, but none was given",
		p->has_trim	   ? "trim"
		: p->has_iteration ? "iteration"
		: p->span	   ? "span"
		: p->has_device	   ? "device"
				   : "pid");
	return err_hint(e, "give the trace along with the CSVs");
}

static int open_trace(struct invocation *inv, struct err *e)
{
	struct ncu_args *a = inv->args;

	if (!inv->trace_path)
		return 0;
	return invocation_open_trace(inv, e) < 0 ? -1 : invocation_settle_scope(inv, &a->scope, e);
}

/* Reads the operands, told by what they hold, opens the trace, chooses its window, joins both. */
static int ncu_input_open(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	const struct ncu_args *a = inv->args;

	*in = (struct ncu_input){0};
	invocation_default_limit(inv);
	if (read_operands(in, inv, e) < 0 || check_window(inv, e) < 0 || open_trace(inv, e) < 0)
		return -1;
	return ncu_study_make(&in->study, &in->ncu, inv->trace, &a->scope, e);
}

static void ncu_input_close(struct ncu_input *in)
{
	ncu_study_free(&in->study);
	ncu_free(&in->ncu);
}

static const struct option_group ncu_input_options =
	OPTIONS(struct ncu_args, OPT_INCLUDE(struct ncu_args, scope, struct scope, scope_options),
		OPT_INCLUDE(struct ncu_args, rows, struct row_choice, limit_options));

/* Answers about the operands, read and joined. */
static int run_with_input(struct invocation *inv,
			  int (*answer)(struct ncu_study *study, struct invocation *inv,
					struct err *e),
			  struct err *e)
{
	struct ncu_input in;
	int result = ncu_input_open(&in, inv, e);

	if (result == 0)
		result = answer(&in.study, inv, e);
	ncu_input_close(&in);
	return result;
}

static int answer_ncu(struct ncu_study *study, struct invocation *inv, struct err *e)
{
	const struct ncu_args *a = inv->args;

	if (ncu_study_head(study, "What Nsight Compute measured", inv->trace, &a->scope,
			   &inv->report, e) < 0)
		return -1;
	ncu_kernels_add(study, a->rows.limit, a->launches, &inv->report);
	ncu_rules_add(study, &inv->report);
	inv->report.brief = true;
	return invocation_present(inv, e);
}

static int run_ncu(struct invocation *inv, struct err *e)
{
	return run_with_input(inv, answer_ncu, e);
}

static const struct option_group ncu_options =
	OPTIONS(struct ncu_args,
		OPT_FLAG("launches", struct ncu_args, launches, "one row per profiled launch"),
		OPT_SAME(ncu_input_options));

const struct command command_ncu = {
	.name = "ncu",
	.operand = "FILE.csv… [TRACE]",
	.summary = "Nsight Compute results: FLOPs, bytes, bounds, weight in a run",
	.detail = "Reads the output of `ncu --import REPORT --page raw --csv`, or the details page "
		  "with the rule results, or both for one profile. With a trace of the program, "
		  "each kernel gets its time in the run: kernels are matched by name although the "
		  "two tools print names differently; ambiguous names are not matched. Bound is "
		  "compute or memory, whichever has the higher utilisation, and latency if both "
		  "are below 60 %. docs/ncu.md defines each figure.",
	.example = "gpuwhy ncu decode.raw.csv decode.details.csv infer.sqlite",
	.options = &ncu_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.run = run_ncu,
};

/* A picture is asked for by how the file is called, unless a format is. */
static bool wants_picture(const struct output_args *o)
{
	size_t len = o->path ? strlen(o->path) : 0;

	return !o->format && len > 4 && strcmp(o->path + len - 4, ".svg") == 0;
}

/* The first one; there are several where several models of GPUs were measured. */
static const struct chart *find_chart(const struct report *r)
{
	const struct chart *first = NULL;

	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind != BLOCK_CHART)
			continue;
		if (first) {
			say_warning("several GPU models were measured: the chart shows the first, "
				    "--format html shows all");
			break;
		}
		first = r->blocks[i].chart;
	}
	return first;
}

/* A picture has no place for them. */
static void say_warnings(const struct report *r)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_WARNING)
			say_warning(r->blocks[i].text);
	}
}

static int write_picture(const struct report *r, const char *path, struct err *e)
{
	const struct chart *c = find_chart(r);
	struct output out;
	struct buf b = {0};
	int result = 0;

	if (!c)
		return err_set(e, ERR_INPUT,
			       "no kernel has counted operations: there is nothing to draw");
	say_warnings(r);
	if (output_open(&out, path, e) < 0)
		return -1;
	chart_add_roofline_file(&b, c);
	if (out.sink.write(out.sink.ctx, b.s, b.len) < 0)
		result = err_set_errno(e, "cannot write '%s'", path);
	buf_free(&b);
	return output_close(&out, result == 0, e);
}

static int answer_roofline(struct ncu_study *study, struct invocation *inv, struct err *e)
{
	const struct ncu_args *a = inv->args;

	if (ncu_study_head(study, "Roofline", inv->trace, &a->scope, &inv->report, e) < 0 ||
	    roofline_add(study, a->rows.limit, &inv->report, e) < 0)
		return -1;
	if (wants_picture(&inv->output)) {
		e->output = write_picture(&inv->report, inv->output.path, e) < 0;
		return e->output ? -1 : 0;
	}
	return invocation_present(inv, e);
}

static int run_roofline(struct invocation *inv, struct err *e)
{
	return run_with_input(inv, answer_roofline, e);
}

const struct command command_roofline = {
	.name = "roofline",
	.operand = "FILE.csv… [TRACE]",
	.summary = "kernels against the GPU's roofline ceilings, ranked by headroom",
	.detail = "Input: Nsight Compute results (ncu --set roofline, then ncu --import REPORT "
		  "--page raw --csv). A kernel's nearest ceiling is DRAM bandwidth or the peak "
		  "rate of a compute pipe, whichever takes longer for the kernel's work. Headroom "
		  "is the time above that: in the run if a trace is given, else as ncu measured "
		  "it. -o FILE.svg writes the chart.",
	.example = "gpuwhy roofline train_fwd.raw.csv train.sqlite -o roofline.svg",
	.options = &ncu_input_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.instead = "-o FILE.svg, without --format, draws the chart",
	.run = run_roofline,
};
