/* Which work did each step launch, and so when was it done? */
#include "analysis/steps/iterations.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/ops/ops.h"
#include "trace/ranges/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 100000 /* kernels, at least half of that */ };

#define PROCESS_APART (ID_NONE - 1) /* what its thread launches is in no step, and no loss */

/* Of all ops, and of those that steps launched. */
struct work_sums {
	int64_t all_work_ns, work_ns, all_kernel_ns, kernel_ns;
};

/* What one worker has found of the steps. */
struct share {
	struct iteration *steps; /* as it->all, their work alone */
	size_t *near;		 /* by lane: the step found last */
	bool *uses;		 /* by lane: a device was asked for, and it uses that */
	struct work_sums run, warm_up;
};

/* Where the work of each process goes: the steps of its lane. */
struct joining {
	struct iterations *it;
	const struct trace *trace;
	const struct scope *p;
	const struct device_map *devices;
	const struct launches *launches;
	size_t *lane_of_process;     /* lane_count: it has none */
	uint32_t *process_of_thread; /* PROCESS_APART, too */
	enum trace_kind kind;	     /* that is joined now */
	const struct warm_ups *warm_ups;
	struct share *shares;	  /* by worker */
	uint32_t *step_of_kernel; /* in it->all, ID_NONE: in none; NULL: nobody asks */
};

static void open_joining(struct joining *j)
{
	const struct iterations *it = j->it;
	const struct trace *t = j->trace;

	j->lane_of_process = mem_alloc(t->process_keys.count, sizeof(*j->lane_of_process));
	for (size_t i = 0; i < t->process_keys.count; i++)
		j->lane_of_process[i] = it->lane_count;
	for (size_t i = 0; i < it->lane_count; i++) {
		if (it->lanes[i].process != ID_NONE)
			j->lane_of_process[it->lanes[i].process] = i;
	}
	j->process_of_thread = mem_alloc(t->thread_keys.count, sizeof(*j->process_of_thread));
	for (uint32_t i = 0; i < t->thread_keys.count; i++)
		j->process_of_thread[i] =
			iterations_is_apart(it, i) ? PROCESS_APART : trace_thread_process(t, i);
}

