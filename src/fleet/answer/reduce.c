/* What do the parts of a job say together? */
#include "fleet/answer/answer.h"
#include "fleet/fleet_tables.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* What people read first is known only when all is. */
static void tell_verdict(struct fleet_answer *a, size_t place)
{
	if (!a->report->verdict_text &&
	    (a->stragglers.replay.count || a->misfit || a->stragglers.in_doubt))
		a->report->verdict_text = fleet_nobody_is_slow(a);
	if (!a->report->verdict_text)
		return;
	report_lead(a->report, "%s", a->report->verdict_text);
	report_move_last(a->report, place);
}

/* How sure figures are belongs to the tables: who is late, and what to do, comes first. */
static void put_notes_last(struct report *r, size_t from)
{
	const size_t count = r->block_count - from;
	struct block *sorted = mem_alloc(count, sizeof(*sorted));
	size_t n = 0;

	for (int notes = 0; notes < 2; notes++) {
		for (size_t i = from; i < r->block_count; i++) {
			if ((r->blocks[i].kind == BLOCK_NOTE) == (notes != 0))
				sorted[n++] = r->blocks[i];
		}
	}
	if (count)
		memcpy(&r->blocks[from], sorted, count * sizeof(*sorted));
	free(sorted);
}

int fleet_reduce(const struct part *const *parts, size_t count, const struct fleet_args *args,
		 struct report *r, struct err *e)
{
	const size_t place = r->block_count;
	struct fleet_answer *a;

	if (fleet_answer_make(parts, count, args, r, &a, e) < 0)
		return -1;
	fleet_tell_gaps(a);
	fleet_tell_groups(a);
	fleet_tell_sizes(a);
	fleet_tell_steps(a);
	fleet_tell_hang(a);
	fleet_tell_stragglers(a);
	fleet_heat_chart(a);
	fleet_tell_findings(a);
	put_notes_last(r, place);
	tell_verdict(a, place);
	fleet_ranks_table(r, parts, count, a->has_pages);
	fleet_lateness_table(a);
	fleet_stages_table(a);
	fleet_collectives_table(a);
	fleet_clocks_table(a);
	return fleet_kernels_table(r, parts, count, &args->rows, e);
}
