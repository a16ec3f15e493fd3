/* GPU ops as events of lanes: an id is the kind of op and its row. */
#ifndef TIMELINE_OP_SOURCE_H
#define TIMELINE_OP_SOURCE_H

#include "timeline/lane.h"
#include "trace/ops/ops.h"

/* What an op looks like. */
enum op_look {
	LOOK_COMPUTE,
	LOOK_MATRIX, /* a matrix product or convolution */
	LOOK_ATTENTION,
	LOOK_COMM,
	LOOK_COPY,
	LOOK_SET,
	LOOK_GRAPH, /* a whole CUDA graph */
	LOOKS,
};

enum { OP_ROW_BITS = 30 }; /* of an id; the kind is above them */

static inline uint32_t op_id(enum trace_kind kind, uint64_t row)
{
	return (uint32_t)kind << OP_ROW_BITS | (uint32_t)row;
}

static inline enum trace_kind op_id_kind(uint32_t id)
{
	return (enum trace_kind)(id >> OP_ROW_BITS);
}

static inline uint32_t op_id_row(uint32_t id)
{
	return id & ((UINT32_C(1) << OP_ROW_BITS) - 1);
}

struct op_source {
	struct lane_source base;
	const struct trace *trace;
	uint8_t *look_of_name; /* enum op_look */
};

/* Names and times of the ops must be loaded. ERR_INPUT when there are too many for ids. */
int op_source_begin(struct op_source *s, const struct ops *o, struct err *e);
void op_source_free(struct op_source *s);

#endif
