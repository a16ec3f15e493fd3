/* What do the parts of a job say together? */
#include "fleet/answer/answer.h"
#include "fleet/fleet_tables.h"

/* What people read first is known only when all is. */
static void tell_verdict(struct fleet_answer *a, size_t place)
{
	if (!a->report->verdict_text && a->stragglers.replay.count)
		a->report->verdict_text = "No single rank makes the others' steps longer.";
	if (!a->report->verdict_text)
		return;
	report_lead(a->report, "%s", a->report->verdict_text);
	report_move_last(a->report, place);
}

int fleet_reduce(const struct part *const *parts, size_t count, const struct fleet_args *args,
		 struct report *r, struct err *e)
{
	const size_t place = r->block_count;
	struct fleet_answer *a;

	if (fleet_answer_make(parts, count, args, r, &a, e) < 0)
		return -1;
	fleet_tell_gaps(a);
	fleet_tell_hang(a);
	fleet_tell_stragglers(a);
	fleet_tell_findings(a);
	tell_verdict(a, place);
	fleet_ranks_table(r, parts, count);
	fleet_lateness_table(a);
	fleet_heat_chart(a);
	fleet_collectives_table(a);
	fleet_clocks_table(a);
	return fleet_kernels_table(r, parts, count, &args->rows, e);
}
