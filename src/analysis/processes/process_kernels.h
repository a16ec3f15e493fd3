/* How many kernels each process has, and on which device most of them ran. */
#ifndef ANALYSIS_PROCESS_KERNELS_H
#define ANALYSIS_PROCESS_KERNELS_H

#include "trace/trace.h"

struct process_kernels {
	uint64_t kernels;
	uint32_t device; /* with most of them, see trace/system/devices.h; ID_NONE: there is none */
	uint64_t on_device;
};

struct kernel_counts {
	struct process_kernels *of_process;
	size_t count;		/* of processes */
	uint64_t all, homeless; /* kernels; those that name no process */
};

/* Processes and devices of kernels must be loaded. */
int kernel_counts_make(struct trace *t, struct kernel_counts *ret, struct err *e);
void kernel_counts_free(struct kernel_counts *c);

#endif
