/* nsys: how long do launch, queue and execution of each kernel take? */
#include "analysis/cell_values.h"
#include "analysis/nsys/kernel_exec.h"
#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/strings.h"
#include "trace/system/labels.h"

#include <stdlib.h>

enum phase { TOTAL, API, QUEUE, KERNEL, PHASES };

#define PHASE_COLUMNS(letter, word)                                             \
	{word "_avg_ns", letter "Avg (ns)", UNIT_NS, 1, NULL, SHOW},            \
		{word "_med_ns", letter "Med (ns)", UNIT_NS, 1, NULL, SHOW},    \
		{word "_min_ns", letter "Min (ns)", UNIT_NS, 0, NULL, SHOW},    \
		{word "_max_ns", letter "Max (ns)", UNIT_NS, 0, NULL, SHOW},    \
	{                                                                       \
		word "_stddev_ns", letter "StdDev (ns)", UNIT_NS, 1, NULL, SHOW \
	}

static const struct column columns[] = {
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

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct exec_pairs x;
	struct grouper g = {0};

	if (exec_pairs_read(t, args, COL_BIT(COL_DEVICE), &x, e) < 0)
		return -1;
	group_pairs(t, &x, &g);
	add_rows(report_new_rows(r, self->name, self->title, columns, ARRAY_LEN(columns)), &g);
	exec_pairs_free(&x);
	idmap_free(&g.places);
	idmap_free(&g.functions);
	idmap_free(&g.groups);
	free(g.all);
	return 0;
}

const struct analysis analysis_nsys_cuda_kern_exec_sum = {
	.name = "cuda_kern_exec_sum",
	.title = "CUDA Kernel Launch & Exec Time Summary",
	.summary = "launch, queue and execution times by kernel",
	.nsys = true,
	.needs = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_API),
	.options = &nvtx_naming_options,
	.run = run,
};
