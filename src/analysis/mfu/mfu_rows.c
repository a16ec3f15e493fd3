/* Which parts does the question have, and how many FLOPs does each do? */
#include "analysis/mfu/mfu_rows.h"

#include "analysis/ranges/phase_map.h"

struct maker {
	struct mfu_rows *out;
	struct trace *trace;
	const struct scope *p;
	const struct mfu_question *q;
};

static struct mfu_row *new_row(struct maker *m, const char *name)
{
	struct mfu_row *row = &m->out->rows[m->out->count++];

	*row = (struct mfu_row){.name = name};
	return row;
}

static const struct model_flops *count_work(struct maker *m, enum model_mode mode, const char *name)
{
	struct model_flops *f = &m->out->works[m->out->work_count];
	struct model_work work = m->q->work;

	work.mode = mode;
	model_flops_count(&m->out->model, &work, &m->out->arena, f);
	m->out->work_names[m->out->work_count++] = name;
	m->out->has_hardware |= f->hardware > f->model;
	return f;
}

static const char *mode_name(enum model_mode mode)
{
	return mode == MODE_TRAIN ? "step" : mode == MODE_DECODE ? "decode" : "prefill";
}

static struct flops_source of_model(struct maker *m, enum model_mode mode)
{
	const struct model_flops *f = count_work(m, mode, mode_name(mode));

	return (struct flops_source){mode_name(mode), f->model, f->hardware, f->tokens,
				     mode == MODE_DECODE ? m->q->work.new_tokens : 0};
}

/* Tokens are known where the shape of a batch is. */
static struct flops_source of_number(const struct mfu_question *q)
{
	const struct model_work *w = &q->work;
	const enum model_mode mode = mfu_mode_of(q);
	const bool decodes = mode ? mode == MODE_DECODE : w->new_tokens;
	const uint64_t each = decodes ? w->new_tokens : w->seq;
	const double tokens = (double)w->batch * (double)each;
	const double flops = q->per == PER_TOKEN ? q->flops * tokens : q->flops;

	return (struct flops_source){"given", flops, flops, tokens,
				     mode == MODE_DECODE ? w->new_tokens : 0};
}

/* What was counted is what was done, whatever the model needs. */
static struct flops_source of_counters(const struct maker *m)
{
	return (struct flops_source){"counted", 0, m->out->ncu.flops, 0, 0};
}

/* The step that the window is, of each process that has it. */
static int find_step(struct maker *m, const struct scope *p, struct mfu_part *ret, struct err *e)
{
	struct scope whole = *p;
	const char *how;

	whole.has_trim = false;
	if (mfu_part_of_steps(ret, m->trace, &whole, &how, e) < 0)
		return -1;
	mfu_part_keep_number(ret, p->iteration);
	return 0;
}

/* What the FLOPs are of, for whom `p` asks. */
static int find_instances(struct maker *m, const struct scope *p, enum mfu_time time,
			  const char *name, struct mfu_part *ret, struct err *e)
{
	const char *how;

	if (time == TIME_RANGES)
		return mfu_part_of_pattern(ret, m->trace, p, name, e);
	if (time == TIME_PHASE)
		return mfu_part_of_phase(ret, m->trace, p, name, e);
	if (time == TIME_STEPS)
		return mfu_part_of_steps(ret, m->trace, p, &how, e);
	return mfu_window_is_step(m->q, p) ? find_step(m, p, ret, e)
					   : mfu_part_of_window(ret, m->trace, p, e);
}

/* Others of the trace share the work, or more devices do, than are asked about. */
static int look_beyond(struct maker *m, struct mfu_row *row, enum mfu_time time,
		       const struct mfu_part *own, struct err *e)
{
	struct scope more = *m->p;
	struct mfu_part all = {0};
	int result = 0;

	row->sharers = m->q->shared && own->processes ? own->processes : 1;
	more.has_device = false;
	if (m->p->has_device && !m->q->ncu.count) {
		result = find_instances(m, &more, time, row->name, &all, e);
		row->devices = mfu_part_most_devices(&all, own);
		mfu_part_free(&all);
	}
	more.has_pid = false;
	if (result == 0 && m->q->shared && (m->p->has_device || m->p->has_pid)) {
		result = find_instances(m, &more, time, row->name, &all, e);
		row->sharers = all.processes ? all.processes : 1;
		mfu_part_free(&all);
	}
	return result;
}

