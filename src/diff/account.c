/* Where did the time of a run's steps go? */
#include "diff/account.h"

#include "analysis/ranges/phase_map.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "diff/leaf_source.h"
#include "diff/part_findings.h"
#include "diff/step_kinds.h"
#include "diff/usual_step.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

const char *const leaf_class_keys[LEAF_CLASSES] = {"compute", "exposed_comm", "exposed_copy",
						   "idle"};
const char *const leaf_class_words[LEAF_CLASSES] = {"compute", "exposed communication",
						    "exposed copies", "idle"};

enum {
	PATHS_ASKED = 4096,	    /* programs name phases in few */
	FIRST_OPS_OF_ALL = 1 << 18, /* of all kinds of steps */
	FIRST_OPS = 1 << 16,	    /* of a kind of ops in a step: a window may hold all of a run */
};

static const double little_share = 0.05; /* of the steps */

const char *const step_reach_words[STEP_REACHES] = {"own", "next", "all"};

static int by_key(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return leaf_compare(a, b);
}

int leaf_compare(const struct leaf *a, const struct leaf *b)
{
	int order = (a->class > b->class) - (a->class < b->class);

	if (!order)
		order = strcmp(a->path, b->path);
	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->grid, b->grid);
	return order ? order : (a->blame > b->blame) - (a->blame < b->blame);
}

bool leaf_sum_add(struct leaf_sum *to, const struct leaf_sum *by)
{
	to->ns = sat_add(to->ns, by->ns);
	to->work_ns = sat_add(to->work_ns, by->work_ns);
	to->offset_ns = sat_add(to->offset_ns, by->offset_ns);
	to->calls += by->calls;
	if (!to->first_ns || (by->first_ns && by->first_ns < to->first_ns))
		to->first_ns = by->first_ns;
	if (by->longest_ns < to->longest_ns || !by->longest_ns ||
	    (by->longest_ns == to->longest_ns && by->longest_at_ns >= to->longest_at_ns))
		return false;
	to->longest_ns = by->longest_ns;
	to->longest_at_ns = by->longest_at_ns;
	return true;
}

/* In an order that no run can differ in; paths that read the same are one. */
static void take_leaves(struct account *a, const struct leaf_source *s, const struct leaf_table *t)
{
	struct leaf *all = arena_alloc(&a->arena, t->count, sizeof(*all));

	for (size_t i = 0; i < t->count; i++) {
		all[i] = leaf_of_key(s, t->keys[i]);
		all[i].of_kind = mem_copy(&t->sums[i * t->kinds], t->kinds, sizeof(*t->sums));
	}
	sort_stable(all, t->count, sizeof(*all), by_key, NULL);
	for (size_t i = 0; i < t->count; i++) {
		struct leaf *last = a->leaf_count ? &all[a->leaf_count - 1] : NULL;

		if (!last || leaf_compare(last, &all[i]) != 0) {
			struct leaf_sum *sums = all[i].of_kind;

			all[a->leaf_count] = all[i];
			all[a->leaf_count++].of_kind =
				memcpy(arena_alloc(&a->arena, t->kinds, sizeof(*sums)), sums,
				       t->kinds * sizeof(*sums));
			free(sums);
			continue;
		}
		for (size_t k = 0; k < t->kinds; k++)
			leaf_sum_add(&last->of_kind[k], &all[i].of_kind[k]);
		free(all[i].of_kind);
	}
	a->leaves = all;
}

static void take_steps(struct account *a, const struct compared_steps *c)
{
	a->steps = arena_alloc(&a->arena, c->count, sizeof(*a->steps));
	a->step_count = c->count;
	for (size_t i = 0; i < c->count; i++) {
		const struct compared_step *s = &c->all[i];

		a->steps[i] = (struct account_step){s->from_ns, s->to_ns - s->from_ns, s->number,
						    s->kind};
	}
	a->is_window = c->is_window;
	a->how = text_valid(&a->arena, str_of(c->how));
	a->cold = c->cold;
	a->cold_ns = c->cold_ns;
	a->device = c->chosen_device;
	a->partial = c->partial;
	a->reach = c->reach;
	a->pauses = c->pauses;
	a->pauses_ns = c->pauses_ns;
}

static int by_path(const void *a, const void *b, void *ctx)
{
	(void)ctx;
	return strcmp(((const struct host_time *)a)->path, ((const struct host_time *)b)->path);
}

