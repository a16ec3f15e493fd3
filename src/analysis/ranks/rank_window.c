/* Which stretch of time speaks for each rank? */
#include "analysis/ranks/rank_window.h"

#include "analysis/gpu/timeline.h"
#include "analysis/ranks/rank_anchors.h"
#include "analysis/steps/iteration_window.h"
#include "base/mem.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

/* Each is a look at all ranges and launches. */
enum { OWN_STEPS_MAX = 8 };

struct finder {
	struct ops *ops;
	struct trace *trace;
	const struct rank_window_args *args;
	const struct scope *p;
	const struct rank_map *map;
	struct rank_windows *out;
};

static void set_all(const struct finder *f, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < f->map->count; i++) {
		struct rank_window *w = &f->out->of_rank[i];

		w->found = rank_is_asked(f->trace, f->p, &f->map->all[i]);
		w->cpu_from_ns = from_ns;
		w->cpu_to_ns = to_ns;
	}
}

/* From the first event to the last, as far as is known: nothing that was captured lies outside. */
static struct span whole_capture(const struct finder *f)
{
	const struct trace_meta *meta = &f->trace->meta;
	const struct op_times *ops = &f->ops->times;
	struct span s = {0, meta->has_span ? meta->span_ns : 0};

	if (ops->any && ops->first_ns < s.start_ns)
		s.start_ns = ops->first_ns;
	if (ops->any && ops->last_ns > s.end_ns)
		s.end_ns = ops->last_ns;
	return s;
}

/* A window before all work, or after it, is a mistake. */
static int require_work(const struct finder *f, const struct span *s, struct err *e)
{
	const struct op_times *ops = &f->ops->times;
	const struct timeline none = {.first_ns = ops->first_ns, .last_ns = ops->last_ns};
	struct scope p = {.has_trim = true};

	if (!ops->any || (s->end_ns > none.first_ns && s->start_ns <= none.last_ns))
		return 0;
	return timeline_require(&none, f->trace, &p, e);
}

static int set_given(const struct finder *f, struct err *e)
{
	const struct rank_window_args *a = f->args;
	const struct scope *p = f->p;
	struct span s = whole_capture(f);

	if (a->has_start && !a->has_end && a->start_ns >= s.end_ns)
		return err_set(e, ERR_USAGE,
			       "--start %lld is outside the capture, which ends at %lld",
			       (long long)a->start_ns, (long long)s.end_ns);
	if (a->has_end && !a->has_start && a->end_ns <= s.start_ns)
		return err_set(e, ERR_USAGE,
			       "--end %lld is outside the capture, which begins at %lld",
			       (long long)a->end_ns, (long long)s.start_ns);
	f->out->source = WINDOW_GIVEN;
	s.start_ns = p->has_trim ? p->from_ns : a->has_start ? a->start_ns : s.start_ns;
	s.end_ns = p->has_trim ? p->to_ns : a->has_end ? a->end_ns : s.end_ns;
	set_all(f, s.start_ns, s.end_ns);
	return require_work(f, &s, e);
}

/* Which of the steps that begin in the capture, from `first` on; false: there is none. */
static bool choose_step(const struct scope *p, const struct iterations *it,
			const struct iteration_lane *lane, size_t *ret_first, size_t *ret_index)
{
	const struct iteration *steps = lane_steps(it, lane);
	size_t first = 0;

	/* A number counts as `gpuwhy iters` does, from the first of all. */
	while (!p->has_iteration && first < lane->count && steps[first].start_ns < 0)
		first++;
	*ret_first = first;
	*ret_index = p->has_iteration ? p->iteration : (lane->count - first) / 2;
	return *ret_index < lane->count - first;
}

static void set_step(const struct finder *f, const struct iterations *it,
		     const struct iteration_lane *lane, struct rank_window *w)
{
	const struct iteration *step;
	size_t first, index;

	if (!choose_step(f->p, it, lane, &first, &index))
		return;
	step = &lane_steps(it, lane)[first + index];
	w->ends_before = first + index + 1 < lane->count && step[1].start_ns == step->end_ns;
	w->found = true;
	w->instances = lane->count - first;
	w->index = index;
	w->cpu_from_ns = step->start_ns;
	w->cpu_to_ns = step->end_ns;
	w->anchor = it->name ? arena_str(&f->out->arena, str_of(it->name)) : STR_LIT("");
}

/* How many ranks have one that had none before. */
static size_t take_steps(const struct finder *f, const struct iterations *it)
{
	size_t found = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		const struct rank *rank = rank_of_process(f->map, it->lanes[i].process);
		struct rank_window *w = rank ? &f->out->of_rank[rank - f->map->all] : NULL;

		if (!w || w->found || !rank_is_asked(f->trace, f->p, rank))
			continue;
		set_step(f, it, &it->lanes[i], w);
		found += w->found;
	}
	return found;
}

