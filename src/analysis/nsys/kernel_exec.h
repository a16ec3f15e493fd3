/* Kernels with the API calls that launched them, as NVIDIA's cuda_kern_exec reports pair them. */
#ifndef ANALYSIS_KERNEL_EXEC_H
#define ANALYSIS_KERNEL_EXEC_H

#include "analysis/analysis.h"
#include "analysis/kernel_names.h"
#include "trace/calls/launch.h"

/*
 * One pair per kernel and API row of the same (process, correlationId): two records of one call
 * make two pairs, as NVIDIA counts them. Kernels without a call make none. The pairs of second
 * records come after all others.
 */
struct exec_pairs {
	struct launches launches;
	struct kernel_names names;
	const int64_t *durations; /* the kernels' */
	uint32_t *kernel;	  /* by pair; NULL: pair i is kernel i, as it nearly always is */
	uint32_t *more;		  /* by pair − first_more: index into launches.more */
	size_t first_more;
	size_t count;
};

int exec_pairs_read(struct trace *t, const struct naming_args *n, uint32_t kernel_columns,
		    struct exec_pairs *ret, struct err *e);
void exec_pairs_free(struct exec_pairs *x);

static inline uint32_t exec_kernel(const struct exec_pairs *x, size_t pair)
{
	return x->kernel ? x->kernel[pair] : (uint32_t)pair;
}

struct api_call exec_call(const struct exec_pairs *x, size_t pair);

static inline struct call_origin exec_origin(const struct exec_pairs *x, size_t pair)
{
	const struct api_call call = exec_call(x, pair);

	return launches_origin(&x->launches, &call);
}

/* The phases of a launch. */
struct exec_times {
	int64_t api_ns, kernel_ns, total_ns;
	bool queued; /* the kernel began after the call returned */
	int64_t queue_ns;
};

struct exec_times exec_times_of(const struct trace *t, const struct exec_pairs *x, size_t pair);

#endif
