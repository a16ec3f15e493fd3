/* gpuwhy ncu: what did Nsight Compute measure, and what does that mean in the run? */
#include "cli/output.h"
#include "commands/ncu_input.h"

static int answer(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	const struct ncu_args *a = inv->args;

	if (ncu_input_open(in, inv, e) < 0 ||
	    ncu_study_head(&in->study, "What Nsight Compute measured", inv->trace, &a->scope,
			   &inv->report, e) < 0)
		return -1;
	ncu_kernels_add(&in->study, a->rows.limit, a->launches, &inv->report);
	ncu_rules_add(&in->study, &inv->report);
	inv->report.brief = true;
	return invocation_present(inv, e);
}

static int run(struct invocation *inv, struct err *e)
{
	struct ncu_input in;
	int result = answer(&in, inv, e);

	ncu_input_close(&in);
	return result;
}

static const struct option options[] = {
	OPT_FLAG("launches", struct ncu_args, launches, "a row for each launch that was measured"),
	OPT_SAME(ncu_input_options),
	OPT_END(),
};
static const struct option_group ncu_options = OPTION_GROUP(options, struct ncu_args);

const struct command command_ncu = {
	.name = "ncu",
	.operand = "FILE.csv… [TRACE]",
	.summary = "what Nsight Compute measured: FLOPs, bytes, bounds, and what it means in a run",
	.detail = "Reads what `ncu --import REPORT --page raw --csv` prints, or the details page "
		  "with\n"
		  "what ncu's rules say, or both of one profile. With a trace of the program each "
		  "kernel\n"
		  "has its time in the run: names are compared although the two tools print them\n"
		  "differently, and what is ambiguous is not joined. Bound is compute or memory,\n"
		  "whichever is used more, by its margin; latency where neither is used by 60 %.\n"
		  "docs/ncu.md tells how each figure is made.",
	.example = "gpuwhy ncu decode.raw.csv decode.details.csv infer.sqlite",
	.options = &ncu_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.run = run,
};