static void close_joining(struct joining *j)
{
	free(j->lane_of_process);
	free(j->process_of_thread);
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

/*
 * The step of a lane that holds a moment, by its number in it->all: the last that began by then,
 * unless it has ended. ID_NONE: none does. *near is the one that was found last.
 */
static uint32_t step_of_lane(const struct iterations *it, size_t number, size_t *near,
			     int64_t at_ns)
{
	const struct iteration_lane *lane = &it->lanes[number];
	const struct iteration *steps = lane_steps(it, lane);
	size_t low = 0, high = lane->count;

	if (steps[*near].start_ns <= at_ns) {
		low = *near;
		if (low + 1 == lane->count || steps[low + 1].start_ns > at_ns)
			high = low + 1;
	}
	low = BISECT(low + 1, high, at, steps[at].start_ns <= at_ns) - 1;
	*near = low;
	if (steps[low].start_ns > at_ns || has_ended(it, &steps[low], at_ns))
		return ID_NONE;
	return (uint32_t)(lane->begin + low);
}

static uint32_t find_step(const struct joining *j, size_t *near_of_lane, uint32_t process,
			  int64_t at_ns)
{
	const size_t number = lane_of(j, process);

	return number == j->it->lane_count
		       ? ID_NONE
		       : step_of_lane(j->it, number, &near_of_lane[number], at_ns);
}

uint32_t iterations_step_at(const struct iterations *it, uint32_t process, int64_t at_ns)
{
	size_t number = 0, near = 0;

	while (number < it->lane_count && it->lanes[number].process != process)
		number++;
	/* What is nobody's is the only one's. */
	if (process == ID_NONE && it->lane_count == 1)
		number = 0;
	return number < it->lane_count && it->lanes[number].count
		       ? step_of_lane(it, number, &near, at_ns)
		       : ID_NONE;
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

static uint32_t process_of(const struct joining *j, const struct api_call *call)
{
	const uint32_t thread = launches_origin(j->launches, call).thread;

	return thread < j->trace->thread_keys.count ? j->process_of_thread[thread] : ID_NONE;
}

/* Without launches the kernels' own times tell, where steps are told by kernels. */
static bool launched_at(const struct joining *j, enum trace_kind kind, uint64_t row,
			uint32_t *ret_process, int64_t *ret_ns)
{
	const struct events *ev = &j->trace->events[kind];
	const struct launches *l = j->launches;
	struct api_call call;

	if (!l) {
		*ret_process = event_process(ev, row);
		*ret_ns = ev->start_ns[row];
		return j->it->source == ITER_KERNELS;
	}
	if (!(l->kinds & 1u << kind) || !launches_call(l, l->begin[kind] + row, &call))
		return false;
	*ret_process = process_of(j, &call);
	*ret_ns = call.start_ns;
	return *ret_process != PROCESS_APART;
}

/* Whether an op ran where it was asked about. */
static bool is_asked(const struct joining *j, enum trace_kind kind, uint64_t row)
{
	return !j->p->has_device ||
	       device_map_of(j->devices, &j->trace->events[kind], row) == j->p->device;
}

/* What is nobody's is not of a warm-up. */
static bool is_of_warm_up(const struct warm_ups *w, uint32_t process, int64_t at_ns)
{
	return w->of_process && process != ID_NONE && warm_ups_hold(w, process, at_ns);
}

static void add_work(struct work_sums *s, bool in_step, enum trace_kind kind, int64_t ns)
{
	const bool computes = kind == TRACE_KERNELS || kind == TRACE_GRAPHS;

	if (ns < 0)
		return;
	s->all_work_ns = sat_add(s->all_work_ns, ns);
	s->all_kernel_ns = sat_add(s->all_kernel_ns, computes ? ns : 0);
	if (!in_step)
		return;
	s->work_ns = sat_add(s->work_ns, ns);
	s->kernel_ns = sat_add(s->kernel_ns, computes ? ns : 0);
}

static void begin_share(const struct joining *j, struct share *s)
{
	s->steps = mem_zalloc(j->it->count, sizeof(*s->steps));
	s->near = mem_zalloc_apart(j->it->lane_count, sizeof(*s->near));
	s->uses = mem_zalloc_apart(j->it->lane_count, sizeof(*s->uses));
}

static void join_op(const struct joining *j, struct share *s, uint64_t row)
{
	const struct events *ev = &j->trace->events[j->kind];
	uint32_t process, step;
	int64_t at_ns;
	size_t lane;

	if (ev->duration_ns[row] == DURATION_NONE || !is_asked(j, j->kind, row))
		return;
	lane = lane_of(j, event_process(ev, row));
	if (lane < j->it->lane_count)
		s->uses[lane] = true;
	if (!launched_at(j, j->kind, row, &process, &at_ns))
		return;
	step = find_step(j, s->near, process, at_ns);
	if (scope_has_process(j->p, j->trace, process))
		add_work(is_of_warm_up(j->warm_ups, process, at_ns) ? &s->warm_up : &s->run,
			 step != ID_NONE, j->kind, ev->duration_ns[row]);
	if (step == ID_NONE)
		return;
	add_op(&s->steps[step], j->kind, ev->start_ns[row], op_end_ns(ev, row));
	if (j->step_of_kernel && j->kind == TRACE_KERNELS)
		j->step_of_kernel[row] = step;
}

static void join_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct joining *j = ctx;
	struct share s = j->shares[worker];

	if (!s.steps)
		begin_share(j, &s);
	for (size_t i = begin; i < end; i++) {
		if (j->step_of_kernel && j->kind == TRACE_KERNELS)
			j->step_of_kernel[i] = ID_NONE;
		join_op(j, &s, i);
	}
	j->shares[worker] = s;
}

static void add_sums(struct work_sums *to, const struct work_sums *from)
{
	to->all_work_ns = sat_add(to->all_work_ns, from->all_work_ns);
	to->all_kernel_ns = sat_add(to->all_kernel_ns, from->all_kernel_ns);
	to->work_ns = sat_add(to->work_ns, from->work_ns);
	to->kernel_ns = sat_add(to->kernel_ns, from->kernel_ns);
}

/* A warm-up is not what the run consists of, unless there is hardly anything else. */
static void keep_sums(struct iterations *it, struct work_sums run, const struct work_sums *warm_up)
{
	if (run.all_work_ns / 4 < warm_up->all_work_ns / 16)
		add_sums(&run, warm_up);
	it->all_work_ns = run.all_work_ns;
	it->all_kernel_ns = run.all_kernel_ns;
	it->work_ns = run.work_ns;
	it->kernel_ns = run.kernel_ns;
}

static void add_share(struct iterations *it, const struct share *s, bool *uses)
{
	for (size_t i = 0; i < it->count; i++) {
		struct iteration *to = &it->all[i];
		const struct iteration *from = &s->steps[i];

		if (!from->ops)
			continue;
		add_op(to, TRACE_KINDS, from->gpu_start_ns, from->gpu_end_ns);
		to->ops += from->ops - 1;
		to->kernels += from->kernels;
	}
	for (size_t i = 0; i < it->lane_count; i++)
		uses[i] |= s->uses[i];
}

/* All work, on all cores; `uses`: by lane, whether any of it ran where it was asked about. */
static void join_all(struct joining *j, bool *uses)
{
	struct work_sums run = {0}, warm_up = {0};

	j->shares = mem_zalloc(parallel_workers(), sizeof(*j->shares));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &j->trace->events[kind];

		j->kind = (enum trace_kind)kind;
		if (ev->start_ns && ev->duration_ns)
			parallel_each(ev->count, PARALLEL_ROWS, join_some, j);
	}
	for (unsigned i = 0; i < parallel_workers(); i++) {
		struct share *s = &j->shares[i];

		if (s->steps)
			add_share(j->it, s, uses);
		add_sums(&run, &s->run);
		add_sums(&warm_up, &s->warm_up);
		free(s->steps);
		free(s->near);
		free(s->uses);
	}
	keep_sums(j->it, run, &warm_up);
	free(j->shares);
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
	uint8_t *lane_of_step = mem_alloc(j->it->count, sizeof(*lane_of_step));

	for (size_t l = 0; l < j->it->lane_count; l++)
		memset(&lane_of_step[j->it->lanes[l].begin], (int)l, j->it->lanes[l].count);
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < ev->count; i++) {
			const uint32_t name = ev->name[i], step = j->step_of_kernel[i];

			if (step == ID_NONE || name == NAME_NONE)
				continue;
			if (pass == 1)
				j->it->all[step].usual_kernels +=
					lanes_of_name[name] >> lane_of_step[step] & 1;
			else if (step == usual[lane_of_step[step]])
				lanes_of_name[name] |= UINT64_C(1) << lane_of_step[step];
		}
	}
	j->it->same_kernels = share_alike(j->it, usual);
	free(lane_of_step);
	free(lanes_of_name);
	free(usual);
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

