/* What is a copy kind, a memory kind, an API function or a GPU op called? */
#include "trace/system/labels.h"

#include "base/mem.h"

/* By copy kind. */
static const char *const copy_labels[] = {
	"[CUDA memcpy Unknown]",
	"[CUDA memcpy Host-to-Device]",
	"[CUDA memcpy Device-to-Host]",
	"[CUDA memcpy Host-to-Array]",
	"[CUDA memcpy Array-to-Host]",
	"[CUDA memcpy Array-to-Array]",
	"[CUDA memcpy Array-to-Device]",
	"[CUDA memcpy Device-to-Array]",
	"[CUDA memcpy Device-to-Device]",
	"[CUDA memcpy Host-to-Host]",
	"[CUDA memcpy Peer-to-Peer]",
	"[CUDA memcpy Unified Host-to-Device]",
	"[CUDA memcpy Unified Device-to-Host]",
	"[CUDA memcpy Unified Device-to-Device]",
};

/* By memory kind; the last is for all that are newer. */
static const char *const memory_labels[] = {
	"Pageable", "Pinned",	     "Device",	       "Array",
	"Managed",  "Device Static", "Managed Static", "Unknown",
};

uint32_t label_known_copy_kind(uint32_t copy_kind)
{
	return copy_kind < ARRAY_LEN(copy_labels) ? copy_kind : 0;
}

struct str label_memcpy(uint32_t copy_kind)
{
	return str_of(copy_labels[label_known_copy_kind(copy_kind)]);
}

uint32_t label_known_memory_kind(uint32_t kind)
{
	return kind == ID_NONE || kind < ARRAY_LEN(memory_labels) ? kind
								  : ARRAY_LEN(memory_labels) - 1;
}

struct str label_memory_kind(uint32_t kind)
{
	return kind == ID_NONE ? STR_LIT("") : str_of(memory_labels[label_known_memory_kind(kind)]);
}

struct str label_api(struct str name)
{
	enum { SUFFIX = sizeof("_v7000") - 1 };

	if (name.len <= SUFFIX || memcmp(name.s + name.len - SUFFIX, "_v", 2) != 0)
		return name;
	for (size_t i = name.len - SUFFIX + 2; i < name.len; i++) {
		if (name.s[i] < '0' || name.s[i] > '9')
			return name;
	}
	return (struct str){name.s, name.len - SUFFIX};
}

struct str label_op(const struct trace *t, enum trace_kind kind, uint32_t row)
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
