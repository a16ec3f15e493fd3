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
	OPT_FLAG("launches", struct ncu_args, launches, "one row per profiled launch"),
	OPT_SAME(ncu_input_options),
	OPT_END(),
};
static const struct option_group ncu_options = OPTION_GROUP(options, struct ncu_args);

const struct command command_ncu = {
	.name = "ncu",
	.operand = "FILE.csv… [TRACE]",
	.summary = "Nsight Compute results: FLOPs, bytes, bounds, and their weight in a run",
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
	.run = run,
};