/* Some of the kernels, with who launched them when: asked about each range that may be a step. */
void kernel_sample_make(const struct trace *t, const struct scope *p, const struct launches *l,
			const struct warm_ups *w, struct kernel_sample *ret)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	const uint64_t stride = ev->count / SAMPLES + 1;
	struct api_call call;

	*ret = (struct kernel_sample){.all = mem_alloc(ev->count / stride + 1, sizeof(*ret->all))};
	if (!ev->start_ns || !ev->duration_ns || !(l->kinds & 1u << TRACE_KERNELS))
		return;
	for (uint64_t i = 0; i < ev->count; i += stride) {
		uint32_t thread;

		if (ev->duration_ns[i] == DURATION_NONE || ev->duration_ns[i] < 0 ||
		    !launches_call(l, l->begin[TRACE_KERNELS] + i, &call))
			continue;
		thread = launches_origin(l, &call).thread;
		if (thread < t->thread_keys.count &&
		    scope_has_process(p, t, trace_thread_process(t, thread)) &&
		    !is_of_warm_up(w, trace_thread_process(t, thread), call.start_ns))
			ret->all[ret->count++] = (struct sampled_kernel){
				call.start_ns, (double)ev->duration_ns[i] * (double)stride, thread};
	}
}

struct iteration_sample iterations_sample(struct iterations *it, const struct trace *t,
					  const struct kernel_sample *sample)
{
	struct joining j = {.it = it, .trace = t};
	struct iteration_sample ret = {0};
	size_t *near = mem_zalloc(it->lane_count, sizeof(*near));

	open_joining(&j);
	for (size_t i = 0; i < sample->count; i++) {
		const struct sampled_kernel *k = &sample->all[i];
		const uint32_t process = j.process_of_thread[k->thread];

		if (process == PROCESS_APART)
			continue;
		ret.all_ns += k->ns;
		if (find_step(&j, near, process, k->at_ns) != ID_NONE)
			ret.ns += k->ns;
	}
	close_joining(&j);
	free(near);
	return ret;
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

static void end_lanes(struct joining *j, const bool *uses)
{
	struct iterations *it = j->it;

	for (size_t i = 0; i < it->lane_count; i++)
		iterations_find_own_time(it, &it->lanes[i], j->launches);
	if (j->p->has_device)
		leave_out_lanes(it, uses);
	close_up(it);
	if (it->source != ITER_KERNELS)
		iterations_compare(it);
}

void iterations_join(struct iterations *it, const struct trace *t, const struct scope *p,
		     const struct device_map *devices, const struct launches *l,
		     const struct warm_ups *w)
{
	struct joining j = {it, t, p, devices, .launches = NULL, .warm_ups = w};
	bool *uses;

	/* Calls that launched none of the work say nothing of it. */
	it->joined = l && launches_found_any(l);
	if (it->joined)
		j.launches = l;
	open_joining(&j);
	uses = mem_zalloc(it->lane_count, sizeof(*uses));
	for (size_t i = 0; i < it->lane_count && j.launches; i++)
		iterations_move_to_host(it, &it->lanes[i], l);
	if (it->source == ITER_RANGE && it->joined && has_names(t))
		j.step_of_kernel =
			mem_alloc(t->events[TRACE_KERNELS].count, sizeof(*j.step_of_kernel));
	join_all(&j, uses);
	it->same_kernels = 1;
	if (j.step_of_kernel)
		count_usual(&j);
	end_lanes(&j, uses);
	iterations_mark_warm_ups(it, w);
	free(j.step_of_kernel);
	free(uses);
	close_joining(&j);
}

/* By launch: whether it put work where it was asked about. */
static bool *find_asked(const struct joining *j)
{
	const struct launches *l = j->launches;
	bool *asked = mem_zalloc(l->launch_count, sizeof(*asked));

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const uint64_t count = l->kinds & 1u << kind ? j->trace->events[kind].count : 0;

		for (uint64_t i = 0; i < count; i++) {
			const uint32_t launch = l->launch_of_op[l->begin[kind] + i];

			if (launch != LAUNCH_NONE && is_asked(j, (enum trace_kind)kind, i))
				asked[launch] = true;
		}
	}
	return asked;
}

