/* What did the phases of the program cost? */
#include "analysis/phases.h"

#include "analysis/gpu_work.h"
#include "analysis/phase_map.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "trace/fold.h"
#include "trace/innermost.h"

#include <stdlib.h>

enum { EXAMPLES = 3, EXAMPLE_BYTES = 60 };

struct maker {
	struct trace *trace;
	const struct params *p;
	struct phases *out;
	struct phase_map map;
	struct range_names names;
	uint32_t *phase_of_name; /* PHASE_NONE: no phase */
	struct launches launches;
	struct range_forest every;	    /* all ranges, by the thread they began on */
	struct range_forest stack, process; /* those with a phase: by thread, by process */
	struct innermost in_stack, in_process;
	uint32_t *process_of_thread;
	uint32_t *phase_of_slot;
	struct gpu_work work;
};

static struct str shown_name(struct str full)
{
	return full.len && full.s[0] == ':' ? (struct str){full.s + 1, full.len - 1} : full;
}

static int name_phases(struct maker *m, struct err *e)
{
	m->phase_of_name = mem_alloc(m->names.names.count, sizeof(*m->phase_of_name));
	for (size_t i = 0; i < m->names.names.count; i++) {
		if (phase_map_find(&m->map, shown_name(m->names.names.items[i]),
				   &m->phase_of_name[i], e) < 0)
			return -1;
		m->out->found |= m->phase_of_name[i] != PHASE_NONE;
	}
	return 0;
}

static uint32_t range_phase(const struct maker *m, const struct range *r)
{
	return m->phase_of_name[m->names.of_row[r->row]];
}

static bool range_passes(const struct maker *m, const struct range *r)
{
	return !m->p->has_pid ||
	       (r->thread != ID_NONE &&
		process_pid(m->trace->thread_keys.keys[r->thread] >> 24) == m->p->pid);
}

/* How far the ranges of one set reach on the thread that is being looked at. */
struct reach {
	uint32_t thread;
	bool begun;
	int64_t end_ns;
};

/* What of the span is new on its thread. Spans come by thread and start. */
static int64_t reach_on(struct reach *r, uint32_t thread, const struct span *s)
{
	int64_t from = s->start_ns;

	if (r->begun && r->thread == thread) {
		if (s->end_ns <= r->end_ns)
			return 0;
		if (from < r->end_ns)
			from = r->end_ns;
	}
	*r = (struct reach){thread, true, s->end_ns};
	return sat_sub(s->end_ns, from);
}

static void add_walls(struct maker *m)
{
	struct phases *out = m->out;
	struct phase *rest = &out->items[out->count - 1];
	struct reach *reach = mem_zalloc(out->count, sizeof(*reach)), any = {0}, mapped = {0};

	for (size_t i = 0; i < m->every.count; i++) {
		const struct range *r = &m->every.ranges[i];
		uint32_t phase = range_phase(m, r);
		struct span s;

		if (!range_passes(m, r) ||
		    !window_part(m->p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &s))
			continue;
		rest->wall_ns = sat_add(rest->wall_ns, reach_on(&any, r->thread, &s));
		if (phase == PHASE_NONE) {
			rest->ranges++;
			continue;
		}
		rest->wall_ns = sat_sub(rest->wall_ns, reach_on(&mapped, r->thread, &s));
		out->items[phase].ranges++;
		out->items[phase].wall_ns =
			sat_add(out->items[phase].wall_ns, reach_on(&reach[phase], r->thread, &s));
	}
	free(reach);
}

/* The ranges with a phase, in forests to be searched by thread and by process. */
static void sort_out(struct maker *m)
{
	const struct events *ev = &m->trace->events[TRACE_NVTX];

	m->process_of_thread =
		mem_alloc(m->trace->thread_keys.count, sizeof(*m->process_of_thread));
	for (size_t i = 0; i < m->trace->thread_keys.count; i++)
		m->process_of_thread[i] = trace_thread_process(m->trace, (uint32_t)i);
	m->process.ranges = mem_alloc(m->every.count, sizeof(*m->process.ranges));
	for (size_t i = 0; i < m->every.count; i++) {
		struct range r = m->every.ranges[i];

		if (range_phase(m, &r) == PHASE_NONE || r.thread == ID_NONE)
			continue;
		if (nvtx_is_push_pop(ev->event_type[r.row])) {
			/* What was read before is not needed again: in place, order kept. */
			m->stack.ranges[m->stack.count++] = r;
			continue;
		}
		r.thread = m->process_of_thread[r.thread];
		m->process.ranges[m->process.count++] = r;
	}
	range_forest_sort(&m->process);
	innermost_make(&m->stack, m->trace->thread_keys.count, &m->in_stack);
	innermost_make(&m->process, m->trace->process_keys.count, &m->in_process);
}

/* Where the calls before this one were found. */
struct nearby {
	size_t in_stack, in_process;
};

static uint32_t call_phase(const struct maker *m, const struct api_call *c, struct nearby *near)
{
	uint32_t thread = launches_origin(&m->launches, c).thread;
	uint32_t a = innermost_find_near(&m->in_stack, thread, c->start_ns, &near->in_stack);
	uint32_t b = innermost_find_near(&m->in_process, m->process_of_thread[thread], c->start_ns,
					 &near->in_process);
	const struct range *in_stack = a == RANGE_NONE ? NULL : &m->stack.ranges[a];
	const struct range *in_process = b == RANGE_NONE ? NULL : &m->process.ranges[b];

	if (in_process && (!in_stack || in_process->start_ns > in_stack->start_ns))
		return range_phase(m, in_process);
	return in_stack ? range_phase(m, in_stack) : PHASE_NONE;
}

