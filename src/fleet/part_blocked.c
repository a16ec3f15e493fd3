/*
 * For how long were hosts held up by a full queue of launches?
 *
 * A host that nothing makes wait launches ahead until the queue of its GPU is full, and then goes
 * on as the GPU does: its launches take longer, and say nothing any more of how fast it is itself.
 */
#include "fleet/part_making.h"

#include "analysis/numbers/summary.h"
#include "base/bisect.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"

#include <stdlib.h>

enum {
	AHEAD_NS = 1000000, /* a host that is less ahead of its GPU meets no full queue */
	DEEP = 64,	    /* kernels that wait: no queue is full with fewer, … */
	KNOWN = 16,	    /* launches that tell how long one usually takes */
};

/* … nor with so much less than the most that ever wait. Those that wait in two streams count twice.
 */
static const double deep = 0.25;
/* As long as a launch takes with room in the queue: nobody waits in less. */
static const double longer = 1.5;
/* Where there never is room, the shortest launches had to wait for nobody. */
static const double shortest = 0.05;

struct launch {
	int64_t start_ns, length_ns;
};

/* A member's, and between which of its collectives they are. */
struct held_up {
	struct part_member *m; /* NULL: not asked about */
	int64_t *kernels_ns;   /* when each began, ascending */
	size_t kernels, kernels_cap;
	struct launch *launches; /* in order of time */
	size_t launch_count, launches_cap;
	uint32_t *order; /* its collectives, as they were launched */
	size_t count;	 /* of these whose launch is known */
	bool *is_deep;	 /* by place there: the queue may have been full since the one before */
};

static bool is_ahead(const struct part_member *m)
{
	for (size_t i = 0; i < m->collective_count; i++) {
		const struct part_collective *k = &m->collectives[i];

		if (k->launched_ns != PART_UNKNOWN &&
		    sat_sub(k->start_ns, k->launched_ns) >= AHEAD_NS)
			return true;
	}
	return false;
}

static void list_kernels(const struct part_making *x, struct held_up *all)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	struct process_gpu_cursor at = PROCESS_GPU_CURSOR_START;

	for (uint64_t i = 0; i < ev->count; i++) {
		const uint32_t pair = process_gpus_find(&x->comm.walk.gpus, &at, ev, i);
		const uint32_t member = pair == ID_NONE ? ID_NONE : x->member_of_pair[pair];
		struct held_up *h = member == ID_NONE ? NULL : &all[member];

		if (!h || !h->m)
			continue;
		MEM_GROW(h->kernels_ns, h->kernels_cap, h->kernels + 1);
		h->kernels_ns[h->kernels++] = ev->start_ns[i];
	}
}

