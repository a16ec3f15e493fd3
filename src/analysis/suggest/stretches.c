/* Where do threads launch GPU work that no range names, and which of these places come again? */
#include "analysis/suggest/stretches.h"

#include "analysis/suggest/autograd_calls.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/ranges/innermost.h"

#include <stdlib.h>

enum { PLACE_KEYS = 7 };

struct sweep {
	const struct launched *l;
	const struct user_ranges *u;
	const struct iterations *steps;
	struct stretches *out;
	struct innermost innermost; /* of the program's ranges */
	struct autograd_calls autograd;
	struct idmap keys[PLACE_KEYS]; /* places → rows, a word at a time */
	uint32_t *group;	       /* by thread */
	uint32_t *met_by;	       /* by row: the thread that had it last, plus one */
	size_t met_cap;
};

/* Where a call of a thread was made: while nothing of it changes it is the same stretch. */
struct moment {
	uint32_t range;	 /* of the program, around it; or RANGE_NONE */
	size_t next;	 /* the thread's first range that begins later */
	uint32_t beside; /* range of the main thread */
	uint32_t step;	 /* in steps->all, or ID_NONE */
	bool coarse;
	enum step_part part;
};

struct walk {
	struct sweep *s;
	uint32_t thread, process;
	size_t next; /* range */
	struct moment at;
	int64_t before_ns; /* start of the call before */
	bool open;	   /* there is a stretch */
	struct stretch stretch;
	struct innermost_cursor cursor;
};

static bool same_place(const struct moment *a, const struct moment *b)
{
	return a->range == b->range && a->next == b->next && a->beside == b->beside &&
	       a->step == b->step && a->coarse == b->coarse;
}

static uint32_t path_of(const struct user_ranges *u, uint32_t range)
{
	return range == RANGE_NONE ? RANGE_NONE : u->paths.of_range[range];
}

/* Of the ranges that began before a moment, the last that lay right inside `range`. */
static uint32_t range_before(const struct walk *w, const struct moment *m)
{
	const struct range *all = w->s->u->forest.ranges;
	uint32_t at = (uint32_t)m->next;

	if (m->next == w->s->u->begin[w->thread] || m->next - 1 == m->range)
		return RANGE_NONE;
	at--;
	while (at != RANGE_NONE && all[at].parent != m->range)
		at = all[at].parent;
	return at;
}

static uint32_t range_after(const struct walk *w, const struct moment *m)
{
	const struct user_ranges *u = w->s->u;

	return m->next < u->begin[w->thread + 1] && u->forest.ranges[m->next].parent == m->range
		       ? (uint32_t)m->next
		       : RANGE_NONE;
}

static enum step_place step_place(const struct walk *w, const struct moment *m, int64_t at_ns)
{
	const struct iterations *it = w->s->steps;

	if (m->step != ID_NONE)
		return STEP_INSIDE;
	for (size_t i = 0; i < it->lane_count; i++) {
		if (it->lanes[i].process == w->process && it->lanes[i].count)
			return at_ns < lane_steps(it, &it->lanes[i])->start_ns ? STEP_BEFORE_ALL
									       : STEP_OUTSIDE;
	}
	return STEPS_UNKNOWN;
}

static uint32_t number_of(struct sweep *s, const struct stretch_place *p)
{
	const uint32_t words[PLACE_KEYS] = {p->inside,	      p->after,	 p->before,
					    p->beside,	      p->coarse, (uint32_t)p->step,
					    (uint32_t)p->part};
	uint32_t number = p->group;

	for (size_t i = 0; i < PLACE_KEYS; i++)
		number = idmap_number_pair(&s->keys[i], number, words[i]);
	return number;
}

static struct stretch_row *row_of(struct sweep *s, const struct stretch_place *p, uint32_t thread)
{
	struct stretches *out = s->out;
	const uint32_t number = number_of(s, p);

	if (number == out->count) {
		MEM_GROW(out->rows, out->cap, out->count + 1);
		MEM_GROW(s->met_by, s->met_cap, out->count + 1);
		out->rows[out->count++] = (struct stretch_row){.place = *p, .thread = thread};
		s->met_by[number] = 0;
	}
	if (s->met_by[number] != thread + 1) {
		s->met_by[number] = thread + 1;
		out->rows[number].thread_count++;
	}
	return &out->rows[number];
}

