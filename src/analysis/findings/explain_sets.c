/* Does the GPU set memory with nothing beside it? */
#include "analysis/findings/explain.h"

/* Exposed time of copies and sets, less that of copies: of the device where most is left. */
static int64_t exposed_ns(const struct explain *x)
{
	int64_t most_ns = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		int64_t ns = x->timeline.devices[d].ns[SLICE_COPY] - explain_copied_ns(x, d);

		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

static const char *range_of(struct explain *x, uint64_t row)
{
	const struct attribution *a = &x->judge.attribution;
	uint32_t range = x->judge.joined ? attribution_range(a, TRACE_MEMSETS, row) : RANGE_NONE;
	uint32_t name = range == RANGE_NONE
				? NAME_NONE
				: x->trace->events[TRACE_NVTX].name[a->forest.ranges[range].row];

	return find_range(x, name == NAME_NONE ? NAME_NONE : x->folded[name]);
}

void explain_sets(struct explain *x)
{
	struct ops_found sets = explain_find_ops(x, TRACE_MEMSETS, NAME_NONE);
	int64_t ns = exposed_ns(x);
	struct finding *f;

	if (!sets.count)
		return;
	f = find_lost(x, "exposed_memset", find_within_waits(x, ns),
		      "Exposed memsets: no other GPU work overlaps them, the longest is %s",
		      range_of(x, sets.longest_row));
	if (!f)
		return;
	f->how = "time when the worst-affected GPU ran nothing but memsets; at most the host's "
		 "waiting time";
	find_evidence(f, "memsets", UNIT_COUNT, cell_int((int64_t)sets.count));
	find_evidence(f, "exposed memset time", UNIT_NS, cell_int(ns));
	find_evidence_at(f, "longest memset", sets.longest_ns, sets.longest_at_ns);
	find_advice(f, "clear less: buffers that are overwritten anyway need no zeros (torch.empty "
		       "instead of torch.zeros, zero_grad(set_to_none=True))");
	find_advice(f, "or let the first kernel that writes the buffer initialise it, or run the "
		       "memset on a separate stream while the GPU computes");
	f->unless = "all the zeros are read, and nothing else could run in the meantime";
}
