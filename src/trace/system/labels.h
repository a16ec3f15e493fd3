/* The words NVIDIA uses for the numbers in an export, and what a GPU op is called by them. */
#ifndef TRACE_LABELS_H
#define TRACE_LABELS_H

#include "trace/trace.h"

/* "[CUDA memcpy Host-to-Device]"; the string is constant. */
struct str label_memcpy(uint32_t copy_kind);
/* The kind itself, or that of copies of unknown direction where it has no label of its own. */
uint32_t label_known_copy_kind(uint32_t copy_kind);
#define LABEL_MEMSET STR_LIT("[CUDA memset]")
/* "Pageable", "Pinned", "Device", …; empty for ID_NONE. */
struct str label_memory_kind(uint32_t kind);
/* The kind itself, or that of unknown memory where it has no word; ID_NONE stays. */
uint32_t label_known_memory_kind(uint32_t kind);
/* An API function's name without the 4-digit version CUPTI appends: cudaLaunchKernel_v7000. */
struct str label_api(struct str name);
/*
 * The kernel's name, or the words for a copy, a set, a graph; empty for TRACE_KINDS: no op. Columns
 * COL_NAME and COL_COPY_KIND must be loaded.
 */
struct str label_op(const struct trace *t, enum trace_kind kind, uint32_t row);

#endif
