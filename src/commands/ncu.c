/* gpuwhy ncu: what did Nsight Compute measure, and what does that mean in the run? */
#include "cli/output.h"
#include "commands/ncu_input.h"

static int answer(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	const struct options *o = &inv->options;

	if (ncu_input_open(in, inv, e) < 0 ||
	    ncu_study_head(&in->study, "What Nsight Compute measured", inv->trace, &o->params,
			   &inv->report, e) < 0)
		return -1;
	ncu_kernels_add(&in->study, &o->params, o->launches, &inv->report);
	ncu_rules_add(&in->study, &inv->report);
	inv->report.brief = true;
	return output_report(&inv->report, presenter_find(invocation_format(inv)), o->output,
			     o->colour, e);
}

static int run(struct invocation *inv, struct err *e)
{
	struct ncu_input in;
	int result = answer(&in, inv, e);

	ncu_input_close(&in);
	return result;
}

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
	.accepts = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT | OPT_TRACE | OPT_OUTPUT |
		   OPT_WORDS | OPT_NCU,
	.run = run,
};