/* Paths that read the same are one. */
static void take_host(struct account *a, const struct leaf_source *s)
{
	struct host_time *all = arena_alloc(&a->arena, s->host.count, sizeof(*all));

	for (size_t i = 0; i < s->host.count; i++)
		all[i] = (struct host_time){s->paths.texts[s->host.all[i].path],
					    s->host.all[i].own_ns, s->host.all[i].wait_ns};
	sort_stable(all, s->host.count, sizeof(*all), by_path, NULL);
	for (size_t i = 0; i < s->host.count; i++) {
		struct host_time *last = a->host_count ? &all[a->host_count - 1] : NULL;

		if (!last || by_path(last, &all[i], NULL) != 0) {
			all[a->host_count++] = all[i];
			continue;
		}
		last->own_ns = sat_add(last->own_ns, all[i].own_ns);
		last->wait_ns = sat_add(last->wait_ns, all[i].wait_ns);
	}
	a->host = all;
}

/* A name that takes too long to look at is of no phase. */
static bool is_phase(const struct phase_map *m, const char *name, const char *phase)
{
	struct err unsaid = {0};
	uint32_t is;

	return phase_map_find(m, str_of(name), &is, &unsaid) == 0 && is != PHASE_NONE &&
	       str_eq(m->names[is], str_of(phase));
}

/* What the GPU does in ranges of a phase, or waits for there, and what the host does. */
static int64_t phase_ns(const struct account *a, const struct phase_map *m, const char *phase)
{
	int64_t ns = 0;

	for (size_t i = 0; i < a->leaf_count; i++)
		ns = sat_add(ns, is_phase(m, a->leaves[i].path, phase)
					 ? leaf_total(a, &a->leaves[i]).ns
					 : 0);
	for (size_t i = 0; i < a->host_count; i++)
		ns = sat_add(ns, is_phase(m, a->host[i].path, phase) ? a->host[i].own_ns : 0);
	return ns;
}

/* Whether ranges are named for a phase of serving, and the steps have no more of it than an end
 * that is on its way when they begin. */
static bool is_outside(const struct account *a, const struct leaf_source *s,
		       const struct phase_map *m, const char *phase)
{
	bool named = false;

	if (s->steps.name && is_phase(m, s->steps.name, phase))
		return false;
	for (size_t i = 0; i < s->paths.paths.count && i < PATHS_ASKED && !named; i++)
		named = is_phase(m, s->paths.texts[i], phase);
	return named && (double)phase_ns(a, m, phase) < little_share * (double)account_ns(a);
}

/* Who serves a model wants to know of both, and steps are those of one. */
static int find_outside(struct account *a, const struct leaf_source *s, struct err *e)
{
	static const char *const phases[] = {"prefill", "decode"};
	struct phase_map m;
	const int result = phase_map_read(&m, NULL, e);

	for (size_t i = 0; i < ARRAY_LEN(phases) && result == 0 && !a->is_window; i++) {
		if (!a->outside && is_outside(a, s, &m, phases[i]))
			a->outside = phases[i];
	}
	phase_map_free(&m);
	return result;
}

static void count_calls(struct account *a)
{
	for (size_t i = 0; i < a->leaf_count; i++) {
		for (size_t k = 0; k < a->kind_count; k++)
			a->kinds[k].calls += a->leaves[i].of_kind[k].calls;
	}
}

static uint32_t find_leaf(const struct account *a, const struct leaf_source *s, uint32_t path,
			  uint32_t what)
{
	const struct leaf wanted = leaf_of_key(s, (uint64_t)path << 32 | what);

	return (uint32_t)BISECT(0, a->leaf_count, at, leaf_compare(&a->leaves[at], &wanted) < 0);
}

/* Ops of one kind that begin in a step, in the order of time, and the first so many of them. */
static void list_ops(const struct account *a, const struct leaf_source *s, size_t step,
		     enum trace_kind kind, uint64_t most, struct step_ops *ret)
{
	const struct compared_step *of = &s->steps.all[step];
	const struct op_run all = {.lane = &s->ops.lanes[kind]};
	const struct events *ev = all.lane->ev;
	const uint64_t begin = op_lane_before(all.lane, of->from_ns),
		       end = op_lane_before(all.lane, of->to_ns);
	struct innermost_cursor range = {0};

