/* What is this GPU op called? */
#include "analysis/gpu/op_name.h"

#include "trace/system/labels.h"

struct str op_name(const struct trace *t, enum trace_kind kind, uint32_t row)
{
	const struct events *ev = &t->events[kind < TRACE_KINDS ? kind : 0];

	switch (kind) {
	case TRACE_KERNELS:
		return trace_name(t, ev->name ? ev->name[row] : NAME_NONE);
	case TRACE_MEMCPYS:
		return label_memcpy(ev->copy_kind ? ev->copy_kind[row] : ID_NONE);
	case TRACE_MEMSETS:
		return LABEL_MEMSET;
	case TRACE_GRAPHS:
		return STR_LIT("[CUDA graph]");
	default:
		return STR_LIT("");
	}
}
