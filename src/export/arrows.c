/* Which ops does an arrow lead to, and from which calls? */
#include "base/mem.h"
#include "export/walk.h"

#include <stdlib.h>

static void look_at_op(struct walk *w, const struct op *op, size_t piece)
{
	uint32_t launch = walk_launch(w, op);
	struct api_call call;
	struct span part;
	uint32_t thread;

	if (launch == LAUNCH_NONE || !launches_earliest_call(&w->joined.launches, launch, &call))
		return;
	if (call.start_ns < w->arrows.earliest_call_ns[piece])
		w->arrows.earliest_call_ns[piece] = call.start_ns;
	if (!w->tracks.streams[w->stream_of_op[op->kind][op->row]].wanted)
		return;
	w->arrows.next[launch] += walk_wants_op(w, op, &part);
	thread = launches_origin(&w->joined.launches, &call).thread;
	if (w->p->has_device && thread != ID_NONE)
		w->thread_wanted[thread] = scope_has_thread(w->p, w->trace, thread);
}

/* Looks backwards from the last piece: earliest calls of it and all later ones. */
static void settle_pieces(struct arrows *a)
{
	for (size_t i = a->pieces; i > 0; i--) {
		if (a->earliest_call_ns[i] < a->earliest_call_ns[i - 1])
			a->earliest_call_ns[i - 1] = a->earliest_call_ns[i];
	}
}

static void look_at_ops(struct walk *w)
{
	struct arrows *a = &w->arrows;
	uint64_t met = 0, count = 0;
	struct op op;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		count += w->trace->events[kind].count;
	a->pieces = (size_t)(count >> PIECE_BITS) + 1;
	a->earliest_call_ns = mem_alloc(a->pieces + 1, sizeof(*a->earliest_call_ns));
	for (size_t i = 0; i <= a->pieces; i++)
		a->earliest_call_ns[i] = INT64_MAX;
	for (; w->has_ops && ops_next(&w->ops, &op); met++)
		look_at_op(w, &op, (size_t)(met >> PIECE_BITS));
	if (w->has_ops)
		ops_rewind(&w->ops);
	settle_pieces(a);
}

static bool is_told(const struct walk *w, uint32_t launch)
{
	struct api_call call;
	struct span part;

	return !w->o->no_api && !w->o->no_flows &&
	       launches_earliest_call(&w->joined.launches, launch, &call) &&
	       call.duration_ns != DURATION_NONE &&
	       walk_wants_thread(w, launches_origin(&w->joined.launches, &call).thread) &&
	       window_part(w->p, call.start_ns, call.duration_ns, &part);
}

/* From how many each launch has to the id of its first. */
static void hand_out_ids(struct walk *w)
{
	struct arrows *a = &w->arrows;
	uint32_t next = 1;

	for (uint32_t launch = 0; launch < w->joined.launches.launch_count; launch++) {
		uint32_t count = a->next[launch];

		a->next[launch] = next;
		if (!count || !is_told(w, launch))
			continue;
		a->flags[launch] = LAUNCH_CALL_TOLD;
		next += count;
	}
	a->next[w->joined.launches.launch_count] = next;
}

void arrows_find_calls(struct walk *w)
{
	const struct launches *l = &w->joined.launches;

	w->arrows.launch_of_call = mem_zalloc(l->calls.count, sizeof(*w->arrows.launch_of_call));
	for (size_t launch = 0; launch < l->launch_count; launch++) {
		if (l->row_of_launch[launch] < l->calls.count)
			w->arrows.launch_of_call[l->row_of_launch[launch]] = (uint32_t)launch + 1;
	}
}

void arrows_make(struct walk *w)
{
	const size_t launches = w->joined.launches.launch_count,
		     threads = w->trace->thread_keys.count;

	w->thread_wanted = mem_alloc(threads, sizeof(*w->thread_wanted));
	for (size_t i = 0; i < threads; i++)
		w->thread_wanted[i] =
			!w->p->has_device && scope_has_thread(w->p, w->trace, (uint32_t)i);
	w->arrows.next = mem_zalloc(launches + 1, sizeof(*w->arrows.next));
	w->arrows.flags = mem_zalloc(launches, sizeof(*w->arrows.flags));
	look_at_ops(w);
	hand_out_ids(w);
}

void arrows_free(struct arrows *a)
{
	free(a->next);
	free(a->flags);
	free(a->launch_of_call);
	free(a->earliest_call_ns);
	*a = (struct arrows){0};
}
