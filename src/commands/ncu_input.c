/* Which operands are what Nsight Compute measured, and which is the trace? */
#include "commands/ncu_input.h"

#include "cli/output.h"
#include "input/input.h"

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
		if (!input_may_be_trace(word)) {
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
	err_set(e, ERR_USAGE, "%s needs a CSV of Nsight Compute", inv->command);
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

	if (inv->trace_path || !(p->has_trim || p->has_iteration || p->has_device || p->has_pid))
		return 0;
	err_set(e, ERR_USAGE, "--%s needs a trace, but none was given",
		p->has_trim	   ? "trim"
		: p->has_iteration ? "iteration"
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

int ncu_input_open(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	const struct ncu_args *a = inv->args;

	*in = (struct ncu_input){0};
	invocation_default_limit(inv);
	if (read_operands(in, inv, e) < 0 || check_window(inv, e) < 0 || open_trace(inv, e) < 0)
		return -1;
	return ncu_study_make(&in->study, &in->ncu, inv->trace, &a->scope, e);
}

void ncu_input_close(struct ncu_input *in)
{
	ncu_study_free(&in->study);
	ncu_free(&in->ncu);
}

static const struct option options[] = {
	OPT_INCLUDE(struct ncu_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct ncu_args, rows, struct row_choice, limit_options),
	OPT_END(),
};
const struct option_group ncu_input_options = OPTION_GROUP(options, struct ncu_args);
