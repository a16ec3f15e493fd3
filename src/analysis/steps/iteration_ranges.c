/* Which NVTX ranges or marks are the steps of the run? */
#include "analysis/steps/iterations.h"
#include "analysis/steps/said_numbers.h"
#include "analysis/steps/warm_ups.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "text/pattern.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEVELS_MAX = 4,
	NAMES_MAX = 8, /* of a level that are tried */
	FEW = 5,       /* fewer ranges are steps only if they are alike */
};

/* Ranges of one name on one thread. */
struct series {
	uint32_t thread;
	uint32_t name; /* folded; of ranges that a marker names their level */
	uint32_t count;
	int64_t total_ns;
	int64_t first_ns, last_ns; /* start of the first, end of the last */
	uint32_t row;		   /* of the first */
	bool counts;		   /* their names have a counter in them */
	int64_t few_ns[FEW];	   /* durations of the first ones */
};

struct range_steps {
	struct trace *trace;
	const struct scope *p;
	size_t least; /* steps */
	bool by_work; /* what they launch decides whether they are alike */
	struct range_forest forest;
	uint32_t *levels; /* by range, where some were never closed; NULL: their own */
	struct folded_names folded;
	bool *matches;	    /* by name, where a marker was given; NULL: none was */
	struct series *all; /* of one level */
	size_t count, cap;
	uint32_t level;			/* that is looked at next */
	uint32_t candidates[NAMES_MAX]; /* numbers of series of the level before, best first */
	size_t candidate_count, next;
};

static uint32_t series_name(const struct range_steps *s, uint32_t row)
{
	uint32_t name = s->trace->events[TRACE_NVTX].name[row];

	return name == NAME_NONE ? NAME_NONE : s->folded.of_name[name];
}

/* Whether the marker names it. */
static bool is_marked(const struct range_steps *s, uint32_t row)
{
	uint32_t name = s->trace->events[TRACE_NVTX].name[row];

	return name != NAME_NONE && s->matches[name];
}

static bool is_open(const struct range_steps *s, const struct range *r)
{
	return s->levels && range_never_closed(s->trace, r->row);
}

static uint32_t level_of(const struct range_steps *s, const struct range *r)
{
	return s->levels ? s->levels[r - s->forest.ranges] : r->level;
}

/* A range that was never closed lies around all that follow: they are no deeper for it. */
static void find_levels(struct range_steps *s)
{
	const struct range *ranges = s->forest.ranges;

	free(s->levels);
	s->levels = NULL;
	if (!s->trace->never_closed_count)
		return;
	s->levels = mem_zalloc(s->forest.count, sizeof(*s->levels));
	for (size_t i = 0; i < s->forest.count; i++) {
		uint32_t parent = ranges[i].parent;

		if (parent != RANGE_NONE)
			s->levels[i] = s->levels[parent] + !is_open(s, &ranges[parent]);
	}
}

static bool belongs(const struct range_steps *s, uint32_t level, const struct range *r)
{
	if (s->matches)
		return is_marked(s, r->row);
	return level_of(s, r) == level && series_name(s, r->row) != NAME_NONE;
}

/* Ranges of one series have the same; see struct series. */
static uint32_t series_key(const struct range_steps *s, const struct range *r)
{
	return s->matches ? level_of(s, r) : series_name(s, r->row);
}

static bool is_asked(const struct range_steps *s, uint32_t thread)
{
	return thread != ID_NONE &&
	       scope_has_process(s->p, s->trace, trace_thread_process(s->trace, thread));
}

static void add_range(struct series *x, const struct range *r, const uint32_t *names)
{
	if (!x->count)
		x->row = r->row;
	x->counts |= names[r->row] != names[x->row];
	if (!x->count || r->start_ns < x->first_ns)
		x->first_ns = r->start_ns;
	if (!x->count || r->end_ns > x->last_ns)
		x->last_ns = r->end_ns;
	if (x->count < FEW)
		x->few_ns[x->count] = sat_sub(r->end_ns, r->start_ns);
	x->count++;
	x->total_ns = sat_add(x->total_ns, sat_sub(r->end_ns, r->start_ns));
}

