/* Where did the time of each step go? */
#include "analysis/steps/iteration_times.h"

#include "analysis/kept_answers.h"
#include "analysis/steps/iteration_devices.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <pthread.h>
#include <stdlib.h>

/* What a walk is for. */
struct step_times {
	struct step_time *of_step;
	uint32_t *device_of_lane;
};

/* One lane of steps as slices of its device come by, in one piece of the walk. */
struct lane_walk {
	MEM_APART const struct iterations *it;
	const struct iteration_lane *lane;
	struct step_time *of_step; /* of the lane */
	const struct gap_judge *judge;
	struct gap_cursor *cursor; /* the piece's */
	pthread_mutex_t *lock;	   /* of of_step: a step may lie in several pieces */
	size_t at;		   /* the step of the slice before */
	struct span span;	   /* of that step, where a slice has lain in it; else nothing */
	struct step_time own;	   /* of that step, in this piece; not yet added to it */
};

/* Views of the timeline, one for each lane that did something. */
struct step_walk {
	struct trace *trace;
	struct scope asked;
	struct iterations steps; /* somebody else's */
	struct step_times times;
	struct timeline *timelines;
	struct scope *params;
	struct timeline_view *views;
	struct lane_walk *lanes; /* by view · pieces + piece */
	size_t view_count, pieces;
	pthread_mutex_t lock;
};

static bool is_longer(const struct gap *a, const struct gap *b)
{
	return gap_ns(a) > gap_ns(b) || (gap_ns(a) == gap_ns(b) && a->start_ns < b->start_ns);
}

static void add_idle(const struct lane_walk *w, struct step_time *own, const struct slice *s)
{
	const struct gap *gap = gap_judge_slice(w->judge, w->cursor, s);

	for (int b = 0; b < BLAMES; b++)
		own->idle_ns[b] += gap->ns[b];
	if (is_longer(gap, &own->longest))
		own->longest = *gap;
}

/* What is known of the step at hand becomes part of it, and another is at hand. */
static void move_to_step(struct lane_walk *w, size_t at)
{
	struct step_time *step = &w->of_step[w->at];
	const struct step_time *own = &w->own;

	pthread_mutex_lock(w->lock);
	for (int k = 0; k < SLICE_KINDS; k++)
		step->ns[k] += own->ns[k];
	for (int b = 0; b < BLAMES; b++)
		step->idle_ns[b] += own->idle_ns[b];
	if (is_longer(&own->longest, &step->longest))
		step->longest = own->longest;
	pthread_mutex_unlock(w->lock);
	w->own = (struct step_time){0};
	w->at = at;
	w->span = (struct span){lane_steps(w->it, w->lane)[at].from_ns,
				lane_steps(w->it, w->lane)[at].to_ns};
}

static void add_slice(struct lane_walk *w, const struct slice *s)
{
	w->own.ns[s->kind] += s->end_ns - s->start_ns;
	if (s->kind == SLICE_IDLE)
		add_idle(w, &w->own, s);
}

/* The first step that ends after a moment; nearly always the one before, or the next. */
static size_t find_step(const struct lane_walk *w, int64_t at_ns)
{
	const struct iteration *steps = lane_steps(w->it, w->lane);
	size_t low = 0, high = w->lane->count;

	if (steps[w->at].to_ns > at_ns) {
		high = w->at;
		low = high && steps[high - 1].to_ns <= at_ns ? high : 0;
	} else {
		low = w->at + 1;
		if (low < high && steps[low].to_ns > at_ns)
			high = low;
	}
	return BISECT(low, high, at, steps[at].to_ns <= at_ns);
}