/* Every one of `own` does as much; or all of them together do, or those of all processes. */
static int give_flops(struct maker *m, struct mfu_row *row, const struct flops_source *s,
		      enum mfu_time time, const struct mfu_part *own, struct err *e)
{
	const bool together = m->q->per == PER_WINDOW;
	double times;

	if (look_beyond(m, row, time, own, e) < 0)
		return -1;
	times = together ? 1 : (double)own->count / (double)row->sharers;
	row->flops = times * s->model;
	row->hardware = times * s->hardware;
	row->tokens = times * s->tokens;
	row->steps = together ? 0 : s->steps;
	row->each = row->part.count ? row->flops / (double)row->part.count : 0;
	return 0;
}

/* The phase that all names tell; PHASE_NONE: none, or several. */
static int find_told(const struct phase_map *map, const struct mfu_part *s, uint32_t *ret,
		     struct err *e)
{
	uint32_t phase;

	*ret = PHASE_NONE;
	for (size_t i = 0; i < s->count; i++) {
		/* Ranges of a name come in rows. */
		if (i && str_eq(s->instances[i].name, s->instances[i - 1].name))
			continue;
		if (phase_map_find(map, s->instances[i].name, &phase, e) < 0)
			return -1;
		if (phase == PHASE_NONE || (i && phase != *ret)) {
			*ret = PHASE_NONE;
			return 0;
		}
		*ret = phase;
	}
	return 0;
}

static int tell_phase(struct maker *m, const struct mfu_part *s, struct err *e)
{
	struct phase_map map;
	uint32_t phase;
	int result;

	if (!m->q->range || !m->q->work.mode)
		return 0;
	if (phase_map_read(&map, m->p->phase_map, e) < 0)
		return -1;
	result = find_told(&map, s, &phase, e);
	if (result == 0 && phase != PHASE_NONE)
		m->out->told = arena_str(&m->out->arena, map.names[phase]).s;
	phase_map_free(&map);
	return result;
}

static int measure_ranges(struct maker *m, const struct flops_source *s, struct err *e)
{
	const struct mfu_question *q = m->q;
	struct mfu_row *row = new_row(m, q->range ? q->range : q->phase);

	if ((q->range ? mfu_part_of_pattern(&row->part, m->trace, m->p, q->range, e)
		      : mfu_part_of_phase(&row->part, m->trace, m->p, q->phase, e)) < 0)
		return -1;
	if (!row->part.count)
		return mfu_no_range(&row->part, m->trace, m->p, m->q, e);
	m->out->of_instances = true;
	if (tell_phase(m, &row->part, e) < 0)
		return -1;
	return give_flops(m, row, s, q->range ? TIME_RANGES : TIME_PHASE, &row->part, e);
}

static int measure_steps(struct maker *m, const struct flops_source *s, struct err *e)
{
	struct mfu_row *row = new_row(m, "step");

	if (mfu_part_of_steps(&row->part, m->trace, m->p, &m->out->steps, e) < 0)
		return -1;
	m->out->of_instances = true;
	return give_flops(m, row, s, TIME_STEPS, &row->part, e);
}

/* How many of a phase, or steps where it is NULL; what cannot be told is none. */
static size_t count_found_in(struct maker *m, const struct scope *p, const char *phase)
{
	struct mfu_part s = {0};
	const char *how;
	struct err ignored = {0};
	size_t count = 0;

	if ((phase ? mfu_part_of_phase(&s, m->trace, p, phase, &ignored)
		   : mfu_part_of_steps(&s, m->trace, p, &how, &ignored)) == 0)
		count = s.count;
	mfu_part_free(&s);
	return count;
}

static size_t count_found(struct maker *m, const char *phase)
{
	return count_found_in(m, m->p, phase);
}

static void count_in_window(struct maker *m)
{
	const enum model_mode mode = m->q->work.mode;

	if (!m->q->model || !m->p->has_trim || m->p->in_iteration || m->q->per == PER_WINDOW)
		return;
	m->out->in_window = count_found(m, mode == MODE_TRAIN ? NULL : mode_name(mode));
}

