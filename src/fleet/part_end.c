/* What was a member in when its capture ended? */
#include "fleet/part_making.h"

#include "base/idmap.h"
#include "base/mem.h"

#include <stdlib.h>

/*
 * The last call or range that ended: a capture may be cut to less than it says. Ranges that were
 * never closed were open when it ended, wherever that is.
 */
static int last_seen(const struct part_making *x, int64_t *ret_ns, struct err *e)
{
	static const enum trace_kind kinds[] = {TRACE_API, TRACE_NVTX};
	const struct span captured = x->part->captured;

	*ret_ns = INT64_MIN;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		const struct events *ev = &x->trace->events[kinds[k]];

		if (trace_load(x->trace, kinds[k], COLS_TIMES, e) < 0)
			return -1;
		for (uint64_t i = 0; ev->start_ns && ev->duration_ns && i < ev->count; i++) {
			const int64_t ns = ev->duration_ns[i] == DURATION_NONE
						   ? ev->start_ns[i]
						   : sat_add(ev->start_ns[i], ev->duration_ns[i]);

			*ret_ns = ns > *ret_ns ? ns : *ret_ns;
		}
	}
	if (x->trace->never_closed_count && captured.start_ns <= captured.end_ns &&
	    captured.end_ns > *ret_ns)
		*ret_ns = captured.end_ns;
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
	bool knows_stream;	   /* where its kernel would have been */
	bool ran_on;		   /* something ran there that was launched after it … */
	bool ran_beside;	   /* … or elsewhere */
};

struct endings {
	struct part_making *x;
	struct ending *all;		/* by member */
	struct part_launches *launches; /* by member */
	struct idmap of_process;	/* a member; of a process with several GPUs the first */
	int64_t seen_ns;
};

