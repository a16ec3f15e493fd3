/* Who called whom until the CUDA call behind an event was made? */
#include "analysis/events/search_backtrace.h"

#include "analysis/cell_values.h"

static const struct column columns[] = {
	{"function", "Function", UNIT_NAME, 0, "", SHOW},
	{"place", "Place", UNIT_NAME, 0, NULL, SHOW},
	{"owner", "Code", UNIT_NAME, 0, NULL, SHOW},
	{"file", "File", UNIT_NAME, 0, "file:", MACHINE_ONLY},
	{"line", "Line", UNIT_ID, 0, "line:", MACHINE_ONLY},
	{"depth", "Depth", UNIT_ID, 0, "depth:", MACHINE_ONLY},
};

static void add_frame(struct rows *rows, const struct call_lines *l, uint32_t frame, size_t depth)
{
	const struct places *p = &l->places;
	const struct frame *f = &l->code.stacks.frames[frame];

	rows_add(rows, f->function == NAME_NONE
			       ? cell_null()
			       : cell_str(function_shown(trace_name(l->trace, f->function))));
	rows_add(rows, text_or_null(frame_place(rows->arena, p, f)));
	rows_add(rows, cell_text(code_owner_names[p->owner[frame]]));
	rows_add(rows, text_or_null(frame_file(p, f)));
	rows_add(rows, f->line && f->line != LINE_NATIVE ? cell_int(f->line) : cell_null());
	rows_add(rows, cell_int((int64_t)depth));
}

void search_backtrace_report(struct report *r, const struct event_fields *f, struct event_ref at)
{
	const struct stacks *s = &f->lines.code.stacks;
	uint32_t path[STACK_DEPTH];
	uint32_t stack = event_stack(f, at);
	size_t depth = 0;
	struct rows *rows;

	if (stack == STACK_NONE)
		return;
	for (; stack != STACK_NONE && depth < STACK_DEPTH; stack = s->caller[stack])
		path[depth++] = s->frame[stack];
	rows = report_new_rows(r, "backtrace", "Backtrace of its CUDA call", columns,
			       ARRAY_LEN(columns));
	for (size_t i = 0; i < depth; i++)
		add_frame(rows, &f->lines, path[depth - 1 - i], i);
}
