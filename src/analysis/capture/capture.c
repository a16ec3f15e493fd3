/* What does a capture hold, how does it hang together, and what is odd about it? */
#include "analysis/capture/capture.h"

#include "analysis/capture/capture_filter.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/ops/op_class.h"
#include "trace/ranges/attribution.h"
#include "trace/system/machine.h"
#include "trace/system/overhead.h"

#include <stdlib.h>

/* The end of an event; false when it has no times that can be used. */
static bool event_end(const struct events *ev, uint64_t i, int64_t *ret)
{
	if (!ev->start_ns || !ev->duration_ns || ev->duration_ns[i] == DURATION_NONE ||
	    ev->start_ns[i] == INT_NONE)
		return false;
	*ret = sat_add(ev->start_ns[i], ev->duration_ns[i]);
	return true;
}

static void look_at_times(struct capture *c, const struct trace *t, int64_t start_ns,
			  int64_t duration_ns)
{
	c->negative += duration_ns < 0;
	c->outside += t->meta.has_span &&
		      (start_ns < 0 || sat_add(start_ns, duration_ns) > t->meta.span_ns);
}

/* GPU work */

/* The part of an op that counts; false when none does. */
static inline bool op_part(const struct capture_filter *f, enum trace_kind kind, uint64_t i,
			   int64_t *ret_start_ns, int64_t *ret_ns)
{
	const struct events *ev = &f->work.trace->events[kind];
	int64_t end_ns;

	if (!event_end(ev, i, &end_ns) || !capture_filter_op(f, kind, i))
		return false;
	*ret_start_ns = ev->start_ns[i];
	*ret_ns = ev->duration_ns[i];
	return capture_filter_part(f, ret_start_ns, ret_ns);
}

static void count_op(struct capture *c, enum trace_kind kind, int64_t start_ns, int64_t ns)
{
	int64_t end_ns = sat_add(start_ns, ns);

	if (!c->ops || start_ns < c->first_ns)
		c->first_ns = start_ns;
	if (!c->ops || end_ns > c->last_ns)
		c->last_ns = end_ns;
	c->ops++;
	c->count[kind]++;
	c->gpu_time_ns = sat_add(c->gpu_time_ns, ns);
	if (kind == TRACE_GRAPHS)
		c->graph_time_ns = sat_add(c->graph_time_ns, ns);
}

/* What has no times may lie in any window. */
static void count_ops(const struct capture_filter *f, enum trace_kind kind, struct capture *c)
{
	const struct trace *t = f->work.trace;
	const struct events *ev = &t->events[kind];
	struct capture mine = *c; /* its own, the compiler keeps what is counted in registers */

	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t start_ns, ns, end_ns;

		if (op_part(f, kind, i, &start_ns, &ns)) {
			look_at_times(&mine, t, ev->start_ns[i], ev->duration_ns[i]);
			count_op(&mine, kind, start_ns, ns);
		} else if (!event_end(ev, i, &end_ns) && capture_filter_op(f, kind, i)) {
			mine.without_times++;
			mine.count[kind]++;
		}
	}
	*c = mine;
}

static int count_communication(const struct capture_filter *f, struct capture *c, struct err *e)
{
	struct trace *t = f->work.trace;
	const struct events *ev = &t->events[TRACE_KERNELS];
	uint8_t *class_of;

	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_NAME), e) < 0)
		return -1;
	if (!ev->name)
		return 0;
	if (op_class_of_names(t, &class_of, e) < 0)
		return -1;
	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t start_ns, ns;

		c->communication +=
			ev->name[i] < t->names.count && class_of[ev->name[i]] == OP_COMM &&
			(!scope_filters(f->work.p) || op_part(f, TRACE_KERNELS, i, &start_ns, &ns));
	}
	free(class_of);
	trace_unload(t, TRACE_KERNELS, COL_BIT(COL_NAME));
	return 0;
}

/* Which processes worked on which GPUs. */
struct sharing {
	struct device_map gpus;
	struct idmap seen;	/* gpu, process */
	struct idmap processes; /* gpu → how many */
	uint32_t *per_gpu;	/* by value of `processes` */
	size_t gpu_count;
	bool *has_gpu_work; /* by process */
};

