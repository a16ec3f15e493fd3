/* Which steps of a capture are compared? */
#include "diff/compared_steps.h"

#include "analysis/steps/iteration_devices.h"
#include "analysis/steps/steady.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "diff/bounding_place.h"

#include <stdlib.h>

/* Steps that launch less of all GPU work have other things between them. */
static const double whole_share = 0.9;
/* Of a step: so much after each is a part of it that counts. */
static const double notable_between = 0.05;
/* Of its launch calls a partial step lacks so much more work than those before it. */
static const double lacking_share = 0.01;
enum {
	PAUSE_TIMES = 3,  /* as long as what usually lies between two steps */
	RECUR_PAUSES = 3, /* what is as often, … */
	RECUR_STEPS = 16, /* … and comes at least once in so many steps, is none */
};

static bool is_inside(const struct iteration *step, const struct scope *asked)
{
	return !asked->has_trim || (step->from_ns >= asked->from_ns && step->to_ns <= asked->to_ns);
}

/* Somebody who names a window has chosen the steps: then none is cut. */
static size_t count_cold(const struct iterations *it, const struct scope *asked)
{
	const size_t cold = asked->has_trim ? 0 : steady_cold_steps(it);

	return cold < it->lanes[it->main_lane].count ? cold : 0;
}

/* Within its own time: work of the step before may still have been there. */
static int64_t gpu_from(const struct iteration *s)
{
	if (!s->ops || s->gpu_start_ns < s->from_ns)
		return s->from_ns;
	return s->gpu_start_ns < s->to_ns ? s->gpu_start_ns : s->from_ns;
}

static void add_steps(struct compared_steps *c, const struct iterations *it,
		      const struct scope *asked, struct arena *arena)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];
	const struct iteration *steps = lane_steps(it, lane);

	c->cold = count_cold(it, asked);
	c->cold_ns = arena_alloc(arena, c->cold, sizeof(*c->cold_ns));
	for (size_t i = 0; i < c->cold; i++)
		c->cold_ns[i] = sat_sub(steps[i].to_ns, steps[i].from_ns);
	c->all = mem_alloc(lane->count, sizeof(*c->all));
	for (size_t i = c->cold; i < lane->count; i++) {
		const struct iteration *s = &steps[i];

		if (s->to_ns > s->from_ns && is_inside(s, asked))
			c->all[c->count++] = (struct compared_step){.from_ns = s->from_ns,
								    .own_end_ns = s->to_ns,
								    .to_ns = s->to_ns,
								    .host_from_ns = s->start_ns,
								    .host_to_ns = s->end_ns,
								    .gpu_from_ns = gpu_from(s),
								    .number = s->number};
	}
}

static int64_t usual_ns(const struct compared_steps *c)
{
	int64_t *ns = mem_alloc(c->count, sizeof(*ns));
	double median;

	for (size_t i = 0; i < c->count; i++)
		ns[i] = sat_sub(c->all[i].own_end_ns, c->all[i].from_ns);
	median = sort_median(ns, c->count);
	free(ns);
	return sat_of_double(median);
}

/* What lies between a step and the one right after it; -1: steps between are not compared. */
static int64_t between_ns(const struct compared_steps *c, size_t i)
{
	const struct compared_step *s = &c->all[i];

	return s[1].number == s->number + 1 ? sat_sub(s[1].from_ns, s->own_end_ns) : -1;
}

/* What more than half of the steps have after them at least; of one step nobody knows. */
static int64_t usual_between_ns(const struct compared_steps *c)
{
	int64_t *ns = mem_alloc(c->count, sizeof(*ns)), usual;
	size_t count = 0;

	for (size_t i = 0; i + 1 < c->count; i++) {
		ns[count] = between_ns(c, i);
		count += ns[count] >= 0;
	}
	if (count)
		sort_median(ns, count);
	usual = count > 1 ? ns[(count - 1) / 2] : 0;
	free(ns);
	return usual;
}

/*
 * Where what follows a step is a notable part of it, the last one, of which that is not known,
 * would be a shorter step.
 */
