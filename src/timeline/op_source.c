/* What does a GPU op look like on a timeline? */
#include "timeline/op_source.h"

#include "base/mem.h"
#include "trace/ops/op_class.h"

#include <stdlib.h>

static uint8_t look_of_kernel(const struct op_source *s, const struct events *ev, uint32_t row)
{
	const uint32_t name = ev->name ? ev->name[row] : NAME_NONE;

	return name == NAME_NONE ? LOOK_COMPUTE : s->look_of_name[name];
}

static uint8_t look_of(const struct op_source *s, enum trace_kind kind, uint32_t row)
{
	static const uint8_t others[TRACE_GPU_KINDS] = {
		[TRACE_MEMCPYS] = LOOK_COPY,
		[TRACE_MEMSETS] = LOOK_SET,
		[TRACE_GRAPHS] = LOOK_GRAPH,
	};

	return kind == TRACE_KERNELS ? look_of_kernel(s, &s->trace->events[kind], row)
				     : others[kind];
}

static void read_ops(const struct lane_source *self, const uint32_t *ids, size_t count,
		     struct lane_event *ret)
{
	const struct op_source *s = (const struct op_source *)self;

	for (size_t i = 0; i < count; i++) {
		const enum trace_kind kind = op_id_kind(ids[i]);
		const uint32_t row = op_id_row(ids[i]);
		const struct events *ev = &s->trace->events[kind];

		ret[i] = (struct lane_event){ev->start_ns[row], op_end_ns(ev, row), ids[i],
					     look_of(s, kind, row)};
	}
}

static uint8_t look_of_name(const struct ops *o, uint32_t name)
{
	static const uint8_t looks[] = {
		[KERNEL_OTHER] = LOOK_COMPUTE,	    [KERNEL_MATRIX] = LOOK_MATRIX,
		[KERNEL_MATRIX_FP32] = LOOK_MATRIX, [KERNEL_ATTENTION] = LOOK_ATTENTION,
		[KERNEL_COMM] = LOOK_COMM,
	};

	return o->class_of_name[name] == OP_COMM ? LOOK_COMM
						 : looks[kernel_kind(trace_name(o->trace, name))];
}

int op_source_begin(struct op_source *s, const struct ops *o, struct err *e)
{
	const struct trace *t = o->trace;

	*s = (struct op_source){.base = {.read = read_ops}, .trace = t};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (t->events[kind].count > op_id_row(UINT32_MAX))
			return err_set(e, ERR_INPUT, "'%s' has more than a billion ops of one kind",
				       t->path);
	}
	s->look_of_name = mem_alloc(t->names.count, sizeof(*s->look_of_name));
	for (uint32_t name = 0; name < t->names.count; name++)
		s->look_of_name[name] = look_of_name(o, name);
	return 0;
}

void op_source_free(struct op_source *s)
{
	free(s->look_of_name);
	*s = (struct op_source){0};
}
