/* nsys: how long do launch, queue and execution of kernels take, by kernel and launch by launch? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/kernel_names.h"
#include "analysis/nsys/nsys_report.h"
#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/calls/launch.h"
#include "trace/strings.h"
#include "trace/system/labels.h"

#include <stdlib.h>

/*
 * One pair per kernel and API row of the same (process, correlationId): two records of one call
 * make two pairs, as NVIDIA counts them. Kernels without a call make none. The pairs of second
 * records come after all others.
 */
struct exec_pairs {
	struct launches launches;
	struct kernel_names names;
	const int64_t *durations; /* the kernels' */
	uint32_t *kernel;	  /* by pair; NULL: pair i is kernel i, as it nearly always is */
	uint32_t *more;		  /* by pair − first_more: index into launches.more */
	size_t first_more;
	size_t count;
};

static inline uint32_t exec_kernel(const struct exec_pairs *x, size_t pair)
{
	return x->kernel ? x->kernel[pair] : (uint32_t)pair;
}

/* The phases of a launch. */
struct exec_times {
	int64_t api_ns, kernel_ns, total_ns;
	bool queued; /* the kernel began after the call returned */
	int64_t queue_ns;
};

/* Counts the pairs, or, once there is room for them, fills them in. */
static void walk_pairs(struct exec_pairs *x)
{
	const struct launches *l = &x->launches;
	size_t plain = 0, more = x->first_more;

	for (uint64_t i = 0; i < l->op_count; i++) {
		uint32_t launch = l->launch_of_op[i];

		if (launch == LAUNCH_NONE || l->row_of_launch[launch] == ID_NONE ||
		    x->durations[i] == DURATION_NONE)
			continue;
		if (x->kernel)
			x->kernel[plain] = (uint32_t)i;
		plain++;
		for (size_t m = launches_first_more(l, launch);
		     m < l->more_count && l->more_launch[m] == launch; m++) {
			if (x->kernel) {
				x->kernel[more] = (uint32_t)i;
				x->more[more - x->first_more] = (uint32_t)m;
			}
			more++;
		}
	}
	x->count = plain + more - x->first_more;
	x->first_more = plain;
}

/* A graph launch has many kernels and few records; that many of both on one id is no real trace. */
static bool are_too_many(const struct exec_pairs *x)
{
	return x->count > 4 * (x->launches.op_count + x->launches.more_count) + 1000000;
}

static int pair_up(struct exec_pairs *x)
{
	walk_pairs(x);
	if (are_too_many(x))
		return -1;
	if (x->count == x->launches.op_count && x->first_more == x->count)
		return 0;
	x->kernel = mem_alloc(x->count, sizeof(*x->kernel));
	x->more = mem_alloc(x->count - x->first_more, sizeof(*x->more));
	walk_pairs(x);
	return 0;
}

static struct api_call exec_call(const struct exec_pairs *x, size_t pair)
{
	const struct launches *l = &x->launches;
	struct api_call call = {0};

	if (pair >= x->first_more)
		return l->more[x->more[pair - x->first_more]];
	launches_call(l, exec_kernel(x, pair), &call);
	return call;
}

static inline struct call_origin exec_origin(const struct exec_pairs *x, size_t pair)
{
	const struct api_call call = exec_call(x, pair);

	return launches_origin(&x->launches, &call);
}

/* Is freed whether this fails or not. */
static int exec_pairs_read(struct trace *t, const struct naming_args *n, struct exec_pairs *x,
			   struct err *e)
{
	*x = (struct exec_pairs){0};
	if (trace_load(t, TRACE_KERNELS,
		       COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_CORRELATION) |
			       (n->naming == NAMING_DEMANGLED ? COL_BIT(COL_NAME) : 0),
		       e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_START, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_DURATION, e) < 0 ||
	    launches_join(t, TRACE_KERNELS, &x->launches, e) < 0 ||
	    kernel_names_read(t, n, &x->launches, &x->names, e) < 0)
		return -1;
	/* Only the join needed them. */
	trace_unload(t, TRACE_KERNELS, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION));
	x->durations = t->events[TRACE_KERNELS].duration_ns;
	if (pair_up(x) == 0)
		return 0;
	return err_set(e, ERR_INPUT, "'%s': too many calls and kernels share a correlation id",
		       t->path);
}

