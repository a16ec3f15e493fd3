/* How many waits are open at once, over time? */
#include "analysis/gpu/depth_walk.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

void depth_walk_begin(struct depth_walk *w, const struct steps *steps)
{
	*w = (struct depth_walk){
		.steps = steps,
		.met = mem_zalloc(steps->count, sizeof(*w->met)),
		.now_ns = steps->from_ns,
		.step_begin_ns = steps->from_ns,
		.step_end_ns = steps_edge(steps, 1),
	};
}

void depth_walk_free(struct depth_walk *w)
{
	free(w->met);
	free(w->from.ns);
	free(w->to.ns);
	*w = (struct depth_walk){0};
}

static void add_time(struct depth_times *t, int64_t ns)
{
	MEM_GROW(t->ns, t->cap, t->count + 1);
	t->ns[t->count++] = ns;
}

void depth_walk_add(struct depth_walk *w, int64_t from_ns, int64_t to_ns)
{
	add_time(&w->from, from_ns);
	add_time(&w->to, to_ns);
}

/* They usually are in order. */
static void sort_times(struct depth_times *t)
{
	int64_t *scratch;
	size_t sorted = 1;

	while (sorted < t->count && t->ns[sorted - 1] <= t->ns[sorted])
		sorted++;
	if (sorted >= t->count)
		return;
	scratch = mem_alloc(t->count, sizeof(*scratch));
	sort_i64(t->ns, scratch, t->count);
	free(scratch);
}

static void spend(struct depth_walk *w, int64_t until_ns)
{
	w->met[w->step].waited_ns +=
		(unsigned __int128)w->open * ((uint64_t)until_ns - (uint64_t)w->now_ns);
	w->now_ns = until_ns;
}

static void next_step(struct depth_walk *w)
{
	spend(w, w->step_end_ns);
	w->step_begin_ns = w->step_end_ns;
	if (++w->step < w->steps->count)
		w->step_end_ns = steps_edge(w->steps, w->step + 1);
}

/* What happens at a step's end belongs to the next, unless the step is but an instant. */
static bool is_past(const struct depth_walk *w, int64_t ns)
{
	return ns > w->step_end_ns || (ns == w->step_end_ns && ns > w->step_begin_ns);
}

static void move_to(struct depth_walk *w, int64_t ns)
{
	while (w->step < w->steps->count && is_past(w, ns)) {
		next_step(w);
		if (w->step < w->steps->count && ns > w->now_ns)
			w->met[w->step].most = w->open;
	}
	if (w->step < w->steps->count)
		spend(w, ns);
}

/* Counts what is before a time, or all. */
static void take_times(struct depth_walk *w, int64_t before_ns, bool all)
{
	struct depth_times *from = &w->from, *to = &w->to;
	size_t begun = 0, ended = 0;

	/* A wait ends after it begins: what begins runs out first. */
	while (ended < to->count) {
		int64_t ns = to->ns[ended];

		if (begun < from->count && from->ns[begun] < ns)
			ns = from->ns[begun];
		if (!all && ns >= before_ns)
			break;
		move_to(w, ns);
		for (; ended < to->count && to->ns[ended] <= ns; ended++)
			w->open--;
		for (; begun < from->count && from->ns[begun] <= ns; begun++)
			w->open++;
		if (w->step < w->steps->count && w->open > w->met[w->step].most)
			w->met[w->step].most = w->open;
	}
	from->count -= begun;
	to->count -= ended;
	memmove(from->ns, from->ns + begun, from->count * sizeof(*from->ns));
	memmove(to->ns, to->ns + ended, to->count * sizeof(*to->ns));
}

void depth_walk_pass(struct depth_walk *w, int64_t before_ns)
{
	/* Where much is kept again and again it is looked at seldom. */
	if (w->from.count + w->to.count < 2 * w->kept || !w->to.count)
		return;
	sort_times(&w->from);
	sort_times(&w->to);
	take_times(w, before_ns, false);
	w->kept = w->from.count + w->to.count;
}

void depth_walk_end(struct depth_walk *w)
{
	sort_times(&w->from);
	sort_times(&w->to);
	if (w->to.count)
		take_times(w, 0, true);
	while (w->step < w->steps->count) {
		next_step(w);
		if (w->step < w->steps->count)
			w->met[w->step].most = w->open;
	}
}
