/*
 * Python's samples and backtraces are NVTX marks in domains of the profiler's own, without a name:
 * those who list marks of the program leave them out.
 */
#ifndef TRACE_SAMPLE_MARKS_H
#define TRACE_SAMPLE_MARKS_H

#include "trace/ranges/domains.h"

/* A zeroed struct has none. */
struct sample_marks {
	struct nvtx_domains domains;
};

/* Loads what it needs where the export describes such marks; else nothing. */
int sample_marks_find(struct sample_marks *m, struct trace *t, struct err *e);
bool is_sample_mark(struct sample_marks *m, uint64_t row);
void sample_marks_free(struct sample_marks *m);

#endif
