/* Which operands are what Nsight Compute measured, and which is the trace? */
#include "commands/ncu_input.h"

#include "analysis/filters.h"
#include "analysis/steps/iteration_window.h"
#include "cli/output.h"
#include "input/input.h"

static int two_traces(const char *a, const char *b, struct err *e)
{
	return err_set(e, ERR_USAGE, "one trace at a time: '%s' and '%s' were given", a, b);
}

static int read_operands(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	struct options *o = &inv->options;
	size_t tables = 0;

	for (size_t i = 0; i < o->word_count; i++) {
		const char *word = o->words[i];

		if (o->output && output_spare_trace(o->output, word, e) < 0)
			return -1;
		if (!input_may_be_trace(word)) {
			tables++;
			if (ncu_read(&in->ncu, word, e) < 0)
				return -1;
			continue;
		}
		if (o->trace)
			return two_traces(o->trace, word, e);
		o->trace = word;
	}
	if (tables)
		return 0;
	err_set(e, ERR_USAGE, "%s needs a CSV of Nsight Compute", inv->command);
	return err_hint(e,
			"ncu --import REPORT.ncu-rep --page raw --csv > FILE.csv; gpuwhy %s "
			"FILE.csv%s%s",
			inv->command, o->trace ? " " : "", o->trace ? o->trace : "");
}

/* A window is a trace's: without one there is nothing that it could cut. */
static int check_window(const struct options *o, struct err *e)
{
	const struct params *p = &o->params;

	if (o->trace || !(p->has_trim || p->has_iteration || p->has_device || p->has_pid))
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
	struct params *p = &inv->options.params;

	if (!inv->options.trace)
		return 0;
	if (invocation_open_trace(inv, e) < 0 || filters_check(inv->trace, p, e) < 0)
		return -1;
	return p->has_iteration ? iteration_window(inv->trace, p, false, &inv->report, e) : 0;
}

int ncu_input_open(struct ncu_input *in, struct invocation *inv, struct err *e)
{
	*in = (struct ncu_input){0};
	invocation_default_limit(inv);
	if (read_operands(in, inv, e) < 0 || check_window(&inv->options, e) < 0 ||
	    open_trace(inv, e) < 0)
		return -1;
	return ncu_study_make(&in->study, &in->ncu, inv->trace, &inv->options.params, e);
}

void ncu_input_close(struct ncu_input *in)
{
	ncu_study_free(&in->study);
	ncu_free(&in->ncu);
}
