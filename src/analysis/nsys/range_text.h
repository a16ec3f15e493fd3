/* How NVIDIA's reports write what an NVTX range is, and where. */
#ifndef ANALYSIS_RANGE_TEXT_H
#define ANALYSIS_RANGE_TEXT_H

#include "base/buf.h"
#include "trace/ranges/ranges.h"

/* Real programs nest some dozen ranges; a hostile file must not make each row a megabyte. */
enum { DEEPEST_SHOWN = 250 };

/* "PushPop" or "StartEnd", by the type of its event. */
struct str range_style(uint32_t event_type);

/* The number that a range is known by: that of its row, counted from 1. */
static inline int64_t range_id(const struct range_forest *f, uint32_t range)
{
	return (int64_t)f->ranges[range].row + 1;
}

/* The ids of the ranges around it and its own, outermost first: ":1:5:6". */
void range_add_stack(struct buf *b, const struct range_forest *f, uint32_t range);

#endif