/* Steps of what is said to be training, in a run whose names tell something else. */
static void count_inference(struct maker *m)
{
	if (m->q->model && mfu_mode_of(m->q) == MODE_TRAIN && !count_found(m, "backward"))
		m->out->inference = count_found(m, "prefill") + count_found(m, "decode");
}

static int measure_window(struct maker *m, const struct flops_source *s, struct err *e)
{
	struct mfu_row *row = new_row(m, "whole window");
	struct mfu_part step = {0};
	int result;

	count_in_window(m);
	if (mfu_part_of_window(&row->part, m->trace, m->p, e) < 0)
		return -1;
	if (!mfu_window_is_step(m->q, m->p))
		return give_flops(m, row, s, TIME_WINDOW, &row->part, e);
	result = find_step(m, m->p, &step, e);
	if (result == 0)
		result = give_flops(m, row, s, TIME_WINDOW, &step, e);
	row->part.processes = step.processes;
	mfu_part_free(&step);
	return result;
}

/* What all parts that were found do, in the time of everything. */
static int measure_all(struct maker *m, size_t rows, struct err *e)
{
	struct mfu_row *all = new_row(m, "whole window");

	for (size_t i = 0; i < rows; i++) {
		all->flops += m->out->rows[i].flops;
		all->hardware += m->out->rows[i].hardware;
		all->tokens += m->out->rows[i].tokens;
	}
	return mfu_part_of_window(&all->part, m->trace, m->p, e);
}

/* A phase, where the trace has it; without ranges, or calls to tell their work, it has none. */
static int find_phase(struct maker *m, const char *phase, struct mfu_row **ret, struct err *e)
{
	struct mfu_row *row = new_row(m, phase);

	*ret = NULL;
	if (mfu_part_of_phase(&row->part, m->trace, m->p, phase, e) < 0) {
		m->out->count--;
		/* A map of the user's need not have our phases. */
		return e->absent || (m->p->phase_map && e->code == ERR_USAGE) ? 0 : -1;
	}
	if (row->part.count) {
		*ret = row;
	} else {
		m->out->missed[m->out->missed_count++] = *row;
		m->out->count--;
	}
	return 0;
}

/* A pass of a step, where each step has one. */
static int add_half(struct maker *m, const char *phase, const struct flops_source *step,
		    struct err *e)
{
	const size_t steps = m->out->rows[0].part.count;
	const struct flops_source s = mfu_take_share(*step, mfu_share_of(phase, MODE_TRAIN));
	struct mfu_row *row;

	if (find_phase(m, phase, &row, e) < 0)
		return -1;
	if (row && row->part.count == steps)
		return give_flops(m, row, &s, TIME_PHASE, &row->part, e);
	if (row) {
		mfu_part_free(&row->part);
		m->out->count--;
	}
	return 0;
}

static int measure_training(struct maker *m, struct err *e)
{
	const struct flops_source s = of_model(m, MODE_TRAIN);

	if (measure_steps(m, &s, e) < 0 || add_half(m, "forward", &s, e) < 0 ||
	    add_half(m, "backward", &s, e) < 0)
		return -1;
	return measure_all(m, 1, e);
}

/* Nobody says otherwise, and names tell both passes. */
static bool tells_training(struct maker *m, const struct scope *p)
{
	return !mfu_mode_of(m->q) && !m->q->work.new_tokens && count_found_in(m, p, "forward") &&
	       count_found_in(m, p, "backward");
}

/* A prefill or a decode that cannot be measured is one nevertheless. */
static bool has_missed(const struct maker *m)
{
	for (size_t i = 0; i < m->out->missed_count; i++) {
		const struct mfu_part *s = &m->out->missed[i].part;

		if (s->cut || s->open || s->on_other_devices)
			return true;
	}
	return false;
}

/* Whether the run trains, whatever the window has of it. */
static bool is_training_run(struct maker *m)
{
	struct scope whole = *m->p;

	whole.has_trim = false;
	return !has_missed(m) && tells_training(m, &whole) &&
	       !count_found_in(m, &whole, "prefill") && !count_found_in(m, &whole, "decode");
}