void iterations_count_launches(struct iterations *it, const struct trace *t, const struct scope *p,
			       const struct device_map *devices, const struct launches *l)
{
	struct joining j = {it, t, p, devices, .launches = l};
	size_t *near = mem_zalloc(it->lane_count, sizeof(*near));
	bool *asked = p->has_device ? find_asked(&j) : NULL;

	open_joining(&j);
	for (size_t launch = 0; launch < l->launch_count; launch++) {
		uint32_t step, process;
		struct api_call call;

		if ((asked && !asked[launch]) || !launches_earliest_call(l, launch, &call))
			continue;
		process = process_of(&j, &call);
		step = process < PROCESS_APART ? find_step(&j, near, process, call.start_ns)
					       : ID_NONE;
		if (step != ID_NONE)
			it->all[step].launches++;
	}
	close_joining(&j);
	free(asked);
	free(near);
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
	struct device_map devices = {0};
	struct launches l;
	bool known = false;
	int result;

	*ret = (struct iterations){0};
	if (iterations_load(t, e) < 0 || (p->has_device && device_map_read(t, &devices, e) < 0))
		return -1;
	result = read_launches(t, &l, &known, e);
	if (result == 0)
		result = iterations_find(t, p, &devices, known ? &l : NULL, ret, e);
	if (known)
		launches_free(&l);
	device_map_free(&devices);
	return result;
}