static int by_start(const void *a, const void *b, void *ctx)
{
	const struct launch *x = a, *y = b;

	(void)ctx;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int list_launches(const struct part_making *x, const struct idmap *of_process,
			 struct held_up *all, struct err *e)
{
	struct call_classes classes = {0};
	struct calls calls = {0};
	const int result =
		calls_read(x->trace, &calls, e) < 0 || call_classes_read(x->trace, &classes, e) < 0
			? -1
			: 0;

	for (size_t i = 0; i < calls.count && result == 0; i++) {
		const struct call_origin *o = &calls.origins[calls_origin(&calls, i)];
		const uint32_t member =
			o->thread == ID_NONE || call_class_of(&classes, o->name) != CALL_LAUNCH
				? IDMAP_NONE
				: idmap_get(of_process, trace_thread_process(x->trace, o->thread));
		struct held_up *h = member == IDMAP_NONE ? NULL : &all[member];

		if (!h || calls_duration(&calls, i) < 0)
			continue;
		MEM_GROW(h->launches, h->launches_cap, h->launch_count + 1);
		h->launches[h->launch_count++] =
			(struct launch){calls.start_ns[i], calls_duration(&calls, i)};
	}
	call_classes_free(&classes);
	calls_free(&calls);
	return result;
}

static int by_launch(const void *a, const void *b, void *ctx)
{
	const struct part_collective *all = ctx;
	const int64_t x = all[*(const uint32_t *)a].launched_ns,
		      y = all[*(const uint32_t *)b].launched_ns;

	return (x > y) - (x < y);
}

/* How many kernels waited when a collective was launched: those that began until it did. */
static size_t depth_at(const struct held_up *h, const struct part_collective *k)
{
	const size_t from = BISECT(0, h->kernels, i, h->kernels_ns[i] <= k->launched_ns);

	return BISECT(from, h->kernels, i, h->kernels_ns[i] <= k->start_ns) - from;
}

static void find_deep(struct held_up *h)
{
	size_t *depth = mem_alloc(h->count, sizeof(*depth)), most = 0;

	h->is_deep = mem_zalloc(h->count, sizeof(*h->is_deep));
	for (size_t i = 0; i < h->count; i++) {
		depth[i] = depth_at(h, &h->m->collectives[h->order[i]]);
		most = depth[i] > most ? depth[i] : most;
	}
	for (size_t i = 1; i < h->count && most >= DEEP; i++)
		h->is_deep[i] = (double)depth[i - 1] >= deep * (double)most &&
				(double)depth[i] >= deep * (double)most;
	free(depth);
}

/* The launches since the collective before; `at` goes on. */
static int64_t sum_launches(const struct held_up *h, size_t number, size_t *at, size_t *ret_count)
{
	const int64_t until_ns = h->m->collectives[h->order[number]].launched_ns;
	int64_t sum_ns = 0;

	for (*ret_count = 0; *at < h->launch_count && h->launches[*at].start_ns < until_ns;
	     ++*at, ++*ret_count)
		sum_ns = sat_add(sum_ns, h->launches[*at].length_ns);
	return sum_ns;
}

static double shortest_ns(const struct held_up *h)
{
	int64_t *ns = mem_alloc(h->launch_count, sizeof(*ns));
	int64_t *scratch = mem_alloc(h->launch_count, sizeof(*scratch));
	double found;

	for (size_t i = 0; i < h->launch_count; i++)
		ns[i] = h->launches[i].length_ns;
	sort_i64(ns, scratch, h->launch_count);
	found = h->launch_count ? quantile(ns, h->launch_count, shortest) : 0;
	free(scratch);
	free(ns);
	return found;
}

/* How long a launch takes with room in the queue. */
static double usual_ns(const struct held_up *h)
{
	int64_t sum_ns = 0;
	size_t count = 0, at = 0, n;

	for (size_t i = 0; i < h->count; i++) {
		const int64_t launches_ns = sum_launches(h, i, &at, &n);

		if (h->is_deep[i])
			continue;
		sum_ns = sat_add(sum_ns, launches_ns);
		count += n;
	}
	return count >= KNOWN ? (double)sum_ns / (double)count : longer * shortest_ns(h);
}

static void tell(struct held_up *h)
{
	const double usual = usual_ns(h);
	int64_t blocked_ns = 0;
	size_t at = 0, n;

	for (size_t i = 0; i < h->count; i++) {
		const int64_t launches_ns = sum_launches(h, i, &at, &n);
		const double own_ns = usual * (double)n;

		if (h->is_deep[i] && usual > 0 && (double)launches_ns > longer * own_ns)
			blocked_ns =
				sat_add(blocked_ns, sat_sub(launches_ns, sat_of_double(own_ns)));
		h->m->collectives[h->order[i]].blocked_ns = part_time(blocked_ns);
	}
}

static void take_member(struct held_up *h)
{
	int64_t *scratch = mem_alloc(h->kernels, sizeof(*scratch));

	h->order = mem_alloc(h->m->collective_count, sizeof(*h->order));
	for (uint32_t i = 0; i < h->m->collective_count; i++) {
		if (h->m->collectives[i].launched_ns != PART_UNKNOWN)
			h->order[h->count++] = i;
	}
	sort_stable(h->order, h->count, sizeof(*h->order), by_launch, h->m->collectives);
	sort_stable(h->launches, h->launch_count, sizeof(*h->launches), by_start, NULL);
	sort_i64(h->kernels_ns, scratch, h->kernels);
	find_deep(h);
	tell(h);
	free(scratch);
}

/* Of a process that drives several GPUs the first: nobody knows whose queue its launches wait for.
 */
int part_take_blocked(struct part_making *x, struct err *e)
{
	struct held_up *all = mem_zalloc(x->count, sizeof(*all));
	struct idmap of_process = {0};
	int result = 0;

	for (uint32_t i = 0; i < x->count; i++) {
		if (!is_ahead(&x->part->members[i]) ||
		    idmap_add(&of_process, x->members[i].process, i) != i)
			continue;
		all[i].m = &x->part->members[i];
	}
	if (of_process.count)
		result = list_launches(x, &of_process, all, e);
	if (of_process.count && result == 0)
		list_kernels(x, all);
	for (size_t i = 0; i < x->count; i++) {
		if (all[i].m && result == 0)
			take_member(&all[i]);
		free(all[i].kernels_ns);
		free(all[i].launches);
		free(all[i].order);
		free(all[i].is_deep);
	}
	idmap_free(&of_process);
	free(all);
	return result;
}
