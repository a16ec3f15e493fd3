/* Kernels with the API calls that launched them, as NVIDIA's cuda_kern_exec reports pair them. */
#ifndef ANALYSIS_EXEC_H
#define ANALYSIS_EXEC_H

#include "analysis/analysis.h"
#include "analysis/kernel_names.h"
#include "trace/launch.h"

/*
 * One pair per kernel and API row of the same (process, correlationId): two records of one call
 * make two pairs, as NVIDIA counts them. Kernels without a call make none.
 */
struct exec_pairs {
	struct launches launches;
	struct kernel_names names;
	uint32_t *kernel;
	uint32_t *call; /* slot, or slot_count + index into launches.more */
	size_t count;
};

int exec_pairs_read(struct trace *t, const struct params *p, uint32_t kernel_columns,
		    struct exec_pairs *ret, struct err *e);
void exec_pairs_free(struct exec_pairs *x);

static inline const struct api_call *exec_call(const struct exec_pairs *x, size_t pair)
{
	uint32_t c = x->call[pair];

	return c < x->launches.slot_count ? &x->launches.calls[c]
					  : &x->launches.more[c - x->launches.slot_count];
}

/* The phases of a launch. */
struct exec_times {
	int64_t api_ns, kernel_ns, total_ns;
	bool queued; /* the kernel began after the call returned */
	int64_t queue_ns;
};

struct exec_times exec_times_of(const struct trace *t, const struct exec_pairs *x, size_t pair);

#endif