/* "phase 1" to "phase 3" are no steps: all but a warm-up take within three times the median. */
static bool are_alike(const struct series *x)
{
	int64_t sorted[FEW], scratch[FEW], median;
	size_t unlike = 0;

	if (x->count >= FEW)
		return true;
	memcpy(sorted, x->few_ns, sizeof(sorted));
	sort_i64(sorted, scratch, x->count);
	median = sorted[x->count / 2];
	for (size_t i = 0; i < x->count; i++)
		unlike += sorted[i] < median / 3 || sorted[i] / 3 > median;
	return unlike <= 1;
}

/* "ncclAllReduce": NCCL puts a range around each of its calls. */
static bool is_call_of_nccl(struct str name)
{
	return str_starts(name, "nccl") && name.len > 4 && name.s[4] >= 'A' && name.s[4] <= 'Z';
}

/* Operators of frameworks ("aten::to"), calls, and what says that it is no real step. */
static bool is_no_step(struct str name)
{
	return str_holds(name, "::") || is_call_of_nccl(name) || name_says_warm_up(name);
}

static double filled(const struct series *x)
{
	int64_t span_ns = sat_sub(x->last_ns, x->first_ns);

	return span_ns > 0 ? (double)x->total_ns / (double)span_ns : 0;
}

/*
 * Where it is known what they launch, that decides: see iterations.c. Else steps follow one another
 * and fill the time from the first to the last.
 */
static bool are_steps(const struct range_steps *s, const struct series *x)
{
	if (x->count < s->least)
		return false;
	if (s->matches)
		return true;
	if (is_no_step(s->folded.names.items[x->name]))
		return false;
	return s->by_work || (are_alike(x) && filled(x) >= iterations_least_filled(x->counts));
}

/* The series of one level by thread and name; those that a marker names, of all, by level. */
static void collect(struct range_steps *s, uint32_t level)
{
	struct idmap numbers = {0};

	s->count = 0;
	for (size_t i = 0; i < s->forest.count; i++) {
		const struct range *r = &s->forest.ranges[i];
		uint32_t name, number;

		if (!belongs(s, level, r) || is_open(s, r) || !is_asked(s, r->thread))
			continue;
		name = series_key(s, r);
		number = idmap_number_pair(&numbers, r->thread, name);
		if (number == s->count) {
			MEM_GROW(s->all, s->cap, s->count + 1);
			s->all[s->count++] = (struct series){.thread = r->thread, .name = name};
		}
		add_range(&s->all[number], r, s->trace->events[TRACE_NVTX].name);
	}
	idmap_free(&numbers);
}

static bool is_better(const struct range_steps *s, const struct series *x,
		      const struct series *than)
{
	if (s->matches && x->name != than->name)
		return x->name < than->name;
	return x->total_ns > than->total_ns;
}

static bool has_candidate(const struct range_steps *s, uint32_t name)
{
	for (size_t i = 0; i < s->candidate_count; i++) {
		if (s->all[s->candidates[i]].name == name)
			return true;
	}
	return false;
}

/* The best of those whose name is none of a better one. */
static const struct series *find_best(const struct range_steps *s)
{
	const struct series *best = NULL;

	for (size_t i = 0; i < s->count; i++) {
		const struct series *x = &s->all[i];

		if (!has_candidate(s, x->name) && are_steps(s, x) &&
		    (!best || is_better(s, x, best)))
			best = x;
	}
	return best;
}

/* What of a level may be steps. */
static void find_candidates(struct range_steps *s, uint32_t level)
{
	const size_t most = s->matches ? 1 : NAMES_MAX;
	const struct series *x;

	collect(s, level);
	s->candidate_count = s->next = 0;
	while (s->candidate_count < most && (x = find_best(s)))
		s->candidates[s->candidate_count++] = (uint32_t)(x - s->all);
}

