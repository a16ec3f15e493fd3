/* Which kernels were launched inside the ranges of each name? */
#include "analysis/ranges/range_kernels.h"

#include "analysis/kernel_names.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

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

static void begin_group(struct finder *f, struct kernel_group group)
{
	kernel_lines_new_group(&f->out->lines, group);
	f->group_steps = 0;
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
		kernel_lines_add(&f->out->lines, f->kernels[k], range);
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
			kernel_lines_add(&f->out->lines, (uint32_t)i, RANGE_NONE);
	}
}

static int collect(struct finder *f, struct err *e)
{
	size_t calls;

	call_order_make(&f->launches, &f->order);
	calls = f->order.begin[f->order.thread_count];
	f->events = f->launches.op_count + calls + f->forest.count;
	f->inside = mem_zalloc(calls, sizeof(*f->inside));
	kernel_lines_begin(&f->out->lines, f->trace, f->kernel_names.of_kernel);
	add_kernels_without_call(f);
	list_kernels(f);
	launches_forget_ops(&f->launches);
	find_calls(f);
	if (add_ranges(f, e) < 0 || add_calls_outside(f, e) < 0)
		return -1;
	kernel_lines_end(&f->out->lines);
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
	kernel_lines_free(&k->lines);
}