static void say_steps(const struct finder *f, const struct iterations *it)
{
	f->out->source = WINDOW_STEP;
	f->out->steps = arena_strdup(&f->out->arena, it->how);
}

/* Others have an anchor or steps: all of the capture would not be alike. */
static int neither(const struct finder *f, struct err *e)
{
	const struct scope *p = f->p;

	err_set(e, ERR_INPUT, "%s %u of '%s' has no range that matches '%s', and no steps",
		p->has_rank ? "rank" : "process", p->has_rank ? p->rank : p->pid, f->trace->path,
		f->out->pattern);
	return err_hint(e, "use --anchor REGEX to select another range, or set the window with "
			   "--start and --end");
}

/* The median step, where no range is named. */
static int set_steps(const struct finder *f, bool others_have_anchors, struct err *e)
{
	struct span whole = whole_capture(f);
	struct scope mine = rank_asked_alone(f->map, f->trace, f->p);
	struct iterations it;

	if (iterations_read(f->trace, &mine, &it, e) < 0) {
		if (!e->absent)
			return -1;
		if (others_have_anchors)
			return neither(f, e);
		f->out->source = WINDOW_WHOLE;
		set_all(f, whole.start_ns, whole.end_ns);
		return 0;
	}
	say_steps(f, &it);
	take_steps(f, &it);
	iterations_free(&it);
	return 0;
}

/* A rank without a range that others have: its own median step, if it shows any. */
static int set_own_step(const struct finder *f, const struct rank *rank, struct err *e)
{
	struct rank_window *w = &f->out->of_rank[rank - f->map->all];
	struct scope mine = *f->p;
	struct iterations it;

	mine.has_pid = true;
	mine.pid = process_pid(f->trace->process_keys.keys[rank->process]);
	if (iterations_read(f->trace, &mine, &it, e) < 0)
		return e->absent ? 0 : -1;
	take_steps(f, &it);
	w->is_step = w->found;
	iterations_free(&it);
	return 0;
}

static int set_own_steps(const struct finder *f, struct err *e)
{
	size_t looked = 0;

	for (size_t i = 0; i < f->map->count && looked < OWN_STEPS_MAX; i++) {
		const struct rank *rank = &f->map->all[i];

		if (f->out->of_rank[i].found || !rank_is_asked(f->trace, f->p, rank))
			continue;
		looked++;
		if (set_own_step(f, rank, e) < 0)
			return -1;
	}
	return 0;
}

/* Each rank's own step p->iteration. */
static int set_iteration(const struct finder *f, struct err *e)
{
	struct scope mine = rank_asked_alone(f->map, f->trace, f->p);
	struct iterations it;
	int result = 0;

	if (iterations_read(f->trace, &mine, &it, e) < 0)
		return -1;
	say_steps(f, &it);
	if (!take_steps(f, &it))
		result = iteration_refuse(f->trace, &it, f->p->iteration, e);
	iterations_free(&it);
	return result;
}

static bool is_bounded(const struct rank_window_args *a)
{
	return a->table.scope.has_trim || a->has_start || a->has_end ||
	       a->table.scope.has_iteration;
}

static int no_anchor(const struct finder *f, const struct rank_anchors *a, struct err *e)
{
	if (f->map->no_ranges) {
		err_set(e, ERR_INPUT, "'%s' has no NVTX ranges: none matches --anchor '%s'",
			f->trace->path, f->args->anchor);
		return err_hint(e, "nsys profile --trace=cuda,nvtx records them; or set the window "
				   "with --start and --end");
	}
	err_set(e, ERR_INPUT, "'%s' has no range that matches --anchor '%s'%s%s%s", f->trace->path,
		f->args->anchor, f->p->has_rank || f->p->has_pid ? ", with these filters" : "",
		is_bounded(f->args) ? ", inside the given bounds" : "",
		a->open ? ", and that was closed" : "");
	return err_hint(e, "gpuwhy ranges lists the ranges");
}

static int take_anchors(const struct finder *f, const struct rank_anchors *a, struct err *e)
{
	f->out->source = WINDOW_ANCHOR;
	rank_anchors_take_medians(a, f->trace, f->out);
	/* Who names a range asks about no other. */
	return f->args->anchor ? 0 : set_own_steps(f, e);
}

