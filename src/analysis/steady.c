/* Which part of the run repeats? */
#include "analysis/steady.h"

#include "analysis/summary.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/ranges.h"

#include <stdlib.h>

enum { STEPS_MIN = 5, LEVELS_MAX = 4 };

/* Steps of one name on one thread. */
struct steps {
	uint32_t thread, name;
	uint32_t count;
	int64_t total_ns;
	int64_t first_ns, last_ns; /* start of the first, end of the last */
	uint32_t row;		   /* of the first */
	bool counts;		   /* their names have a counter in them */
};

struct search {
	const struct trace *trace;
	struct range_forest forest;
	struct folded_names folded;
};

static uint32_t step_name(const struct search *s, const struct range *r)
{
	uint32_t name = s->trace->events[TRACE_NVTX].name[r->row];

	return name == NAME_NONE ? NAME_NONE : s->folded.of_name[name];
}

static void add_step(struct steps *s, const struct range *r, const uint32_t *names)
{
	if (!s->count)
		s->row = r->row;
	s->counts |= names[r->row] != names[s->row];
	if (!s->count || r->start_ns < s->first_ns)
		s->first_ns = r->start_ns;
	if (!s->count || r->end_ns > s->last_ns)
		s->last_ns = r->end_ns;
	s->count++;
	s->total_ns = sat_add(s->total_ns, sat_sub(r->end_ns, r->start_ns));
}

/* Operators of frameworks ("aten::to") and what says that it is no real step. */
static bool is_no_step(struct str name)
{
	return memmem(name.s, name.len, "::", 2) || memmem(name.s, name.len, "warm", 4) ||
	       memmem(name.s, name.len, "Warm", 4) || memmem(name.s, name.len, "WARM", 4);
}

/*
 * Steps follow one another: they fill the time from the first to the last. What repeats with other
 * things between is an operation inside of steps that have no range, unless it is counted.
 */
static bool are_steps(const struct search *s, const struct steps *x)
{
	double filled = x->counts ? 0.25 : 0.7;

	return x->count >= STEPS_MIN && !is_no_step(s->folded.names.items[x->name]) &&
	       (double)x->total_ns >= filled * (double)sat_sub(x->last_ns, x->first_ns);
}

/* Of the ranges of one level, the name that repeats and takes the most time. */
static bool find_steps(const struct search *s, uint32_t level, struct steps *ret)
{
	struct idmap numbers = {0};
	struct steps *all = NULL;
	size_t count = 0, cap = 0;
	bool found = false;

	for (size_t i = 0; i < s->forest.count; i++) {
		const struct range *r = &s->forest.ranges[i];
		uint32_t name = step_name(s, r), number;

		if (r->level != level || name == NAME_NONE)
			continue;
		number = idmap_number_pair(&numbers, r->thread, name);
		if (number == count) {
			MEM_GROW(all, cap, count + 1);
			all[count++] = (struct steps){.thread = r->thread, .name = name};
		}
		if (all)
			add_step(&all[number], r, s->trace->events[TRACE_NVTX].name);
	}
	for (size_t i = 0; i < count; i++) {
		if (are_steps(s, &all[i]) && (!found || all[i].total_ns > ret->total_ns)) {
			*ret = all[i];
			found = true;
		}
	}
	idmap_free(&numbers);
	free(all);
	return found;
}

static double median_ns(const int64_t *durations, size_t n)
{
	int64_t *sorted = mem_alloc(n, sizeof(*sorted)), *scratch = mem_alloc(n, sizeof(*scratch));
	double median;

	memcpy(sorted, durations, n * sizeof(*sorted));
	sort_i64(sorted, scratch, n);
	median = quantile(sorted, n, 0.5);
	free(sorted);
	free(scratch);
	return median;
}

/* Ranges of a thread lie by start: the steps come in order of time. */
static size_t list_steps(const struct search *s, uint32_t level, const struct steps *steps,
			 uint32_t *index, int64_t *durations)
{
	size_t n = 0;

	for (size_t i = 0; i < s->forest.count; i++) {
		const struct range *r = &s->forest.ranges[i];

		if (r->level != level || r->thread != steps->thread ||
		    step_name(s, r) != steps->name)
			continue;
		index[n] = (uint32_t)i;
		durations[n++] = sat_sub(r->end_ns, r->start_ns);
	}
	return n;
}

static void keep_steady(const struct search *s, uint32_t level, const struct steps *steps,
			struct arena *arena, struct steady *ret)
{
	uint32_t *index = mem_alloc(steps->count, sizeof(*index));
	int64_t *durations = mem_alloc(steps->count, sizeof(*durations));
	size_t n = list_steps(s, level, steps, index, durations), first = 0;
	double median = median_ns(durations, n);
	struct str name = s->folded.names.items[steps->name];

	while (first < n / 2 && (double)durations[first] > 2 * median)
		first++;
	ret->found = true;
	ret->from_ns = s->forest.ranges[index[first]].start_ns;
	for (size_t i = first; i < n; i++) {
		int64_t end = s->forest.ranges[index[i]].end_ns;

		ret->to_ns = i == first || end > ret->to_ns ? end : ret->to_ns;
	}
	if (first)
		ret->how = arena_printf(
			arena, "%zu of %zu '%.*s': the first %zu took over twice the median",
			n - first, n, (int)name.len, name.s, first);
	else
		ret->how = arena_printf(arena, "all %zu '%.*s'", n, (int)name.len, name.s);
	free(index);
	free(durations);
}

int steady_find(struct trace *t, struct arena *arena, struct steady *ret, struct err *e)
{
	struct search s = {.trace = t};
	struct steps steps = {0};

	*ret = (struct steady){0};
	if (!t->events[TRACE_NVTX].table)
		return 0;
	if (range_forest_build(t, FOREST_PUSH_POP, &s.forest, e) < 0)
		return e->absent ? 0 : -1;
	trace_fold_names(t, &s.folded);
	for (uint32_t level = 0; level < LEVELS_MAX && !ret->found; level++) {
		if (find_steps(&s, level, &steps))
			keep_steady(&s, level, &steps, arena, ret);
	}
	range_forest_free(&s.forest);
	folded_names_free(&s.folded);
	return 0;
}
