/*
 * Where does a step begin that is a part of a loop, such as `forward`? The host is in it while the
 * GPU has work left that was launched before: that is none of its time.
 */
#include "diff/compared_steps.h"

#include "base/bisect.h"

/* An op that begins before the first that a step launched was launched by others. */
static void leave_op(struct compared_steps *c, struct span op)
{
	for (size_t i = BISECT(0, c->count, at, c->all[at].to_ns <= op.start_ns);
	     i < c->count && c->all[i].from_ns < op.end_ns; i++) {
		struct compared_step *s = &c->all[i];

		if (op.start_ns < s->gpu_from_ns)
			s->from_ns = op.end_ns < s->gpu_from_ns ? op.end_ns : s->gpu_from_ns;
	}
}

void compared_steps_leave_others(struct compared_steps *c, const struct ops *o)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = o->lanes[kind].ev;

		for (uint64_t i = 0; ev->start_ns && i < ev->count; i++) {
			uint32_t process, device;

			ops_place(o, (enum trace_kind)kind, i, &process, &device);
			if (ev->duration_ns[i] > 0 &&
			    scope_has_place(&c->place, o->trace, process, device))
				leave_op(c, (struct span){
						    ev->start_ns[i],
						    sat_add(ev->start_ns[i], ev->duration_ns[i])});
		}
	}
}
