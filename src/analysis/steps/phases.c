/* What did the phases of the program cost? */
#include "analysis/steps/phases.h"

#include "analysis/gpu/gpu_work.h"
#include "analysis/kept_answers.h"
#include "analysis/steps/op_phases.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/ranges/range_paths.h"

#include <stdlib.h>

enum { EXAMPLES = 3, EXAMPLE_BYTES = 60 };

struct gpu_time {
	int64_t ns;
	uint64_t ops;
};

/* GPU work by phase, the last of none, as one worker of several adds it up. */
struct phase_sums {
	struct gpu_time *phases;
	int64_t outside_ns;
};

struct maker {
	struct trace *trace;
	const struct scope *p;
	struct phases *out;
	struct op_phases by;
	struct gpu_work work;
	int64_t *wall_of_name; /* summed over its ranges */
	enum trace_kind kind;  /* of the ops being added */
	struct phase_sums *sums;
};

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

static bool comes_first(const struct range *a, const struct range *b)
{
	return a->thread != b->thread ? a->thread < b->thread : a->start_ns <= b->start_ns;
}

/* The next of all ranges by thread and start; NULL after the last. */
static const struct range *next_range(const struct maker *m, size_t *pushed, size_t *started)
{
	const struct range_forest *a = &m->by.calls.at.forest, *b = &m->by.calls.started;

	if (*pushed < a->count &&
	    (*started == b->count || comes_first(&a->ranges[*pushed], &b->ranges[*started])))
		return &a->ranges[(*pushed)++];
	return *started < b->count ? &b->ranges[(*started)++] : NULL;
}

static void add_name_wall(struct maker *m, const struct range *r, const struct span *s)
{
	int64_t *ns = &m->wall_of_name[m->by.phases.names.of_row[r->row]];

	*ns = sat_add(*ns, sat_sub(s->end_ns, s->start_ns));
}

