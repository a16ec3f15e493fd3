/* Which work did each step launch, and so when was it done? */
#include "analysis/steps/iterations.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/ops/ops.h"
#include "trace/ranges/attribution.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 100000 }; /* kernels, at least half of that */

/* Where the work of each process goes: the steps of its lane. */
struct joining {
	struct iterations *it;
	const struct trace *trace;
	const struct scope *p;
	const struct device_map *devices;
	const struct launches *launches;
	size_t *lane_of_process; /* lane_count: it has none */
	size_t *near;		 /* by lane: the step found last */
	/* Where a device was asked for: lanes that use it, and launches that launch something
	 * there.
	 */
	bool *uses, *asked_launch;
};

static void open_joining(struct joining *j)
{
	const struct iterations *it = j->it;

	j->near = mem_zalloc(it->lane_count, sizeof(*j->near));
	j->lane_of_process = mem_alloc(j->trace->process_keys.count, sizeof(*j->lane_of_process));
	for (size_t i = 0; i < j->trace->process_keys.count; i++)
		j->lane_of_process[i] = it->lane_count;
	for (size_t i = 0; i < it->lane_count; i++) {
		if (it->lanes[i].process != ID_NONE)
			j->lane_of_process[it->lanes[i].process] = i;
	}
}

static void close_joining(struct joining *j)
{
	free(j->lane_of_process);
	free(j->near);
}

/* What is nobody's is the only one's. */
static size_t lane_of(const struct joining *j, uint32_t process)
{
	if (process == ID_NONE)
		return j->it->lane_count == 1 ? 0 : j->it->lane_count;
	return j->lane_of_process[process];
}

/*
 * A range holds its start and its end. Where kernels tell the steps, one ends where the next kernel
 * is launched, which is none of its own; the last kernel of all has none after it.
 */
static bool has_ended(const struct iterations *it, const struct iteration *s, int64_t at_ns)
{
	return at_ns > s->end_ns ||
	       (at_ns == s->end_ns && it->source == ITER_KERNELS && s->next_row != ID_NONE);
}

/* The step that holds a moment: the last that began by then, unless it has ended. */
static struct iteration *find_step(struct joining *j, uint32_t process, int64_t at_ns)
{
	size_t number = lane_of(j, process);
	const struct iteration_lane *lane = &j->it->lanes[number];
	struct iteration *steps;
	size_t low = 0, high, near;

	if (number == j->it->lane_count)
		return NULL;
	steps = lane_steps(j->it, lane);
	near = j->near[number];
	high = lane->count;
	if (steps[near].start_ns <= at_ns) {
		low = near;
		if (near + 1 == lane->count || steps[near + 1].start_ns > at_ns)
			high = near + 1;
	}
	low = BISECT(low + 1, high, at, steps[at].start_ns <= at_ns) - 1;
	j->near[number] = low;
	if (steps[low].start_ns > at_ns || has_ended(j->it, &steps[low], at_ns))
		return NULL;
	return &steps[low];
}

static void add_op(struct iteration *i, enum trace_kind kind, int64_t start_ns, int64_t end_ns)
{
	if (!i->ops || start_ns < i->gpu_start_ns)
		i->gpu_start_ns = start_ns;
	if (!i->ops || end_ns > i->gpu_end_ns)
		i->gpu_end_ns = end_ns;
	i->ops++;
	i->kernels += kind == TRACE_KERNELS;
}

/* Without launches the kernels' own times tell, where steps are told by kernels. */
static bool launched_at(const struct joining *j, enum trace_kind kind, uint64_t row,
			uint32_t *ret_process, int64_t *ret_ns)
{
	const struct events *ev = &j->trace->events[kind];
	const struct launches *l = j->launches;
	struct api_call call;
	uint32_t thread;

	if (!l) {
		*ret_process = event_process(ev, row);
		*ret_ns = ev->start_ns[row];
		return j->it->source == ITER_KERNELS;
	}
	if (!(l->kinds & 1u << kind) || !launches_call(l, l->begin[kind] + row, &call))
		return false;
	thread = launches_origin(l, &call).thread;
	if (iterations_is_apart(j->it, thread))
		return false;
	*ret_process = thread == ID_NONE ? ID_NONE : trace_thread_process(j->trace, thread);
	*ret_ns = call.start_ns;
	return true;
}