static void note_process(struct sharing *s, uint32_t process, uint32_t device)
{
	uint32_t gpu = device_map_gpu(&s->gpus, process, device);
	size_t before = s->seen.count;
	uint32_t number;

	s->has_gpu_work[process] = true;
	idmap_number_pair(&s->seen, gpu, process);
	if (s->seen.count == before)
		return;
	number = idmap_add(&s->processes, gpu, (uint32_t)s->gpu_count);
	if (number == s->gpu_count) {
		s->per_gpu = mem_resize(s->per_gpu, ++s->gpu_count, sizeof(*s->per_gpu));
		s->per_gpu[number] = 0;
	}
	s->per_gpu[number]++;
}

static void note_processes(const struct trace *t, enum trace_kind kind, struct sharing *s)
{
	const struct events *ev = &t->events[kind];
	uint32_t process = ID_NONE, device = ID_NONE;

	if (!ev->process)
		return;
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t on = ev->device ? ev->device[i] : 0;

		/* Nearly every op is of the same process and GPU as the one before. */
		if (ev->process[i] == ID_NONE || (ev->process[i] == process && on == device))
			continue;
		process = ev->process[i];
		device = on;
		note_process(s, process, device);
	}
}

static int find_sharing(struct trace *t, struct capture *c, struct err *e)
{
	struct sharing s = {0};
	int status;

	if (device_map_read(t, &s.gpus, e) < 0)
		return -1;
	s.has_gpu_work = mem_zalloc(t->process_keys.count, sizeof(*s.has_gpu_work));
	for (int k = 0; k < TRACE_GPU_KINDS; k++)
		note_processes(t, (enum trace_kind)k, &s);
	for (size_t i = 0; i < s.gpu_count; i++) {
		c->shared_gpus += s.per_gpu[i] > 1;
		if (s.per_gpu[i] > c->most_sharing)
			c->most_sharing = s.per_gpu[i];
	}
	status = diagnostics_read(t, s.gpu_count ? s.has_gpu_work : NULL, &c->said, e);
	free(s.has_gpu_work);
	free(s.per_gpu);
	idmap_free(&s.seen);
	idmap_free(&s.processes);
	device_map_free(&s.gpus);
	return status;
}

static int load_gpu(struct trace *t, struct err *e)
{
	for (int k = 0; k < TRACE_GPU_KINDS; k++) {
		if (trace_load(t, (enum trace_kind)k,
			       COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_PROCESS) |
				       COL_BIT(COL_DEVICE),
			       e) < 0)
			return -1;
	}
	return 0;
}

static int measure_gpu(const struct capture_filter *f, struct capture *c, struct err *e)
{
	for (int k = 0; k < TRACE_GPU_KINDS; k++)
		count_ops(f, (enum trace_kind)k, c);
	return count_communication(f, c, e);
}

/* The host */

struct call_count {
	const struct capture_filter *filter;
	const struct calls *calls;
	const struct capture *capture;
	struct capture *sums; /* of each worker: how many, and what is odd about times */
	bool *looked_at;      /* by origin */
	uint64_t *in_window;  /* by worker and origin: calls while the GPUs worked */
};

static int count_calls(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct call_count *x = ctx;
	const struct calls *c = x->calls;
	uint64_t *in_window = x->in_window + worker * c->origin_count;
	struct capture mine = x->sums[worker];

	(void)e;
	for (size_t i = begin; i < end; i++) {
		const struct api_call call = calls_at(c, i);
		bool timed = call.duration_ns != DURATION_NONE && call.start_ns != INT_NONE;
		int64_t start_ns = call.start_ns, ns = call.duration_ns;

		if (!x->looked_at[call.origin] ||
		    (timed && !capture_filter_part(x->filter, &start_ns, &ns)))
			continue;
		mine.count[TRACE_API]++;
		in_window[call.origin] += call.start_ns >= x->capture->first_ns &&
					  call.start_ns < x->capture->last_ns;
		if (timed)
			look_at_times(&mine, x->filter->work.trace, call.start_ns,
				      call.duration_ns);
	}
	x->sums[worker] = mine;
	return 0;
}

/* The most that any one thread made while the GPUs worked. */
static uint64_t most_calls(const struct call_count *x)
{
	size_t threads = x->filter->work.trace->thread_keys.count;
	uint64_t *of_thread = mem_zalloc(threads, sizeof(*of_thread)), most = 0;
	const struct calls *c = x->calls;

	for (size_t i = 0; i < parallel_workers() * c->origin_count; i++) {
		uint32_t thread = c->origins[i % c->origin_count].thread;

		if (thread == ID_NONE)
			continue;
		of_thread[thread] += x->in_window[i];
		if (of_thread[thread] > most)
			most = of_thread[thread];
	}
	free(of_thread);
	return most;
}