/* A slice may lie in several steps: each gets its part. */
static void take_slice(void *ctx, const struct slice *s)
{
	struct lane_walk *w = ctx;
	const struct iteration *steps = lane_steps(w->it, w->lane);

	/* Nearly every slice lies in the step of the one before. */
	if (s->start_ns >= w->span.start_ns && s->end_ns <= w->span.end_ns) {
		add_slice(w, s);
		return;
	}
	for (size_t i = find_step(w, s->start_ns);
	     i < w->lane->count && steps[i].from_ns < s->end_ns; i++) {
		struct slice part = *s;

		if (part.start_ns < steps[i].from_ns)
			part.start_ns = steps[i].from_ns;
		if (part.end_ns > steps[i].to_ns)
			part.end_ns = steps[i].to_ns;
		if (part.end_ns <= part.start_ns)
			continue;
		if (i != w->at)
			move_to_step(w, i);
		add_slice(w, &part);
	}
}

/* The work of the lane's process on its device, from its first step to its last. */
static struct scope lane_params(const struct trace *t, const struct iterations *it,
				const struct iteration_lane *lane, uint32_t device)
{
	const struct iteration *steps = lane_steps(it, lane);
	struct scope p = {.has_trim = true};

	p.from_ns = steps[0].from_ns;
	p.to_ns = steps[lane->count - 1].to_ns;
	p.has_device = device != ID_NONE;
	p.device = device;
	p.has_process = lane->process != ID_NONE && t->events[TRACE_KERNELS].process;
	p.process = lane->process;
	return p;
}

/* Nothing was launched: all of it is idle, and there is nothing to walk. */
static void leave_idle(const struct iterations *it, const struct iteration_lane *lane,
		       struct step_time *of_step)
{
	const struct iteration *steps = lane_steps(it, lane);

	for (size_t i = 0; i < lane->count; i++)
		of_step[i].ns[SLICE_IDLE] = of_step[i].idle_ns[BLAME_END] = iteration_ns(&steps[i]);
}

static void begin_view(struct step_walk *w, const struct ops *o, size_t lane,
		       const struct gap_judge *judge, struct gap_cursor *cursors)
{
	const struct iterations *it = &w->steps;
	size_t view = w->view_count++;

	w->params[view] =
		lane_params(o->trace, it, &it->lanes[lane], w->times.device_of_lane[lane]);
	timeline_begin(o, &w->params[view], &w->timelines[view]);
	for (size_t i = 0; i < w->pieces; i++)
		w->lanes[view * w->pieces + i] = (struct lane_walk){
			.it = it,
			.lane = &it->lanes[lane],
			.of_step = &w->times.of_step[it->lanes[lane].begin],
			.judge = judge,
			.cursor = &cursors[i],
			.lock = &w->lock,
		};
	w->views[view] = (struct timeline_view){o->trace,
						&w->params[view],
						&w->timelines[view],
						take_slice,
						&w->lanes[view * w->pieces],
						sizeof(*w->lanes)};
}

static const struct launches *launches_of(const struct gap_judge *judge)
{
	return judge->joined ? &judge->attribution.launches : NULL;
}

static struct step_walk *begin_walk(const struct ops *o, const struct scope *p,
				    const struct iterations *it, const struct gap_judge *judge,
				    struct gap_cursor *cursors, size_t pieces)
{
	struct step_walk *w = mem_zalloc(1, sizeof(*w));
	bool *busy = mem_zalloc(it->lane_count, sizeof(*busy));

	*w = (struct step_walk){.trace = o->trace, .asked = *p, .steps = *it, .pieces = pieces};
	pthread_mutex_init(&w->lock, NULL);
	w->times.of_step = mem_zalloc(it->count, sizeof(*w->times.of_step));
	w->times.device_of_lane = mem_alloc(it->lane_count, sizeof(*w->times.device_of_lane));
	w->timelines = mem_zalloc(it->lane_count, sizeof(*w->timelines));
	w->params = mem_zalloc(it->lane_count, sizeof(*w->params));
	w->views = mem_zalloc(it->lane_count, sizeof(*w->views));
	w->lanes = mem_zalloc_apart(it->lane_count * pieces, sizeof(*w->lanes));
	iteration_devices_choose(o, p, it, launches_of(judge), w->times.device_of_lane, busy);
	for (size_t i = 0; i < it->lane_count; i++) {
		if (busy[i])
			begin_view(w, o, i, judge, cursors);
		else
			leave_idle(it, &it->lanes[i], &w->times.of_step[it->lanes[i].begin]);
	}
	free(busy);
	return w;
}