/* Of each process the thread whose steps of that name take the most time. */
static void choose_threads(const struct range_steps *s, uint32_t name, struct idmap *of_process,
			   struct series *chosen, struct iterations *it)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct series *x = &s->all[i];
		uint32_t process, number;

		if (x->name != name || !are_steps(s, x))
			continue;
		iterations_add_thread(it, x->thread, x->count);
		process = trace_thread_process(s->trace, x->thread);
		number = idmap_add(of_process, process, (uint32_t)of_process->count);
		if (!chosen[number].count || x->total_ns > chosen[number].total_ns)
			chosen[number] = *x;
	}
}

static bool is_of(const struct range_steps *s, uint32_t level, const struct series *x,
		  const struct range *r)
{
	return r->thread == x->thread && belongs(s, level, r) && x->name == series_key(s, r);
}

/* Its end is made up: how deep it lies says nothing. */
static bool is_open_step(const struct range_steps *s, const struct series *x, const struct range *r)
{
	return is_open(s, r) && r->thread == x->thread &&
	       (s->matches ? is_marked(s, r->row) : series_name(s, r->row) == x->name);
}

/* What the names of a lane's steps count. */
static void say_numbers(struct iterations *it, const struct said_numbers *said)
{
	const struct iteration_lane *lane = &it->lanes[it->lane_count - 1];
	const uint32_t first = said_numbers_first(said);

	for (size_t i = 0; i < lane->count && first != UINT32_MAX; i++)
		it->all[lane->begin + i].said = first + (uint32_t)i;
}

/*
 * A step has ended when the next begins, at the latest. Ranges lie by thread and start; *at is
 * where those of the thread may begin.
 */
static void add_lane(const struct range_steps *s, uint32_t level, const struct series *x,
		     struct iterations *it, size_t *at)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	struct iteration *last = NULL;
	struct said_numbers said = {0};

	iterations_add_lane(it, trace_thread_process(s->trace, x->thread), x->thread);
	for (; *at < s->forest.count && s->forest.ranges[*at].thread <= x->thread; ++*at) {
		const struct range *r = &s->forest.ranges[*at];

		it->never_closed += is_open_step(s, x, r);
		if (!is_of(s, level, x, r) || is_open(s, r))
			continue;
		if (last && last->end_ns > r->start_ns)
			last->end_ns = last->to_ns = r->start_ns;
		last = iterations_add(it, r->start_ns, r->end_ns);
		said_numbers_add(&said, trace_name(s->trace, ev->name[r->row]));
	}
	say_numbers(it, &said);
}

static int compare_lanes(const void *a, const void *b)
{
	uint32_t x = ((const struct series *)a)->thread;
	uint32_t y = ((const struct series *)b)->thread;

	return (x > y) - (x < y);
}

static void describe(const struct range_steps *s, const struct series *x, struct iterations *it)
{
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	struct str name =
		s->folded.names.items[s->matches ? s->folded.of_name[ev->name[x->row]] : x->name];

	it->source = s->matches ? ITER_MARKER : ITER_RANGE;
	it->counted = x->counts;
	it->name = arena_str(&it->arena, name).s;
	if (s->matches)
		it->what = arena_printf(&it->arena, "ranges that match '%s'", s->p->marker);
	else
		it->what = arena_printf(&it->arena, "ranges '%s'", it->name);
	iterations_describe(it);
}

static void keep(struct range_steps *s, uint32_t level, const struct series *best,
		 struct iterations *it)
{
	struct series *chosen = mem_zalloc(s->count, sizeof(*chosen));
	struct idmap of_process = {0};
	size_t at = 0, steps = 0;

