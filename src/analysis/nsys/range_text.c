/* How do NVIDIA's reports write what an NVTX range is, and where? */
#include "analysis/nsys/range_text.h"

struct str range_style(uint32_t event_type)
{
	return nvtx_is_push_pop(event_type) ? STR_LIT("PushPop") : STR_LIT("StartEnd");
}

void range_add_stack(struct buf *b, const struct range_forest *f, uint32_t range)
{
	uint32_t chain[DEEPEST_SHOWN];
	size_t depth = 0;

	for (; range != RANGE_NONE && depth < DEEPEST_SHOWN; range = f->ranges[range].parent)
		chain[depth++] = range;
	while (depth)
		buf_addf(b, ":%lld", (long long)range_id(f, chain[--depth]));
}