static int measure_calls(const struct capture_filter *f, struct capture *c, struct err *e)
{
	struct calls calls;
	struct call_count x = {.filter = f, .calls = &calls, .capture = c};

	if (calls_read(f->work.trace, &calls, e) < 0)
		return -1;
	c->has_calls = calls.count > 0;
	x.looked_at = mem_alloc(calls.origin_count, sizeof(*x.looked_at));
	for (size_t i = 0; i < calls.origin_count; i++)
		x.looked_at[i] = capture_filter_thread(f, calls.origins[i].thread);
	x.sums = mem_zalloc(parallel_workers(), sizeof(*x.sums));
	x.in_window = mem_zalloc(parallel_workers() * calls.origin_count, sizeof(*x.in_window));
	parallel_for(calls.count, PARALLEL_ROWS, count_calls, &x, e);
	if (c->ops)
		c->busiest_calls = most_calls(&x);
	for (unsigned w = 0; w < parallel_workers(); w++) {
		c->count[TRACE_API] += x.sums[w].count[TRACE_API];
		c->negative += x.sums[w].negative;
		c->outside += x.sums[w].outside;
	}
	free(x.looked_at);
	free(x.in_window);
	free(x.sums);
	calls_free(&calls);
	return 0;
}

static void count_range(const struct capture_filter *f, uint64_t i, struct capture *c)
{
	const struct trace *t = f->work.trace;
	const struct events *ev = &t->events[TRACE_NVTX];
	int64_t start_ns, ns, end_ns;

	if (!event_end(ev, i, &end_ns)) {
		c->ranges++;
		return;
	}
	start_ns = ev->start_ns[i];
	ns = ev->duration_ns[i];
	if (!capture_filter_part(f, &start_ns, &ns))
		return;
	c->ranges++;
	look_at_times(c, t, ev->start_ns[i], ev->duration_ns[i]);
}

static int measure_ranges(const struct capture_filter *f, struct capture *c, struct err *e)
{
	struct trace *t = f->work.trace;
	const struct events *ev = &t->events[TRACE_NVTX];
	const bool by_thread = f->work.p->has_device || f->work.p->has_pid;

	if (trace_load(t, TRACE_NVTX,
		       COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_EVENT_TYPE) |
			       (by_thread ? COL_BIT(COL_THREAD) : 0),
		       e) < 0)
		return -1;
	ranges_close_open(t);
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t type = ev->event_type ? ev->event_type[i] : NVTX_PUSH_POP;

		if (!nvtx_is_push_pop(type) && !nvtx_is_start_end(type))
			continue;
		c->has_ranges = true;
		if (!by_thread || capture_filter_thread(f, ev->thread ? ev->thread[i] : ID_NONE))
			count_range(f, i, c);
	}
	return 0;
}

/* How GPU work, calls and ranges hang together */

/* An op that takes `ns` of the window. */
static void follow_op(struct capture *c, int64_t start_ns, int64_t ns, const struct api_call *call,
		      bool in_range)
{
	int64_t before_ns;

	if (!call) {
		c->ops_without_call++;
		return;
	}
	c->time_with_call_ns = sat_add(c->time_with_call_ns, ns);
	if (in_range)
		c->time_in_ranges_ns = sat_add(c->time_in_ranges_ns, ns);
	before_ns = sat_sub(call->start_ns, start_ns);
	c->ops_before_call += before_ns > 0;
	if (before_ns > c->worst_before_call_ns)
		c->worst_before_call_ns = before_ns;
}

static void follow_ops(const struct capture_filter *f, enum trace_kind kind,
		       const struct attribution *a, struct capture *c)
{
	const struct events *ev = &f->work.trace->events[kind];
	struct capture mine = *c;

	for (uint64_t i = 0; i < ev->count; i++) {
		struct api_call call;
		int64_t start_ns, ns;

		if (op_part(f, kind, i, &start_ns, &ns))
			follow_op(&mine, ev->start_ns[i], ns,
				  attribution_call(a, kind, i, &call) ? &call : NULL,
				  attribution_range(a, kind, i) != RANGE_NONE);
	}
	*c = mine;
}

