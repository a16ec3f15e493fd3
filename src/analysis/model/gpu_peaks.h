/*
 * What a GPU can do at best: dense peaks by data type, as NVIDIA publishes them. Where a datasheet
 * prints the rate with sparsity it is halved here. A device is known by its exact name: a MIG
 * slice, a laptop's or a regional variant has another name, and other peaks.
 */
#ifndef ANALYSIS_GPU_PEAKS_H
#define ANALYSIS_GPU_PEAKS_H

#include "base/str.h"

enum dtype {
	DTYPE_NONE,
	DTYPE_FP64,
	DTYPE_FP32,
	DTYPE_TF32,
	DTYPE_FP16,
	DTYPE_BF16,
	DTYPE_FP8,
	DTYPE_INT8,
	DTYPE_FP4,
	DTYPES,
};

struct gpu_peak {
	const char *title;     /* "H100 SXM" */
	const char *names;     /* as drivers report it, without "NVIDIA "; apart by | */
	double tflops[DTYPES]; /* dense, tensor cores where they have the type; 0: it has not */
	const char *source;    /* what publishes the figures */
};

/* In the order of their generations; NULL after the last. */
const struct gpu_peak *gpu_peak_at(size_t i);
/* Whether a name that an export has is one of these, which | stands between. */
bool gpu_is_one_of(struct str name, const char *names);
/* By the name that an export has; NULL: none of ours. */
const struct gpu_peak *gpu_peak_find(struct str name);

/* "bf16" for DTYPE_BF16. */
const char *dtype_name(enum dtype d);
/* Also as PyTorch and Hugging Face write it: "bfloat16", "float8_e4m3fn". DTYPE_NONE: unknown. */
enum dtype dtype_find(struct str name);

#endif
