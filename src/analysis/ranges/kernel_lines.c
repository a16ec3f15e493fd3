/* How often, and for how long, did each kernel run for one group of calls after another? */
#include "analysis/ranges/kernel_lines.h"

#include "analysis/numbers/summary.h"
#include "base/mem.h"

#include <stdlib.h>

/* Lines are summed when they have this many kernels: enough for all cores, and little memory. */
enum { BATCH = 1 << 18 };

struct kernel_counter {
	const int64_t *durations; /* by kernel */
	const uint32_t *names;
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

void kernel_lines_begin(struct kernel_lines *l, const struct trace *t, const uint32_t *names)
{
	const struct events *kernels = &t->events[TRACE_KERNELS];
	struct kernel_counter *c = mem_zalloc(1, sizeof(*c));

	*l = (struct kernel_lines){.counter = c};
	c->durations = kernels->duration_ns;
	c->names = names;
	c->name_count = t->names.count;
	/* One more: kernels without a name are a line, too. */
	c->line_of_name = mem_zalloc(c->name_count + 1, sizeof(*c->line_of_name));
	c->group_of_kernel = mem_zalloc(kernels->count, sizeof(*c->group_of_kernel));
}

static void sum_batch(struct kernel_lines *l)
{
	struct kernel_counter *c = l->counter;
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

void kernel_lines_new_group(struct kernel_lines *l, struct kernel_group group)
{
	struct kernel_counter *c = l->counter;

	if (c->added_count >= BATCH)
		sum_batch(l);
	c->group = group;
	c->group_number++;
	c->group_begin = l->count;
}

static uint32_t find_line(struct kernel_lines *l, uint32_t kernel)
{
	struct kernel_counter *c = l->counter;
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

void kernel_lines_add(struct kernel_lines *l, uint32_t kernel, uint32_t range)
{
	struct kernel_counter *c = l->counter;
	struct kernel_line *line;
	uint32_t number;

	if (c->durations[kernel] == DURATION_NONE)
		return;
	number = find_line(l, kernel);
	line = &l->lines[number];
	line->range_count += range != line->last_range;
	line->last_range = range;
	line->kernel_count += c->group_of_kernel[kernel] != c->group_number;
	c->group_of_kernel[kernel] = c->group_number;
	MEM_GROW(c->added, c->added_cap, c->added_count + 1);
	MEM_GROW(c->line_of_added, c->line_of_added_cap, c->added_count + 1);
	c->added[c->added_count] = kernel;
	c->line_of_added[c->added_count++] = (uint32_t)(number - c->batch_begin);
}

static void free_counter(struct kernel_lines *l)
{
	struct kernel_counter *c = l->counter;

	if (!c)
		return;
	free(c->line_of_name);
	free(c->group_of_kernel);
	free(c->added);
	free(c->line_of_added);
	free(c);
	l->counter = NULL;
}

void kernel_lines_end(struct kernel_lines *l)
{
	sum_batch(l);
	free_counter(l);
}

void kernel_lines_free(struct kernel_lines *l)
{
	free_counter(l);
	free(l->lines);
	*l = (struct kernel_lines){0};
}