static void exec_pairs_free(struct exec_pairs *x)
{
	launches_free(&x->launches);
	kernel_names_free(&x->names);
	free(x->kernel);
	free(x->more);
	*x = (struct exec_pairs){0};
}

static struct exec_times exec_times_of(const struct trace *t, const struct exec_pairs *x,
				       size_t pair)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	const struct api_call call = exec_call(x, pair);
	uint32_t k = exec_kernel(x, pair);
	int64_t call_end = api_call_end(&call);
	int64_t kernel_end = sat_add(ev->start_ns[k], ev->duration_ns[k]);
	int64_t end = kernel_end > call_end ? kernel_end : call_end;
	struct exec_times times = {
		.api_ns = call.duration_ns,
		.kernel_ns = ev->duration_ns[k],
		.total_ns = sat_sub(end, call.start_ns),
		.queued = ev->start_ns[k] >= call_end,
	};

	if (times.queued)
		times.queue_ns = sat_sub(ev->start_ns[k], call_end);
	return times;
}

enum phase { TOTAL, API, QUEUE, KERNEL, PHASES };

#define PHASE_COLUMNS(letter, word)                                             \
	{word "_avg_ns", letter "Avg (ns)", UNIT_NS, 1, NULL, SHOW},            \
		{word "_med_ns", letter "Med (ns)", UNIT_NS, 1, NULL, SHOW},    \
		{word "_min_ns", letter "Min (ns)", UNIT_NS, 0, NULL, SHOW},    \
		{word "_max_ns", letter "Max (ns)", UNIT_NS, 0, NULL, SHOW},    \
	{                                                                       \
		word "_stddev_ns", letter "StdDev (ns)", UNIT_NS, 1, NULL, SHOW \
	}

static const struct column sum_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"device", "DevId", UNIT_ID, 0, "dev:", SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"queue_count", "QCount", UNIT_COUNT, 0, NULL, SHOW},
	PHASE_COLUMNS("T", "total"),
	PHASE_COLUMNS("A", "api"),
	PHASE_COLUMNS("Q", "queue"),
	PHASE_COLUMNS("K", "kernel"),
	{"api_name", "API Name", UNIT_NAME, 0, "", SHOW},
	{"kernel_name", "Kernel Name", UNIT_KERNEL, 0, "", SHOW},
};

struct exec_group {
	uint64_t thread; /* key */
	uint32_t device;
	struct str api, kernel;
	struct summary phase[PHASES];
};

/* Thread, device, function and kernel become one group number, pair after pair. */
struct grouper {
	struct idmap places, functions, groups;
	struct exec_group *all;
	size_t count, cap;
};

static uint32_t group_of(struct grouper *g, struct trace *t, const struct exec_pairs *x, size_t i)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct call_origin origin = exec_origin(x, i);
	uint32_t kernel = exec_kernel(x, i);
	uint32_t device = ev->device ? ev->device[kernel] : ID_NONE;
	uint32_t name = x->names.of_kernel[kernel];
	uint32_t place = idmap_number_pair(&g->places, origin.thread, device);
	uint32_t function = idmap_number_pair(&g->functions, place, origin.name);
	uint32_t group = idmap_number_pair(&g->groups, function, name);

	if (group == g->count) {
		MEM_GROW(g->all, g->cap, g->count + 1);
		g->all[g->count++] = (struct exec_group){
			.thread = t->thread_keys.keys[origin.thread],
			.device = device,
			.api = trace_name(t, origin.name),
			.kernel = trace_name(t, name),
		};
	}
	return group;
}

/* Functions are told apart by the name shown: two versions of one function are one. */
static void show_names(struct trace *t, struct launches *l)
{
	TRACE_LOCK_SCOPE(t);

	for (size_t i = 0; i < l->calls.origin_count; i++) {
		struct call_origin *o = &l->calls.origins[i];

		if (o->name != NAME_NONE)
			o->name = strings_add_text(t, label_api(trace_name(t, o->name)));
	}
}

