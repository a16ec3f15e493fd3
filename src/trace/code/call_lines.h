/* Which line of your code made a CUDA call: by the backtraces that the capture has of calls. */
#ifndef TRACE_CALL_LINES_H
#define TRACE_CALL_LINES_H

#include "base/buf.h"
#include "trace/code/places.h"
#include "trace/code/samples.h"

/* A zeroed struct knows of none. */
struct call_lines {
	const struct trace *trace;
	struct code code;
	struct places places;
	struct str *texts; /* by frame, as they are asked for */
	struct arena arena;
};

/* Why a trace has none, for those who need them. */
#define CALL_LINES_MISSING                                                            \
	"no backtraces of CUDA calls in this trace: capture with nsys profile "       \
	"--python-backtrace=cuda (Python) or --cudabacktrace=all:0, and export with " \
	"--include-blobs=true"

/* Whether the export is of a capture with backtraces; quick, and without reading any. */
int call_lines_expected(struct trace *t, bool *ret, struct err *e);
/* Samples of threads are not read. What was read is freed after an error. */
int call_lines_read(struct call_lines *l, struct trace *t, struct err *e);
/* The same with all samples, for those who need these, too. */
int call_lines_read_all(struct call_lines *l, struct trace *t, struct err *e);
void call_lines_free(struct call_lines *l);

static inline bool call_lines_any(const struct call_lines *l)
{
	return code_has_calls(&l->code);
}

/* The stack of a call of a thread (a number in trace->thread_keys); STACK_NONE: nobody knows. */
uint32_t call_lines_stack(const struct call_lines *l, uint32_t thread, struct span call);
/* The frame of your code in the stack of a call. ID_NONE: there is no stack. */
uint32_t call_lines_frame(const struct call_lines *l, uint32_t stack);

/* "write_metrics (hostwork.py:10)", "qsort (libc.so.6)". */
struct str call_lines_text(struct call_lines *l, uint32_t frame);
/* All frames of a stack, the outermost first: "<module> (run.py:27) / step (run.py:25)". */
void call_lines_add_stack(struct call_lines *l, struct buf *to, uint32_t stack);

#endif