/* Whether an op ran where it was asked about. */
static bool is_asked(struct joining *j, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &j->trace->events[kind];
	const struct launches *l = j->launches;
	uint32_t process = event_process(ev, row);
	size_t lane;

	if (!j->p->has_device)
		return true;
	if (device_map_of(j->devices, ev, row) != j->p->device)
		return false;
	lane = lane_of(j, process);
	if (lane < j->it->lane_count)
		j->uses[lane] = true;
	if (l && l->kinds & 1u << kind && l->launch_of_op[l->begin[kind] + row] != LAUNCH_NONE)
		j->asked_launch[l->launch_of_op[l->begin[kind] + row]] = true;
	return true;
}

static void add_work(struct iterations *it, const struct iteration *step, enum trace_kind kind,
		     int64_t ns)
{
	const bool computes = kind == TRACE_KERNELS || kind == TRACE_GRAPHS;

	if (ns < 0)
		return;
	it->all_work_ns = sat_add(it->all_work_ns, ns);
	it->all_kernel_ns = sat_add(it->all_kernel_ns, computes ? ns : 0);
	if (!step)
		return;
	it->work_ns = sat_add(it->work_ns, ns);
	it->kernel_ns = sat_add(it->kernel_ns, computes ? ns : 0);
}

static void join_kind(struct joining *j, enum trace_kind kind)
{
	const struct events *ev = &j->trace->events[kind];

	for (uint64_t i = 0; ev->start_ns && ev->duration_ns && i < ev->count; i++) {
		struct iteration *step;
		uint32_t process;
		int64_t at_ns;

		if (ev->duration_ns[i] == DURATION_NONE || !is_asked(j, kind, i) ||
		    !launched_at(j, kind, i, &process, &at_ns))
			continue;
		step = find_step(j, process, at_ns);
		if (scope_has_process(j->p, j->trace, process))
			add_work(j->it, step, kind, ev->duration_ns[i]);
		if (step)
			add_op(step, kind, ev->start_ns[i], op_end_ns(ev, i));
	}
}

/* By lane, the step with the median number of kernels; of those, one that comes late. */
static size_t *choose_usual(const struct iterations *it)
{
	size_t *usual = mem_zalloc(it->lane_count, sizeof(*usual)); /* in it->all */

	for (size_t l = 0; l < it->lane_count; l++) {
		const struct iteration *steps = lane_steps(it, &it->lanes[l]);
		const size_t n = it->lanes[l].count;
		int64_t *kernels = mem_alloc(n, sizeof(*kernels));
		double median;

		for (size_t i = 0; i < n; i++)
			kernels[i] = (int64_t)steps[i].kernels;
		median = sort_median(kernels, n);
		usual[l] = it->lanes[l].begin;
		for (size_t i = 0; i < n; i++) {
			const double off = fabs((double)steps[i].kernels - median);

			if (off <= fabs((double)it->all[usual[l]].kernels - median))
				usual[l] = it->lanes[l].begin + i;
		}
		free(kernels);
	}
	return usual;
}

static struct iteration *step_of_kernel(struct joining *j, uint64_t row, size_t *ret_lane)
{
	uint32_t process;
	int64_t at_ns;

	if (j->trace->events[TRACE_KERNELS].duration_ns[row] == DURATION_NONE ||
	    !is_asked(j, TRACE_KERNELS, row) ||
	    !launched_at(j, TRACE_KERNELS, row, &process, &at_ns))
		return NULL;
	*ret_lane = lane_of(j, process);
	return find_step(j, process, at_ns);
}

static bool has_names(const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_KERNELS];

	return ev->start_ns && ev->duration_ns && ev->name;
}

/* Of the steps, those that have more than half of their kernels in common with the usual one. */
static double share_alike(const struct iterations *it, const size_t *usual)
{
	size_t alike = 0;

	for (size_t l = 0; l < it->lane_count; l++) {
		const struct iteration *steps = lane_steps(it, &it->lanes[l]);
		const uint64_t kernels = it->all[usual[l]].kernels;

		for (size_t i = 0; i < it->lanes[l].count; i++) {
			const uint64_t most =
				steps[i].kernels > kernels ? steps[i].kernels : kernels;

			alike += steps[i].usual_kernels * 2 > most || !most;
		}
	}
	return (double)alike / (double)it->count;
}

