/* Samples of the launching threads joined with the gaps of their GPUs. */
#include "analysis/code/code_times.h"

#include "analysis/kept_answers.h"
#include "base/mem.h"
#include "report/report.h"

#include <stdlib.h>

/* Sums by thread and stack, as they are met: the next is the same as the last, as a rule. */
struct stack_sums {
	struct idmap numbers;
	struct stack_time *all;
	size_t cap, last;
};

/* What one piece of the walk has found. */
struct piece {
	MEM_APART const struct gap_judge *judge;
	const struct gap_cursor *cursor; /* NULL: nobody judges the gaps */
	struct thread_samples *samples;	 /* by thread */
	struct stack_sums sums;
	int64_t *idle_ns, *sampled_ns; /* by thread */
	int64_t all_idle_ns, unknown_ns;
};

static struct stack_time *time_of(struct stack_sums *s, uint32_t thread, uint32_t stack)
{
	const size_t known = s->numbers.count;
	uint32_t number;

	if (known && s->all[s->last].thread == thread && s->all[s->last].stack == stack)
		return &s->all[s->last];
	number = idmap_number_pair(&s->numbers, thread, stack);
	s->last = number;
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

static void take_slice(void *ctx, const struct slice *s)
{
	struct piece *p = ctx;
	const int64_t ns = s->end_ns - s->start_ns;
	struct sharing to;

	if (s->kind != SLICE_IDLE)
		return;
	to = (struct sharing){&p->sums, gap_judge_thread(p->judge, p->cursor, s), true};
	p->all_idle_ns += ns;
	if (to.thread == ID_NONE) {
		p->unknown_ns += ns;
		return;
	}
	p->idle_ns[to.thread] += ns;
	p->sampled_ns[to.thread] += samples_share(
		&p->samples[to.thread], (struct span){s->start_ns, s->end_ns}, take_share, &to);
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

/* Each piece of the walk has a place of its own in the samples of each thread. */
static struct thread_samples *copy_samples(const struct code_times *c,
					   const struct long_calls *calls)
{
	struct thread_samples *all = mem_alloc(c->thread_count, sizeof(*all));

	for (uint32_t i = 0; i < c->thread_count; i++) {
		all[i] = c->threads[i].samples;
		samples_bound(&all[i], calls, i);
	}
	return all;
}

static struct piece *begin_pieces(const struct code_times *c, const struct gap_judge *judge,
				  const struct long_calls *calls, size_t count)
{
	struct piece *all = mem_zalloc_apart(count, sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		all[i].judge = judge;
		all[i].samples = copy_samples(c, calls);
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
	free(p->samples);
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

/* What threads that keep a GPU waiting did in the whole window. */
static void add_host_times(const struct code_times *c, struct stack_sums *sums)
{
	const struct span window = {c->timeline.from_ns, c->timeline.to_ns};

	for (uint32_t i = 0; i < c->thread_count; i++) {
		struct sharing to = {sums, i, false};

		if (c->threads[i].idle_ns)
			samples_share(&c->threads[i].samples, window, take_share, &to);
	}
}

struct code_walk {
	struct trace *trace;
	const struct ops *ops;
	const struct scope *p;
	const struct gap_judge *judge;
	struct code_times *times;
	struct piece *pieces;
	size_t count;
};

static void free_times(void *made)
{
	struct code_times *c = made;

	if (!c)
		return;
	timeline_free(&c->timeline);
	code_free(&c->code);
	free(c->threads);
	free(c->all);
	free(c);
}

static void free_kept(void *made)
{
	free_times(*(struct code_times **)made);
}

/* A pointer: threads point into the samples that lie beside them. */
static const struct kept_answers kept = {sizeof(struct code_times *), NULL, free_kept};

/* The samples of `times` must be read. */
static struct code_walk *begin_walk(struct trace *t, const struct ops *o, const struct scope *p,
				    const struct gap_judge *judge, const struct long_calls *calls,
				    struct code_times *times, size_t pieces)
{
	struct code_walk *w = mem_alloc(1, sizeof(*w));

	*w = (struct code_walk){t, o, p, judge, times, NULL, pieces};
	list_threads(t, times);
	timeline_begin(o, p, &times->timeline);
	w->pieces = begin_pieces(times, judge, calls, pieces);
	return w;
}

struct timeline_view code_walk_view(struct code_walk *w)
{
	return (struct timeline_view){w->trace,	  w->p,	     &w->times->timeline,
				      take_slice, w->pieces, sizeof(*w->pieces)};
}

static struct code_times *end_walk(struct code_walk *w)
{
	struct code_times *c = w->times;
	struct stack_sums sums = {0};

	for (size_t i = 0; i < w->count; i++)
		end_piece(c, &sums, &w->pieces[i]);
	for (int kind = 0; code_has_calls(&c->code) && kind < TRACE_GPU_KINDS; kind++)
		add_launched(w->ops, w->p, c, &w->judge->attribution.launches, kind, &sums);
	add_host_times(c, &sums);
	c->all = sums.all;
	c->count = sums.numbers.count;
	idmap_free(&sums.numbers);
	free(w->pieces);
	free(w);
	return c;
}

struct code_walk *code_walk_begin(struct trace *t, const struct ops *o, const struct scope *p,
				  const struct gap_judge *judge, const struct long_calls *calls,
				  const struct gap_cursor *cursors, const struct code *code,
				  size_t pieces)
{
	struct code_times *times;
	struct code_walk *w;

	if (!code->shared || !(code_has_samples(code) || code_has_calls(code)) ||
	    kept_answers_any(&kept, t))
		return NULL;
	times = mem_zalloc(1, sizeof(*times));
	times->code = *code;
	w = begin_walk(t, o, p, judge, calls, times, pieces);
	for (size_t i = 0; i < pieces; i++)
		w->pieces[i].cursor = &cursors[i];
	return w;
}

void code_walk_keep(struct code_walk *w)
{
	const struct scope *p = w->p;
	struct trace *t = w->trace;
	struct code_times *times = end_walk(w);

	if (!kept_answers_add(&kept, t, p, &times))
		free_times(times);
}

static int walk_ops(struct trace *t, const struct scope *p, const struct gap_judge *judge,
		    struct code_times *c, struct err *e)
{
	struct timeline_view view;
	struct long_calls calls = {0};
	struct code_walk *w;
	struct ops ops;
	size_t pieces;

	if (ops_open(&ops, t, e) < 0)
		return -1;
	pieces = timeline_pieces(&ops);
	if (judge->joined)
		long_calls_find(&judge->threads, &calls);
	w = begin_walk(t, &ops, p, judge, &calls, c, pieces);
	view = code_walk_view(w);
	timeline_walk_views(&ops, &view, 1, pieces);
	end_walk(w);
	ops_close(&ops);
	long_calls_free(&calls);
	return 0;
}

static int make_times(struct trace *t, const struct scope *p, struct code_times *c, struct err *e)
{
	struct gap_judge judge;
	int result;

	if (code_read(t, &c->code, e) < 0)
		return -1;
	if (!code_has_samples(&c->code) && !code_has_calls(&c->code))
		return 0;
	result = gap_judge_open(&judge, t, e);
	if (result == 0)
		result = walk_ops(t, p, &judge, c, e);
	gap_judge_close(&judge);
	return result;
}

int code_times_read(struct trace *t, const struct scope *p, struct report *r,
		    const struct code_times **ret, struct err *e)
{
	struct code_times *made;

	if (!kept_answers_find(&kept, t, p, ret)) {
		made = mem_zalloc(1, sizeof(*made));
		report_on_free(r, free_times, made);
		if (make_times(t, p, made, e) < 0)
			return -1;
		*ret = made;
	}
	return (*ret)->threads ? timeline_require(&(*ret)->timeline, t, p, e) : 0;
}
