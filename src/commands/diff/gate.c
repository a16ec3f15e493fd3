/* gpuwhy gate: may this change go in? */
#include "commands/diff/gate_run.h"

#include <unistd.h>

static const char usual_rules[] = "gpuwhy.yml";

struct gate_command_args {
	struct gate_args gate;
	const char *baseline, *rules;
};

static int run(struct invocation *inv, struct err *e)
{
	const struct gate_command_args *a = inv->args;
	const char *rules = a->rules;

	if (!a->baseline) {
		err_set(e, ERR_USAGE, "gate needs --baseline NAME");
		return err_hint(e, "gpuwhy baseline list shows those that there are");
	}
	if (!inv->words.count) {
		err_set(e, ERR_USAGE, "gate needs a trace");
		return err_hint(e, "gpuwhy gate --baseline %s TRACE…", a->baseline);
	}
	if (invocation_settle_words(inv, 0, e) < 0)
		return -1;
	if (!rules && access(usual_rules, F_OK) == 0)
		rules = usual_rules;
	return gate_run(
		inv, &a->gate,
		&(struct gate_question){a->baseline, rules, inv->words.all, inv->words.count}, e);
}

static const struct option_group gate_options =
	OPTIONS(struct gate_command_args,
		OPT_TEXT("baseline", struct gate_command_args, baseline, "NAME",
			 "a baseline's name", "the runs to hold these against"),
		OPT_FILE("rules", struct gate_command_args, rules, "FILE", "a file name",
			 ACCESS_READS, "what is asked of them (default: ./gpuwhy.yml, if there)"),
		OPT_INCLUDE(struct gate_command_args, gate, struct gate_args, gate_run_options));

const struct command command_gate = {
	.name = "gate",
	.operand = "TRACE…",
	.summary = "hold runs against a baseline and rules: exit 0, 1 or 5",
	.detail = "Exit codes: 0 within tolerance, 1 a regression, 2 the command line or the rules "
		  "are wrong, 3 unreadable or not comparable, 5 cannot tell: too few runs, or they "
		  "differ too much (--on-unknown warn or pass: 0).\n\n"
		  "Where rules say nothing of the step, it may take 2 % longer (--tolerance). A "
		  "file of rules names more: limits for classes, ranges, kernels and memory, "
		  "findings that must not "
		  "appear, bounds of idle time, overlap and MFU, and regressions that are allowed "
		  "for a while.",
	.example = "gpuwhy gate --baseline main new1.sqlite new2.sqlite --junit gate.xml",
	.options = &gate_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.run = run,
};
