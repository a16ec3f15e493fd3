/* Which traces are shown, and what of them? */
#include "commands/shown.h"

#include "fleet/job/trace_clocks.h"

const struct option_group shown_options = OPTIONS(
	struct shown_args, OPT_INCLUDE(struct shown_args, scope, struct scope, step_scope_options),
	OPT_INCLUDE(struct shown_args, scope, struct scope, rank_options),
	OPT_INCLUDE(struct shown_args, comm, struct comm_args, comm_options),
	OPT_LIST("ncu", struct shown_args, ncu, "FILE", "a CSV of Nsight Compute", ACCESS_READS,
		 "Nsight Compute CSV, for the details of kernels; repeatable"));

/* Somebody meant to compare it with something. */
static int refuse_nothing(const struct invocation *inv, struct err *e)
{
	err_set(e, ERR_USAGE, "nothing comes after --");
	return err_hint(e, "gpuwhy %s BEFORE.sqlite -- AFTER.sqlite compares two runs",
			inv->command);
}

int shown_open(struct shown *s, const struct invocation *inv, const struct shown_args *a,
	       struct err *e)
{
	*s = (struct shown){.compares = inv->words_after && inv->words_after < inv->words.count};
	if (inv->has_dashes && !inv->words_after)
		return refuse_nothing(inv, e);
	if (traces_open(&s->traces, inv->words.all, inv->words.count, &inv->input, a->comm.comm,
			e) < 0)
		return -1;
	s->traces.first_after = s->compares ? inv->words.count - inv->words_after : 0;
	/* Two sides are laid over each other by their steps. */
	if (!s->compares && s->traces.count > 1 && trace_clocks_set(&s->traces, false, e) < 0)
		return -1;
	if (traces_ask(&s->traces, &a->scope, e) < 0)
		return -1;
	if (!a->ncu.count)
		return 0;
	s->ncu = &s->profile;
	return ncu_read_all(&s->profile, a->ncu.all, a->ncu.count, e);
}

void shown_close(struct shown *s)
{
	ncu_free(&s->profile);
	traces_close(&s->traces);
}
