/* What a compute kernel is, told from its name; most are KERNEL_OTHER, which claims nothing. */
#ifndef TRACE_KERNEL_KIND_H
#define TRACE_KERNEL_KIND_H

#include "base/str.h"

enum kernel_kind {
	KERNEL_OTHER,
	KERNEL_MATRIX,	    /* a matrix product or convolution, on tensor cores or not known */
	KERNEL_MATRIX_FP32, /* one that surely runs in plain FP32 */
	KERNEL_ATTENTION,
	KERNEL_COMM,
};

enum kernel_kind kernel_kind(struct str name);

#endif