static void forget_missed(struct maker *m)
{
	while (m->out->missed_count)
		mfu_part_free(&m->out->missed[--m->out->missed_count].part);
}

/* In a run that trains it is steps that the window does not have. */
static int refuse(struct maker *m, struct err *e)
{
	struct mfu_row *step = &m->out->missed[0];
	struct err ignored = {0};

	if (m->p->has_trim && is_training_run(m)) {
		forget_missed(m);
		*step = (struct mfu_row){.name = "step"};
		m->out->missed_count = 1;
		m->out->is_training_found = true;
		mfu_part_of_steps(&step->part, m->trace, m->p, &m->out->steps, &ignored);
	}
	return mfu_no_parts(m->out, m->trace, m->p, m->q, e);
}

static int measure_found_training(struct maker *m, struct err *e)
{
	const struct mfu_part *steps = &m->out->rows[0].part;

	forget_missed(m);
	m->out->is_training_found = true;
	if (measure_training(m, e) == 0)
		return 0;
	return steps->cut && !steps->count ? refuse(m, e) : -1;
}

static int measure_inference(struct maker *m, struct err *e)
{
	static const enum model_mode modes[] = {MODE_PREFILL, MODE_DECODE};
	const enum model_mode asked = mfu_mode_of(m->q);
	struct flops_source s;
	struct mfu_row *row;

	for (size_t i = 0; i < 2; i++) {
		if ((asked && asked != modes[i]) ||
		    (modes[i] == MODE_DECODE && !m->q->work.new_tokens))
			continue;
		if (find_phase(m, mode_name(modes[i]), &row, e) < 0)
			return -1;
		if (!row)
			continue;
		s = of_model(m, modes[i]);
		if (give_flops(m, row, &s, TIME_PHASE, &row->part, e) < 0)
			return -1;
	}
	if (!m->out->count && !has_missed(m) && tells_training(m, m->p))
		return measure_found_training(m, e);
	/* Without any, a window that has no work at all is the first thing to say. */
	if (measure_all(m, m->out->count, e) < 0)
		return -1;
	return m->out->count > 1 ? 0 : refuse(m, e);
}

static int measure(struct maker *m, struct err *e)
{
	const struct mfu_question *q = m->q;
	const enum mfu_time time = mfu_time_of(q, m->p);
	struct flops_source s;

	if (time == TIME_STAGES || time == TIME_STEPS)
		count_inference(m);
	if (time == TIME_STAGES)
		return mfu_mode_of(q) == MODE_TRAIN ? measure_training(m, e)
						    : measure_inference(m, e);
	s = q->model ? of_model(m, mfu_mode_of(q)) : q->ncu.count ? of_counters(m) : of_number(q);
	if (q->model && time == TIME_PHASE) {
		m->out->share = mfu_share_of(q->phase, mfu_mode_of(q));
		s = mfu_take_share(s, m->out->share);
	}
	return time == TIME_STEPS    ? measure_steps(m, &s, e)
	       : time == TIME_WINDOW ? measure_window(m, &s, e)
				     : measure_ranges(m, &s, e);
}

int mfu_rows_make(struct mfu_rows *ret, struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e)
{
	struct maker m = {.out = ret, .trace = t, .p = p, .q = q};

	*ret = (struct mfu_rows){.has_model = q->model};
	if (q->model && model_read_file(&ret->model, q->model, e) < 0)
		return -1;
	ret->has_ncu = ret->has_hardware = q->ncu.count > 0;
	if (q->ncu.count && mfu_ncu_count(&ret->ncu, t, p, q, e) < 0)
		return -1;
	if (measure(&m, e) < 0)
		return -1;
	return mfu_part_of_window(&ret->window, t, p, e);
}

void mfu_rows_free(struct mfu_rows *r)
{
	for (size_t i = 0; i < r->count; i++)
		mfu_part_free(&r->rows[i].part);
	for (size_t i = 0; i < r->missed_count; i++)
		mfu_part_free(&r->missed[i].part);
	mfu_part_free(&r->window);
	mfu_ncu_free(&r->ncu);
	arena_free(&r->arena);
	*r = (struct mfu_rows){0};
}