static void leave_unfinished(struct compared_steps *c)
{
	if (c->count < 2)
		return;
	c->count--;
	c->partial++;
}

/* By step: whether what follows is longer than a step, and than what usually does. */
static bool *find_pauses(const struct compared_steps *c, int64_t usual)
{
	const int64_t step_ns = usual_ns(c);
	const int64_t longest_ns =
		sat_mul(usual, PAUSE_TIMES) > step_ns ? sat_mul(usual, PAUSE_TIMES) : step_ns;
	bool *is_pause = mem_zalloc(c->count, sizeof(*is_pause));

	for (size_t i = 0; i + 1 < c->count; i++)
		is_pause[i] = between_ns(c, i) < 0 || between_ns(c, i) > longest_ns;
	return is_pause;
}

/* What comes again and again is a part of the run, such as a data loader that stalls after every
 * eighth step. */
static bool do_recur(const struct compared_steps *c, const bool *is_pause)
{
	size_t pauses = 0;

	for (size_t i = 0; i + 1 < c->count; i++)
		pauses += is_pause[i] && between_ns(c, i) >= 0;
	return pauses >= RECUR_PAUSES && pauses * RECUR_STEPS >= c->count;
}

/* Of a pause as much as usually follows a step is the step's. */
static void leave_pause(struct compared_steps *c, size_t i, int64_t usual)
{
	struct compared_step *s = &c->all[i];

	if (sat_sub(s[1].from_ns, s->own_end_ns) > usual)
		s->to_ns = s->host_to_ns = s->own_end_ns + usual;
	c->pauses++;
	c->pauses_ns = sat_add(c->pauses_ns, sat_sub(s[1].from_ns, s->to_ns));
}

/*
 * What lies between two steps is the first one's, as a data loader is that runs outside of them:
 * however long it is, if it comes after most of them, or again and again. An evaluation or a
 * checkpoint that comes once or twice is in one capture and not in another: a pause, and left out.
 * So are steps between that are not compared.
 */
static void add_between(struct compared_steps *c, enum asked_reach asked)
{
	const int64_t usual = usual_between_ns(c);
	bool *is_pause;

	if (!c->count)
		return;
	is_pause = find_pauses(c, usual);
	c->reach = asked == ASKED_ALL || do_recur(c, is_pause) ? REACH_ALL : REACH_NEXT;
	for (size_t i = 0; i < c->count; i++)
		c->all[i].host_to_ns = c->all[i].to_ns;
	for (size_t i = 0; i + 1 < c->count; i++) {
		struct compared_step *s = &c->all[i];

		if (is_pause[i] && (c->reach != REACH_ALL || between_ns(c, i) < 0))
			leave_pause(c, i, usual);
		else
			s->to_ns = s->host_to_ns = s[1].from_ns;
	}
	if (c->reach == REACH_ALL || (double)usual > notable_between * (double)usual_ns(c))
		leave_unfinished(c);
	free(is_pause);
}

static const struct launches *launches_of(const struct gap_judge *judge)
{
	return judge->joined ? &judge->attribution.launches : NULL;
}

/* Of work whose process is not known nobody can say that it is another's. */
static bool knows_processes(const struct events *kernels)
{
	for (uint64_t i = 0; kernels->process && i < kernels->count; i++) {
		if (kernels->process[i] == ID_NONE)
			return false;
	}
	return kernels->process != NULL;
}

static void find_place(struct compared_steps *c, const struct ops *o, const struct gap_judge *judge,
		       const struct op_groups *groups, const struct iterations *it,
		       const struct scope *asked)
{
	const struct iteration_lane *lane = &it->lanes[it->main_lane];
	uint32_t *devices = mem_alloc(it->lane_count, sizeof(*devices));
	bool *busy = mem_zalloc(it->lane_count, sizeof(*busy));

	iteration_devices_choose(o, asked, it, launches_of(judge), devices, busy);
	c->place.has_device = devices[it->main_lane] != ID_NONE;
	c->place.device = devices[it->main_lane];
	if (c->place.has_device && !asked->has_device)
		c->place.device = bounding_device(lane->process, c->place.device, o, groups);
	c->place.has_process =
		lane->process != ID_NONE && knows_processes(&o->trace->events[TRACE_KERNELS]);
	c->place.process = lane->process;
	c->thread = lane->thread;
	if (c->thread == ID_NONE && judge->joined && lane->process < o->trace->process_keys.count)
		c->thread = judge->main_thread[lane->process];
	free(busy);
	free(devices);
}