static void end_stretch(struct walk *w)
{
	struct stretches *out = w->s->out;
	struct stretch_row *row;

	if (!w->open)
		return;
	w->open = false;
	row = &out->rows[w->stretch.row];
	if (!row->count || w->stretch.host.start_ns < row->first.start_ns) {
		row->first = w->stretch.host;
		row->thread = w->thread;
	}
	row->count++;
	row->host_ns = sat_add(row->host_ns, span_ns(w->stretch.host));
	if (w->at.step != ID_NONE) {
		row->steps++;
		row->offset_ns =
			sat_add(row->offset_ns, sat_sub(w->stretch.host.start_ns,
							w->s->steps->all[w->at.step].start_ns));
	}
	MEM_GROW(out->all, out->stretch_cap, out->stretch_count + 1);
	out->all[out->stretch_count++] = w->stretch;
}

static void begin_stretch(struct walk *w, const struct moment *m, struct span call)
{
	const struct user_ranges *u = w->s->u;
	const struct stretch_place place = {
		.group = w->s->group[w->thread],
		.coarse = m->coarse,
		.inside = path_of(u, m->range),
		.after = path_of(u, range_before(w, m)),
		.before = path_of(u, range_after(w, m)),
		.beside = path_of(u, m->beside),
		.step = step_place(w, m, call.start_ns),
		.part = m->part,
	};
	const struct stretch_row *row = row_of(w->s, &place, w->thread);

	w->open = true;
	w->at = *m;
	w->stretch = (struct stretch){(uint32_t)(row - w->s->out->rows), w->thread, call};
}

/*
 * What ops show of a step on its main thread. One that shows nothing belongs to what went on before
 * it. Of PyTorch's programs copies are part of whatever they are in; others copy, compute, and copy
 * back.
 */
static enum step_part part_after(const struct walk *w, enum step_part before, enum op_part shown,
				 int64_t at_ns)
{
	const bool torch = w->process != ID_NONE && w->s->l->processes[w->process].torch;

	if (w->s->l->threads[w->thread].autograd)
		return PART_BACKWARD;
	switch (shown) {
	case OP_OPTIMIZER:
		return PART_OPTIMIZER;
	case OP_BACKWARD:
		return PART_BACKWARD;
	case OP_FORWARD:
		return PART_FIRST;
	case OP_COPY_IN:
		return torch ? before : PART_COPY_IN;
	case OP_COPY_OUT:
		return torch ? before : PART_COPY_OUT;
	case OP_ANY:
		if (before == PART_COPY_IN || before == PART_COPY_OUT)
			return PART_FIRST;
		break;
	default:
		break;
	}
	return autograd_calls_between(&w->s->autograd, w->process, w->before_ns, at_ns)
		       ? PART_AFTER_BACKWARD
		       : before;
}

static uint32_t range_beside(struct walk *w, int64_t at_ns)
{
	const uint32_t main = w->process == ID_NONE ? ID_NONE : w->s->out->main_thread[w->process];

	if (main == ID_NONE || main == w->thread || user_ranges_has_thread(w->s->u, w->thread))
		return RANGE_NONE;
	return innermost_follow(&w->s->innermost, main, at_ns, &w->cursor);
}

static struct moment look_around(struct walk *w, uint32_t range, int64_t at_ns)
{
	const struct user_ranges *u = w->s->u;

	while (w->next < u->begin[w->thread + 1] && u->forest.ranges[w->next].start_ns <= at_ns)
		w->next++;
	return (struct moment){
		.range = range,
		.next = w->next,
		.beside = range_beside(w, at_ns),
		.step = w->s->steps->count ? iterations_step_at(w->s->steps, w->process, at_ns)
					   : ID_NONE,
		.coarse = range != RANGE_NONE,
	};
}

/* A call outside any range, or in one that is too coarse. */
static void take_call(struct walk *w, uint32_t launch, uint32_t range, const struct api_call *call)
{
	const struct launched *l = w->s->l;
	const struct span host = {call->start_ns, api_call_last(call)};
	struct moment m = look_around(w, range, call->start_ns);
	const bool goes_on = w->open && same_place(&w->at, &m);

	if (!goes_on)
		w->before_ns = call->start_ns;
	m.part = part_after(w, goes_on ? w->at.part : PART_FIRST, (enum op_part)l->part[launch],
			    call->start_ns);
	if (!goes_on || m.part != w->at.part) {
		end_stretch(w);
		begin_stretch(w, &m, host);
	}
	span_widen(&w->stretch.host, host);
	w->before_ns = call->start_ns;
	w->s->out->row_of_launch[launch] = w->stretch.row;
	gpu_sum_add(&w->s->out->rows[w->stretch.row].gpu, &l->of_launch[launch]);
}

