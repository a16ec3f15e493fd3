/* What was a member in when its capture ended? */
#include "fleet/part_making.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

/* What a rank hangs in holds this time before the end; what it is about to finish does not. */
static const int64_t shortly_ns = PART_STUCK_NS / 2;

/* The last call or range that ended: a capture may be cut to less than it says. */
static int last_seen(const struct part_making *x, int64_t *ret_ns, struct err *e)
{
	static const enum trace_kind kinds[] = {TRACE_API, TRACE_NVTX};

	*ret_ns = INT64_MIN;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		const struct events *ev = &x->trace->events[kinds[k]];

		if (trace_load(x->trace, kinds[k], COLS_TIMES, e) < 0)
			return -1;
		for (uint64_t i = 0; i < ev->count; i++) {
			const int64_t ns = ev->duration_ns[i] == DURATION_NONE
						   ? ev->start_ns[i]
						   : sat_add(ev->start_ns[i], ev->duration_ns[i]);

			*ret_ns = ns > *ret_ns ? ns : *ret_ns;
		}
	}
	*ret_ns = *ret_ns == INT64_MIN ? PART_UNKNOWN : part_time(*ret_ns);
	return 0;
}

/* The GPU's last op, of whatever class. */
static int64_t last_op(const struct part_making *x, size_t member)
{
	const struct comm_gpu *at = &x->comm.walk.at[x->members[member].pair];
	int64_t last_ns = INT64_MIN;

	for (int i = 0; i < OP_CLASSES; i++)
		last_ns = at->until_ns[i] > last_ns ? at->until_ns[i] : last_ns;
	return last_ns == INT64_MIN ? PART_UNKNOWN : part_time(last_ns);
}

/* When the last communication kernel that ran was launched; false: launches are not known. */
static bool find_last_launch(const struct part_member *m, int64_t *ret_ns)
{
	*ret_ns = INT64_MIN;
	for (size_t i = 0; i < m->collective_count; i++) {
		const int64_t ns = m->collectives[i].launched_ns;

		*ret_ns = ns != PART_UNKNOWN && ns > *ret_ns ? ns : *ret_ns;
	}
	return !m->collective_count || *ret_ns != INT64_MIN;
}

/* Of a process with several GPUs nobody knows which of them a call is for. */
static bool is_alone(const struct part_making *x, size_t member)
{
	for (size_t i = 0; i < x->count; i++) {
		if (i != member && x->members[i].process == x->members[member].process)
			return false;
	}
	return true;
}

/* Kernels of a member that began after a moment; the caller frees them. */
static uint32_t *list_later(const struct part_making *x, size_t member, int64_t at_ns, size_t *ret)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;
	uint32_t *rows = NULL;
	size_t cap = 0;

	*ret = 0;
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t pair;

		if (ev->start_ns[i] <= at_ns)
			continue;
		pair = process_gpus_find(&x->comm.walk.gpus, &at, ev, i);
		if (pair == ID_NONE || x->member_of_pair[pair] != member)
			continue;
		MEM_GROW(rows, cap, *ret + 1);
		rows[(*ret)++] = (uint32_t)i;
	}
	return rows;
}

/* Whether something ran that was launched after a moment: what was called before has ended. */
static int runs_on(const struct part_making *x, size_t member, int64_t at_ns, bool *ret,
		   struct err *e)
{
	size_t count;
	uint32_t *rows = list_later(x, member, at_ns, &count);
	struct launch_cursor cursor = {0};
	struct picked_calls calls;
	const int result = picked_calls_find(x->trace, TRACE_KERNELS, rows, count, &calls, e);

	*ret = false;
	for (size_t i = 0; i < count && result == 0; i++) {
		struct picked_call call;

		*ret |= picked_call_of(&calls, rows[i], &cursor, &call) && call.start_ns > at_ns;
	}
	picked_calls_free(&calls);
	free(rows);
	return result;
}

static void tell_call(const struct part_making *x, uint32_t range, struct part_end *end)
{
	const struct nccl_call call = nccl_call_at(&x->comm.calls, range);
	const struct communicator *of = communicator_at(&x->comm.calls, call.communicator);

	end->type = call.type;
	end->has_communicator = of != NULL;
	end->communicator = of ? of->id : 0;
	if (call.bytes >= 0 && call.bytes <= PART_TIME_MAX)
		end->bytes = call.bytes;
}

