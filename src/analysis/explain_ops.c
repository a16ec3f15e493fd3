/* How many ops of a kind, or of a name, lie in the window, and where is the longest? */
#include "analysis/explain.h"

bool explain_asks_for(const struct explain *x, enum trace_kind kind, uint64_t i)
{
	const struct params *p = &x->params;
	uint32_t process, device;

	if (!p->has_device && !p->has_pid)
		return true;
	ops_place(&x->ops, kind, i, &process, &device);
	if (p->has_device && device != p->device)
		return false;
	return !p->has_pid ||
	       (process != ID_NONE && process_pid(x->trace->process_keys.keys[process]) == p->pid);
}

struct ops_found explain_find_ops(const struct explain *x, enum trace_kind kind, uint32_t name)
{
	const struct events *ev = &x->trace->events[kind];
	struct ops_found found = {.longest_ns = -1};

	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t from = ev->start_ns[i], to;

		if ((name != NAME_NONE && ev->name[i] != name) ||
		    ev->duration_ns[i] == DURATION_NONE || ev->duration_ns[i] < 0)
			continue;
		to = sat_add(from, ev->duration_ns[i]);
		from = from > x->timeline.from_ns ? from : x->timeline.from_ns;
		to = to < x->timeline.to_ns ? to : x->timeline.to_ns;
		if (to <= from || !explain_asks_for(x, kind, i))
			continue;
		found.count++;
		if (to - from > found.longest_ns) {
			found.longest_ns = to - from;
			found.longest_at_ns = from;
			found.longest_row = i;
		}
	}
	return found;
}