/* A trace that lacks what a step needs is one of the answers, not a failure. */
static bool is_absent(struct err *e)
{
	bool absent = e->absent;

	if (absent)
		*e = (struct err){0};
	return absent;
}

/* Where ranges do not say whose they are, calls still do. */
static int attribute(struct trace *t, struct attribution *ret, struct err *e)
{
	const unsigned all = (1u << TRACE_GPU_KINDS) - 1;

	if (attribution_make(t, all, ret, e) == 0)
		return 0;
	if (!is_absent(e) || launches_join_kinds(t, all, &ret->launches, e) < 0)
		return -1;
	ret->range_of_launch = mem_alloc(ret->launches.launch_count, sizeof(*ret->range_of_launch));
	for (size_t i = 0; i < ret->launches.launch_count; i++)
		ret->range_of_launch[i] = RANGE_NONE;
	return 0;
}

static int measure_launches(const struct capture_filter *f, struct capture *c, struct err *e)
{
	struct attribution a;

	if (attribute(f->work.trace, &a, e) < 0) {
		c->ops_without_call = c->ops;
		return is_absent(e) ? 0 : -1;
	}
	for (int k = 0; k < TRACE_GPU_KINDS; k++)
		follow_ops(f, (enum trace_kind)k, &a, c);
	attribution_free(&a);
	return 0;
}

/* What else the export has */

static int has_rows(struct trace *t, const char *name, bool *ret, struct err *e)
{
	const struct sqlite_table *table = sqlitefile_find_table(t->file, name);

	int result = 0;

	*ret = false;
	trace_lock(t);
	if (table)
		result = sqlitefile_has_rows(t->file, table, ret, e);
	trace_unlock(t);
	return result;
}

static int look_for_tables(struct trace *t, struct capture *c, struct err *e)
{
	const struct {
		const char *table;
		bool *has;
	} wanted[] = {
		{"CUDA_GPU_MEMORY_USAGE_EVENTS", &c->has_memory_usage},
		{"GPU_METRICS", &c->has_gpu_metrics},
		{"COMPOSITE_EVENTS", &c->has_cpu_samples},
		{"SCHED_EVENTS", &c->has_schedule},
	};
	bool has_osrt;

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		if (has_rows(t, wanted[i].table, wanted[i].has, e) < 0)
			return -1;
	}
	if (has_rows(t, "OSRT_API", &has_osrt, e) < 0)
		return -1;
	c->count[TRACE_OSRT] = has_osrt;
	return 0;
}

static int look_at_machine(struct trace *t, struct capture *c, struct err *e)
{
	const struct sqlite_table *copies = t->events[TRACE_MEMCPYS].table;
	struct machine m;

	if (machine_read(t, &m, e) < 0)
		return -1;
	for (size_t i = 0; i < m.gpu_count; i++)
		c->has_gpu_info |= m.gpus[i].sm_count > 0;
	c->has_memory_kinds = copies && sqlite_table_find_column(copies, "srcKind") >= 0;
	if (!t->meta.schema)
		c->old_schema = "it has no version number, so it was made before 2021.5";
	else if (!sqlitefile_find_table(t->file, "META_DATA_EXPORT"))
		c->old_schema = "it was made before 2023.3";
	return 0;
}

static int measure(const struct capture_filter *f, struct capture *ret, struct err *e)
{
	struct trace *t = f->work.trace;

	if (look_for_tables(t, ret, e) < 0 || look_at_machine(t, ret, e) < 0 ||
	    measure_gpu(f, ret, e) < 0 || measure_calls(f, ret, e) < 0 ||
	    measure_ranges(f, ret, e) < 0 || find_sharing(t, ret, e) < 0)
		return -1;
	if (!ret->ops)
		return 0;
	if (overhead_measure(t, ret->first_ns, ret->last_ns, &ret->overhead_ns, e) < 0)
		return -1;
	return measure_launches(f, ret, e);
}

int capture_measure(struct trace *t, const struct scope *p, struct capture *ret, struct err *e)
{
	/* Calls are counted, and asked what they launched. */
	bool lent = attribution_begin_sharing(t);
	struct capture_filter f = {0};
	int result;

	*ret = (struct capture){.asked = p};
	result = load_gpu(t, e);
	if (result == 0)
		result = capture_filter_open(&f, t, p, e);
	if (result == 0)
		result = measure(&f, ret, e);
	capture_filter_close(&f);
	attribution_end_sharing(t, lent);
	return result;
}
