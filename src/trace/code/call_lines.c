/* Whose code made a CUDA call? */
#include "trace/code/call_lines.h"

#include "base/mem.h"

#include <stdlib.h>

int call_lines_expected(struct trace *t, bool *ret, struct err *e)
{
	struct payload_layouts layouts = {0};

	*ret = sqlitefile_find_table(t->file, "CUDA_CALLCHAINS") != NULL;
	if (*ret)
		return 0;
	if (payload_layouts_read(t, &layouts, e) < 0)
		return -1;
	*ret = layouts.used[PAYLOAD_BACKTRACE];
	return 0;
}

static int read_lines(struct call_lines *l, struct trace *t,
		      int read(struct trace *t, struct code *ret, struct err *e), struct err *e)
{
	*l = (struct call_lines){.trace = t};
	if (read(t, &l->code, e) < 0)
		return -1;
	if (!l->code.stacks.count)
		return 0;
	places_make(&l->places, t, &l->code.stacks, CODE_BY_LINE);
	l->texts = mem_zalloc(l->code.stacks.frame_count, sizeof(*l->texts));
	return 0;
}

int call_lines_read(struct call_lines *l, struct trace *t, struct err *e)
{
	return read_lines(l, t, code_read_calls, e);
}

int call_lines_read_all(struct call_lines *l, struct trace *t, struct err *e)
{
	return read_lines(l, t, code_read, e);
}

void call_lines_free(struct call_lines *l)
{
	places_free(&l->places);
	code_free(&l->code);
	free(l->texts);
	arena_free(&l->arena);
	*l = (struct call_lines){0};
}

uint32_t call_lines_stack(const struct call_lines *l, uint32_t thread, struct span call)
{
	if (thread == ID_NONE || !call_lines_any(l))
		return STACK_NONE;
	return code_of_call(&l->code, l->trace->thread_keys.keys[thread], call);
}

uint32_t call_lines_frame(const struct call_lines *l, uint32_t stack)
{
	return stack == STACK_NONE ? ID_NONE : places_yours(&l->places, stack);
}

struct str call_lines_text(struct call_lines *l, uint32_t frame)
{
	if (!l->texts[frame].s)
		l->texts[frame] = frame_text(&l->arena, l->trace, &l->code.stacks.frames[frame]);
	return l->texts[frame];
}

void call_lines_add_stack(struct call_lines *l, struct buf *to, uint32_t stack)
{
	const struct stacks *s = &l->code.stacks;
	uint32_t path[STACK_DEPTH];
	size_t depth = 0;

	for (; stack != STACK_NONE && depth < STACK_DEPTH; stack = s->caller[stack])
		path[depth++] = s->frame[stack];
	for (size_t i = depth; i--;) {
		buf_adds(to, i + 1 < depth ? " / " : "");
		buf_addstr(to, call_lines_text(l, path[i]));
	}
}