static int find_phases(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct maker *m = ctx;
	struct nearby near = {0};

	(void)worker;
	(void)e;
	for (size_t slot = begin; slot < end; slot++) {
		struct api_call c;

		m->phase_of_slot[slot] = launches_slot_call(&m->launches, slot, &c)
						 ? call_phase(m, &c, &near)
						 : PHASE_NONE;
	}
	return 0;
}

/* Whether the call was made by a thread without a range that has a phase. */
static bool is_elsewhere(const struct maker *m, uint32_t slot)
{
	const uint32_t *begin = m->in_stack.begin;
	struct api_call c;
	uint32_t thread;

	if (slot == SLOT_NONE || !launches_slot_call(&m->launches, slot, &c))
		return false;
	thread = launches_origin(&m->launches, &c).thread;
	return begin[thread] == begin[thread + 1];
}

static void add_op(struct maker *m, uint32_t slot, const struct span *s)
{
	struct phases *out = m->out;
	uint32_t phase = slot == SLOT_NONE ? PHASE_NONE : m->phase_of_slot[slot];
	struct phase *to = &out->items[phase == PHASE_NONE ? out->count - 1 : phase];
	int64_t ns = sat_sub(s->end_ns, s->start_ns);

	to->gpu_ns = sat_add(to->gpu_ns, ns);
	to->gpu_ops++;
	out->gpu_ns = sat_add(out->gpu_ns, ns);
	if (phase == PHASE_NONE && is_elsewhere(m, slot))
		out->elsewhere_ns = sat_add(out->elsewhere_ns, ns);
}

static void add_ops(struct maker *m)
{
	const struct launches *l = &m->launches;
	struct err never;

	m->phase_of_slot = mem_alloc_large(l->slot_count * sizeof(*m->phase_of_slot));
	parallel_for(l->slot_count, PARALLEL_ROWS, find_phases, m, &never);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for (uint64_t i = 0; i < m->trace->events[kind].count; i++) {
			struct span s;

			if (gpu_work_part(&m->work, (enum trace_kind)kind, i, &s))
				add_op(m, l->slot_of_op[l->begin[kind] + i], &s);
		}
	}
	m->out->has_gpu = m->work.any && launches_found_any(l);
}

/* Folded names, each once, in the order in which they were met. */
static void add_examples(struct maker *m)
{
	struct phases *out = m->out;
	struct strtab folded;
	uint32_t *number = fold_names(&m->names.names, &out->arena, &folded);
	uint8_t *shown = mem_zalloc(out->count, sizeof(*shown));
	bool *used = mem_zalloc(folded.count, sizeof(*used));
	struct buf b = {0};

	for (size_t i = 0; i < m->names.names.count; i++) {
		uint32_t phase = m->phase_of_name[i];
		uint32_t at = phase == PHASE_NONE ? (uint32_t)out->count - 1 : phase;
		struct str name = shown_name(folded.items[number[i]]);

		if (used[number[i]] || shown[at] > EXAMPLES)
			continue;
		used[number[i]] = true;
		buf_clear(&b);
		buf_addstr(&b, out->items[at].examples);
		buf_adds(&b, shown[at] ? ", " : "");
		if (shown[at]++ < EXAMPLES) {
			buf_add(&b, name.s, name.len < EXAMPLE_BYTES ? name.len : EXAMPLE_BYTES);
			buf_adds(&b, name.len > EXAMPLE_BYTES ? "…" : "");
		} else {
			buf_adds(&b, "…");
		}
		out->items[at].examples = arena_str(&out->arena, buf_str(&b));
	}
	buf_free(&b);
	free(used);
	free(shown);
	free(number);
	strtab_free(&folded);
}

static void name_items(struct maker *m)
{
	struct phases *out = m->out;

	out->guessed = m->map.guessed;
	out->count = m->map.count + 1;
	out->items = arena_zalloc(&out->arena, out->count, sizeof(*out->items));
	for (size_t i = 0; i < m->map.count; i++)
		out->items[i].name = arena_str(&out->arena, m->map.names[i]);
	out->items[out->count - 1].name = STR_LIT("unmapped");
}

static int make(struct maker *m, struct err *e)
{
	struct trace *t = m->trace;

	if (phase_map_read(&m->map, m->p->phase_map, e) < 0 ||
	    range_names_read(t, &m->names, e) < 0 || name_phases(m, e) < 0 ||
	    launches_join_kinds(t, ALL_GPU_KINDS, &m->launches, e) < 0 ||
	    range_forest_build(t, FOREST_EVERY, &m->every, e) < 0 ||
	    gpu_work_open(&m->work, t, ALL_GPU_KINDS, m->p, e) < 0)
		return -1;
	name_items(m);
	add_walls(m);
	m->stack.ranges = m->every.ranges;
	sort_out(m);
	add_ops(m);
	add_examples(m);
	return 0;
}

int phases_make(struct trace *t, const struct params *p, struct phases *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .out = ret};
	int result;

	*ret = (struct phases){0};
	result = make(&m, e);
	gpu_work_close(&m.work);
	innermost_free(&m.in_stack);
	innermost_free(&m.in_process);
	range_forest_free(&m.every);
	range_forest_free(&m.process);
	launches_free(&m.launches);
	range_names_free(&m.names);
	phase_map_free(&m.map);
	free(m.phase_of_name);
	free(m.process_of_thread);
	free(m.phase_of_slot);
	if (result < 0)
		phases_free(ret);
	return result;
}

void phases_free(struct phases *ph)
{
	arena_free(&ph->arena);
	*ph = (struct phases){0};
}
