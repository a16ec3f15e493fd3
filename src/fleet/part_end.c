/* What was a member in when its capture ended? */
#include "fleet/part_making.h"

#include "base/idmap.h"
#include "base/mem.h"

#include <stdlib.h>

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

/* What is gathered of a member, in one pass over each table for all of them. */
struct ending {
	bool is_asked;		   /* its calls are known to be its own */
	int64_t launched_ns;	   /* the last communication kernel that ran was launched then */
	const struct range *first; /* of NCCL's calls: the first after that; … */
	const struct range *last;  /* … the last of all */
	uint64_t calls;		   /* how many there are */
	bool is_pending;	   /* no kernel came of the first, as far as is known */
	bool ran_on;		   /* something ran that was launched after it */
};

struct endings {
	struct part_making *x;
	struct ending *all;	 /* by member */
	struct idmap of_process; /* a member; of a process with several GPUs the first */
	int64_t seen_ns;
};

/* Of a process with several GPUs nobody knows which of them a call is for. */
static void begin(struct endings *n)
{
	const struct part_making *x = n->x;

	n->all = mem_zalloc(x->count, sizeof(*n->all));
	for (uint32_t i = 0; i < x->count; i++) {
		const uint32_t other = idmap_add(&n->of_process, x->members[i].process, i);

		n->all[i].is_asked =
			find_last_launch(&x->part->members[i], &n->all[i].launched_ns) &&
			other == i;
		if (other != i)
			n->all[other].is_asked = false;
	}
}

static void find_calls(struct endings *n)
{
	const struct range_forest *calls = &n->x->comm.calls.calls.forest;

	for (size_t i = 0; i < calls->count; i++) {
		const struct range *r = &calls->ranges[i];
		const uint32_t member =
			idmap_get(&n->of_process, trace_thread_process(n->x->trace, r->thread));
		struct ending *m;

		if (member == IDMAP_NONE || !n->all[member].is_asked)
			continue;
		m = &n->all[member];
		m->calls++;
		m->last = !m->last || r->start_ns > m->last->start_ns ? r : m->last;
		if (r->start_ns > m->launched_ns && (!m->first || r->start_ns < m->first->start_ns))
			m->first = r;
	}
}

/* A host that goes on calling until the end is not held up: kernels of it may be lost. */
static void judge_calls(struct endings *n)
{
	for (size_t i = 0; i < n->x->count; i++) {
		struct ending *m = &n->all[i];

		if (!m->last || sat_sub(n->seen_ns, m->last->start_ns) < PART_STUCK_NS)
			m->calls = 0;
		m->is_pending = m->calls && m->first;
	}
}

/* Kernels that began after a call which none came of, and whose they are; the caller frees both. */
static uint32_t *list_later(const struct endings *n, uint32_t **ret_members, size_t *ret)
{
	const struct events *ev = &n->x->trace->events[TRACE_KERNELS];
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;
	uint32_t *rows = NULL, *members = NULL;
	size_t cap = 0, members_cap = 0;
	int64_t first_ns = INT64_MAX;

	*ret = 0;
	for (size_t i = 0; i < n->x->count; i++) {
		if (n->all[i].is_pending && n->all[i].first->end_ns < first_ns)
			first_ns = n->all[i].first->end_ns;
	}
	for (uint64_t i = 0; i < ev->count && first_ns < INT64_MAX; i++) {
		uint32_t pair, member;

		if (ev->start_ns[i] <= first_ns)
			continue;
		pair = process_gpus_find(&n->x->comm.walk.gpus, &at, ev, i);
		member = pair == ID_NONE ? ID_NONE : n->x->member_of_pair[pair];
		if (member == ID_NONE || !n->all[member].is_pending ||
		    ev->start_ns[i] <= n->all[member].first->end_ns)
			continue;
		MEM_GROW(rows, cap, *ret + 1);
		MEM_GROW(members, members_cap, *ret + 1);
		members[*ret] = member;
		rows[(*ret)++] = (uint32_t)i;
	}
	*ret_members = members;
	return rows;
}

/* What was called before something that ran was launched has ended. */
static int find_later(struct endings *n, struct err *e)
{
	uint32_t *members;
	size_t count;
	uint32_t *rows = list_later(n, &members, &count);
	struct launch_cursor cursor = {0};
	struct picked_calls calls = {0};
	int result = 0;

	if (count)
		result = picked_calls_find(n->x->trace, TRACE_KERNELS, rows, count, &calls, e);
	for (size_t i = 0; i < count && result == 0; i++) {
		struct ending *m = &n->all[members[i]];
		struct picked_call call;

		m->ran_on |= picked_call_of(&calls, rows[i], &cursor, &call) &&
			     call.start_ns > m->first->end_ns;
	}
	picked_calls_free(&calls);
	free(members);
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

static void take_end(struct endings *n, size_t member)
{
	const struct ending *m = &n->all[member];
	struct part_end *end = &n->x->part->members[member].end;

	*end = (struct part_end){.seen_ns = n->seen_ns,
				 .gpu_ns = last_op(n->x, member),
				 .called_ns = PART_UNKNOWN,
				 .bytes = PART_UNKNOWN,
				 .path_ns = PART_UNKNOWN,
				 .path = ""};
	if (m->is_pending && m->ran_on)
		return;
	end->calls = m->calls;
	end->is_pending = m->is_pending;
	if (!m->is_pending)
		return;
	end->called_ns = part_time(m->first->start_ns);
	tell_call(n->x, (uint32_t)(m->first - n->x->comm.calls.calls.forest.ranges), end);
}

/* The thread of a member's calls, else that of its steps; ID_NONE. */
static uint32_t thread_of(const struct endings *n, size_t member)
{
	const struct iteration_lane *lane = n->x->members[member].lane;

	if (n->all[member].last)
		return n->all[member].last->thread;
	return lane ? lane->thread : ID_NONE;
}

static void take_all(struct endings *n)
{
	uint32_t *threads = mem_alloc(n->x->count, sizeof(*threads));

	for (size_t i = 0; i < n->x->count; i++) {
		take_end(n, i);
		threads[i] = thread_of(n, i);
	}
	part_take_places(n->x, threads);
	free(threads);
}

int part_take_ends(struct part_making *x, struct err *e)
{
	struct endings n = {.x = x};
	int result;

	if (last_seen(x, &n.seen_ns, e) < 0)
		return -1;
	begin(&n);
	find_calls(&n);
	judge_calls(&n);
	result = find_later(&n, e);
	if (result == 0)
		take_all(&n);
	idmap_free(&n.of_process);
	free(n.all);
	return result;
}
