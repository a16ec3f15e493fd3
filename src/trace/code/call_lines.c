/* Whose code made a CUDA call? */
#include "trace/code/call_lines.h"

#include "base/mem.h"
#include "trace/strings.h"

#include <stdlib.h>

/* Numbers of the names that kernels have, as functions of the host would be shown. */
static int list_kernels(struct trace *t, struct strtab *ret, struct err *e)
{
	uint8_t *used;

	if (names_used(t, TRACE_KERNELS, &used, e) < 0) {
		free(used);
		return -1;
	}
	for (uint32_t i = 0; i < t->names.count; i++) {
		if (used[i])
			strtab_add(ret, function_shown(t->names.items[i]));
	}
	free(used);
	return 0;
}

static int find_stubs(struct call_lines *l, struct trace *t, struct err *e)
{
	const struct stacks *s = &l->code.stacks;
	struct strtab kernels = {0};
	size_t count;
	int result = list_kernels(t, &kernels, e);

	l->is_stub = mem_zalloc(s->frame_count, sizeof(*l->is_stub));
	count = kernels.count;
	for (size_t i = 0; result == 0 && i < s->frame_count; i++) {
		const struct frame *f = &s->frames[i];

		/* A name that is no kernel's gets a number behind theirs. */
		l->is_stub[i] =
			f->line == LINE_NATIVE && f->function != NAME_NONE &&
			strtab_add(&kernels, function_shown(t->names.items[f->function])) < count;
	}
	strtab_free(&kernels);
	return result;
}

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
	if (!call_lines_any(l) || find_stubs(l, t, e) == 0)
		return 0;
	call_lines_free(l);
	return -1;
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
	free(l->is_stub);
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

static struct str function_of(const struct call_lines *l, uint32_t frame)
{
	return function_shown(trace_name(l->trace, l->code.stacks.frames[frame].function));
}

uint32_t call_lines_frame(const struct call_lines *l, uint32_t stack, bool launches_kernel)
{
	const struct stacks *s = &l->code.stacks;
	uint32_t yours;

	if (stack == STACK_NONE)
		return ID_NONE;
	yours = places_yours(&l->places, stack);
	if (!launches_kernel || !l->is_stub[yours])
		return yours;
	for (; stack != STACK_NONE; stack = s->caller[stack]) {
		const uint32_t frame = s->frame[stack];

		if (l->places.owner[frame] == CODE_YOURS &&
		    !str_eq(function_of(l, frame), function_of(l, yours)))
			return frame;
	}
	return yours;
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
