/* Which kernels were launched inside the ranges of each name? */
#include "analysis/ranges/range_kernels.h"

#include "analysis/numbers/summary.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* Lines are summed when they have this many kernels: enough for all cores, and little memory. */
enum { BATCH = 1 << 18 };

/*
 * Kernels are summed by name, group of calls after group of calls: the arithmetic of NVIDIA's
 * nvtx_kern_sum. A kernel may be added to a group several times; then its time counts as often, and
 * the kernel once.
 */
struct kernel_counter {
	const int64_t *durations; /* by kernel */
	const uint32_t *names;	  /* by kernel */
	size_t name_count;
	struct kernel_group group;
	uint32_t group_number;	   /* from 1 */
	size_t group_begin;	   /* its first line */
	uint32_t *line_of_name;	   /* in this group, where it is no earlier than group_begin */
	uint32_t *group_of_kernel; /* in which the kernel was last counted; 0: none */
	size_t batch_begin;	   /* the first line that is not summed */
	uint32_t *added, *line_of_added; /* kernels, and their lines from batch_begin on */
	size_t added_count, added_cap, line_of_added_cap;
};

struct finder {
	struct trace *trace;
	struct kernel_names kernel_names;
	struct launches launches;
	struct call_order order;
	uint32_t *kernels;	/* launch after launch */
	uint32_t *kernel_begin; /* of each launch in `kernels`, and the end of the last one's */
	struct range_forest forest;
	uint32_t *first, *last;	     /* by range: the calls in `order` that begin inside it */
	bool *inside;		     /* by place in `order`: some range holds the call */
	uint64_t steps, group_steps; /* of all, and of the group at hand */
	uint64_t events;	     /* that the trace has of all kinds */
	struct range_kernels *out;
	struct kernel_counter counter;
};

static int load(struct finder *f, const struct naming_args *n, struct err *e)
{
	struct trace *t = f->trace;

	/* The join first: it shall not find the memory taken that only the rest needs. */
	if (launches_join(t, TRACE_KERNELS, &f->launches, e) < 0)
		return -1;
	trace_unload(t, TRACE_KERNELS, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION));
	if (kernel_names_read(t, n, &f->launches, &f->kernel_names, e) < 0 ||
	    trace_require_column(t, TRACE_KERNELS, COL_DURATION, e) < 0 ||
	    range_forest_build(t, FOREST_ALL, &f->forest, e) < 0 ||
	    range_names_read(t, &f->out->names, e) < 0)
		return -1;
	/* The forest and the names have what they need of the others. */
	trace_unload(t, TRACE_NVTX, COLS_ALL & ~COL_BIT(COL_EVENT_TYPE));
	return 0;
}

static void begin_counting(struct finder *f)
{
	const struct events *kernels = &f->trace->events[TRACE_KERNELS];
	struct kernel_counter *c = &f->counter;

	c->durations = kernels->duration_ns;
	c->names = f->kernel_names.of_kernel;
	c->name_count = f->trace->names.count;
	/* One more: kernels without a name are a line, too. */
	c->line_of_name = mem_zalloc(c->name_count + 1, sizeof(*c->line_of_name));
	c->group_of_kernel = mem_zalloc(kernels->count, sizeof(*c->group_of_kernel));
}

static void sum_batch(struct finder *f)
{
	struct kernel_lines *l = &f->out->lines;
	struct kernel_counter *c = &f->counter;
	size_t count = l->count - c->batch_begin;
	struct summary *sums = mem_alloc(count, sizeof(*sums));

	summarize_picked(c->durations, c->added, c->line_of_added, c->added_count, count, sums);
	for (size_t i = 0; i < count; i++) {
		struct kernel_line *line = &l->lines[c->batch_begin + i];

		line->total_ns = sums[i].total;
		line->min_ns = sums[i].min;
		line->max_ns = sums[i].max;
		line->mean_ns = sums[i].mean;
		line->median_ns = sums[i].p50;
		line->stddev_ns = sums[i].stddev;
	}
	free(sums);
	c->batch_begin = l->count;
	c->added_count = 0;
}

static void begin_group(struct finder *f, struct kernel_group group)
{
	struct kernel_counter *c = &f->counter;

	if (c->added_count >= BATCH)
		sum_batch(f);
	c->group = group;
	c->group_number++;
	c->group_begin = f->out->lines.count;
	f->group_steps = 0;
}

