/* The phase of each GPU op, by a map of names to phases. */
#ifndef ANALYSIS_OP_PHASES_H
#define ANALYSIS_OP_PHASES_H

#include "analysis/steps/phase_calls.h"

struct op_phases {
	struct phase_map map;
	struct range_phases phases;
	struct phase_calls calls;
	bool found; /* some range has a phase */
};

/* path NULL: the built-in map. To be freed whether this fails or not. */
int op_phases_make(struct trace *t, const char *path, struct op_phases *ret, struct err *e);
void op_phases_free(struct op_phases *o);

/* The phase of op i of a kind, or PHASE_NONE; a cursor as for phase_calls_find(). */
static inline uint32_t op_phase(const struct op_phases *o, enum trace_kind kind, uint64_t i,
				struct phase_cursor *cursor)
{
	const struct launches *l = &o->calls.at.launches;

	return phase_calls_find(&o->calls, l->launch_of_op[l->begin[kind] + i], cursor);
}

#endif