static bool phase_time(struct exec_times times, enum phase phase, int64_t *ret)
{
	const int64_t by_phase[PHASES] = {times.total_ns, times.api_ns, times.queue_ns,
					  times.kernel_ns};

	*ret = by_phase[phase];
	return phase != QUEUE || times.queued;
}

struct phase_values {
	const struct trace *trace;
	const struct exec_pairs *pairs;
	const uint32_t *group;
	enum phase phase;
	int64_t *value;
	uint32_t *group_of_value;
};

static void measure_pairs(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct phase_values *v = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		bool has = phase_time(exec_times_of(v->trace, v->pairs, i), v->phase, &v->value[i]);

		v->group_of_value[i] = has ? v->group[i] : GROUP_NONE;
	}
}

static void summarize_phase(const struct trace *t, const struct exec_pairs *x, struct grouper *g,
			    const uint32_t *group, enum phase phase)
{
	struct summary *sums = mem_alloc(g->count, sizeof(*sums));
	struct phase_values v = {
		.trace = t,
		.pairs = x,
		.group = group,
		.phase = phase,
		.value = mem_alloc(x->count, sizeof(*v.value)),
		.group_of_value = mem_alloc(x->count, sizeof(*v.group_of_value)),
	};

	parallel_each(x->count, PARALLEL_ROWS, measure_pairs, &v);
	summarize(v.value, v.group_of_value, x->count, g->count, sums);
	for (size_t i = 0; i < g->count; i++)
		g->all[i].phase[phase] = sums[i];
	free(v.group_of_value);
	free(v.value);
	free(sums);
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct exec_group *x = a, *y = b;
	int c;

	(void)ctx;
	if (x->phase[TOTAL].mean != y->phase[TOTAL].mean)
		return x->phase[TOTAL].mean > y->phase[TOTAL].mean ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	c = str_cmp(x->kernel, y->kernel);
	return c ? c : str_cmp(x->api, y->api);
}

static void add_phase(struct rows *rows, const struct summary *s)
{
	bool some = s->count > 0;

	rows_add(rows, some ? cell_real(s->mean) : cell_null());
	rows_add(rows, some ? cell_real(s->p50) : cell_null());
	rows_add(rows, some ? cell_int(s->min) : cell_null());
	rows_add(rows, some ? cell_int(s->max) : cell_null());
	rows_add(rows, cell_real(s->stddev));
}

static void add_rows(struct rows *rows, const struct grouper *g)
{
	rows->table.nsys = true;
	for (size_t i = 0; i < g->count; i++) {
		const struct exec_group *x = &g->all[i];

		rows_add(rows, cell_int(process_pid(x->thread >> 24)));
		rows_add(rows, cell_int(thread_tid(x->thread)));
		rows_add(rows, id_cell(x->device));
		rows_add(rows, cell_int((int64_t)x->phase[TOTAL].count));
		rows_add(rows, cell_int((int64_t)x->phase[QUEUE].count));
		for (int phase = 0; phase < PHASES; phase++)
			add_phase(rows, &x->phase[phase]);
		rows_add(rows, cell_str(x->api));
		rows_add(rows, cell_str(x->kernel));
	}
}

static void group_pairs(struct trace *t, struct exec_pairs *x, struct grouper *g)
{
	uint32_t *group = mem_alloc(x->count, sizeof(*group));

	show_names(t, &x->launches);
	for (size_t i = 0; i < x->count; i++)
		group[i] = group_of(g, t, x, i);
	for (int phase = 0; phase < PHASES; phase++)
		summarize_phase(t, x, g, group, (enum phase)phase);
	sort_stable(g->all, g->count, sizeof(*g->all), compare_groups, NULL);
	free(group);
}

static int run_sum(const struct analysis *self, struct trace *t, const void *args, struct report *r,
		   struct err *e)
{
	struct exec_pairs x;
	struct grouper g = {0};
	int result = exec_pairs_read(t, args, &x, e);

	if (result == 0) {
		group_pairs(t, &x, &g);
		add_rows(report_new_rows(r, self->name, self->title, sum_columns,
					 ARRAY_LEN(sum_columns)),
			 &g);
	}
	exec_pairs_free(&x);
	idmap_free(&g.places);
	idmap_free(&g.functions);
	idmap_free(&g.groups);
	free(g.all);
	return result;
}