/* Of a process with several GPUs nobody knows which of them a call is for. */
static void begin(struct endings *n)
{
	const struct part_making *x = n->x;

	n->all = mem_zalloc(x->count, sizeof(*n->all));
	n->launches = mem_zalloc(x->count, sizeof(*n->launches));
	for (uint32_t i = 0; i < x->count; i++) {
		const uint32_t other = idmap_add(&n->of_process, x->members[i].process, i);

		n->launches[i] = (struct part_launches){.first_ns = INT64_MAX,
							.wait_ns = INT64_MAX,
							.last_ns = INT64_MIN,
							.thread = ID_NONE};
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

/* Whether a kernel is of the communicator of a call; where that is not known, of its type. */
static bool is_alike(const struct part_making *x, const struct collective *c,
		     const struct range *call)
{
	const struct nccl_call of =
		nccl_call_at(&x->comm.calls, (uint32_t)(call - x->comm.calls.calls.forest.ranges));

	return of.communicator == ID_NONE || c->communicator == ID_NONE
		       ? (enum collective_type)c->type == of.type
		       : c->communicator == of.communicator;
}

/* The streams of kernels like those of pending calls, by member. */
static void list_streams(struct endings *n, struct pairs *ret)
{
	const struct part_making *x = n->x;
	const struct events *ev = &x->trace->events[TRACE_KERNELS];

	for (size_t i = 0; i < x->comm.walk.kernel_count && ev->stream; i++) {
		const struct comm_kernel *k = &x->comm.walk.kernels[i];
		const uint32_t member = x->member_of_pair[k->gpu];
		struct ending *m = &n->all[member];

		if (!m->is_pending || !is_alike(x, &x->comm.all[i], m->first))
			continue;
		m->knows_stream = true;
		pairs_number(ret, member, ev->stream[k->row]);
	}
}

/*
 * What was called before something that ran was launched has ended, if both are on one stream.
 * Compute goes on beside a collective that hangs, until it needs what that brings.
 */
static int find_later(struct endings *n, struct err *e)
{
	const size_t count = n->x->count;
	int64_t *after_ns = mem_alloc(count, sizeof(*after_ns));
	int64_t *any_ns = mem_alloc(count, sizeof(*any_ns));
	int64_t *own_ns = mem_alloc(count, sizeof(*own_ns));
	struct pairs streams = {0};
	int result;

	list_streams(n, &streams);
	for (size_t i = 0; i < count; i++)
		after_ns[i] = n->all[i].is_pending ? n->all[i].first->end_ns : INT64_MAX;
	result = part_find_later(n->x, after_ns, NULL, any_ns, e) < 0 ||
				 part_find_later(n->x, after_ns, &streams, own_ns, e) < 0
			 ? -1
			 : 0;
	for (size_t i = 0; i < count && result == 0; i++) {
		struct ending *m = &n->all[i];
		const bool ran = m->is_pending && any_ns[i] > after_ns[i];

		m->ran_on = ran && (!m->knows_stream || own_ns[i] > after_ns[i]);
		m->ran_beside = ran && !m->ran_on;
	}
	pairs_free(&streams);
	free(own_ns);
	free(any_ns);
	free(after_ns);
	return result;
}

/* Whether a GPU that communicates has done nothing for long when the capture ends. */
static bool is_quiet(const struct endings *n, size_t member)
{
	const int64_t gpu_ns = last_op(n->x, member);

	return n->x->part->members[member].collective_count && gpu_ns != PART_UNKNOWN &&
	       n->seen_ns != PART_UNKNOWN && sat_sub(n->seen_ns, gpu_ns) >= PART_STUCK_NS;
}

/*
 * What members launched when the last kernel that ran had been: of those without calls of NCCL, as
 * nothing else tells, and of those that wait in one, as all that was launched before it should have
 * run.
 */
static int find_launches(struct endings *n, struct err *e)
{
	const size_t count = n->x->count;
	int64_t *after_ns = mem_alloc(count, sizeof(*after_ns));
	int64_t *last_ns = mem_alloc(count, sizeof(*last_ns));
	bool any = false;
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		struct part_launches *of = &n->launches[i];

		of->is_asked = n->all[i].is_asked && is_quiet(n, i) &&
			       (!n->all[i].last || n->all[i].is_pending);
		after_ns[i] = of->is_asked ? n->all[i].launched_ns : INT64_MAX;
		any |= of->is_asked;
	}
	if (any)
		result = part_find_later(n->x, after_ns, NULL, last_ns, e);
	for (size_t i = 0; i < count && any && result == 0; i++)
		n->launches[i].ran_ns = last_ns[i] > after_ns[i] ? last_ns[i] : after_ns[i];
	if (any && result == 0)
		result = part_find_launches(n->x, &n->of_process, n->launches, e);
	free(last_ns);
	free(after_ns);
	return result;
}

/* A host that goes on launching until the end is not held up. */
static void take_launches(const struct endings *n, size_t member, struct part_end *end)
{
	const struct part_launches *of = &n->launches[member];

	if (!of->is_asked || !of->count || sat_sub(n->seen_ns, of->last_ns) < PART_STUCK_NS)
		return;
	end->by_launches = true;
	end->type = COLL_OTHER;
	end->calls = of->count;
	end->is_pending = of->first_ns != INT64_MAX;
	if (end->is_pending)
		end->called_ns = part_time(of->first_ns);
}

static void tell_call(const struct part_making *x, uint32_t range, struct part_end *end)
{
	const struct nccl_call call = nccl_call_at(&x->comm.calls, range);
	const struct communicator *of = communicator_at(&x->comm.calls, call.communicator);

	end->type = call.type;
	end->has_communicator = of != NULL;
	end->communicator = of ? of->id : 0;
	end->peer = of && call.peer < PART_PEERS_MAX ? call.peer + 1 : 0;
	if (call.bytes >= 0 && call.bytes <= PART_TIME_MAX)
		end->bytes = call.bytes;
}

/*
 * Whether it waits in its call, and its capture is no cut one: what was launched when the last
 * kernel had been that ran would have run as well, unless its stream was told to wait.
 */
static bool is_stuck(const struct endings *n, size_t member)
{
	const struct ending *m = &n->all[member];
	const struct part_launches *of = &n->launches[member];

	if (!m->is_pending || m->ran_on)
		return false;
	return !m->ran_beside ||
	       (of->is_asked && (of->first_ns == INT64_MAX || of->wait_ns < of->first_ns));
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
				 .path = "",
				 .last_call = "",
				 .last_call_ns = PART_UNKNOWN};
	if (m->is_pending && !is_stuck(n, member))
		return;
	if (!m->last) {
		take_launches(n, member, end);
		return;
	}
	end->calls = m->calls;
	end->is_pending = m->is_pending;
	if (!m->is_pending)
		return;
	end->lacks_kernels =
		n->launches[member].is_asked && n->launches[member].first_ns < m->first->start_ns;
	end->called_ns = part_time(m->first->start_ns);
	tell_call(n->x, (uint32_t)(m->first - n->x->comm.calls.calls.forest.ranges), end);
}

/* The thread of a member's steps, else of its calls, else of its launches; ID_NONE. */
static uint32_t thread_of(const struct endings *n, size_t member)
{
	const struct iteration_lane *lane = n->x->members[member].lane;

	if (lane && lane->thread != ID_NONE)
		return lane->thread;
	return n->all[member].last ? n->all[member].last->thread : n->launches[member].thread;
}

static int take_all(struct endings *n, struct err *e)
{
	uint32_t *threads = mem_alloc(n->x->count, sizeof(*threads));
	int result;

	for (size_t i = 0; i < n->x->count; i++) {
		take_end(n, i);
		threads[i] = thread_of(n, i);
	}
	part_take_places(n->x, threads);
	for (size_t i = 0; i < n->x->count; i++)
		threads[i] = is_quiet(n, i) ? threads[i] : ID_NONE;
	result = part_take_last_calls(n->x, threads, e);
	free(threads);
	return result;
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
	result = find_later(&n, e) < 0 || find_launches(&n, e) < 0 ? -1 : take_all(&n, e);
	idmap_free(&n.of_process);
	free(n.launches);
	free(n.all);
	return result;
}
