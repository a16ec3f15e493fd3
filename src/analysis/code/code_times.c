/* Samples of the launching threads joined with the gaps of their GPUs. */
#include "analysis/code/code_times.h"

#include "base/mem.h"

#include <stdlib.h>

/* Sums by thread and stack, as they are met. */
struct stack_sums {
	struct idmap numbers;
	struct stack_time *all;
	size_t cap;
};

/* What one piece of the walk has found. */
struct piece {
	const struct code_times *times;
	const struct gap_judge *judge;
	const struct long_calls *long_calls; /* NULL: nobody knows */
	struct gap_cursor *cursor;
	struct stack_sums sums;
	int64_t *idle_ns, *sampled_ns; /* by thread */
	int64_t all_idle_ns, unknown_ns;
};

static struct stack_time *time_of(struct stack_sums *s, uint32_t thread, uint32_t stack)
{
	const size_t known = s->numbers.count;
	const uint32_t number = idmap_number_pair(&s->numbers, thread, stack);

	if (number == known) {
		MEM_GROW(s->all, s->cap, known + 1);
		s->all[number] = (struct stack_time){.thread = thread, .stack = stack};
	}
	return &s->all[number];
}

/* Where a share of a time is added: to the thread's idle time, or to its own. */
struct sharing {
	struct stack_sums *sums;
	uint32_t thread;
	bool idle;
};

static void take_share(void *ctx, uint32_t stack, struct span part)
{
	const struct sharing *s = ctx;
	struct stack_time *to = time_of(s->sums, s->thread, stack);

	*(s->idle ? &to->idle_ns : &to->host_ns) += part.end_ns - part.start_ns;
}

static int64_t share_out(struct stack_sums *sums, const struct code_times *c, uint32_t thread,
			 const struct long_calls *calls, struct span time, bool idle)
{
	struct sharing s = {sums, thread, idle};
	struct thread_samples samples = c->threads[thread].samples; /* others have theirs */

	if (calls)
		samples_bound(&samples, calls, thread);
	return samples_share(&samples, time, take_share, &s);
}

/* A gap that the window ends, or the program: who launched the op before it was to launch again. */
static uint32_t thread_before(const struct gap_judge *j, const struct slice *s)
{
	struct api_call call;

	if (!j->joined || !s->before ||
	    !attribution_call(&j->attribution, s->before->kind, s->before->row, &call))
		return ID_NONE;
	return launches_origin(&j->attribution.launches, &call).thread;
}

static void take_slice(void *ctx, const struct slice *s)
{
	struct piece *p = ctx;
	const struct gap *gap;
	uint32_t thread;

	if (s->kind != SLICE_IDLE)
		return;
	gap = gap_judge_slice(p->judge, p->cursor, s);
	p->all_idle_ns += gap_ns(gap);
	thread = gap->cause == CAUSE_END ? thread_before(p->judge, s) : p->cursor->thread;
	if (gap->cause == CAUSE_UNKNOWN || thread == ID_NONE) {
		p->unknown_ns += gap_ns(gap);
		return;
	}
	p->idle_ns[thread] += gap_ns(gap);
	p->sampled_ns[thread] += share_out(&p->sums, p->times, thread, p->long_calls,
					   (struct span){gap->start_ns, gap->end_ns}, true);
}

/* Every thread of the trace may launch. */
static void list_threads(const struct trace *t, struct code_times *c)
{
	c->thread_count = t->thread_keys.count;
	c->threads = mem_alloc(c->thread_count, sizeof(*c->threads));
	for (uint32_t i = 0; i < c->thread_count; i++)
		c->threads[i] = (struct code_thread){
			.samples = code_of_thread(&c->code, t->thread_keys.keys[i])};
}

static struct piece *begin_pieces(const struct code_times *c, const struct gap_judge *judge,
				  const struct long_calls *calls, struct gap_cursor *cursors,
				  size_t count)
{
	struct piece *all = mem_alloc(count, sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		all[i] = (struct piece){.times = c,
					.judge = judge,
					.long_calls = judge->joined ? calls : NULL,
					.cursor = &cursors[i]};
		all[i].idle_ns = mem_zalloc(c->thread_count, sizeof(*all[i].idle_ns));
		all[i].sampled_ns = mem_zalloc(c->thread_count, sizeof(*all[i].sampled_ns));
	}
	return all;
}

static void end_piece(struct code_times *c, struct stack_sums *to, struct piece *p)
{
	for (size_t i = 0; i < p->sums.numbers.count; i++) {
		const struct stack_time *s = &p->sums.all[i];

		time_of(to, s->thread, s->stack)->idle_ns += s->idle_ns;
	}
	for (size_t i = 0; i < c->thread_count; i++) {
		c->threads[i].idle_ns += p->idle_ns[i];
		c->threads[i].sampled_ns += p->sampled_ns[i];
	}
	c->idle_ns += p->all_idle_ns;
	c->unknown_ns += p->unknown_ns;
	idmap_free(&p->sums.numbers);
	free(p->sums.all);
	free(p->idle_ns);
	free(p->sampled_ns);
}

