/*
 * Why a capture holds no GPU work: what the trace knows of that, and the reason that it proves.
 * Both are of the whole capture, whatever is asked about: `doctor` and the verdict say the same.
 */
#ifndef ANALYSIS_NO_GPU_H
#define ANALYSIS_NO_GPU_H

#include "analysis/doctor/host_calls.h"
#include "analysis/doctor/host_loop.h"
#include "analysis/doctor/host_processes.h"
#include "report/finding.h"
#include "trace/system/diagnostics.h"

struct no_gpu_facts {
	struct host_calls_found found;
	struct host_processes processes;
	struct diagnostics said;
	bool traced;	       /* CUDA was: the capture's options say so, or the profiler */
	bool silent;	       /* the profiler says that it saw none */
	bool prepared;	       /* it noted within the capture that it started in the program … */
	bool started;	       /* … and that it prepared for CUDA, which the program had loaded */
	struct host_loop loop; /* of the thread that loaded CUDA */
	int64_t limit_ns;      /* at which collection stopped; 0: it did not */
	int64_t ended_ns;      /* when the program did; 0: unknown */
	const char *library;   /* that uses CUDA, and whose NVTX ranges there are; NULL */
	const char *runtime;   /* of OpenACC or OpenMP for GPUs, which was loaded; NULL */
	const char *launcher;  /* of ranks: "mpirun"; NULL */
};

/* Of the calls the scope says which are asked about. */
int no_gpu_facts_read(struct trace *t, const struct scope *s, struct no_gpu_facts *ret,
		      struct err *e);

struct no_gpu_reason {
	const char *why; /* "CUDA was traced, but …" */
	enum confidence confidence;
	unsigned flags;	 /* of the command line that captures anew: enum capture_flag */
	bool mend_first; /* before it is worth while to capture anew */
	const char *advice, *driver_advice, *launcher_advice; /* the last two: NULL */
};

/* Texts live as long as the report. */
struct no_gpu_reason no_gpu_find_reason(struct report *r, const struct no_gpu_facts *f);

#endif
