/* When does each decode step and each prefill begin and end? */
#include "analysis/workload/token_steps.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "trace/ops/ops.h"

#include <stdlib.h>

#define NO_STEP UINT32_MAX

enum { FEW = 3 };

struct finder {
	struct trace *trace;
	const struct attribution *at;
	struct range_roles *roles;
	const uint32_t *name_of_row;
	size_t begin, end; /* the thread's ranges in the forest */
	uint8_t *depth;	   /* by range: how many around it decode, at most 255 */
	uint32_t *step;	   /* by range of the thread: the step that it is in, or NO_STEP */
	uint32_t *batch;   /* by range of the thread: its own, or that of a range around it; 0 */
	struct token_step *all;
	size_t count, cap;
};

static int role_at(const struct finder *f, size_t i, const struct range_role **ret, struct err *e)
{
	return range_role_find(f->roles, f->name_of_row[f->at->forest.ranges[i].row], ret, e);
}

/* The thread that decodes longest, by the outermost ranges that do. */
static int choose_thread(struct finder *f, struct err *e)
{
	const struct range_forest *forest = &f->at->forest;
	int64_t most_ns = 0, ns = 0;
	size_t begin = 0;

	for (size_t i = 0; i < forest->count; i++) {
		const struct range *r = &forest->ranges[i];
		const struct range_role *role, *outer = NULL;

		if (role_at(f, i, &role, e) < 0 ||
		    (r->parent != RANGE_NONE && role_at(f, r->parent, &outer, e) < 0))
			return -1;
		if (i && forest->ranges[i - 1].thread != r->thread) {
			begin = i;
			ns = 0;
		}
		f->depth[i] = r->parent == RANGE_NONE ? 0 : f->depth[r->parent];
		if (outer && role_decodes((enum role)outer->role) && f->depth[i] < UINT8_MAX)
			f->depth[i]++;
		if (role_decodes((enum role)role->role) && !f->depth[i])
			ns = sat_add(ns, sat_sub(r->end_ns, r->start_ns));
		if (ns > most_ns) {
			most_ns = ns;
			f->begin = begin;
		}
	}
	f->end = f->begin;
	while (most_ns && f->end < forest->count &&
	       forest->ranges[f->end].thread == forest->ranges[f->begin].thread)
		f->end++;
	return 0;
}

struct tally {
	size_t prefills, outer, inner;
};

static int count_roles(struct finder *f, struct tally *ret, struct err *e)
{
	*ret = (struct tally){0};
	for (size_t i = f->begin; i < f->end; i++) {
		const struct range_role *role;

		if (role_at(f, i, &role, e) < 0)
			return -1;
		ret->prefills += role->role == ROLE_PREFILL;
		ret->outer += role_decodes((enum role)role->role) && f->depth[i] == 0;
		ret->inner += role_decodes((enum role)role->role) && f->depth[i] == 1;
	}
	return 0;
}

static void add_step(struct finder *f, size_t i, enum role role)
{
	const struct range *r = &f->at->forest.ranges[i];
	struct token_step s = {.own = {r->start_ns, r->end_ns},
			       .row = r->row,
			       .range = (uint32_t)i,
			       .role = (uint8_t)role,
			       .batch = f->batch[i - f->begin]};

	f->step[i - f->begin] = (uint32_t)f->count;
	MEM_GROW(f->all, f->cap, f->count + 1);
	f->all[f->count++] = s;
}

/*
 * One range that decodes behind each prefill is all of a generation, and those inside make the
 * tokens: "decode_all" around many "decode". Where they follow one another they do so themselves.
 */
static int pick_steps(struct finder *f, struct token_steps *ret, struct err *e)
{
	const struct range_forest *forest = &f->at->forest;
	const struct range_role *role;
	struct tally n;
	int level;

	if (count_roles(f, &n, e) < 0)
		return -1;
	level = n.inner && (n.outer < FEW || n.outer <= n.prefills) ? 1 : 0;
	for (size_t i = f->begin; i < f->end; i++) {
		const uint32_t parent = forest->ranges[i].parent;

		if (role_at(f, i, &role, e) < 0)
			return -1;
		f->step[i - f->begin] = parent == RANGE_NONE ? NO_STEP : f->step[parent - f->begin];
		f->batch[i - f->begin] = role->batch || parent == RANGE_NONE
						 ? role->batch
						 : f->batch[parent - f->begin];
		ret->requests += role->role == ROLE_REQUEST;
		if (range_never_closed(f->trace, forest->ranges[i].row) ||
		    f->step[i - f->begin] != NO_STEP)
			continue;
		if ((role->role == ROLE_PREFILL && f->depth[i] == 0) ||
		    (role_decodes((enum role)role->role) && f->depth[i] == level)) {
			add_step(f, i, (enum role)role->role);
		}
	}
	return 0;
}

