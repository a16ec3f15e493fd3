/* What does a capture hold, how does it hang together, and what is odd about it? */
#include "analysis/capture/capture.h"

#include "analysis/gpu/gpu_work.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/calls/device_threads.h"
#include "trace/ops/op_class.h"
#include "trace/ranges/attribution.h"
#include "trace/system/machine.h"
#include "trace/system/overhead.h"

#include <stdlib.h>

/*
 * The events that are looked at: those of the device and the process that are asked about, as far
 * as they lie in the window. Unlike elsewhere nothing is refused for lack of times.
 */
struct capture_filter {
	struct gpu_work work;
	struct device_threads threads; /* of the device: calls and ranges name none */
	const struct code *code;       /* backtraces of calls, or NULL */
};

/* GPU work has its devices and processes loaded. To be closed whether this fails or not. */
static int capture_filter_open(struct capture_filter *f, struct trace *t, const struct scope *p,
			       struct err *e)
{
	*f = (struct capture_filter){.work = {.trace = t, .p = p}};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if ((p->has_device &&
		     trace_require_column(t, (enum trace_kind)kind, COL_DEVICE, e) < 0) ||
		    (p->has_pid &&
		     trace_require_column(t, (enum trace_kind)kind, COL_PROCESS, e) < 0))
			return -1;
	}
	if (p->has_device && device_threads_read(t, p->device, &f->threads, e) < 0)
		return -1;
	return device_map_read(t, &f->work.devices, e);
}

static void capture_filter_close(struct capture_filter *f)
{
	device_threads_free(&f->threads);
	gpu_work_close(&f->work);
}

/* Whether a call or a range of the thread is looked at. */
static bool capture_filter_thread(const struct capture_filter *f, uint32_t thread)
{
	const struct scope *p = f->work.p;

	if (p->has_device && !device_threads_has(&f->threads, thread))
		return false;
	return scope_has_thread(p, f->work.trace, thread);
}

static inline bool capture_filter_op(const struct capture_filter *f, enum trace_kind kind,
				     uint64_t op)
{
	const struct scope *p = f->work.p;

	return (!p->has_device && !p->has_pid) || gpu_work_passes(&f->work, kind, op);
}

/* The part of an event inside the window, as start and duration; false when there is none. */
static inline bool capture_filter_part(const struct capture_filter *f, int64_t *start_ns,
				       int64_t *duration_ns)
{
	struct span part;

	if (!f->work.p->has_trim)
		return true;
	if (!window_part(f->work.p, *start_ns, *duration_ns, &part))
		return false;
	*start_ns = part.start_ns;
	*duration_ns = sat_sub(part.end_ns, part.start_ns);
	return true;
}

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

static int load_gpu(struct trace *t, struct err *e)
{
	for (int k = 0; k < TRACE_GPU_KINDS; k++) {
		if (trace_load(t, (enum trace_kind)k, COLS_TIMES | COLS_PROCESS_DEVICE, e) < 0)
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
		       COLS_TIMES | COL_BIT(COL_EVENT_TYPE) | (by_thread ? COL_BIT(COL_THREAD) : 0),
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

static bool has_line(const struct capture_filter *f, const struct launches *l,
		     const struct api_call *call)
{
	const struct trace *t = f->work.trace;
	const uint32_t thread = f->code ? launches_origin(l, call).thread : ID_NONE;

	return thread != ID_NONE &&
	       code_of_call(f->code, t->thread_keys.keys[thread],
			    (struct span){call->start_ns, api_call_last(call)}) != STACK_NONE;
}

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
		bool known;

		if (!op_part(f, kind, i, &start_ns, &ns))
			continue;
		known = attribution_call(a, kind, i, &call);
		follow_op(&mine, ev->start_ns[i], ns, known ? &call : NULL,
			  attribution_range(a, kind, i) != RANGE_NONE);
		if (known && has_line(f, &a->launches, &call))
			mine.time_with_line_ns = sat_add(mine.time_with_line_ns, ns);
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

static int measure(const struct capture_filter *f, struct capture *ret, struct err *e)
{
	struct trace *t = f->work.trace;

	if (capture_look_at_export(t, ret, e) < 0 || measure_gpu(f, ret, e) < 0 ||
	    measure_calls(f, ret, e) < 0 || measure_ranges(f, ret, e) < 0 ||
	    capture_find_sharing(t, ret, e) < 0)
		return -1;
	if (!ret->ops)
		return 0;
	if (overhead_measure(t, ret->first_ns, ret->last_ns, &ret->overhead_ns, e) < 0)
		return -1;
	return measure_launches(f, ret, e);
}

int capture_measure(struct trace *t, const struct scope *p, const struct code *code,
		    struct capture *ret, struct err *e)
{
	/* Calls are counted, and asked what they launched. */
	bool lent = attribution_begin_sharing(t);
	struct capture_filter f = {0};
	int result;

	*ret = (struct capture){.asked = p};
	result = load_gpu(t, e);
	if (result == 0)
		result = capture_filter_open(&f, t, p, e);
	f.code = code && code_has_calls(code) ? code : NULL;
	if (result == 0)
		result = measure(&f, ret, e);
	capture_filter_close(&f);
	attribution_end_sharing(t, lent);
	return result;
}
