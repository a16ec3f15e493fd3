/* The words NVIDIA uses for the numbers in an export, and what a GPU op is called by them. */
#ifndef TRACE_LABELS_H
#define TRACE_LABELS_H

#include "trace/trace.h"

/* "[CUDA memcpy Host-to-Device]"; the string is constant. */
struct str label_memcpy(uint32_t copy_kind);
/* The kind itself, or that of copies of unknown direction where it has no label of its own. */
uint32_t label_known_copy_kind(uint32_t copy_kind);
/* Kinds of copies, and of these: pages of managed memory that the driver moves. */
enum {
	COPY_HOST_TO_DEVICE = 1,
	COPY_DEVICE_TO_HOST = 2,
	COPY_DEVICE_TO_DEVICE = 8,
	COPY_PAGES_TO_DEVICE = 11,
	COPY_PAGES_TO_HOST = 12,
	COPY_PAGES_LAST = 13,
};
static inline bool copy_moves_pages(uint32_t copy_kind)
{
	return copy_kind >= COPY_PAGES_TO_DEVICE && copy_kind <= COPY_PAGES_LAST;
}
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