/* Ranges that somebody named, and that launch notably less than all, are a part of a loop. */
static bool are_parts(const struct iterations *it, const struct scope *asked)
{
	return asked->marker && it->source == ITER_MARKER && it->joined &&
	       (double)it->work_ns < whole_share * (double)it->all_work_ns;
}

/* An op that begins before the first that a step launched was launched by others. */
static void leave_op(struct compared_steps *c, struct span op)
{
	for (size_t i = BISECT(0, c->count, at, c->all[at].to_ns <= op.start_ns);
	     i < c->count && c->all[i].from_ns < op.end_ns; i++) {
		struct compared_step *s = &c->all[i];

		if (op.start_ns < s->gpu_from_ns)
			s->from_ns = op.end_ns < s->gpu_from_ns ? op.end_ns : s->gpu_from_ns;
	}
}

/*
 * Where does a step begin that is a part of a loop, such as `forward`? The host is in it while the
 * GPU has work left that was launched before: that is none of its time.
 */
static void leave_others(struct compared_steps *c, const struct ops *o)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = o->lanes[kind].ev;

		for (uint64_t i = 0; ev->start_ns && i < ev->count; i++) {
			uint32_t process, device;

			ops_place(o, (enum trace_kind)kind, i, &process, &device);
			if (ev->duration_ns[i] > 0 &&
			    scope_has_place(&c->place, o->trace, process, device))
				leave_op(c, (struct span){
						    ev->start_ns[i],
						    sat_add(ev->start_ns[i], ev->duration_ns[i])});
		}
	}
}

/*
 * Steps of which the capture has not all: it ended while the host was ahead, and has the calls
 * that launched their last work, but not that work.
 */
struct step_launches {
	uint64_t calls; /* that launch kernels or graphs */
	uint64_t done;	/* of these, those of which the capture has the work */
};

struct counting {
	const struct compared_steps *steps;
	const struct trace *trace;
	uint32_t process;
	size_t near; /* the step of the call before */
	struct step_launches *of_step;
};

static struct step_launches *step_of(struct counting *x, int64_t start_ns)
{
	const size_t step = compared_steps_host_at(x->steps, start_ns, &x->near);

	return step < x->steps->count ? &x->of_step[step] : NULL;
}

/* By origin: calls that launch, of the steps' process. */
static bool *find_launching(const struct counting *x, const struct calls *calls,
			    const uint8_t *blames)
{
	bool *launches = mem_alloc(calls->origin_count, sizeof(*launches));

	for (size_t i = 0; i < calls->origin_count; i++)
		launches[i] =
			blames[i] == BLAME_LAUNCH &&
			(x->process == ID_NONE ||
			 trace_thread_process(x->trace, calls->origins[i].thread) == x->process);
	return launches;
}

static void count_calls(struct counting *x, const struct gap_judge *judge)
{
	const struct calls *calls = &judge->calls;
	SCOPED bool *launches = find_launching(x, calls, judge->blame_of_origin);

	for (size_t i = 0; i < calls->count; i++) {
		struct step_launches *s =
			launches[calls_origin(calls, i)] ? step_of(x, calls->start_ns[i]) : NULL;

		if (s)
			s->calls++;
	}
}

static void count_done(struct counting *x, const struct gap_judge *judge)
{
	const struct launches *l = &judge->attribution.launches;
	SCOPED bool *launches = find_launching(x, &l->calls, judge->blame_of_launch);

	for (size_t launch = 0; launch < l->launch_count; launch++) {
		struct api_call call;
		struct step_launches *s;

		if (!launches_earliest_call(l, launch, &call) || !launches[call.origin])
			continue;
		s = step_of(x, call.start_ns);
		if (s)
			s->done++;
	}
}

