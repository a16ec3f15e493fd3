/* Who launched an op, and in which range, step and line of code? */
#include "timeline/facts/facts.h"
#include "trace/system/labels.h"

enum { PATH_DEEPEST = 64 };

void facts_add_path(struct buf *b, const struct facts *f, uint32_t range)
{
	const struct range_forest *forest = &f->of.forest;
	const uint32_t *names = f->part->trace->events[TRACE_NVTX].name;
	uint32_t path[PATH_DEEPEST];
	size_t depth = 0;

	for (; range != RANGE_NONE && depth < PATH_DEEPEST; range = forest->ranges[range].parent)
		path[depth++] = range;
	for (size_t i = depth; names && i--;) {
		buf_adds(b, i + 1 < depth ? " / " : "");
		buf_addstr(b, trace_name(f->part->trace, names[forest->ranges[path[i]].row]));
	}
}

void facts_add_op_path(struct buf *b, const struct facts *f, enum trace_kind kind, uint32_t row)
{
	if (f->is_joined)
		facts_add_path(b, f, attribution_range(&f->of, kind, row));
}

static void set_path(const struct facts *f, struct event_facts *x, uint32_t range)
{
	SCOPED_BUF path = {0};

	facts_add_path(&path, f, range);
	x->path = arena_str(&x->arena, buf_str(&path));
}

static void set_step(const struct facts *f, struct event_facts *x, uint32_t process, int64_t at_ns)
{
	const uint32_t step =
		f->steps.count ? iterations_step_at(&f->steps, process, at_ns) : ID_NONE;

	if (step == ID_NONE)
		return;
	x->step = (struct step_fact){.is_known = true, .number = f->steps.all[step].number};
	for (size_t i = 0; i < f->steps.lane_count; i++) {
		const struct iteration_lane *l = &f->steps.lanes[i];

		if (step >= l->begin && step - l->begin < l->count)
			x->step.of = l->count;
	}
}

/* What threads launch that have steps of their own is in no step. */
void facts_set_step(const struct facts *f, struct event_facts *x, uint32_t thread, int64_t at_ns)
{
	const struct trace *t = f->part->trace;

	if (!iterations_is_apart(&f->steps, thread))
		set_step(f, x,
			 thread < t->thread_keys.count ? trace_thread_process(t, thread) : ID_NONE,
			 at_ns);
}

static void set_line(struct facts *f, struct event_facts *x, uint32_t thread, struct span call)
{
	struct thread_samples samples;
	uint32_t stack, frame;
	uint64_t key;

	if (thread >= f->part->trace->thread_keys.count || !f->lines.texts)
		return;
	stack = call_lines_stack(&f->lines, thread, call);
	x->line_is_sampled = stack == STACK_NONE;
	if (stack == STACK_NONE) {
		key = f->part->trace->thread_keys.keys[thread];
		samples = code_of_thread(&f->lines.code, key);
		stack = code_in_call(&f->lines.code, &samples, key, call);
	}
	frame = call_lines_frame(&f->lines, stack);
	if (frame != ID_NONE)
		x->line = call_lines_text(&f->lines, frame);
}

/* Where steps are told by kernels, these tell their own where no call does. */
static void set_unlaunched_step(const struct facts *f, struct event_facts *x)
{
	const struct events *ev = &f->part->trace->events[op_id_kind(x->event.id)];

	if (!f->is_joined && f->steps.source == ITER_KERNELS)
		set_step(f, x, event_process(ev, op_id_row(x->event.id)), x->event.start_ns);
}

void facts_find_op_launch(struct facts *f, struct event_facts *x)
{
	const enum trace_kind kind = op_id_kind(x->event.id);
	const uint32_t row = op_id_row(x->event.id);
	struct call_origin origin;
	struct api_call call;

	if (!f->is_joined || !attribution_call(&f->of, kind, row, &call)) {
		set_unlaunched_step(f, x);
		return;
	}
	origin = launches_origin(&f->of.launches, &call);
	x->launch = (struct launch_fact){
		.is_known = true,
		.call = origin.name == NAME_NONE
				? STR_LIT("")
				: label_api(trace_name(f->part->trace, origin.name)),
		.thread = facts_thread(f, origin.thread),
		.span = {call.start_ns, api_call_last(&call)}};
	x->launch.queue_ns = sat_sub(x->event.start_ns, x->launch.span.end_ns);
	set_path(f, x, attribution_range(&f->of, kind, row));
	facts_set_step(f, x, origin.thread, call.start_ns);
	set_line(f, x, origin.thread, x->launch.span);
}

void facts_find_call(struct facts *f, struct event_facts *x)
{
	const struct span call = {x->event.start_ns, x->event.end_ns};
	const uint32_t thread = x->track->thread;

	if (f->is_joined) {
		launched_find(&f->of.launches, f->part->trace, x->event.id, &x->launched);
		x->launched_queue_ns = sat_sub(x->launched.start_ns, call.end_ns);
		if (x->launched.count)
			x->launched_name = label_op(f->part->trace, op_id_kind(x->launched.first),
						    op_id_row(x->launched.first));
		if (thread < f->innermost.thread_count)
			set_path(f, x, innermost_find(&f->innermost, thread, call.start_ns));
	}
	facts_set_step(f, x, thread, call.start_ns);
	set_line(f, x, thread, call);
}

void facts_find_range(struct facts *f, struct event_facts *x, uint32_t range)
{
	const struct range *r = &f->part->ranges.forest.ranges[range];

	x->thread = facts_thread(f, r->thread);
	facts_set_step(f, x, r->thread, r->start_ns);
	/* Both number the ranges of the same forest. */
	if (!f->is_joined || f->of.forest.count != f->part->ranges.forest.count)
		return;
	if (!f->sums)
		f->sums = range_sums_make(f->part, &f->of);
	x->work = &f->sums[range];
	set_path(f, x, range);
}
