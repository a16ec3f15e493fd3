/*
 * Call stacks, each kept once. A stack is its innermost frame and the stack that called it, so
 * that stacks which share their outer frames share their memory.
 */
#ifndef TRACE_STACKS_H
#define TRACE_STACKS_H

#include "base/idmap.h"

#define STACK_NONE  UINT32_MAX /* nobody: the caller of the outermost frame */
#define STACK_DEPTH 1024       /* frames of a stack, at most: the innermost ones are kept */
#define LINE_NATIVE                                                                  \
	UINT32_MAX /* the frame is machine code, and `file` the module that holds it \
		    */

struct frame {
	uint32_t function; /* in trace->names; NAME_NONE: nobody knows it */
	uint32_t file;
	uint32_t line; /* 0: not known */
};

struct stacks {
	struct frame *frames;
	size_t frame_count, frame_cap;
	bool *is_stub;		  /* by frame, see stubs.h; NULL: none is */
	uint32_t *caller, *frame; /* by stack */
	size_t count, caller_cap, cap;
	struct idmap places;	    /* function and file → number */
	struct idmap frame_numbers; /* that number and line → frame */
	struct idmap numbers;	    /* caller and frame → stack */
};

/* The number of a frame. */
uint32_t stacks_frame(struct stacks *s, struct frame f);
/* The stack of a frame of that number, called by another stack. */
uint32_t stacks_call(struct stacks *s, uint32_t caller, uint32_t frame);
void stacks_free(struct stacks *s);

static inline const struct frame *stacks_top(const struct stacks *s, uint32_t stack)
{
	return &s->frames[s->frame[stack]];
}

/* Copies stacks of one set into another, each once. Begins zeroed but for the two sets. */
struct stack_copy {
	const struct stacks *from;
	struct stacks *to;
	uint32_t *made; /* by stack of `from`: that of `to`, or STACK_NONE */
};

void stack_copy_begin(struct stack_copy *c, const struct stacks *from, struct stacks *to);
uint32_t stack_copy_one(struct stack_copy *c, uint32_t stack);
void stack_copy_end(struct stack_copy *c);

#endif