static void walk_thread(struct sweep *s, const struct call_order *order, uint32_t thread)
{
	const struct launched *l = s->l;
	struct walk w = {.s = s, .thread = thread, .process = l->threads[thread].process};

	w.next = s->u->begin[thread];
	for (size_t i = call_order_begin(order, thread); i < call_order_end(order, thread); i++) {
		const uint32_t launch = order->numbers[i];
		uint32_t all, range;
		struct api_call call;

		if (launch >= l->at.launches.launch_count || !l->of_launch[launch].ops ||
		    !launches_earliest_call(&l->at.launches, launch, &call))
			continue;
		all = l->at.range_of_launch[launch];
		range = all == RANGE_NONE ? RANGE_NONE : s->u->of_all[all];
		if (all != RANGE_NONE)
			gpu_sum_add(&s->out->in_ranges, &l->of_launch[launch]);
		if (all != RANGE_NONE &&
		    (range == RANGE_NONE || !s->u->coarse[s->u->paths.of_range[range]]))
			continue;
		take_call(&w, launch, range, &call);
	}
	end_stretch(&w);
}

/* By process the thread that spends most time in ranges, else that which launches most. */
static void find_main_threads(struct sweep *s)
{
	const struct launched *l = s->l;
	int64_t *in_ranges = mem_zalloc(l->thread_count, sizeof(*in_ranges));
	uint32_t *best = mem_alloc(l->process_count, sizeof(*best));

	for (size_t i = 0; i < l->process_count; i++)
		best[i] = ID_NONE;
	for (size_t i = 0; i < s->u->forest.count; i++) {
		const struct range *r = &s->u->forest.ranges[i];

		/* Whose range it is may not be known. */
		if (r->parent == RANGE_NONE && r->thread < l->thread_count)
			in_ranges[r->thread] =
				sat_add(in_ranges[r->thread], sat_sub(r->end_ns, r->start_ns));
	}
	for (uint32_t i = 0; i < l->thread_count; i++) {
		const struct launching_thread *th = &l->threads[i];
		uint32_t *to = th->process == ID_NONE ? NULL : &best[th->process];

		if (!to || th->autograd || (!th->gpu_ns && !in_ranges[i]))
			continue;
		if (*to == ID_NONE || in_ranges[i] > in_ranges[*to] ||
		    (in_ranges[i] == in_ranges[*to] && th->gpu_ns > l->threads[*to].gpu_ns))
			*to = i;
	}
	free(in_ranges);
	s->out->main_thread = best;
}

/*
 * Threads of one name in processes of one name do the same: ranks of a job, workers of a server.
 * The first thread of a process is called as the process is, or not at all.
 */
static void group_threads(struct sweep *s)
{
	const struct launched *l = s->l;
	struct strtab names = {0};
	struct idmap groups = {0};

	s->group = mem_alloc(l->thread_count, sizeof(*s->group));
	for (uint32_t i = 0; i < l->thread_count; i++) {
		const uint64_t key = l->trace->thread_keys.keys[i];
		const struct launching_thread *th = &l->threads[i];
		const struct str process =
			th->process == ID_NONE ? STR_LIT("") : l->processes[th->process].name;
		const uint32_t of = strtab_add(&names, process);

		if (thread_tid(key) == process_pid(key >> 24))
			s->group[i] = idmap_number_pair(&groups, of, ID_NONE);
		else if (th->name.len)
			s->group[i] = idmap_number_pair(&groups, of, strtab_add(&names, th->name));
		else
			s->group[i] = idmap_number_pair(&groups, ID_NONE, i);
	}
	strtab_free(&names);
	idmap_free(&groups);
}

void stretches_find(const struct launched *l, const struct user_ranges *u,
		    const struct iterations *steps, struct stretches *ret)
{
	struct sweep s = {.l = l, .u = u, .steps = steps, .out = ret};
	struct call_order order;

	*ret = (struct stretches){0};
	ret->row_of_launch = mem_alloc(l->at.launches.launch_count, sizeof(*ret->row_of_launch));
	for (size_t i = 0; i < l->at.launches.launch_count; i++)
		ret->row_of_launch[i] = ROW_NONE;
	call_order_make(&l->at.launches, &order);
	innermost_make(&u->forest, l->thread_count, &s.innermost);
	find_main_threads(&s);
	group_threads(&s);
	autograd_calls_find(&s.autograd, l, &order);
	for (uint32_t i = 0; i < l->thread_count; i++)
		walk_thread(&s, &order, i);
	autograd_calls_free(&s.autograd);
	free(s.group);
	free(s.met_by);
	for (size_t i = 0; i < PLACE_KEYS; i++)
		idmap_free(&s.keys[i]);
	innermost_free(&s.innermost);
	call_order_free(&order);
}

void stretches_free(struct stretches *s)
{
	free(s->rows);
	free(s->row_of_launch);
	free(s->all);
	free(s->main_thread);
	*s = (struct stretches){0};
}