/* Ends of GPU work by step, for each worker. */
struct end_search {
	const struct finder *f;
	enum trace_kind kind;
	int64_t **ends;
};

static void find_some_ends(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct end_search *s = ctx;
	const struct finder *f = s->f;
	const struct events *ev = &f->trace->events[s->kind];
	int64_t *ends = s->ends[worker];

	for (size_t i = begin; i < end; i++) {
		const uint32_t range = attribution_range(f->at, s->kind, i);
		uint32_t step;
		int64_t end_ns;

		if (range < f->begin || range >= f->end)
			continue;
		step = f->step[range - f->begin];
		if (step == NO_STEP || ev->start_ns[i] == INT_NONE ||
		    ev->duration_ns[i] == DURATION_NONE)
			continue;
		end_ns = op_end_ns(ev, i);
		ends[step] = end_ns > ends[step] ? end_ns : ends[step];
	}
}

/* A step ends with the last work that its thread launched in it. */
static void find_ends(struct finder *f)
{
	const unsigned workers = parallel_workers();
	struct end_search s = {.f = f, .ends = mem_alloc(workers, sizeof(int64_t *))};

	for (unsigned w = 0; w < workers; w++) {
		s.ends[w] = mem_alloc(f->count, sizeof(int64_t));
		for (size_t i = 0; i < f->count; i++)
			s.ends[w][i] = INT64_MIN;
	}
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &f->trace->events[kind];

		s.kind = (enum trace_kind)kind;
		if (ev->start_ns && ev->duration_ns)
			parallel_each(ev->count, PARALLEL_ROWS, find_some_ends, &s);
	}
	for (unsigned w = 0; w < workers; w++) {
		for (size_t i = 0; i < f->count; i++) {
			struct span *own = &f->all[i].own;

			own->end_ns = s.ends[w][i] > own->end_ns ? s.ends[w][i] : own->end_ns;
		}
		free(s.ends[w]);
	}
	free(s.ends);
}

/* Where the host runs ahead, one begins when the one before of its sort is done. */
static void find_starts(struct token_step *steps, size_t count)
{
	int64_t done_ns = INT64_MIN;

	for (size_t i = 0; i < count; i++) {
		struct span *own = &steps[i].own;

		if (own->start_ns < done_ns)
			own->start_ns = done_ns;
		if (own->end_ns < own->start_ns)
			own->end_ns = own->start_ns;
		done_ns = own->end_ns;
	}
}

static void part(struct finder *f, struct token_steps *ret)
{
	ret->decodes = mem_alloc(f->count, sizeof(*ret->decodes));
	ret->prefills = mem_alloc(f->count, sizeof(*ret->prefills));
	for (size_t i = 0; i < f->count; i++) {
		if (f->all[i].role == ROLE_PREFILL)
			ret->prefills[ret->prefill_count++] = f->all[i];
		else
			ret->decodes[ret->decode_count++] = f->all[i];
	}
	find_starts(ret->prefills, ret->prefill_count);
	find_starts(ret->decodes, ret->decode_count);
}

int token_steps_find(struct token_steps *ret, struct trace *t, const struct attribution *a,
		     bool joined, struct range_roles *roles, struct err *e)
{
	struct finder f = {
		.trace = t, .at = a, .roles = roles, .name_of_row = t->events[TRACE_NVTX].name};
	int result = -1;

	*ret = (struct token_steps){0};
	if (!f.name_of_row || !a->forest.count)
		return 0;
	f.depth = mem_zalloc(a->forest.count, sizeof(*f.depth));
	if (choose_thread(&f, e) == 0) {
		f.step = mem_alloc(f.end - f.begin, sizeof(*f.step));
		f.batch = mem_alloc(f.end - f.begin, sizeof(*f.batch));
		result = pick_steps(&f, ret, e);
	}
	if (result == 0 && joined)
		find_ends(&f);
	if (result == 0)
		part(&f, ret);
	free(f.depth);
	free(f.step);
	free(f.batch);
	free(f.all);
	return result;
}

void token_steps_free(struct token_steps *s)
{
	free(s->decodes);
	free(s->prefills);
	*s = (struct token_steps){0};
}
