/*
 * nvcc makes a function of the host for each kernel, of the kernel's name, that launches it: nobody
 * has written it, and who calls it is meant.
 */
#ifndef TRACE_STUBS_H
#define TRACE_STUBS_H

#include "trace/code/stacks.h"
#include "trace/trace.h"

/* Tells them among the frames of machine code (stacks->is_stub). */
int stubs_find(struct trace *t, struct stacks *s, struct err *e);

#endif
