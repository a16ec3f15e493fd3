/* gpuwhy roofline: what would it gain if kernels came up to what the device can do? */
#include "analysis/counters/roofline.h"

#include "cli/output.h"
#include "cli/say.h"
#include "commands/ncu_input.h"
#include "report/chart.h"
#include "report/html/html_chart.h"

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

static int answer(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	const struct ncu_args *a = inv->args;

	if (ncu_input_open(in, inv, e) < 0 ||
	    ncu_study_head(&in->study, "Roofline", inv->trace, &a->scope, &inv->report, e) < 0 ||
	    roofline_add(&in->study, a->rows.limit, &inv->report, e) < 0)
		return -1;
	if (wants_picture(&inv->output)) {
		e->output = write_picture(&inv->report, inv->output.path, e) < 0;
		return e->output ? -1 : 0;
	}
	return invocation_present(inv, e);
}

static int run(struct invocation *inv, struct err *e)
{
	struct ncu_input in;
	int result = answer(&in, inv, e);

	ncu_input_close(&in);
	return result;
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
	.run = run,
};
