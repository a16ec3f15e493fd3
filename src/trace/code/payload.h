/*
 * Python stacks in NVTX payloads: marks of the profiler's own, whose fields the export describes
 * in NVTX_PAYLOAD_SCHEMAS. A payload is exported as bytes, as JSON, or both.
 */
#ifndef TRACE_PAYLOAD_H
#define TRACE_PAYLOAD_H

#include "trace/code/stacks.h"
#include "trace/trace.h"

enum payload_kind {
	PAYLOAD_SAMPLE,	   /* taken at regular intervals */
	PAYLOAD_BACKTRACE, /* taken in a CUDA call */
	PAYLOAD_KINDS,
};

/* A number in a payload's bytes; `bytes` is 0 where there is none. */
struct payload_field {
	uint32_t offset;
	uint8_t bytes;
};

/* Where a stack is in the bytes of a payload. */
struct payload_layout {
	int64_t schema;
	enum payload_kind kind;
	struct payload_field count; /* of frames */
	uint32_t frames_offset, frame_bytes;
	struct payload_field function, file, line;
};

struct payload_layouts {
	struct payload_layout all[8];
	size_t count;
	bool named; /* the export has such payloads, as bytes that can be read or not */
	bool used[PAYLOAD_KINDS]; /* by domain: the profiler describes them whether there are any */
};

/* Numbers as the payload has them: ids of strings. The innermost frame comes first. */
struct payload_frame {
	int64_t function, file, line;
};

struct payload_stack {
	enum payload_kind kind;
	size_t count;
	struct payload_frame frames[STACK_DEPTH];
};

/* The kind that has this name; PAYLOAD_KINDS: none has. */
enum payload_kind payload_kind_of(struct str name);
int payload_layouts_read(struct trace *t, struct payload_layouts *ret, struct err *e);
/* Whether the payload has a stack; what cannot be read has none. */
bool payload_of_bytes(const struct payload_layouts *l, struct str bytes, struct payload_stack *ret);
bool payload_of_json(struct str text, struct payload_stack *ret);

#endif
