/* In which runs does Nsight Compute get to see the chosen kernels? */
#include "analysis/counters/profiling_runs.h"

#include "base/mem.h"

#include <stdlib.h>

static uint32_t path_of(const struct run_planning *x, uint32_t row)
{
	return event_joins_path(x->joins, TRACE_KERNELS, row);
}

/* "domain:name", as range_names has it. */
static struct kernel_range split_range(struct str full)
{
	const char *colon = full.len ? memchr(full.s, ':', full.len) : NULL;
	size_t domain = colon ? (size_t)(colon - full.s) : 0;

	if (!colon)
		return (struct kernel_range){.name = full};
	return (struct kernel_range){{full.s, domain}, {colon + 1, full.len - domain - 1}};
}

/* The number of the innermost range around a launch that is meant, or NAME_NONE. */
static uint32_t meant_range(const struct run_planning *x, uint32_t row)
{
	const struct range_paths *paths = &x->joins->paths;
	uint32_t path = x->meant ? path_of(x, row) : RANGE_NONE;

	while (path != RANGE_NONE && !x->meant[path])
		path = paths->all[path].parent;
	return path == RANGE_NONE ? NAME_NONE : paths->all[path].name;
}

/* By path: a range called so is around. NULL: any will do. */
static bool *paths_with(const struct run_planning *x, uint32_t range_name)
{
	const struct range_paths *paths = &x->joins->paths;
	bool *with;

	if (range_name == NAME_NONE)
		return NULL;
	with = mem_zalloc(paths->count, sizeof(*with));
	for (size_t i = 0; i < paths->count; i++) {
		uint32_t above = paths->all[i].parent;

		with[i] = paths->all[i].name == range_name || (above != RANGE_NONE && with[above]);
	}
	return with;
}

static bool is_with(const struct run_planning *x, const bool *with, uint32_t row)
{
	uint32_t path = with ? path_of(x, row) : RANGE_NONE;

	return !with || (path != RANGE_NONE && with[path]);
}

static bool same_process(const struct run_planning *x, uint32_t a, uint32_t b)
{
	const uint32_t *process = x->kernels->process;

	return !process || process[a] == process[b];
}

static struct kernel_range range_shown(const struct run_planning *x, uint32_t name)
{
	if (name == NAME_NONE)
		return (struct kernel_range){0};
	return split_range(arena_str(&x->out->arena, x->joins->names.names.items[name]));
}

/* What one run is worth, or what was asked for of one kernel. */
static uint64_t most_launches(const struct run_planning *x)
{
	return x->q->launches > PROFILING_RUN_LAUNCHES ? x->q->launches : PROFILING_RUN_LAUNCHES;
}

/*
 * A walk over the launches that ncu takes for those of some chosen kernels, from that of the first
 * of them on: patterns do not tell all kernels apart.
 */
struct walk {
	const bool *wanted; /* by chosen kernel */
	bool *with;	    /* see paths_with() */
	uint32_t first;	    /* row */
	uint64_t skip, count;
	uint64_t *met;	 /* by chosen kernel */
	uint32_t *began; /* the same: the row that was met first */
	size_t waiting;
};

static bool is_like_wanted(const struct run_planning *x, const struct walk *w, uint32_t row)
{
	const uint32_t name = x->kernels->name[row];
	const bool *like = name == NAME_NONE ? NULL : x->by_name[name].like;

	for (size_t i = 0; like && i < x->out->count; i++) {
		if (like[i] && w->wanted[i])
			return true;
	}
	return false;
}

static void count_launch(const struct run_planning *x, struct walk *w, uint32_t row)
{
	const size_t i = run_planning_index(x, row);

	w->count++;
	if (i == x->out->count || !w->wanted[i])
		return;
	if (!w->met[i]++)
		w->began[i] = row;
	w->waiting -= w->met[i] == x->q->launches;
}

/* Until all of them came often enough, or it has been far enough. */
static void walk(const struct run_planning *x, struct walk *w)
{
	bool begun = false;

	w->skip = w->count = w->waiting = 0;
	memset(w->met, 0, x->out->count * sizeof(*w->met));
	for (size_t i = 0; i < x->out->count; i++)
		w->waiting += w->wanted[i];
	for (size_t n = 0; n < x->all->count && w->waiting; n++) {
		uint32_t row = event_list_at(x->all, n).row;

		if (!is_like_wanted(x, w, row) || !same_process(x, row, w->first) ||
		    !is_with(x, w->with, row))
			continue;
		begun |= row == w->first;
		if (!begun)
			w->skip++;
		else if (w->count == most_launches(x))
			break;
		else
			count_launch(x, w, row);
	}
}

/* One run for the kernel and, unless each is to have its own, those that come along. */
static void add_run(const struct run_planning *x, size_t lead, bool *left)
{
	const uint32_t range = meant_range(x, x->first[lead]);
	struct profiling_run *run = &x->out->runs[x->out->run_count++];
	bool *group = mem_zalloc(x->out->count, sizeof(*group));
	struct walk w = {.with = paths_with(x, range), .first = x->first[lead], .wanted = left};
	bool alone;

	w.met = mem_alloc(x->out->count, sizeof(*w.met));
	w.began = mem_alloc(x->out->count, sizeof(*w.began));
	walk(x, &w);
	/* Others must not take the room of its own launches. */
	alone = x->q->each || (w.count == most_launches(x) && w.met[lead] < x->q->launches);
	for (size_t i = 0; i < x->out->count; i++)
		group[i] = i == lead || (left[i] && !alone && w.met[i] >= x->q->launches);
	w.wanted = group;
	walk(x, &w);
	run->range = range_shown(x, range);
	run->skip = w.skip;
	run->count = w.count;
	run->kernels = arena_alloc(&x->out->arena, x->out->count, sizeof(*run->kernels));
	for (size_t i = lead; i < x->out->count; i++) {
		if (!group[i])
			continue;
		run->kernels[run->kernel_count++] = (uint32_t)i;
		x->first[i] = w.began[i];
		left[i] = false;
	}
	free(group);
	free(w.met);
	free(w.began);
	free(w.with);
}

static void plan_runs(const struct run_planning *x)
{
	bool *left = mem_alloc(x->out->count, sizeof(*left));

	memset(left, true, x->out->count);
	x->out->runs = arena_zalloc(&x->out->arena, x->out->count, sizeof(*x->out->runs));
	for (size_t i = 0; i < x->out->count; i++) {
		if (left[i])
			add_run(x, i, left);
	}
	free(left);
}

/* The numbers of those that are looked at among the launches of their names in their processes. */
static void number_launches(const struct run_planning *x)
{
	bool *met = mem_zalloc(x->out->count, sizeof(*met));

	for (size_t n = 0; n < x->all->count; n++) {
		uint32_t row = event_list_at(x->all, n).row;
		size_t i = run_planning_index(x, row);

		if (i == x->out->count || met[i])
			continue;
		met[i] = row == x->first[i];
		x->out->all[i].number += !met[i] && same_process(x, row, x->first[i]);
	}
	free(met);
}

void profiling_runs_plan(const struct run_planning *x)
{
	plan_runs(x);
	number_launches(x);
}