static double lacking(const struct step_launches *s)
{
	return s->calls > s->done ? (double)(s->calls - s->done) / (double)s->calls : 0;
}

static size_t count_last(const struct step_launches *of_step, size_t count)
{
	double usual = 0;
	size_t partial = 0;

	for (size_t i = 0; i < (count + 1) / 2; i++)
		usual = lacking(&of_step[i]) > usual ? lacking(&of_step[i]) : usual;
	while (partial + 1 < count &&
	       lacking(&of_step[count - 1 - partial]) > usual + lacking_share)
		partial++;
	return partial;
}

static size_t count_partial(const struct compared_steps *c, const struct gap_judge *judge,
			    uint32_t process)
{
	struct counting x = {.steps = c, .trace = judge->trace, .process = process};
	size_t partial;

	if (!judge->joined || c->count < 2)
		return 0;
	x.of_step = mem_zalloc(c->count, sizeof(*x.of_step));
	count_calls(&x, judge);
	count_done(&x, judge);
	partial = count_last(x.of_step, c->count);
	free(x.of_step);
	return partial;
}

/* The number of the first step that the capture has only a part of; UINT32_MAX: it has all. */
static uint32_t first_partial(const struct compared_steps *c, const struct gap_judge *judge,
			      uint32_t process)
{
	const size_t partial = count_partial(c, judge, process);

	return partial ? c->all[c->count - partial].number : UINT32_MAX;
}

/* When one begins tells nevertheless what lies between it and the one before. */
static void leave_partial(struct compared_steps *c, uint32_t first)
{
	while (c->count > 1 && c->all[c->count - 1].number >= first) {
		c->count--;
		c->partial++;
	}
}

static void take_steps(struct compared_steps *c, const struct ops *o, const struct gap_judge *judge,
		       const struct op_groups *groups, const struct iterations *it,
		       const struct account_question *q, struct arena *arena)
{
	const struct scope *asked = &q->scope;
	uint32_t partial;

	c->reach = q->reach == ASKED_OWN || (q->reach == ASKED_NOTHING && are_parts(it, asked))
			   ? REACH_OWN
			   : REACH_NEXT;
	add_steps(c, it, asked, arena);
	partial = first_partial(c, judge, it->lanes[it->main_lane].process);
	if (c->reach != REACH_OWN)
		add_between(c, q->reach);
	leave_partial(c, partial);
	find_place(c, o, judge, groups, it, asked);
	if (c->reach == REACH_OWN)
		leave_others(c, o);
	c->name = it->name ? arena_strdup(arena, it->name) : NULL;
	c->how = arena_strdup(arena, it->how);
}

/* What devices have to do. */
struct works {
	struct idmap numbers;
	struct work {
		uint32_t device;
		int64_t ns;
	} * all;
	size_t count, cap;
};

static void add_work(struct works *w, uint32_t device, int64_t ns)
{
	const uint32_t number = idmap_add(&w->numbers, device, (uint32_t)w->count);

	MEM_GROW(w->all, w->cap, (size_t)number + 1);
	if (number == w->count)
		w->all[w->count++] = (struct work){device, 0};
	w->all[number].ns = sat_add(w->all[number].ns, ns);
}

/* The device with most work, whoever's it is; of as much the first. */
static uint32_t find_busiest(const struct ops *o, const struct scope *asked)
{
	struct work most = {ID_NONE, -1};
	struct works w = {0};

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = o->lanes[kind].ev;

		for (uint64_t i = 0; i < ev->count; i++) {
			uint32_t process, device;

			ops_place(o, (enum trace_kind)kind, i, &process, &device);
			if (ev->duration_ns[i] >= 0 &&
			    scope_has_place(asked, o->trace, process, device))
				add_work(&w, device, ev->duration_ns[i]);
		}
	}
	for (size_t i = 0; i < w.count; i++) {
		if (w.all[i].ns > most.ns ||
		    (w.all[i].ns == most.ns && w.all[i].device < most.device))
			most = w.all[i];
	}
	idmap_free(&w.numbers);
	free(w.all);
	return most.device;
}