static uint32_t find_line(struct finder *f, uint32_t kernel)
{
	struct kernel_lines *l = &f->out->lines;
	struct kernel_counter *c = &f->counter;
	uint32_t name = c->names[kernel];
	uint32_t *line = &c->line_of_name[name < c->name_count ? name : c->name_count];

	if (*line < c->group_begin || *line >= l->count || l->lines[*line].kernel != name) {
		*line = (uint32_t)l->count;
		MEM_GROW(l->lines, l->cap, l->count + 1);
		l->lines[l->count++] = (struct kernel_line){
			.group = c->group,
			.kernel = name,
			.last_range = RANGE_NONE,
		};
	}
	return *line;
}

/* `range` holds the kernel's call; RANGE_NONE: none does. */
static void add_kernel(struct finder *f, uint32_t kernel, uint32_t range)
{
	struct kernel_counter *c = &f->counter;
	struct kernel_line *line;
	uint32_t number;

	if (c->durations[kernel] == DURATION_NONE)
		return;
	number = find_line(f, kernel);
	line = &f->out->lines.lines[number];
	line->range_count += range != line->last_range;
	line->last_range = range;
	line->kernel_count += c->group_of_kernel[kernel] != c->group_number;
	c->group_of_kernel[kernel] = c->group_number;
	MEM_GROW(c->added, c->added_cap, c->added_count + 1);
	MEM_GROW(c->line_of_added, c->line_of_added_cap, c->added_count + 1);
	c->added[c->added_count] = kernel;
	c->line_of_added[c->added_count++] = (uint32_t)(number - c->batch_begin);
}

static void list_kernels(struct finder *f)
{
	struct launches *l = &f->launches;
	uint32_t *begin = mem_zalloc(l->launch_count + 2, sizeof(*begin));

	f->kernels = mem_alloc(l->op_count, sizeof(*f->kernels));
	f->kernel_begin = begin;
	for (uint64_t i = 0; i < l->op_count; i++) {
		if (l->launch_of_op[i] != LAUNCH_NONE)
			begin[(size_t)l->launch_of_op[i] + 2]++;
	}
	for (size_t i = 1; i < l->launch_count + 2; i++)
		begin[i] += begin[i - 1];
	for (uint64_t i = 0; i < l->op_count; i++) {
		if (l->launch_of_op[i] != LAUNCH_NONE)
			f->kernels[begin[(size_t)l->launch_of_op[i] + 1]++] = (uint32_t)i;
	}
}

static struct api_call call_at(const struct finder *f, size_t place)
{
	struct api_call call = {0};

	launches_at(&f->launches, f->order.numbers[place], &call);
	return call;
}

/* The first call from `low` on that begins after the range has ended: it is seldom far. */
static size_t find_last(const struct finder *f, size_t low, size_t end, int64_t end_ns)
{
	return GALLOP(low, end, at, call_at(f, at).start_ns <= end_ns);
}

static void find_calls(struct finder *f)
{
	const struct range *ranges = f->forest.ranges;
	size_t first = 0;

	f->first = mem_alloc(f->forest.count, sizeof(*f->first));
	f->last = mem_alloc(f->forest.count, sizeof(*f->last));
	for (size_t i = 0; i < f->forest.count; i++) {
		size_t end = call_order_end(&f->order, ranges[i].thread);

		if (!i || ranges[i - 1].thread != ranges[i].thread)
			first = call_order_begin(&f->order, ranges[i].thread);
		while (first < end && call_at(f, first).start_ns < ranges[i].start_ns)
			first++;
		f->first[i] = (uint32_t)first;
		f->last[i] = (uint32_t)find_last(f, first, end, ranges[i].end_ns);
	}
}

/*
 * Programs that annotate every function nest a hundred ranges, a dozen of one name. A hostile trace
 * has as many around each kernel as it likes: all together take time, those of a group memory.
 */
static int count_steps(struct finder *f, uint64_t steps, struct err *e)
{
	f->steps += steps;
	f->group_steps += steps;
	if (f->steps <= 128 * f->events + 1000000 && f->group_steps <= 16 * f->events + 1000000)
		return 0;
	return err_set(e, ERR_INPUT, "'%s': too many NVTX ranges or calls lie around each kernel",
		       f->trace->path);
}

static int add_call(struct finder *f, size_t place, uint32_t range, struct err *e)
{
	uint32_t launch = launches_of_call(&f->launches, f->order.numbers[place]);
	uint32_t begin = f->kernel_begin[launch], end = f->kernel_begin[launch + 1];

	for (uint32_t k = begin; k < end; k++)
		add_kernel(f, f->kernels[k], range);
	return count_steps(f, end - begin, e);
}