/* Which kernels of a step are those that a usual one launches? */
static void count_usual(struct joining *j)
{
	const struct events *ev = &j->trace->events[TRACE_KERNELS];
	size_t *usual = choose_usual(j->it);
	uint64_t *lanes_of_name = mem_zalloc(j->trace->names.count, sizeof(*lanes_of_name));
	size_t lane = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < ev->count; i++) {
			const uint32_t name = ev->name[i];
			struct iteration *step = step_of_kernel(j, i, &lane);

			if (!step || name == NAME_NONE)
				continue;
			if (pass == 0 && step == &j->it->all[usual[lane]])
				lanes_of_name[name] |= UINT64_C(1) << lane;
			else if (pass == 1 && lanes_of_name[name] >> lane & 1)
				step->usual_kernels++;
		}
	}
	j->it->same_kernels = share_alike(j->it, usual);
	free(lanes_of_name);
	free(usual);
}

static void count_launches(struct joining *j)
{
	const struct launches *l = j->launches;

	for (size_t launch = 0; l && launch < l->launch_count; launch++) {
		struct iteration *step = NULL;
		struct api_call call;
		uint32_t thread;

		if ((j->p->has_device && !j->asked_launch[launch]) ||
		    !launches_earliest_call(l, launch, &call))
			continue;
		thread = launches_origin(l, &call).thread;
		if (thread != ID_NONE && !iterations_is_apart(j->it, thread))
			step = find_step(j, trace_thread_process(j->trace, thread), call.start_ns);
		if (step)
			step->launches++;
	}
}

static bool is_launched(const struct launches *l, uint32_t row)
{
	return l->kinds & 1u << TRACE_KERNELS &&
	       launches_has_call(l, l->begin[TRACE_KERNELS] + row);
}

/*
 * Kernels may have been launched before the capture began: the first repetition is then no whole
 * step, nor is the last where launches are lost. Where all are, nobody can tell. The time of the
 * second begins after the first all the same.
 */
static void leave_out_cut(struct iterations *it, struct iteration_lane *lane,
			  const struct launches *l)
{
	const struct iteration *steps = lane_steps(it, lane), *last = &steps[lane->count - 1];
	size_t before = lane->count;

	if (lane->count > 1 && is_launched(l, last->first_row) && !is_launched(l, last->last_row))
		lane->count--;
	if (lane->count > 1 && !is_launched(l, steps[0].first_row) &&
	    is_launched(l, steps[1].first_row)) {
		lane->begin++;
		lane->count--;
	}
	it->cut_steps += before - lane->count;
}

/* Steps lie together again, and count from 0. */
static void close_up(struct iterations *it)
{
	size_t count = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		struct iteration_lane *lane = &it->lanes[i];
		size_t begin = count;

		for (size_t k = 0; k < lane->count; k++) {
			it->all[count] = it->all[lane->begin + k];
			it->all[count++].number = (uint32_t)k;
		}
		lane->begin = begin;
	}
	it->count = count;
	iterations_describe(it);
}

/* What a few of the kernels say before all are joined. */
struct iteration_sample iterations_sample(struct iterations *it, const struct trace *t,
					  const struct scope *p, const struct launches *l)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	const uint64_t stride = ev->count / SAMPLES + 1;
	struct joining j = {it, t, p, NULL, .launches = l};
	struct iteration_sample ret = {0};
	uint32_t process;
	int64_t at_ns;

	if (!ev->start_ns || !ev->duration_ns)
		return ret;
	open_joining(&j);
	for (uint64_t i = 0; i < ev->count; i += stride) {
		if (ev->duration_ns[i] == DURATION_NONE || ev->duration_ns[i] < 0 ||
		    !launched_at(&j, TRACE_KERNELS, i, &process, &at_ns) ||
		    !scope_has_process(p, t, process))
			continue;
		ret.all_ns += (double)ev->duration_ns[i] * (double)stride;
		if (find_step(&j, process, at_ns))
			ret.ns += (double)ev->duration_ns[i] * (double)stride;
	}
	close_joining(&j);
	return ret;
}

static int64_t call_start(const struct launches *l, uint32_t row, int64_t otherwise_ns)
{
	struct api_call call;

	if (row == ID_NONE || !(l->kinds & 1u << TRACE_KERNELS) ||
	    !launches_call(l, l->begin[TRACE_KERNELS] + row, &call))
		return otherwise_ns;
	return call.start_ns;
}

/* Steps told by kernels begin on the host where their first kernel is launched. */
static void move_to_host(struct iterations *it, const struct iteration_lane *lane,
			 const struct launches *l)
{
	struct iteration *steps = lane_steps(it, lane);
	int64_t before_ns = INT64_MIN;

	for (size_t i = 0; i < lane->count; i++) {
		struct iteration *s = &steps[i];

		s->start_ns = call_start(l, s->first_row, s->start_ns);
		s->end_ns = call_start(l, s->next_row, s->end_ns);
		if (s->start_ns < before_ns)
			s->start_ns = before_ns;
		if (s->end_ns < s->start_ns)
			s->end_ns = s->start_ns;
		before_ns = s->end_ns;
	}
}