static void add_walls(struct maker *m)
{
	struct phases *out = m->out;
	struct phase *rest = &out->items[out->count - 1];
	struct reach *reach = mem_zalloc(out->count, sizeof(*reach)), any = {0}, mapped = {0};
	size_t pushed = 0, started = 0;
	const struct range *r;

	m->wall_of_name = mem_zalloc(m->by.phases.names.names.count, sizeof(*m->wall_of_name));
	while ((r = next_range(m, &pushed, &started))) {
		uint32_t phase = range_phase(&m->by.phases, r);
		struct span s;

		if (!scope_has_thread(m->p, m->trace, (r)->thread) ||
		    !window_part(m->p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &s))
			continue;
		add_name_wall(m, r, &s);
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

static void add_ops(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct maker *m = ctx;
	const struct launches *l = &m->by.calls.at.launches;
	const uint32_t *launches = l->launch_of_op + l->begin[m->kind];
	struct phase_sums *sums = &m->sums[worker];
	struct phase_cursor cursor = {0};

	for (size_t i = begin; i < end; i++) {
		struct gpu_time *to;
		uint32_t phase;
		struct span s;
		int64_t ns;

		if (!gpu_work_part(&m->work, m->kind, i, &s))
			continue;
		phase = phase_calls_find(&m->by.calls, launches[i], &cursor);
		ns = sat_sub(s.end_ns, s.start_ns);
		to = &sums->phases[phase == PHASE_NONE ? m->out->count - 1 : phase];
		to->ns = sat_add(to->ns, ns);
		to->ops++;
		if (phase == PHASE_NONE && phase_calls_is_elsewhere(&m->by.calls, launches[i]))
			sums->outside_ns = sat_add(sums->outside_ns, ns);
	}
}

static void add_sums(struct phases *out, const struct phase_sums *t)
{
	for (size_t i = 0; i < out->count; i++) {
		out->items[i].gpu_ns = sat_add(out->items[i].gpu_ns, t->phases[i].ns);
		out->items[i].gpu_ops += t->phases[i].ops;
		out->gpu_ns = sat_add(out->gpu_ns, t->phases[i].ns);
	}
	out->outside_ns = sat_add(out->outside_ns, t->outside_ns);
}

static void add_work(struct maker *m)
{

	m->sums = mem_zalloc(parallel_workers(), sizeof(*m->sums));
	for (unsigned w = 0; w < parallel_workers(); w++)
		m->sums[w].phases = mem_zalloc(m->out->count, sizeof(*m->sums[w].phases));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		m->kind = (enum trace_kind)kind;
		parallel_each(m->trace->events[kind].count, PARALLEL_ROWS, add_ops, m);
	}
	for (unsigned w = 0; w < parallel_workers(); w++) {
		add_sums(m->out, &m->sums[w]);
		free(m->sums[w].phases);
	}
	free(m->sums);
	m->out->has_gpu = true;
}

/* A folded name of a phase, and how long its ranges took. */
struct example {
	size_t phase;
	uint32_t name;
	int64_t ns;
};

static int compare_names(const void *a, const void *b, void *ctx)
{
	const struct example *x = a, *y = b;

	(void)ctx;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int compare_times(const void *a, const void *b, void *ctx)
{
	const struct folded_names *folded = ctx;
	const struct example *x = a, *y = b;

	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return str_cmp(folded->names.items[x->name], folded->names.items[y->name]);
}

/* Each folded name of each phase once, those that took longest first; the caller frees them. */
static struct example *list_examples(const struct maker *m, struct folded_names *folded,
				     size_t *ret_count)
{
	struct example *all = mem_alloc(folded->count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < folded->count; i++) {
		uint32_t phase = m->by.phases.of_name[i];

		all[i] = (struct example){phase == PHASE_NONE ? m->out->count - 1 : phase,
					  folded->of_name[i], m->wall_of_name[i]};
	}
	sort_stable(all, folded->count, sizeof(*all), compare_names, NULL);
	for (size_t i = 0; i < folded->count; i++) {
		if (count && compare_names(&all[count - 1], &all[i], NULL) == 0)
			all[count - 1].ns = sat_add(all[count - 1].ns, all[i].ns);
		else
			all[count++] = all[i];
	}
	sort_stable(all, count, sizeof(*all), compare_times, folded);
	*ret_count = count;
	return all;
}

static void add_example(struct buf *b, struct str name, size_t number)
{
	buf_adds(b, number ? ", " : "");
	if (number == EXAMPLES) {
		buf_adds(b, "…");
		return;
	}
	buf_add(b, name.s, name.len < EXAMPLE_BYTES ? name.len : EXAMPLE_BYTES);
	buf_adds(b, name.len > EXAMPLE_BYTES ? "…" : "");
}

static void add_examples(struct maker *m)
{
	struct phases *out = m->out;
	struct folded_names folded;
	struct example *all;
	size_t count;

	range_names_fold(m->trace, &m->by.phases.names, &folded);
	all = list_examples(m, &folded, &count);
	for (size_t i = 0, next; i < count; i = next) {
		struct buf b = {0};

		for (next = i; next < count && all[next].phase == all[i].phase; next++) {
			if (next - i <= EXAMPLES)
				add_example(&b,
					    range_name_shown(folded.names.items[all[next].name]),
					    next - i);
		}
		out->items[all[i].phase].examples = arena_str(&out->arena, buf_str(&b));
		buf_free(&b);
	}
	free(all);
	folded_names_free(&folded);
}

static void name_items(struct maker *m)
{
	struct phases *out = m->out;

	out->guessed = m->by.map.guessed;
	out->count = m->by.map.count + 1;
	out->items = arena_zalloc(&out->arena, out->count, sizeof(*out->items));
	for (size_t i = 0; i < m->by.map.count; i++)
		out->items[i].name = arena_str(&out->arena, m->by.map.names[i]);
	out->items[out->count - 1].name = STR_LIT("unmapped");
}

static int sum_up(struct maker *m, struct err *e)
{
	struct trace *t = m->trace;

	if (op_phases_make(t, m->p->phase_map, &m->by, e) < 0 ||
	    gpu_work_open(&m->work, t, ALL_GPU_KINDS, m->p, e) < 0)
		return -1;
	m->out->found = m->by.found;
	name_items(m);
	add_walls(m);
	if (!m->p->host_only && m->work.any && launches_found_any(&m->by.calls.at.launches))
		add_work(m);
	add_examples(m);
	return 0;
}

static int phases_make(struct trace *t, const struct scope *p, struct phases *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .out = ret};
	int result;

	*ret = (struct phases){0};
	result = sum_up(&m, e);
	gpu_work_close(&m.work);
	op_phases_free(&m.by);
	free(m.wall_of_name);
	if (result < 0)
		phases_free(ret);
	return result;
}

void phases_free(struct phases *ph)
{
	if (!ph->shared)
		arena_free(&ph->arena);
	*ph = (struct phases){0};
}

static const struct option_group question =
	OPTIONS(struct scope, OPT_SAME(scope_options), OPT_SAME(phase_options));

static void free_answer(void *phases)
{
	phases_free(phases);
}

static const struct kept_answers kept = {sizeof(struct phases), &question, free_answer};

int phases_read(struct trace *t, const struct scope *p, struct phases *ret, struct err *e)
{
	ret->shared = kept_answers_find(&kept, t, p, ret);
	if (ret->shared)
		return 0;
	if (phases_make(t, p, ret, e) < 0)
		return -1;
	ret->shared = kept_answers_add(&kept, t, p, ret);
	return 0;
}