static int add_range(struct finder *f, uint32_t range, struct err *e)
{
	const int64_t end_ns = f->forest.ranges[range].end_ns;

	for (size_t place = f->first[range]; place < f->last[range]; place++) {
		const struct api_call call = call_at(f, place);
		bool inside = api_call_last(&call) <= end_ns;

		f->inside[place] |= inside;
		if ((inside && add_call(f, place, range, e) < 0) || count_steps(f, 1, e) < 0)
			return -1;
	}
	return 0;
}

static struct kernel_group group_of(const struct finder *f, uint32_t range)
{
	const struct range *r = &f->forest.ranges[range];
	uint32_t type = f->trace->events[TRACE_NVTX].event_type[r->row];

	return (struct kernel_group){
		.name = f->out->names.of_row[r->row],
		.type = nvtx_is_push_pop(type) ? NVTX_PUSH_POP : NVTX_START_END,
		.thread = r->thread,
	};
}

/* Numbers the groups that ranges belong to; ranges in the order of these. */
static uint32_t *order_by_group(const struct finder *f)
{
	int64_t *group = mem_alloc(f->forest.count, sizeof(*group));
	struct idmap names = {0}, groups = {0};
	uint32_t *order;

	for (size_t i = 0; i < f->forest.count; i++) {
		struct kernel_group g = group_of(f, (uint32_t)i);
		uint32_t name = idmap_number_pair(&names, g.name, g.type);

		group[i] = idmap_number_pair(&groups, name, g.thread);
	}
	idmap_free(&names);
	idmap_free(&groups);
	order = sort_new_order(group, f->forest.count);
	free(group);
	return order;
}

static bool same_group(struct kernel_group a, struct kernel_group b)
{
	return a.name == b.name && a.type == b.type && a.thread == b.thread;
}

static int add_ranges(struct finder *f, struct err *e)
{
	uint32_t *order = order_by_group(f);
	int result = 0;

	for (size_t i = 0; i < f->forest.count && result == 0; i++) {
		struct kernel_group g = group_of(f, order[i]);

		if (!i || !same_group(g, group_of(f, order[i - 1])))
			begin_group(f, g);
		result = add_range(f, order[i], e);
	}
	free(order);
	return result;
}

static int add_calls_outside(struct finder *f, struct err *e)
{
	for (size_t thread = 0; thread < f->order.thread_count; thread++) {
		begin_group(f, (struct kernel_group){NAME_NONE, 0, (uint32_t)thread});
		for (size_t i = f->order.begin[thread]; i < f->order.begin[thread + 1]; i++) {
			if (!f->inside[i] && add_call(f, i, RANGE_NONE, e) < 0)
				return -1;
		}
	}
	return 0;
}

static void add_kernels_without_call(struct finder *f)
{
	begin_group(f, (struct kernel_group){NAME_NONE, 0, ID_NONE});
	for (uint64_t i = 0; i < f->launches.op_count; i++) {
		if (!launches_has_call(&f->launches, i))
			add_kernel(f, (uint32_t)i, RANGE_NONE);
	}
}

static int collect(struct finder *f, struct err *e)
{
	size_t calls;

	call_order_make(&f->launches, &f->order);
	calls = f->order.begin[f->order.thread_count];
	f->events = f->launches.op_count + calls + f->forest.count;
	f->inside = mem_zalloc(calls, sizeof(*f->inside));
	begin_counting(f);
	add_kernels_without_call(f);
	list_kernels(f);
	launches_forget_ops(&f->launches);
	find_calls(f);
	if (add_ranges(f, e) < 0 || add_calls_outside(f, e) < 0)
		return -1;
	sum_batch(f);
	return 0;
}

int range_kernels_read(struct trace *t, const struct naming_args *n, struct range_kernels *ret,
		       struct err *e)
{
	struct finder f = {.trace = t, .out = ret};
	int result;

	*ret = (struct range_kernels){0};
	result = load(&f, n, e);
	if (result == 0)
		result = collect(&f, e);
	free(f.counter.line_of_name);
	free(f.counter.group_of_kernel);
	free(f.counter.added);
	free(f.counter.line_of_added);
	free(f.inside);
	free(f.first);
	free(f.last);
	free(f.kernels);
	free(f.kernel_begin);
	call_order_free(&f.order);
	range_forest_free(&f.forest);
	launches_free(&f.launches);
	kernel_names_free(&f.kernel_names);
	return result;
}

void range_kernels_free(struct range_kernels *k)
{
	range_names_free(&k->names);
	free(k->lines.lines);
}