/* Of NCCL's calls of a process, the first that no kernel came of, and its thread. */
static int find_call(const struct part_making *x, size_t member, struct part_end *end,
		     uint32_t *ret_thread, struct err *e)
{
	const struct range_forest *calls = &x->comm.calls.calls.forest;
	const struct range *first = NULL, *last = NULL;
	int64_t launched_ns;
	uint64_t count = 0;
	bool ran_on;

	if (!is_alone(x, member) || !find_last_launch(&x->part->members[member], &launched_ns))
		return 0;
	for (size_t i = 0; i < calls->count; i++) {
		const struct range *r = &calls->ranges[i];

		if (trace_thread_process(x->trace, r->thread) != x->members[member].process)
			continue;
		count++;
		last = !last || r->start_ns > last->start_ns ? r : last;
		if (r->start_ns > launched_ns && (!first || r->start_ns < first->start_ns))
			first = r;
	}
	*ret_thread = last ? last->thread : ID_NONE;
	/* A host that goes on calling until the end is not held up: kernels of it may be lost. */
	if (!last || sat_sub(end->seen_ns, last->start_ns) < PART_STUCK_NS)
		return 0;
	if (!first) {
		end->calls = count;
		return 0;
	}
	if (runs_on(x, member, first->end_ns, &ran_on, e) < 0)
		return -1;
	if (ran_on)
		return 0;
	end->calls = count;
	end->is_pending = true;
	end->called_ns = part_time(first->start_ns);
	tell_call(x, (uint32_t)(first - calls->ranges), end);
	return 0;
}

static int by_start(const void *a, const void *b, void *ctx)
{
	const int64_t *start_ns = ctx;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (start_ns[x] != start_ns[y])
		return start_ns[x] < start_ns[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static bool is_open_at(const struct trace *t, uint32_t row, int64_t at_ns)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	if (ev->start_ns[row] > at_ns || ev->duration_ns[row] == DURATION_NONE)
		return false;
	return range_never_closed(t, row) ||
	       sat_add(ev->start_ns[row], ev->duration_ns[row]) >= at_ns;
}

/* The program's ranges that a thread is in, the outermost first; the caller frees them. */
static uint32_t *list_ranges(const struct trace *t, uint32_t thread, int64_t at_ns, size_t *ret)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	uint32_t *rows = NULL;
	size_t cap = 0;

	*ret = 0;
	for (uint64_t i = 0; i < ev->count && ev->thread && ev->event_type && ev->name; i++) {
		if (ev->thread[i] != thread || !nvtx_is_push_pop(ev->event_type[i]) ||
		    !is_open_at(t, (uint32_t)i, at_ns) || ev->name[i] == NAME_NONE ||
		    str_starts(trace_name(t, ev->name[i]), "nccl"))
			continue;
		MEM_GROW(rows, cap, *ret + 1);
		rows[(*ret)++] = (uint32_t)i;
	}
	sort_stable(rows, *ret, sizeof(*rows), by_start, ev->start_ns);
	return rows;
}

static void find_place(const struct part_making *x, uint32_t thread, struct part_end *end)
{
	const struct trace *t = x->trace;
	SCOPED_BUF path = {0};
	uint32_t *rows;
	size_t count;

	if (thread == ID_NONE || end->seen_ns == PART_UNKNOWN)
		return;
	rows = list_ranges(t, thread, sat_sub(end->seen_ns, shortly_ns), &count);
	for (size_t i = 0; i < count; i++) {
		const struct str name = trace_name(t, t->events[TRACE_NVTX].name[rows[i]]);

		buf_adds(&path, i ? " / " : "");
		buf_add(&path, name.s, name.len);
		end->path_ns = part_time(t->events[TRACE_NVTX].start_ns[rows[i]]);
	}
	end->path = count ? part_text(&x->part->arena, buf_str(&path)) : "";
	free(rows);
}

static int take_end(struct part_making *x, size_t member, int64_t seen_ns, struct err *e)
{
	const struct iteration_lane *lane = x->members[member].lane;
	struct part_end *end = &x->part->members[member].end;
	uint32_t thread = ID_NONE;

	*end = (struct part_end){.seen_ns = seen_ns,
				 .gpu_ns = last_op(x, member),
				 .called_ns = PART_UNKNOWN,
				 .bytes = PART_UNKNOWN,
				 .path_ns = PART_UNKNOWN,
				 .path = ""};
	if (find_call(x, member, end, &thread, e) < 0)
		return -1;
	find_place(x, thread == ID_NONE && lane ? lane->thread : thread, end);
	return 0;
}

int part_take_ends(struct part_making *x, struct err *e)
{
	int64_t seen_ns;

	if (last_seen(x, &seen_ns, e) < 0)
		return -1;
	for (size_t i = 0; i < x->count; i++) {
		if (take_end(x, i, seen_ns, e) < 0)
			return -1;
	}
	return 0;
}
