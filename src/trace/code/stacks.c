/* Call stacks as a tree: what calls what. */
#include "trace/code/stacks.h"

#include "base/mem.h"

#include <stdlib.h>

uint32_t stacks_frame(struct stacks *s, struct frame f)
{
	const uint32_t place = idmap_number_pair(&s->places, f.function, f.file);
	const uint32_t number = idmap_number_pair(&s->frame_numbers, place, f.line);

	if (number == s->frame_count) {
		MEM_GROW(s->frames, s->frame_cap, s->frame_count + 1);
		s->frames[s->frame_count++] = f;
	}
	return number;
}

uint32_t stacks_call(struct stacks *s, uint32_t caller, uint32_t frame)
{
	const uint32_t number = idmap_number_pair(&s->numbers, caller, frame);

	if (number == s->count) {
		MEM_GROW(s->caller, s->caller_cap, s->count + 1);
		MEM_GROW(s->frame, s->cap, s->count + 1);
		s->caller[s->count] = caller;
		s->frame[s->count++] = frame;
	}
	return number;
}

void stacks_free(struct stacks *s)
{
	free(s->frames);
	free(s->is_stub);
	free(s->caller);
	free(s->frame);
	idmap_free(&s->places);
	idmap_free(&s->frame_numbers);
	idmap_free(&s->numbers);
	*s = (struct stacks){0};
}

void stack_copy_begin(struct stack_copy *c, const struct stacks *from, struct stacks *to)
{
	*c = (struct stack_copy){from, to, mem_alloc(from->count, sizeof(*c->made))};
	for (size_t i = 0; i < from->count; i++)
		c->made[i] = STACK_NONE;
}

/* Callers have smaller numbers than what they call: the way up ends. */
uint32_t stack_copy_one(struct stack_copy *c, uint32_t stack)
{
	uint32_t outer = stack, made = STACK_NONE;
	uint32_t path[STACK_DEPTH];
	size_t depth = 0;

	for (; outer != STACK_NONE && depth < STACK_DEPTH; outer = c->from->caller[outer]) {
		made = c->made[outer];
		if (made != STACK_NONE)
			break;
		path[depth++] = outer;
	}
	while (depth--) {
		const struct frame *f = stacks_top(c->from, path[depth]);

		made = stacks_call(c->to, made, stacks_frame(c->to, *f));
		c->made[path[depth]] = made;
	}
	return made;
}

void stack_copy_end(struct stack_copy *c)
{
	free(c->made);
}