	for (uint64_t i = begin; i < end && i - begin < most; i++) {
		const uint64_t row = op_run_row(&all, i);
		const int64_t at_ns = ev->start_ns[row];
		uint32_t process, device, path;

		ops_place(&s->ops, kind, row, &process, &device);
		if (ev->duration_ns[row] < 0 ||
		    !scope_has_place(&s->steps.place, s->trace, process, device))
			continue;
		path = leaf_path_of(s, leaf_range_of_op(s, kind, row, &range),
				    at_ns >= of->own_end_ns);
		step_ops_add(ret, find_leaf(a, s, path, s->groups.of_op[kind][row]),
			     ev->stream ? ev->stream[row] : 0, at_ns - of->from_ns,
			     ev->duration_ns[row]);
	}
}

static void list_step_ops(const struct account *a, const struct leaf_source *s, size_t step,
			  uint64_t most, struct step_ops *ret)
{
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (s->ops.lanes[kind].ev->start_ns)
			list_ops(a, s, step, (enum trace_kind)kind, most, ret);
	}
}

/* Where each leaf is first met in the usual step of a kind; how many ops were looked at. */
static size_t find_firsts(struct account *a, const struct leaf_source *s, uint32_t kind)
{
	size_t count;

	struct step_ops ops = {0};

	list_step_ops(a, s, usual_step_choose(a, kind), FIRST_OPS, &ops);
	for (size_t i = 0; i < ops.count; i++) {
		struct leaf_sum *sum = &a->leaves[ops.all[i].leaf].of_kind[kind];
		const int64_t at_ns = ops.all[i].start_ns + 1;

		if (!sum->first_ns || at_ns < sum->first_ns)
			sum->first_ns = at_ns;
	}
	count = ops.count;
	step_ops_free(&ops);
	return count;
}

static int read_usual_step(struct account *a, const struct leaf_source *s, struct err *e)
{
	struct step_ops ops = {0};
	const size_t step = usual_step_choose(a, 0);

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (trace_load(s->trace, (enum trace_kind)kind, COL_BIT(COL_STREAM), e) < 0)
			return -1;
	}
	list_step_ops(a, s, step, UINT64_MAX, &ops);
	a->usual = usual_step_make(&ops, step, &a->arena);
	step_ops_free(&ops);
	return 0;
}

static int read_leaves(struct account *a, struct leaf_source *s, bool with_ops, struct err *e)
{
	struct launch_count launches;
	struct leaf_table leaves;
	size_t ops = 0;
	int result;

	host_ranges_read(&s->host, &s->judge, &s->steps, &s->paths);
	step_kinds_find(&s->steps, &s->ops, &s->groups, &s->host, &a->arena, &a->kinds,
			&a->kind_count);
	s->kinds = a->kind_count;
	leaves = (struct leaf_table){.kinds = s->kinds};
	result = leaf_walk_slices(s, &leaves, e);
	if (result == 0) {
		launch_count_open(&launches, s);
		leaf_walk_ops(s, &leaves, &launches);
		launch_count_close(&launches, a);
		take_steps(a, &s->steps);
		take_leaves(a, s, &leaves);
		take_host(a, s);
		count_calls(a);
		for (uint32_t kind = 0; kind < a->kind_count && ops < FIRST_OPS_OF_ALL; kind++)
			ops += find_firsts(a, s, kind);
		result = find_outside(a, s, e);
		if (with_ops && result == 0)
			result = read_usual_step(a, s, e);
	}
	leaf_table_free(&leaves);
	return result;
}

/* All that is asked of kernels, in one pass over their table. */
static int load_kernels(struct trace *t, const struct account_question *q, struct err *e)
{
	const uint32_t columns = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_NAME) |
				 COL_BIT(COL_GRAPH) | OP_GROUP_COLUMNS | launches_columns(t);

	return trace_load(t, TRACE_KERNELS, columns | (q->with_findings ? ops_fill_columns(t) : 0),
			  e);
}

/* Grids are large: what else is told from them is told now, while they are there. */
static int prepare_findings(struct trace *t, const struct account_question *q, struct err *e)
{
	const struct analysis *findings = analysis_find("findings", false);

	if (q->with_findings && findings->prepare(t, e) < 0 && err_forgive_absent(e) < 0)
		return -1;
	trace_unload(t, TRACE_KERNELS, OP_GROUP_COLUMNS);
	return 0;
}

/* Names as a baseline keeps them, so that a run is like itself read back. */
static void make_valid(struct leaf_source *s, struct arena *arena)
{
	for (size_t i = 0; i < s->groups.count; i++)
		s->groups.all[i].name = text_valid(arena, str_of(s->groups.all[i].name));
	for (size_t i = 0; i <= step_path_between(&s->paths); i++)
		s->paths.texts[i] = text_valid(arena, str_of(s->paths.texts[i]));
}