	choose_threads(s, best->name, &of_process, chosen, it);
	qsort(chosen, of_process.count, sizeof(*chosen), compare_lanes);
	for (size_t i = 0; i < of_process.count; i++)
		steps += chosen[i].count;
	MEM_GROW(it->all, it->cap, steps); /* at once: to grow is to copy, and there may be many */
	for (size_t i = 0; i < of_process.count; i++)
		add_lane(s, level, &chosen[i], it, &at);
	describe(s, best, it);
	idmap_free(&of_process);
	free(chosen);
}

/* Each name is tried once. */
static int match_names(struct range_steps *s, struct err *e)
{
	const struct strtab *names = &s->trace->names;
	const struct events *ev = &s->trace->events[TRACE_NVTX];
	struct pattern *pattern;
	bool *tried;
	int result = 0;

	if (pattern_compile(&pattern, str_of(s->p->marker), 0, e) < 0)
		return err_wrap(e, "--marker '%s'", s->p->marker);
	tried = mem_zalloc(names->count, sizeof(*tried));
	s->matches = mem_zalloc(names->count, sizeof(*s->matches));
	for (uint64_t i = 0; i < ev->count && result >= 0; i++) {
		uint32_t name = ev->name[i];

		if (name == NAME_NONE || tried[name])
			continue;
		tried[name] = true;
		result = pattern_match(pattern, names->items[name], e);
		s->matches[name] = result > 0;
	}
	free(tried);
	pattern_free(pattern);
	return result < 0 ? -1 : 0;
}

static int load_forest(struct range_steps *s, enum forest_kind kind, struct err *e)
{
	range_forest_free(&s->forest);
	if (range_forest_build(s->trace, kind, &s->forest, e) < 0)
		return -1;
	find_levels(s);
	s->level = 0;
	return 0;
}

/* A marker may name start/end ranges, too. */
static int open_search(struct range_steps *s, struct err *e)
{
	if (load_forest(s, FOREST_PROGRAM, e) < 0)
		return -1;
	if (s->trace->events[TRACE_NVTX].count == 0)
		return 0;
	trace_fold_names(s->trace, &s->folded);
	if (!s->p->marker)
		return 0;
	if (match_names(s, e) < 0)
		return -1;
	find_candidates(s, 0);
	if (s->candidate_count)
		return 0;
	if (load_forest(s, FOREST_START_END, e) < 0)
		return -1;
	find_candidates(s, 0);
	return 0;
}

int range_steps_open(struct range_steps **ret, struct trace *t, const struct scope *p, size_t least,
		     bool by_work, struct err *e)
{
	struct range_steps *s = mem_zalloc(1, sizeof(*s));

	*s = (struct range_steps){.trace = t, .p = p, .least = least, .by_work = by_work};
	*ret = s;
	if (!t->events[TRACE_NVTX].table || open_search(s, e) == 0 || e->absent)
		return 0;
	range_steps_close(s);
	*ret = NULL;
	return -1;
}

/* What the marker names: ranges, else marks; once. */
static bool next_marked(struct range_steps *s, struct iterations *ret)
{
	if (s->level++)
		return false;
	if (s->candidate_count)
		keep(s, 0, &s->all[s->candidates[0]], ret);
	else
		iterations_find_marks(s->trace, s->p, s->matches, s->least, ret);
	return ret->count > 0;
}

bool range_steps_next(struct range_steps *s, struct iterations *ret)
{
	*ret = (struct iterations){0};
	if (!s->folded.of_name)
		return false;
	if (s->matches)
		return next_marked(s, ret);
	while (s->next == s->candidate_count) {
		if (s->level == LEVELS_MAX)
			return false;
		find_candidates(s, s->level++);
	}
	keep(s, s->level - 1, &s->all[s->candidates[s->next++]], ret);
	return true;
}

void range_steps_close(struct range_steps *s)
{
	range_forest_free(&s->forest);
	folded_names_free(&s->folded);
	free(s->levels);
	free(s->matches);
	free(s->all);
	free(s);
}