/* Anchors are known: before steps were looked for, which closes the ranges that never did. */
static int choose(const struct finder *f, struct rank_anchors *a, struct err *e)
{
	const struct scope *p = f->p;

	f->out->open_anchors = a->open;
	if (p->has_iteration) {
		if (set_iteration(f, e) < 0)
			return -1;
		if (f->args->anchor)
			rank_anchors_keep_inside(a, f->out);
	}
	if (a->count)
		return take_anchors(f, a, e);
	if (f->args->anchor)
		return no_anchor(f, a, e);
	if (p->has_iteration)
		return 0;
	return is_bounded(f->args) ? set_given(f, e) : set_steps(f, a->of_other_ranks > 0, e);
}

static int set_cpu(const struct finder *f, const struct preset *preset, struct err *e)
{
	struct rank_anchors a = {0};
	int result = 0;

	f->out->pattern = f->args->anchor	? f->args->anchor
			  : is_bounded(f->args) ? NULL
						: preset->anchor;
	if (f->out->pattern)
		result = rank_anchors_list(&a, f->trace, f->args, f->map, f->out->pattern, e);
	if (result == 0)
		result = choose(f, &a, e);
	rank_anchors_free(&a);
	return result;
}

static void stretch(struct rank_window *w, int64_t from_ns, int64_t to_ns)
{
	if (!w->has_gpu || from_ns < w->gpu_from_ns)
		w->gpu_from_ns = from_ns;
	if (!w->has_gpu || to_ns > w->gpu_to_ns)
		w->gpu_to_ns = to_ns;
	w->has_gpu = true;
}

/* --device: bounds are those of work there. */
static bool is_there(const struct finder *f, enum trace_kind kind, uint64_t row)
{
	uint32_t process, device;

	if (!f->p->has_device)
		return true;
	ops_place(f->ops, kind, row, &process, &device);
	return device == f->p->device;
}

/* A range holds its end; a step does not where the next begins there. */
static bool holds(const struct rank_window *w, int64_t at_ns)
{
	return at_ns >= w->cpu_from_ns &&
	       (w->ends_before ? at_ns < w->cpu_to_ns : at_ns <= w->cpu_to_ns);
}

static void set_gpu_of_kind(const struct finder *f, enum trace_kind kind, const struct launches *l)
{
	const struct events *ev = &f->trace->events[kind];

	for (uint64_t i = 0; ev->process && i < ev->count; i++) {
		const struct rank *rank = rank_of_process(f->map, ev->process[i]);
		struct rank_window *w = rank ? &f->out->of_rank[rank - f->map->all] : NULL;
		struct api_call c;

		if (!w || !w->found || ev->duration_ns[i] == DURATION_NONE || !is_there(f, kind, i))
			continue;
		if (l && (!launches_call(l, l->begin[kind] + i, &c) || !holds(w, c.start_ns)))
			continue;
		stretch(w, ev->start_ns[i], op_end_ns(ev, i));
	}
}

/* All of a capture's work was launched in it, whether or not its calls were recorded. */
static int set_gpu(const struct finder *f, struct err *e)
{
	bool whole = f->out->source == WINDOW_WHOLE;
	unsigned kinds = joinable_kinds(f->trace);
	struct launches l = {0};

	if (!whole && (trace_require(f->trace, TRACE_API, e) < 0 ||
		       launches_join_kinds(f->trace, kinds, &l, e) < 0))
		return f->args->gpu_window || !e->absent ? -1 : 0;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (whole || kinds & 1u << kind)
			set_gpu_of_kind(f, (enum trace_kind)kind, whole ? NULL : &l);
	}
	if (!whole)
		launches_free(&l);
	return 0;
}

int rank_windows_find(struct ops *o, const struct rank_window_args *a, const struct preset *preset,
		      const struct rank_map *m, bool gpu, struct rank_windows *ret, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME) | COL_BIT(COL_EVENT_TYPE);
	struct finder f = {o, o->trace, a, &a->table.scope, m, ret};

	*ret = (struct rank_windows){.count = m->count, .gpu = a->gpu_window};
	ret->of_rank = mem_zalloc(m->count, sizeof(*ret->of_rank));
	if (trace_load(o->trace, TRACE_NVTX, columns, e) < 0)
		return -1;
	if (set_cpu(&f, preset, e) < 0 || ((gpu || a->gpu_window) && set_gpu(&f, e) < 0))
		return -1;
	return 0;
}

void rank_windows_free(struct rank_windows *w)
{
	free(w->of_rank);
	arena_free(&w->arena);
	*w = (struct rank_windows){0};
}

bool rank_window_bounds(const struct rank_windows *w, size_t rank, struct span *ret)
{
	const struct rank_window *of = &w->of_rank[rank];

	*ret = w->gpu ? (struct span){of->gpu_from_ns, of->gpu_to_ns}
		      : (struct span){of->cpu_from_ns, of->cpu_to_ns};
	return of->found && (!w->gpu || of->has_gpu);
}
