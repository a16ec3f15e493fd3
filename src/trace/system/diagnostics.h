/*
 * What the profiler said of its own work. Its messages hold paths, command lines and names of
 * people: they are recognised and counted here, and their text is never handed out. Numbers in
 * them are.
 */
#ifndef TRACE_DIAGNOSTICS_H
#define TRACE_DIAGNOSTICS_H

#include "trace/trace.h"

enum diagnostic {
	DIAGNOSTIC_CUDA_LOST,	     /* perhaps not all CUDA events were collected */
	DIAGNOSTIC_NVTX_LOST,	     /* the same of NVTX */
	DIAGNOSTIC_CUPTI_LOST,	     /* CUPTI did not give back all that it had recorded */
	DIAGNOSTIC_CUDA_NOT_STARTED, /* CUDA was not traced in a process */
	DIAGNOSTIC_DROPPED,	     /* events were dropped, by whatever word */
	DIAGNOSTIC_DRIVER_TOO_NEW,   /* for this version of the profiler */
	DIAGNOSTIC_NO_SAMPLES,	     /* the system refuses to let the CPU be sampled */
	DIAGNOSTIC_OTHER_ERROR,
	DIAGNOSTICS,
};

struct diagnostics {
	uint64_t count[DIAGNOSTICS];
	uint64_t produced; /* by CUPTI: CUDA events, and what it notes beside them */
	char driver[16];   /* the CUDA version of a driver that is too new; empty */
	/* Where nsys keeps what the program prints; 0: unknown, or in another folder than usual. */
	uint64_t session, pid;
};

/*
 * Counts the messages that are about processes with GPU work, or about none: helpers that never
 * touch a GPU are warned of all the time. `has_gpu_work` is by number in trace->process_keys; NULL
 * counts all.
 */
int diagnostics_read(struct trace *t, const bool *has_gpu_work, struct diagnostics *ret,
		     struct err *e);

/*
 * The same of all processes, also of old exports: these have the messages among all other
 * strings, where "dropped" may be part of any name. For who asks about CUDA alone.
 */
int diagnostics_search(struct trace *t, struct diagnostics *ret, struct err *e);

#endif
