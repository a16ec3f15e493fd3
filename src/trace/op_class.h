/*
 * What sort of work a GPU op is. Communication is known by the kernel's name alone: libraries keep
 * theirs for years.
 */
#ifndef TRACE_OP_CLASS_H
#define TRACE_OP_CLASS_H

#include "trace/trace.h"

enum op_class { OP_COMPUTE, OP_COMM, OP_COPY, OP_CLASSES };

/* By number of trace->names: OP_COMPUTE or OP_COMM. The caller frees it. */
uint8_t *op_class_of_names(const struct trace *t);

bool op_name_is_comm(struct str name);

#endif
