/* Which line of code launched each kernel? */
#include "analysis/kernels/kernel_lines.h"

#include "analysis/cell_values.h"
#include "analysis/grouping.h"
#include "analysis/kernel_names.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "trace/calls/launch.h"
#include "trace/code/call_lines.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"function", "Function", UNIT_NAME, 0, "in:", SHOW},
	{"place", "Place", UNIT_NAME, 0, NULL, SHOW},
	{"file", "File", UNIT_NAME, 0, "file:", MACHINE_ONLY},
	{"line", "Line", UNIT_ID, 0, "line:", MACHINE_ONLY},
};

/* A kernel's name and the frame that launched it. */
struct kernel_line {
	uint32_t name, frame; /* ID_NONE: nobody knows */
};

struct kernel_lines {
	struct trace *trace;
	struct call_lines lines;
	uint32_t *line; /* by kernel: index into `all` */
	struct idmap numbers;
	struct kernel_line *all;
	size_t cap;
};

static uint32_t launching_frame(const struct kernel_lines *k, const struct launches *l, uint64_t i)
{
	struct api_call call;

	if (!(l->kinds & 1u << TRACE_KERNELS) ||
	    !launches_call(l, l->begin[TRACE_KERNELS] + i, &call))
		return ID_NONE;
	return call_lines_frame(
		&k->lines, call_lines_stack(&k->lines, launches_origin(l, &call).thread,
					    (struct span){call.start_ns, api_call_last(&call)}));
}

static uint32_t number_of(struct kernel_lines *k, struct kernel_line line)
{
	const size_t known = k->numbers.count;
	const uint32_t number = idmap_number_pair(&k->numbers, line.name, line.frame);

	if (number == known) {
		MEM_GROW(k->all, k->cap, known + 1);
		k->all[number] = line;
	}
	return number;
}

static void find_lines(struct kernel_lines *k, const struct launches *l)
{
	const struct events *ev = &k->trace->events[TRACE_KERNELS];

	k->line = mem_alloc(ev->count, sizeof(*k->line));
	for (uint64_t i = 0; i < ev->count; i++)
		k->line[i] = number_of(k, (struct kernel_line){ev->name ? ev->name[i] : NAME_NONE,
							       launching_frame(k, l, i)});
}

static void fill_place(const struct kernel_lines *k, struct arena *a, uint32_t frame,
		       struct cell *out)
{
	const struct frame *f;
	struct str file;

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		out[i] = cell_null();
	if (frame == ID_NONE)
		return;
	f = &k->lines.code.stacks.frames[frame];
	file = frame_file(&k->lines.places, f);
	if (f->function != NAME_NONE)
		out[0] = cell_str(function_shown(trace_name(k->trace, f->function)));
	out[1] = text_or_null(frame_place(a, &k->lines.places, f));
	out[2] = text_or_null(file);
	if (f->line && f->line != LINE_NATIVE)
		out[3] = cell_int(f->line);
}

static int add_table(struct kernel_lines *k, const struct table_args *a, struct report *r,
		     struct err *e)
{
	struct time_table table = {
		.name = "kernels",
		.kind = "kernel",
		.name_column = {"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
		.extra = columns,
		.extra_count = ARRAY_LEN(columns),
	};
	struct grouping g;
	struct summary *sums;
	int result;

	if (grouping_make(k->trace, TRACE_KERNELS, k->line, &a->scope, BY_NONE, &g, e) < 0)
		return -1;
	sums = mem_alloc(g.count, sizeof(*sums));
	summarize(g.duration_ns, g.group, k->trace->events[TRACE_KERNELS].count, g.count, sums);
	table.rows = mem_zalloc(g.count, sizeof(*table.rows));
	table.count = g.count;
	for (size_t i = 0; i < g.count; i++) {
		const struct kernel_line *line = &k->all[g.keys[i].name];

		table.rows[i].name = trace_name(k->trace, line->name);
		table.rows[i].s = sums[i];
		fill_place(k, &r->arena, line->frame, table.rows[i].extra);
	}
	warn_without_times(r, g.without_times, TRACE_KERNELS);
	result = time_table_report(r, k->trace, a, &table, e);
	free(table.rows);
	free(sums);
	grouping_free(&g);
	return result;
}

static int require_calls(const struct call_lines *l, struct err *e)
{
	if (call_lines_any(l))
		return 0;
	err_set(e, ERR_INPUT, "%s", CALL_LINES_MISSING);
	e->absent = true;
	return -1;
}

static void free_lines(struct kernel_lines *k)
{
	call_lines_free(&k->lines);
	idmap_free(&k->numbers);
	free(k->line);
	free(k->all);
}

int kernel_lines_report(struct trace *t, const struct table_args *a, struct report *r,
			struct err *e)
{
	struct kernel_lines k = {.trace = t};
	struct launches launches = {0};
	int result = call_lines_read(&k.lines, t, e);

	if (result == 0)
		result = require_calls(&k.lines, e);
	if (result == 0)
		result = trace_load(t, TRACE_KERNELS, COLS_TIMES | COL_BIT(COL_NAME), e);
	if (result == 0)
		result = launches_join(t, TRACE_KERNELS, &launches, e);
	if (result == 0) {
		find_lines(&k, &launches);
		result = add_table(&k, a, r, e);
	}
	launches_free(&launches);
	free_lines(&k);
	return result;
}
