/*
 * What sort of work a GPU op is. Communication is known by the kernel's name alone: libraries keep
 * theirs for years, and users tell their own.
 */
#ifndef TRACE_OP_CLASS_H
#define TRACE_OP_CLASS_H

#include "trace/trace.h"

enum op_class { OP_COMPUTE, OP_COMM, OP_COPY, OP_CLASSES };

/*
 * By number of trace->names: OP_COMPUTE or OP_COMM, which the user's pattern adds to (see
 * trace_add_comm()). The caller frees it. ERR_USAGE when the pattern takes too long.
 */
int op_class_of_names(struct trace *t, uint8_t **ret, struct err *e);

/* Whether kernels of that name communicate, in this trace. */
bool op_is_comm(struct trace *t, struct str name);

/* Whether a library's kernel is called so. */
bool op_name_is_comm(struct str name);

/* What a kernel is, told from its name; most are KERNEL_OTHER, which claims nothing. */
enum kernel_kind {
	KERNEL_OTHER,
	KERNEL_MATRIX,	    /* a matrix product or convolution, on tensor cores or not known */
	KERNEL_MATRIX_FP32, /* one that surely runs in plain FP32 */
	KERNEL_ATTENTION,
	KERNEL_COMM,
};

enum kernel_kind kernel_kind(struct str name);

#endif