/* The part of an op in the window; 0: it is not asked about. */
static int64_t op_ns(const struct ops *o, const struct scope *p, const struct timeline *l,
		     enum trace_kind kind, uint64_t i)
{
	const struct events *ev = &o->trace->events[kind];
	uint32_t process, device;
	int64_t from, to;

	ops_place(o, kind, i, &process, &device);
	if (ev->duration_ns[i] < 0 || !scope_has_place(p, o->trace, process, device))
		return 0;
	from = ev->start_ns[i] > l->from_ns ? ev->start_ns[i] : l->from_ns;
	to = sat_add(ev->start_ns[i], ev->duration_ns[i]);
	to = to < l->to_ns ? to : l->to_ns;
	return to > from ? sat_sub(to, from) : 0;
}

static void add_launched(const struct ops *o, const struct scope *p, const struct code_times *c,
			 const struct launches *l, enum trace_kind kind, struct stack_sums *sums)
{
	const struct trace *t = o->trace;
	const struct events *ev = &t->events[kind];

	if (!(l->kinds & 1u << kind) || !ev->start_ns || !ev->duration_ns)
		return;
	for (uint64_t i = 0; i < ev->count; i++) {
		const int64_t ns = op_ns(o, p, &c->timeline, kind, i);
		struct api_call call;
		uint32_t thread, stack;

		if (!ns || !launches_call(l, l->begin[kind] + i, &call))
			continue;
		thread = launches_origin(l, &call).thread;
		if (thread == ID_NONE)
			continue;
		stack = code_of_call(&c->code, t->thread_keys.keys[thread],
				     (struct span){call.start_ns, api_call_last(&call)});
		if (stack != STACK_NONE) {
			struct stack_time *to = time_of(sums, thread, stack);

			to->gpu_ns = sat_add(to->gpu_ns, ns);
		}
	}
}

static int walk(struct trace *t, const struct scope *p, const struct gap_judge *judge,
		struct code_times *c, struct stack_sums *sums, struct err *e)
{
	struct gap_cursor *cursors;
	struct timeline_view view;
	struct long_calls calls = {0};
	struct piece *all;
	struct ops ops;
	size_t pieces;
	int result;

	if (ops_open(&ops, t, e) < 0)
		return -1;
	timeline_begin(&ops, p, &c->timeline);
	pieces = timeline_pieces(&ops);
	cursors = mem_zalloc_apart(pieces, sizeof(*cursors));
	if (judge->joined)
		long_calls_find(&judge->threads, &calls);
	all = begin_pieces(c, judge, &calls, cursors, pieces);
	view = (struct timeline_view){t, p, &c->timeline, take_slice, all, sizeof(*all)};
	timeline_walk_views(&ops, &view, 1, pieces);
	result = gap_judge_check(judge, cursors, pieces, e);
	for (size_t i = 0; i < pieces; i++) {
		end_piece(c, sums, &all[i]);
		gap_cursor_free(&cursors[i]);
	}
	for (int kind = 0; code_has_calls(&c->code) && kind < TRACE_GPU_KINDS; kind++)
		add_launched(&ops, p, c, &judge->attribution.launches, kind, sums);
	ops_close(&ops);
	long_calls_free(&calls);
	free(all);
	free(cursors);
	return result;
}

/* What threads that keep a GPU waiting did in the whole window. */
static void add_host_times(const struct code_times *c, struct stack_sums *sums)
{
	const struct span window = {c->timeline.from_ns, c->timeline.to_ns};

	for (uint32_t i = 0; i < c->thread_count; i++) {
		if (c->threads[i].idle_ns)
			share_out(sums, c, i, NULL, window, false);
	}
}

static int read_times(struct trace *t, const struct scope *p, struct code_times *c, struct err *e)
{
	struct stack_sums sums = {0};
	struct gap_judge judge;
	int result;

	if (gap_judge_open(&judge, t, e) < 0) {
		gap_judge_close(&judge);
		return -1;
	}
	list_threads(t, c);
	result = walk(t, p, &judge, c, &sums, e);
	if (result == 0)
		result = timeline_require(&c->timeline, t, p, e);
	add_host_times(c, &sums);
	c->all = sums.all;
	c->count = sums.numbers.count;
	idmap_free(&sums.numbers);
	gap_judge_close(&judge);
	return result;
}

int code_times_read(struct trace *t, const struct scope *p, struct code_times *ret, struct err *e)
{
	*ret = (struct code_times){0};
	if (code_read(t, &ret->code, e) < 0)
		return -1;
	if (!code_has_samples(&ret->code) && !code_has_calls(&ret->code))
		return 0;
	if (read_times(t, p, ret, e) == 0)
		return 0;
	code_times_free(ret);
	return -1;
}

void code_times_free(struct code_times *c)
{
	timeline_free(&c->timeline);
	code_free(&c->code);
	free(c->threads);
	free(c->all);
	*c = (struct code_times){0};
}
