/* How much kernel time is hidden in whole-graph launches? */
#include "analysis/gpu/hidden_graphs.h"

#include "base/buf.h"
#include "text/units.h"

int warn_of_hidden_graphs(struct trace *t, struct report *r, struct err *e)
{
	const struct events *ev = &t->events[TRACE_GRAPHS];
	double total_ns = 0;
	struct buf time = {0};

	if (trace_load(t, TRACE_GRAPHS, COL_BIT(COL_DURATION), e) < 0)
		return -1;
	if (!ev->count || !ev->duration_ns)
		return 0;
	for (uint64_t i = 0; i < ev->count; i++)
		total_ns += ev->duration_ns[i] == DURATION_NONE ? 0 : (double)ev->duration_ns[i];
	units_add_ns(&time, total_ns);
	report_warning(r,
		       "%llu whole-graph launches took %s; the kernels inside them were not "
		       "recorded and are not in this table: capture with --cuda-graph-trace=node",
		       (unsigned long long)ev->count, time.s);
	buf_free(&time);
	return 0;
}