static int read_source(struct account *a, struct leaf_source *s, const struct account_question *q,
		       struct err *e)
{
	struct trace *t = s->trace;

	if (op_groups_make(&s->groups, t, &s->ops, &a->arena, e) < 0 ||
	    prepare_findings(t, q, e) < 0 || gap_judge_open(&s->judge, t, e) < 0 ||
	    compared_steps_find(&s->steps, t, &s->ops, &s->judge, &s->groups, q, &a->arena, e) <
		    0 ||
	    step_paths_make(&s->paths, t, &s->judge.attribution.forest, s->steps.name, &a->arena,
			    e) < 0)
		return -1;
	make_valid(s, &a->arena);
	return read_leaves(a, s, q->with_ops, e);
}

/* What is asked of the steps once the trace has no more to tell of leaves. */
static void take_window(struct account *a, const struct leaf_source *s)
{
	struct step_parts *parts = arena_alloc(&a->arena, 1, sizeof(*parts));

	*parts = step_parts_make(&s->steps, &s->paths, &s->judge.attribution.forest, &a->arena);
	a->parts = parts;
	a->window = (struct span){s->steps.place.from_ns, s->steps.place.to_ns};
}

bool account_communicates(const struct account *a)
{
	for (size_t i = 0; i < a->leaf_count; i++) {
		if (a->leaves[i].class == LEAF_COMM)
			return true;
	}
	return false;
}

int account_ask_findings(struct account *a, struct trace *t, const struct account_question *q,
			 struct span window, const struct step_parts *parts, struct err *e)
{
	struct scope steps = q->scope;

	steps.has_trim = true;
	steps.from_ns = window.start_ns;
	steps.to_ns = window.end_ns;
	steps.marker = NULL;
	if (run_facts_add_findings(&a->facts, t, &steps, parts, &a->arena, e) < 0)
		return -1;
	/* Between parts of a loop lies what is none of it; and all ranks are asked for, or none. */
	if (parts->are_parts || steps.has_device || steps.has_pid || !account_communicates(a))
		return 0;
	return run_waits_read(&a->waits, t, &steps, &a->arena, e);
}

int account_read(struct account *ret, struct trace *t, const struct account_question *q,
		 const char *name, struct err *e)
{
	struct leaf_source s = {.trace = t};
	struct op_faults faults;
	int result;

	*ret = (struct account){.rank = -1, .ranks = 1, .captured = SPAN_NONE};
	ret->name = text_valid(&ret->arena, str_of(name));
	/* Who looks for findings asks who launched what again, and for the steps. */
	t->uses_cache = t->keeps_answers = q->with_findings;
	if (load_kernels(t, q, e) < 0 || filters_check(t, &q->scope, e) < 0 ||
	    iterations_load(t, e) < 0 || ops_open(&s.ops, t, e) < 0)
		return -1;
	if (s.ops.times.any) {
		result = read_source(ret, &s, q, e);
	} else {
		err_set(e, ERR_INPUT, "'%s' has no GPU work to compare", t->path);
		result = err_hint(e, "gpuwhy doctor tells what was recorded, and how to capture "
				     "again");
	}
	if (result == 0)
		take_window(ret, &s);
	faults = s.ops.times.faults;
	host_ranges_free(&s.host);
	step_paths_free(&s.paths);
	op_groups_free(&s.groups);
	compared_steps_free(&s.steps);
	gap_judge_close(&s.judge);
	ops_close(&s.ops);
	if (result == 0)
		result = run_facts_read(&ret->facts, t, &faults, &ret->arena, e);
	/* Nobody asks after the findings: their walk is for nobody else. */
	t->keeps_answers = false;
	if (result == 0 && q->with_findings)
		result = account_ask_findings(ret, t, q, ret->window, ret->parts, e);
	return result;
}

void account_free(struct account *a)
{
	arena_free(&a->arena);
	*a = (struct account){0};
}

struct leaf_sum leaf_total(const struct account *a, const struct leaf *l)
{
	struct leaf_sum all = {0};

	for (size_t k = 0; k < a->kind_count; k++)
		leaf_sum_add(&all, &l->of_kind[k]);
	return all;
}

size_t account_steps_to_tell(const struct account *a)
{
	const size_t steps = a->step_count + a->partial;

	return steps < ENOUGH_STEPS ? steps : ENOUGH_STEPS;
}

int64_t account_ns(const struct account *a)
{
	int64_t ns = 0;

	for (size_t i = 0; i < a->step_count; i++)
		ns = sat_add(ns, a->steps[i].ns);
	return ns;
}
