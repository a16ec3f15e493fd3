/* Which line of code is behind each event? */
#include "analysis/line_groups.h"

#include "analysis/cell_values.h"
#include "base/mem.h"
#include "trace/calls/launch.h"

#include <stdlib.h>

static const struct column line_columns[LINE_COLUMNS] = {
	{"function", "Function", UNIT_NAME, 0, "in:", SHOW},
	{"place", "Place", UNIT_NAME, 0, NULL, SHOW},
	{"file", "File", UNIT_NAME, 0, "file:", MACHINE_ONLY},
	{"line", "Line", UNIT_ID, 0, "line:", MACHINE_ONLY},
};

int line_groups_open(struct line_groups *g, struct trace *t, struct err *e)
{
	*g = (struct line_groups){.trace = t};
	if (call_lines_read(&g->lines, t, e) < 0)
		return -1;
	if (call_lines_any(&g->lines))
		return 0;
	line_groups_free(g);
	err_set(e, ERR_INPUT, "%s", CALL_LINES_MISSING);
	e->absent = true;
	return -1;
}

void line_groups_free(struct line_groups *g)
{
	call_lines_free(&g->lines);
	idmap_free(&g->numbers);
	free(g->all);
	for (int kind = 0; kind < TRACE_KINDS; kind++)
		free(g->of_event[kind]);
	*g = (struct line_groups){0};
}

static uint32_t number_of(struct line_groups *g, struct line_group group)
{
	const size_t known = g->numbers.count;
	const uint32_t number = idmap_number_pair(&g->numbers, group.name, group.frame);

	if (number == known) {
		MEM_GROW(g->all, g->cap, known + 1);
		g->all[number] = group;
	}
	return number;
}

uint32_t line_groups_call(struct line_groups *g, uint32_t name, uint32_t thread, struct span call)
{
	const uint32_t stack = call_lines_stack(&g->lines, thread, call);

	return number_of(g, (struct line_group){name, call_lines_frame(&g->lines, stack)});
}

static int number_calls(struct line_groups *g, const uint32_t *names, uint32_t *of_call,
			struct err *e)
{
	const struct events *ev = &g->trace->events[TRACE_API];

	if (trace_load(g->trace, TRACE_API, COLS_TIMES | COL_BIT(COL_THREAD), e) < 0 ||
	    trace_require_column(g->trace, TRACE_API, COL_START, e) < 0 ||
	    trace_require_column(g->trace, TRACE_API, COL_DURATION, e) < 0 ||
	    trace_require_column(g->trace, TRACE_API, COL_THREAD, e) < 0)
		return -1;
	for (uint64_t i = 0; i < ev->count; i++) {
		const struct api_call call = {.start_ns = ev->start_ns[i],
					      .duration_ns = ev->duration_ns[i]};

		of_call[i] = line_groups_call(g, names[i], ev->thread[i],
					      (struct span){call.start_ns, api_call_last(&call)});
	}
	return 0;
}

static int number_ops(struct line_groups *g, enum trace_kind kind, const uint32_t *names,
		      uint32_t *of_op, struct err *e)
{
	const uint64_t count = g->trace->events[kind].count;
	struct launches l = {0};

	if (launches_join(g->trace, kind, &l, e) < 0)
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		struct api_call call;

		of_op[i] = l.kinds & 1u << kind && launches_call(&l, l.begin[kind] + i, &call)
				   ? line_groups_call(
					     g, names[i], launches_origin(&l, &call).thread,
					     (struct span){call.start_ns, api_call_last(&call)})
				   : number_of(g, (struct line_group){names[i], ID_NONE});
	}
	launches_free(&l);
	return 0;
}

int line_groups_names(struct line_groups *g, enum trace_kind kind, const uint32_t *names,
		      const uint32_t **ret, struct err *e)
{
	uint32_t *of_event;

	*ret = names;
	if (!g->trace)
		return 0;
	of_event = mem_alloc(g->trace->events[kind].count, sizeof(*of_event));
	g->of_event[kind] = of_event;
	*ret = of_event;
	return kind == TRACE_API ? number_calls(g, names, of_event, e)
				 : number_ops(g, kind, names, of_event, e);
}

size_t line_groups_columns(const struct line_groups *g, struct column *out)
{
	if (!line_groups_any(g))
		return 0;
	memcpy(out, line_columns, sizeof(line_columns));
	return LINE_COLUMNS;
}

size_t line_groups_cells(const struct line_groups *g, struct arena *a, uint32_t number,
			 struct cell *out)
{
	const struct frame *f;
	uint32_t frame;

	if (!line_groups_any(g))
		return 0;
	for (size_t i = 0; i < LINE_COLUMNS; i++)
		out[i] = cell_null();
	frame = g->all[number].frame;
	if (frame == ID_NONE)
		return LINE_COLUMNS;
	f = &g->lines.code.stacks.frames[frame];
	if (f->function != NAME_NONE)
		out[0] = cell_str(function_shown(trace_name(g->trace, f->function)));
	out[1] = text_or_null(frame_place(a, &g->lines.places, f));
	out[2] = text_or_null(frame_file(&g->lines.places, f));
	if (f->line && f->line != LINE_NATIVE)
		out[3] = cell_int(f->line);
	return LINE_COLUMNS;
}
