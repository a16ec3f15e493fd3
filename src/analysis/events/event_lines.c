/* Which line of code is behind an event? */
#include "analysis/events/event_fields.h"

uint32_t event_stack(const struct event_fields *f, struct event_ref at)
{
	const struct events *ev = &f->trace->events[at.kind];
	struct api_call call = {0};

	if (at.kind == TRACE_NVTX || !call_lines_any(&f->lines))
		return STACK_NONE;
	if (at.kind == TRACE_API && ev->start_ns && ev->duration_ns) {
		call.start_ns = ev->start_ns[at.row];
		call.duration_ns = ev->duration_ns[at.row];
	} else if (!event_joins_call(&f->joins, at.kind, at.row, &call)) {
		return STACK_NONE;
	}
	return call_lines_stack(&f->lines, event_thread(f, at),
				(struct span){call.start_ns, api_call_last(&call)});
}

uint32_t event_frame(const struct event_fields *f, struct event_ref at)
{
	return call_lines_frame(&f->lines, event_stack(f, at));
}

static struct cell line_cell(struct event_fields *f, struct event_ref at)
{
	const uint32_t frame = event_frame(f, at);

	return frame == ID_NONE ? cell_null() : cell_literal(call_lines_text(&f->lines, frame));
}

static struct cell backtrace_cell(struct event_fields *f, struct event_ref at)
{
	const uint32_t stack = event_stack(f, at);

	if (stack == STACK_NONE)
		return cell_null();
	buf_clear(&f->backtrace);
	call_lines_add_stack(&f->lines, &f->backtrace, stack);
	return cell_literal(buf_str(&f->backtrace));
}

struct cell event_code_cell(struct event_fields *f, struct event_ref at, enum event_field field)
{
	return field == EVENT_LINE ? line_cell(f, at) : backtrace_cell(f, at);
}