static struct step_times end_walk(struct step_walk *w)
{
	struct step_times times = w->times;

	for (size_t i = 0; i < w->view_count * w->pieces; i++)
		move_to_step(&w->lanes[i], 0);
	for (size_t i = 0; i < w->view_count; i++)
		timeline_free(&w->timelines[i]);
	pthread_mutex_destroy(&w->lock);
	free(w->timelines);
	free(w->params);
	free(w->views);
	free(w->lanes);
	free(w);
	return times;
}

static void free_times(void *p)
{
	struct step_times *times = p;

	free(times->of_step);
	free(times->device_of_lane);
}

static const struct kept_answers kept = {sizeof(struct step_times), &filter_options, free_times};

struct step_walk *step_walk_begin(const struct ops *o, const struct scope *p,
				  const struct gap_judge *judge, struct gap_cursor *cursors,
				  size_t pieces)
{
	struct iterations it;

	return !kept_answers_any(&kept, o->trace) && iterations_kept(o->trace, p, &it)
		       ? begin_walk(o, p, &it, judge, cursors, pieces)
		       : NULL;
}

size_t step_walk_views(const struct step_walk *w, struct timeline_view *ret)
{
	for (size_t i = 0; ret && i < w->view_count; i++)
		ret[i] = w->views[i];
	return w->view_count;
}

void step_walk_keep(struct step_walk *w)
{
	const struct scope asked = w->asked;
	struct trace *t = w->trace;
	struct step_times times = end_walk(w);

	if (!kept_answers_add(&kept, t, &asked, &times))
		free_times(&times);
}

/* Whether somebody has walked: then it is copied, for who asks may leave steps out. */
static bool copy_kept(struct trace *t, const struct scope *p, const struct iterations *it,
		      struct iteration_times *ret)
{
	struct step_times times;

	if (p->marker || !kept_answers_find(&kept, t, p, &times))
		return false;
	ret->of_step = mem_copy(times.of_step, it->count, sizeof(*times.of_step));
	ret->device_of_lane =
		mem_copy(times.device_of_lane, it->lane_count, sizeof(*times.device_of_lane));
	return true;
}

static int walk(const struct ops *o, const struct scope *p, const struct iterations *it,
		struct iteration_times *x, struct err *e)
{
	const size_t pieces = timeline_pieces(o);
	struct gap_cursor *cursors = mem_zalloc_apart(pieces, sizeof(*cursors));
	struct step_walk *w = begin_walk(o, p, it, &x->judge, cursors, pieces);
	struct step_times times;
	int result;

	if (w->view_count)
		timeline_walk_views(o, w->views, w->view_count, pieces);
	times = end_walk(w);
	x->of_step = times.of_step;
	x->device_of_lane = times.device_of_lane;
	result = gap_judge_check(&x->judge, cursors, pieces, e);
	for (size_t i = 0; i < pieces; i++)
		gap_cursor_free(&cursors[i]);
	free(cursors);
	return result;
}

int iteration_times_read(struct trace *t, const struct scope *p, struct iterations *it,
			 struct iteration_times *ret, struct err *e)
{
	struct ops o;
	int result;

	*ret = (struct iteration_times){0};
	if (iterations_load(t, e) < 0 || ops_open(&o, t, e) < 0)
		return -1;
	ret->faults = o.times.faults;
	result = gap_judge_open(&ret->judge, t, e);
	if (result == 0)
		result = iterations_find(t, p, &o.devices, launches_of(&ret->judge), it, e);
	if (result == 0) {
		if (it->joined)
			iterations_count_launches(it, t, p, &o.devices, launches_of(&ret->judge));
		if (!copy_kept(t, p, it, ret))
			result = walk(&o, p, it, ret, e);
	}
	ops_close(&o);
	return result;
}

void iteration_times_free(struct iteration_times *x)
{
	free(x->of_step);
	free(x->device_of_lane);
	gap_judge_close(&x->judge);
	*x = (struct iteration_times){0};
}