static void take_window(struct compared_steps *c, const struct ops *o, const struct scope *asked,
			struct arena *arena)
{
	const struct span work = {o->times.first_ns, o->times.last_ns};
	const struct span part =
		asked->has_trim ? span_common(work, (struct span){asked->from_ns, asked->to_ns})
				: work;
	const int64_t from_ns = part.start_ns, to_ns = part.end_ns;

	c->is_window = true;
	c->reach = REACH_NEXT;
	c->thread = ID_NONE;
	c->how = arena_strdup(arena, asked->has_trim ? "no steps: GPU work in the window of --trim"
						     : "no steps: first to last GPU work");
	if (to_ns <= from_ns)
		return;
	c->all = mem_alloc(1, sizeof(*c->all));
	c->all[c->count++] = (struct compared_step){.from_ns = from_ns,
						    .own_end_ns = to_ns,
						    .to_ns = to_ns,
						    .host_from_ns = from_ns,
						    .host_to_ns = to_ns};
	c->place = *asked;
	c->place.device = find_busiest(o, asked);
	c->place.has_device = c->place.device != ID_NONE;
}

static int refuse(const struct trace *t, bool has_trim, struct err *e)
{
	if (has_trim)
		err_set(e, ERR_INPUT, "'%s' has no step, and no GPU work, inside that window",
			t->path);
	else
		err_set(e, ERR_INPUT, "'%s' has no step of any length", t->path);
	return err_hint(e, "gpuwhy iters lists the steps");
}

int compared_steps_find(struct compared_steps *ret, struct trace *t, const struct ops *o,
			const struct gap_judge *judge, const struct op_groups *groups,
			const struct account_question *q, struct arena *arena, struct err *e)
{
	const struct scope *asked = &q->scope;
	struct iterations it;

	*ret = (struct compared_steps){0};
	if (iterations_find(t, asked, &o->devices, launches_of(judge), &it, e) == 0) {
		it.main_lane = bounding_lane(&it, o, groups);
		take_steps(ret, o, judge, groups, &it, q, arena);
		iterations_free(&it);
	} else if (asked->marker || err_forgive_absent(e) < 0) {
		return -1;
	} else {
		take_window(ret, o, asked, arena);
	}
	if (!ret->count)
		return refuse(t, asked->has_trim, e);
	ret->chosen_device =
		ret->place.has_device && !asked->has_device ? (int64_t)ret->place.device : -1;
	ret->place.has_trim = true;
	ret->place.from_ns = ret->all[0].from_ns;
	ret->place.to_ns = ret->all[ret->count - 1].to_ns;
	return 0;
}

void compared_steps_free(struct compared_steps *c)
{
	free(c->all);
	*c = (struct compared_steps){0};
}

/* Whether the last step that has begun at a moment is this one. */
static bool is_begun_last(const struct compared_steps *c, int64_t at_ns, size_t step)
{
	return step < c->count && c->all[step].host_from_ns <= at_ns &&
	       (step + 1 == c->count || at_ns < c->all[step + 1].host_from_ns);
}

size_t compared_steps_host_at(const struct compared_steps *c, int64_t at_ns, size_t *near)
{
	if (!is_begun_last(c, at_ns, *near)) {
		const size_t begun = BISECT(0, c->count, i, c->all[i].host_from_ns <= at_ns);

		if (!begun)
			return c->count;
		*near = begun - 1;
	}
	return at_ns < c->all[*near].host_to_ns ? *near : c->count;
}

size_t compared_steps_at(const struct compared_steps *c, int64_t at_ns, size_t near)
{
	if (near < c->count && c->all[near].to_ns > at_ns) {
		if (!near || c->all[near - 1].to_ns <= at_ns)
			return near;
		return BISECT(0, near, at, c->all[at].to_ns <= at_ns);
	}
	return GALLOP(near < c->count ? near + 1 : 0, c->count, at, c->all[at].to_ns <= at_ns);
}
