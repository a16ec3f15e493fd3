/* What a GPU op is called: the kernel's name, or NVIDIA's words for a copy, a set, a graph. */
#ifndef ANALYSIS_OP_NAME_H
#define ANALYSIS_OP_NAME_H

#include "trace/trace.h"

/* Empty for TRACE_KINDS: no op. Columns COL_NAME and COL_COPY_KIND must be loaded. */
struct str op_name(const struct trace *t, enum trace_kind kind, uint32_t row);

#endif