NSYS_REPORT(cuda_kern_exec_sum, "CUDA Kernel Launch & Exec Time Summary",
	    "launch, queue and execution times by kernel", run_sum,
	    .needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API), .options = &nvtx_naming_options);

static const struct column trace_columns[] = {
	{"api_start_ns", "API Start (ns)", UNIT_TIME_NS, 0, "", SHOW},
	{"api_ns", "API Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"queue_start_ns", "Queue Start (ns)", UNIT_TIME_NS, 0, NULL, SHOW},
	{"queue_ns", "Queue Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"kernel_start_ns", "Kernel Start (ns)", UNIT_TIME_NS, 0, "", SHOW},
	{"kernel_ns", "Kernel Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"total_ns", "Total Dur (ns)", UNIT_NS, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"device", "DevId", UNIT_ID, 0, "dev:", SHOW},
	{"api_name", "API Function", UNIT_NAME, 0, NULL, SHOW},
	{"grid", "GridXYZ", UNIT_NAME, 0, NULL, SHOW},
	{"block", "BlockXYZ", UNIT_NAME, 0, NULL, SHOW},
	{"kernel_name", "Kernel Name", UNIT_KERNEL, 0, NULL, SHOW},
};

struct listing {
	struct trace *trace;
	struct exec_pairs pairs;
	uint32_t *order;
	char grid[SHAPE_BYTES], block[SHAPE_BYTES]; /* of the row made last */
};

static void make_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct listing *l = (struct listing *)ctx;
	const struct events *ev = &l->trace->events[TRACE_KERNELS];
	size_t pair = l->order[i];
	uint32_t k = exec_kernel(&l->pairs, pair);
	const struct api_call call = exec_call(&l->pairs, pair);
	struct exec_times times = exec_times_of(l->trace, &l->pairs, pair);
	struct call_origin origin = launches_origin(&l->pairs.launches, &call);

	*out++ = cell_int(call.start_ns);
	*out++ = cell_int(times.api_ns);
	*out++ = times.queued ? cell_int(api_call_end(&call)) : cell_null();
	*out++ = times.queued ? cell_int(times.queue_ns) : cell_null();
	*out++ = cell_int(ev->start_ns[k]);
	*out++ = cell_int(times.kernel_ns);
	*out++ = cell_int(times.total_ns);
	*out++ = pid_cell(l->trace, origin.thread);
	*out++ = tid_cell(l->trace, origin.thread);
	*out++ = ev->device ? id_cell(ev->device[k]) : cell_null();
	*out++ = cell_str(label_api(trace_name(l->trace, origin.name)));
	*out++ = cell_str(shape_text(ev->grid, k, l->grid));
	*out++ = cell_str(shape_text(ev->block, k, l->block));
	*out++ = cell_str(trace_name(l->trace, l->pairs.names.of_kernel[k]));
}

static void order_by_call(struct listing *l)
{
	size_t n = l->pairs.count;
	int64_t *start = mem_alloc(n, sizeof(*start));

	for (size_t i = 0; i < n; i++)
		start[i] = exec_call(&l->pairs, i).start_ns;
	l->order = sort_new_order(start, n);
	free(start);
}

static void free_listing(void *p)
{
	struct listing *l = p;

	exec_pairs_free(&l->pairs);
	free(l->order);
}

static int run_trace(const struct analysis *self, struct trace *t, const void *args,
		     struct report *r, struct err *e)
{
	struct listing *l = arena_zalloc(&r->arena, 1, sizeof(*l));

	l->trace = t;
	report_on_free(r, free_listing, l);
	if (exec_pairs_read(t, args, &l->pairs, e) < 0)
		return -1;
	order_by_call(l);
	/* Read only now: sorting needs the memory before. */
	if (trace_load(t, TRACE_KERNELS, COLS_GRID, e) < 0 || shape_require(t, e) < 0)
		return -1;
	trace_report(r, self, trace_columns, ARRAY_LEN(trace_columns), l->pairs.count, make_row, l);
	return 0;
}

NSYS_REPORT(cuda_kern_exec_trace, "CUDA Kernel Launch & Exec Time Trace",
	    "every kernel with its launch, queue and execution time", run_trace,
	    .needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API), .options = &nvtx_naming_options);
