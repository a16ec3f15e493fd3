/* nsys: how much time did each kernel take, by grid and block? */
#include "analysis/kernel_names.h"
#include "analysis/nsys/sum_report.h"
#include "analysis/shape.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct column columns[] = {
	SUM_COLUMN_HEAD("instances", "Instances"),
	{"grid", "GridXYZ", UNIT_NAME, 0, "grid:", SHOW},
	{"block", "BlockXYZ", UNIT_NAME, 0, "block:", SHOW},
	{"name", "Name", UNIT_KERNEL, 0, "", SHOW},
};

/* Six dimensions and a name become one group number, pair after pair. */
struct shaper {
	struct idmap pairs[6];
	uint64_t *first; /* of each group: a kernel that has it */
	size_t count, cap;
};

static uint32_t group_of(struct shaper *s, const struct events *ev, uint32_t name, uint64_t i)
{
	uint32_t number = name;

	for (int d = 0; d < 6; d++) {
		uint32_t side = d < 3 ? ev->grid[d][i] : ev->block[d - 3][i];

		number = idmap_number_pair(&s->pairs[d], number, side);
	}
	if (number == s->count) {
		MEM_GROW(s->first, s->cap, s->count + 1);
		s->first[s->count++] = i;
	}
	return number;
}

static void add_lines(struct trace *t, const struct kernel_names *names, struct report *r,
		      struct sum_lines *lines)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	uint32_t *group = mem_alloc(ev->count, sizeof(*group));
	struct shaper s = {0};
	struct summary *sums;

	for (uint64_t i = 0; i < ev->count; i++)
		group[i] = ev->duration_ns[i] == DURATION_NONE
				   ? GROUP_NONE
				   : group_of(&s, ev, names->of_kernel[i], i);
	sums = mem_alloc(s.count, sizeof(*sums));
	summarize(ev->duration_ns, group, ev->count, s.count, sums);
	for (size_t g = 0; g < s.count; g++) {
		char grid[SHAPE_BYTES], block[SHAPE_BYTES];

		sum_lines_add(lines,
			      (struct sum_line){
				      .s = sums[g],
				      .name = trace_name(t, names->of_kernel[s.first[g]]),
				      .grid = arena_str(&r->arena,
							shape_text(ev->grid, s.first[g], grid)),
				      .block = arena_str(&r->arena,
							 shape_text(ev->block, s.first[g], block)),
			      });
	}
	for (int d = 0; d < 6; d++)
		idmap_free(&s.pairs[d]);
	free(s.first);
	free(sums);
	free(group);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct sum_lines lines = {0};
	struct kernel_names names;

	/* Names first: :nvtx-name joins launches, and needs the memory of the shapes for it. */
	if (kernel_names_read(t, args, NULL, &names, e) < 0)
		return -1;
	if (trace_require_column(t, TRACE_KERNELS, COL_DURATION, e) < 0 ||
	    trace_load(t, TRACE_KERNELS, SHAPE_COLUMNS, e) < 0 || shape_require(t, e) < 0) {
		kernel_names_free(&names);
		return -1;
	}
	add_lines(t, &names, r, &lines);
	sum_report(r, self, &lines, columns, ARRAY_LEN(columns), SUM_SHAPE_NAME);
	kernel_names_free(&names);
	sum_lines_free(&lines);
	return 0;
}

const struct analysis analysis_nsys_cuda_gpu_kern_gb_sum = {
	.name = "cuda_gpu_kern_gb_sum",
	.title = "CUDA GPU Kernel/Grid/Block Summary",
	.summary = "kernels by total time, for each grid and block size",
	.nsys = true,
	.needs = NEEDS(TRACE_KERNELS),
	.options = &nvtx_naming_options,
	.run = run,
};
