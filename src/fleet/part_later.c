/* When was the last kernel launched that a member ran after some moment? */
#include "fleet/part_making.h"

#include "base/mem.h"

#include <stdlib.h>

/* Kernels that began after their member's moment, on streams that count. */
struct later {
	uint32_t *rows, *members;
	size_t count, rows_cap, members_cap;
};

static void add_later(struct later *l, uint32_t row, uint32_t member)
{
	MEM_GROW(l->rows, l->rows_cap, l->count + 1);
	MEM_GROW(l->members, l->members_cap, l->count + 1);
	l->members[l->count] = member;
	l->rows[l->count++] = row;
}

static bool counts(const struct events *ev, const struct pairs *streams, uint64_t row,
		   uint32_t member)
{
	const uint32_t stream = ev->stream ? ev->stream[row] : ID_NONE;

	return !streams || pairs_find(streams, member, stream) != IDMAP_NONE;
}

static struct later list_later(const struct part_making *x, const int64_t *after_ns,
			       const struct pairs *streams)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;
	struct later l = {0};
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < x->count; i++)
		first_ns = after_ns[i] < first_ns ? after_ns[i] : first_ns;
	for (uint64_t i = 0; i < ev->count && first_ns < INT64_MAX; i++) {
		uint32_t pair, member;

		if (ev->start_ns[i] <= first_ns)
			continue;
		pair = process_gpus_find(&x->comm.walk.gpus, &at, ev, i);
		member = pair == ID_NONE ? ID_NONE : x->member_of_pair[pair];
		if (member != ID_NONE && ev->start_ns[i] > after_ns[member] &&
		    counts(ev, streams, i, member))
			add_later(&l, (uint32_t)i, member);
	}
	return l;
}

int part_find_later(struct part_making *x, const int64_t *after_ns, const struct pairs *streams,
		    int64_t *ret_ns, struct err *e)
{
	struct later l = list_later(x, after_ns, streams);
	struct launch_cursor cursor = {0};
	struct picked_calls calls = {0};
	int result = 0;

	for (size_t i = 0; i < x->count; i++)
		ret_ns[i] = INT64_MIN;
	if (l.count)
		result = picked_calls_find(x->trace, TRACE_KERNELS, l.rows, l.count, &calls, e);
	for (size_t i = 0; i < l.count && result == 0; i++) {
		int64_t *last_ns = &ret_ns[l.members[i]];
		struct picked_call call;

		if (picked_call_of(&calls, l.rows[i], &cursor, &call) && call.start_ns > *last_ns)
			*last_ns = call.start_ns;
	}
	picked_calls_free(&calls);
	free(l.members);
	free(l.rows);
	return result;
}