/*
 * The host runs ahead: while it is in a step, the GPU may still be in the one before. A step's own
 * time begins when the one before is done, so that no time is in two steps, and its waits are.
 */
static void find_own_time(struct iterations *it, const struct iteration_lane *lane)
{
	struct iteration *steps = lane_steps(it, lane);
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < lane->count; i++) {
		struct iteration *s = &steps[i];

		s->from_ns = s->start_ns > until_ns ? s->start_ns : until_ns;
		s->to_ns = s->end_ns > s->from_ns ? s->end_ns : s->from_ns;
		if (s->ops && s->gpu_end_ns > s->to_ns)
			s->to_ns = s->gpu_end_ns;
		until_ns = s->to_ns;
	}
}

/* A process that never uses the device has no steps on it. */
static void leave_out_lanes(struct iterations *it, const bool *uses)
{
	size_t count = 0;

	it->main_lane = 0;
	for (size_t i = 0; i < it->lane_count; i++) {
		if (!uses[i])
			continue;
		it->lanes[count] = it->lanes[i];
		if (it->lanes[count].total_ns > it->lanes[it->main_lane].total_ns)
			it->main_lane = count;
		count++;
	}
	it->lane_count = count;
}

static void begin_lanes(struct joining *j)
{
	struct iterations *it = j->it;

	for (size_t i = 0; i < it->lane_count; i++) {
		if (it->source == ITER_KERNELS && j->launches)
			move_to_host(it, &it->lanes[i], j->launches);
	}
}

static void end_lanes(struct joining *j)
{
	struct iterations *it = j->it;

	for (size_t i = 0; i < it->lane_count; i++) {
		find_own_time(it, &it->lanes[i]);
		if (it->source == ITER_KERNELS && j->launches)
			leave_out_cut(it, &it->lanes[i], j->launches);
	}
	if (j->p->has_device)
		leave_out_lanes(it, j->uses);
	close_up(it);
	if (it->source != ITER_KERNELS)
		iterations_compare(it);
}

void iterations_join(struct iterations *it, const struct trace *t, const struct scope *p,
		     const struct device_map *devices, const struct launches *l)
{
	struct joining j = {it, t, p, devices, .launches = NULL};

	/* Calls that launched none of the work say nothing of it. */
	it->joined = l && launches_found_any(l);
	if (it->joined)
		j.launches = l;
	open_joining(&j);
	j.uses = mem_zalloc(it->lane_count, sizeof(*j.uses));
	j.asked_launch =
		mem_zalloc(p->has_device && l ? l->launch_count : 0, sizeof(*j.asked_launch));
	begin_lanes(&j);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		join_kind(&j, (enum trace_kind)kind);
	count_launches(&j);
	it->same_kernels = 1;
	if (it->source == ITER_RANGE && it->joined && has_names(t))
		count_usual(&j);
	end_lanes(&j);
	free(j.asked_launch);
	free(j.uses);
	close_joining(&j);
}

/* Who launched what; *ret_known false: nobody knows. */
static int read_launches(struct trace *t, struct launches *ret, bool *ret_known, struct err *e)
{
	unsigned kinds = t->events[TRACE_API].table ? joinable_kinds(t) : 0;

	*ret_known = kinds && launches_join_kinds(t, kinds, ret, e) == 0;
	return *ret_known || !kinds || e->absent ? 0 : -1;
}

int iterations_read(struct trace *t, const struct scope *p, struct iterations *ret, struct err *e)
{
	return iterations_read_quickly(t, p, UINT64_MAX, ret, e);
}

int iterations_read_quickly(struct trace *t, const struct scope *p, uint64_t most_kernels,
			    struct iterations *ret, struct err *e)
{
	struct device_map devices = {0};
	struct launches l;
	bool known = false;
	int result;

	*ret = (struct iterations){0};
	if (p->has_device && device_map_read(t, &devices, e) < 0)
		return -1;
	result = read_launches(t, &l, &known, e);
	if (result == 0)
		result = iterations_find(t, p, &devices, known ? &l : NULL, most_kernels, ret, e);
	if (known)
		launches_free(&l);
	device_map_free(&devices);
	return result;
}
