/* What are the steps of the run? */
#include "analysis/steps/iterations.h"

#include "analysis/numbers/summary.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MIN = 3, MARKED_MIN = 2 };

struct iteration_lane *iterations_add_lane(struct iterations *it, uint32_t process, uint32_t thread)
{
	size_t n = it->lane_count++;

	it->lanes = mem_resize(it->lanes, it->lane_count, sizeof(*it->lanes));
	it->lanes[n] = (struct iteration_lane){process, thread, it->count, 0, 0, 0};
	return &it->lanes[n];
}

struct iteration *iterations_add(struct iterations *it, int64_t start_ns, int64_t end_ns)
{
	struct iteration_lane *lane = &it->lanes[it->lane_count - 1];
	struct iteration *i;

	MEM_GROW(it->all, it->cap, it->count + 1);
	i = &it->all[it->count++];
	*i = (struct iteration){.number = (uint32_t)lane->count++,
				.said = ID_NONE,
				.start_ns = start_ns,
				.end_ns = end_ns < start_ns ? start_ns : end_ns,
				.first_row = ID_NONE,
				.last_row = ID_NONE,
				.next_row = ID_NONE};
	i->from_ns = i->start_ns;
	i->to_ns = i->end_ns;
	lane->total_ns = sat_add(lane->total_ns, sat_sub(i->end_ns, i->start_ns));
	if (lane->total_ns > it->lanes[it->main_lane].total_ns)
		it->main_lane = it->lane_count - 1;
	return i;
}

void iterations_add_thread(struct iterations *it, uint32_t thread, size_t steps)
{
	size_t n = it->apart_count++;

	if ((n & (n - 1)) == 0)
		it->apart = mem_resize(it->apart, n ? 2 * n : 1, sizeof(*it->apart));
	it->apart[n] = (struct iteration_thread){thread, steps};
}

static int compare_threads(const void *a, const void *b)
{
	uint32_t x = ((const struct iteration_thread *)a)->thread;
	uint32_t y = ((const struct iteration_thread *)b)->thread;

	return (x > y) - (x < y);
}

static struct iteration_thread *find_thread(const struct iterations *it, uint32_t thread)
{
	const struct iteration_thread key = {.thread = thread};

	if (!it->apart_count)
		return NULL;
	return bsearch(&key, it->apart, it->apart_count, sizeof(key), compare_threads);
}

bool iterations_is_apart(const struct iterations *it, uint32_t thread)
{
	return find_thread(it, thread) != NULL;
}

static void keep_apart(struct iterations *it)
{
	size_t count = 0;

	if (it->apart_count)
		qsort(it->apart, it->apart_count, sizeof(*it->apart), compare_threads);
	for (size_t i = 0; i < it->lane_count; i++) {
		struct iteration_thread *chosen = find_thread(it, it->lanes[i].thread);

		if (chosen)
			chosen->steps = 0;
	}
	for (size_t i = 0; i < it->apart_count; i++) {
		if (it->apart[i].steps)
			it->apart[count++] = it->apart[i];
	}
	it->apart_count = count;
}

void iterations_describe(struct iterations *it)
{
	size_t least = SIZE_MAX, most = 0;

	keep_apart(it);
	for (size_t i = 0; i < it->lane_count; i++) {
		size_t count = it->lanes[i].count;

		least = count < least ? count : least;
		most = count > most ? count : most;
	}
	if (least < most)
		it->how = arena_printf(&it->arena, "%zu to %zu %s", least, most, it->what);
	else
		it->how = arena_printf(&it->arena, "%zu %s", most, it->what);
}

void iterations_free(struct iterations *it)
{
	free(it->all);
	free(it->lanes);
	free(it->apart);
	arena_free(&it->arena);
	*it = (struct iterations){0};
}

int iterations_too_many(const struct trace *t, size_t processes, struct err *e)
{
	err_set(e, ERR_INPUT, "'%s' has %zu processes, too many to look for steps in", t->path,
		processes);
	e->absent = true;
	return err_hint(e, "select one with --pid N");
}

static int refuse_marker(const struct trace *t, const struct scope *p, struct err *e)
{
	err_set(e, ERR_INPUT,
		"'%s' has no NVTX range that matches '%s' at least %d times on one thread, nor a "
		"mark %d times",
		t->path, p->marker, MARKED_MIN, MARKED_MIN + 1);
	e->absent = true;
	return err_hint(e, "gpuwhy ranges lists the names");
}

static int no_steps(struct err *e)
{
	e->absent = true;
	return err_hint(e, "use --marker REGEX to name the range or mark of each step; gpuwhy "
			   "ranges lists the names");
}

static int refuse(const struct trace *t, struct err *e)
{
	err_set(e, ERR_INPUT,
		"'%s' has no steps: no NVTX range repeats throughout the run, and its kernels show "
		"no period",
		t->path);
	return no_steps(e);
}

/* The kernel that is nearly all of those asked about; NAME_NONE: none is. */
static uint32_t find_only_kernel(const struct trace *t, const struct scope *p, uint64_t *ret_count)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	uint64_t *counts = mem_zalloc(t->names.count, sizeof(*counts)), all = 0;
	uint32_t most = NAME_NONE;

	for (uint64_t i = 0; ev->name && i < ev->count; i++) {
		if (ev->name[i] == NAME_NONE || !scope_has_process(p, t, event_process(ev, i)))
			continue;
		all++;
		counts[ev->name[i]]++;
		if (most == NAME_NONE || counts[ev->name[i]] > counts[most])
			most = ev->name[i];
	}
	*ret_count = most == NAME_NONE ? 0 : counts[most];
	free(counts);
	return *ret_count > STEPS_MIN && *ret_count >= all - all / 20 ? most : NAME_NONE;
}

enum { NAME_SHOWN = 80 };

/* "cutlass::device_kernel": without what it returns, its types and its arguments. */
static struct str without_types(struct str name)
{
	static const char result[] = "void ";
	size_t len = 0;

	if (str_starts(name, result)) {
		name.s += strlen(result);
		name.len -= strlen(result);
	}
	while (len < name.len && len < NAME_SHOWN && name.s[len] != '<' && name.s[len] != '(')
		len++;
	return (struct str){name.s, len};
}

static int refuse_kernels(const struct trace *t, const struct scope *p, struct err *e)
{
	uint64_t count;
	const uint32_t only = find_only_kernel(t, p, &count);
	struct str name;

	if (only == NAME_NONE)
		return refuse(t, e);
	name = without_types(trace_name(t, only));
	err_set(e, ERR_INPUT,
		"'%s' has no steps: no NVTX range repeats throughout the run, and a single kernel, "
		"%.*s, is launched %" PRIu64 " times: kernel names do not show where a step begins",
		t->path, (int)name.len, name.s, count);
	return no_steps(e);
}

static const double same_work = 0.1; /* more or less than the median step launches */

static const double same_time = 1.5; /* times the median step's, or its part */

struct usual {
	bool by_ops; /* kernels tell nothing: whole graphs, or copies alone */
	double launched, ns;
};

/* Copies come and go more than kernels do. */
static uint64_t launched(const struct iteration *s, const struct usual *u)
{
	return u->by_ops ? s->ops : s->kernels;
}

double sort_median(int64_t *values, size_t count)
{
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));

	sort_i64(values, scratch, count);
	free(scratch);
	return quantile(values, count, 0.5);
}

static struct usual find_usual(const struct iteration *steps, size_t count)
{
	int64_t *v = mem_alloc(count, sizeof(*v));
	struct usual usual = {0};

	for (int by_ops = 0; by_ops < 2 && usual.launched <= 0; by_ops++) {
		usual.by_ops = by_ops;
		for (size_t i = 0; i < count; i++)
			v[i] = (int64_t)launched(&steps[i], &usual);
		usual.launched = sort_median(v, count);
	}
	for (size_t i = 0; i < count; i++)
		v[i] = iteration_ns(&steps[i]);
	usual.ns = sort_median(v, count);
	free(v);
	return usual;
}

/* A step that waits is like the others by its work, one that has more to do by its time. */
static bool is_usual(const struct iteration *s, const struct usual *u)
{
	double ns = (double)iteration_ns(s), more = (double)launched(s, u) - u->launched;

	if (u->launched > 0 && fabs(more) <= same_work * u->launched)
		return true;
	return ns * same_time >= u->ns && ns <= u->ns * same_time;
}

void iterations_compare(struct iterations *it)
{
	size_t alike = 0, count = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);
		struct usual usual = find_usual(steps, lane->count);

		for (size_t k = 0; k < lane->count; k++)
			alike += is_usual(&steps[k], &usual);
		count += lane->count;
	}
	it->confidence = count ? (double)alike / (double)count : 0;
}

void iterations_mark_warm_ups(struct iterations *it, const struct warm_ups *w)
{
	for (size_t i = 0; i < it->lane_count; i++) {
		struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);
		size_t n = 0;

		while (n < lane->count && warm_ups_hold(w, lane->process, steps[n].start_ns))
			n++;
		lane->warm_up = n < lane->count ? n : 0;
	}
}

static const double least_work = 0.5; /* of the kernel time, that the steps of a run launch */

static const double nearly_all_work = 0.8; /* … where they need not fill the time */

static const double least_alike = 0.5; /* of the steps */

static const double few_alike = 0.75; /* … where a process has fewer than FEW */

enum { FEW = 5, MANY = 200000 /* kernels: a sample of them says enough */ };

/*
 * How much of the time from the first to the last steps take, with the work they launch; those of a
 * warm-up aside.
 */
static double filled(const struct iterations *it)
{
	double own_ns = 0, all_ns = 0;

	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);

		if (!lane->count)
			continue;
		for (size_t k = lane->warm_up; k < lane->count; k++)
			own_ns += (double)iteration_ns(&steps[k]);
		all_ns +=
			(double)sat_sub(steps[lane->count - 1].to_ns, steps[lane->warm_up].from_ns);
	}
	return all_ns > 0 ? own_ns / all_ns : 0;
}

/*
 * Steps that are counted and launch nearly all the run computes are its steps, however long it
 * pauses between some of them, as for a validation.
 */
static bool leaves_time(const struct iterations *it, int64_t ns, int64_t all_ns)
{
	return !(it->counted && (double)ns >= nearly_all_work * (double)all_ns) &&
	       filled(it) < iterations_least_filled(it->counted);
}

static bool has_few(const struct iterations *it)
{
	return it->count < FEW * it->lane_count;
}

/* ERR_INPUT when what repeats is not what the run consists of. */
static int judge(const struct iterations *it, const struct trace *t, const struct scope *p,
		 struct err *e)
{
	const int64_t all_ns = it->all_kernel_ns ? it->all_kernel_ns : it->all_work_ns;
	const int64_t ns = it->all_kernel_ns ? it->kernel_ns : it->work_ns;

	if (!it->lane_count) {
		err_set(e, ERR_INPUT, "no process of '%s' that has steps uses device %u", t->path,
			p->device);
		return err_hint(e, "gpuwhy iters without --device lists them all");
	}
	if (it->source != ITER_RANGE)
		return 0;
	if ((double)ns < least_work * (double)all_ns)
		err_set(e, ERR_INPUT,
			"'%s' has no steps: the range that repeats is '%s', but it launches only "
			"%.1f %% of the kernel time",
			t->path, it->name, 100 * (double)ns / (double)all_ns);
	else if (leaves_time(it, ns, all_ns))
		err_set(e, ERR_INPUT,
			"'%s' has no steps: the range that repeats is '%s', but it lasts only "
			"%.0f %% of the time from its first instance to its last",
			t->path, it->name, 100 * filled(it));
	else if (it->same_kernels < (has_few(it) ? few_alike : least_alike))
		err_set(e, ERR_INPUT,
			"'%s' has no steps: the range that repeats is '%s', but only %.0f %% of "
			"its instances launch the same kernels",
			t->path, it->name, 100 * it->same_kernels);
	else if (!it->counted && it->confidence < least_alike)
		err_set(e, ERR_INPUT,
			"'%s' has no steps: the range that repeats is '%s', but only %.0f %% of "
			"its instances are alike",
			t->path, it->name, 100 * it->confidence);
	else
		return 0;
	return no_steps(e);
}

/*
 * Whether it is worth joining all work with ranges that repeat: a sample of it says so at a tenth
 * of the cost. Steps last as long as on the host and what they launch on the GPU, at most.
 */
static bool may_be_steps(struct iterations *it, const struct trace *t,
			 const struct kernel_sample *sample)
{
	const struct iteration_sample s = iterations_sample(it, t, sample);
	double host_ns = 0, span_ns = 0;

	if (it->source != ITER_RANGE || s.all_ns <= 0 ||
	    (it->counted && s.ns >= 0.8 * nearly_all_work * s.all_ns))
		return true;
	for (size_t i = 0; i < it->lane_count; i++) {
		const struct iteration_lane *lane = &it->lanes[i];
		const struct iteration *steps = lane_steps(it, lane);

		host_ns += (double)lane->total_ns;
		span_ns += (double)sat_sub(steps[lane->count - 1].end_ns,
					   steps[lane->warm_up].start_ns);
	}
	return s.ns >= 0.8 * least_work * s.all_ns &&
	       host_ns + 1.25 * s.all_ns >= iterations_least_filled(it->counted) * span_ns;
}

/* What is looked for steps in. */
struct search {
	struct trace *trace;
	const struct scope *p;
	const struct device_map *devices;
	const struct launches *launches; /* NULL: nobody knows who launched what */
	struct kernel_sample sample;	 /* an empty one says nothing */
	struct warm_ups warm_ups;
};

/* When the ranges are loaded. */
static void open_search(struct search *s)
{
	warm_ups_read(s->trace, &s->warm_ups);
	if (s->launches && s->trace->events[TRACE_KERNELS].count > MANY)
		kernel_sample_make(s->trace, s->p, s->launches, &s->warm_ups, &s->sample);
}

static void close_search(struct search *s)
{
	warm_ups_free(&s->warm_ups);
	free(s->sample.all);
}

/* Joins what was found, and takes it or frees it. */
static int try_steps(const struct search *s, struct iterations *it, struct err *e)
{
	int result;

	iterations_mark_warm_ups(it, &s->warm_ups);
	if (it->lane_count > ITERATION_LANES_MAX) {
		result = iterations_too_many(s->trace, it->lane_count, e);
	} else if (s->sample.count && !may_be_steps(it, s->trace, &s->sample)) {
		result = refuse(s->trace, e);
	} else {
		iterations_join(it, s->trace, s->p, s->devices, s->launches, &s->warm_ups);
		result = judge(it, s->trace, s->p, e);
	}
	if (result < 0)
		iterations_free(it);
	return result;
}

/* 1: found; 0: none of at least so many, and `e` says why where something came close. */
static int find_by_ranges(struct search *x, size_t least, struct iterations *ret, struct err *e)
{
	struct range_steps *s;
	int found = 0;

	if (range_steps_open(&s, x->trace, x->p, least, x->launches != NULL, e) < 0)
		return -1;
	*e = (struct err){0};
	*ret = (struct iterations){0};
	open_search(x);
	while (!found && !x->p->by_kernels && range_steps_next(s, ret)) {
		struct err one = {0};

		found = try_steps(x, ret, &one) == 0;
		if (!found && !e->code)
			*e = one;
	}
	range_steps_close(s);
	return found;
}

static int find_by_kernels(struct search *s, struct iterations *ret, struct err *e)
{
	struct err one = {0};

	if (iterations_find_kernels(s->trace, s->p, s->launches, ret, &one) < 0) {
		*e = one;
		return -1;
	}
	s->sample.count = 0; /* of a period all is known */
	if (ret->count)
		return try_steps(s, ret, e);
	return e->code ? -1 : refuse_kernels(s->trace, s->p, e);
}

int iterations_load(struct trace *t, struct err *e)
{
	const uint32_t columns = COLS_TIMES | COLS_PROCESS_DEVICE;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const uint32_t more = kind == TRACE_KERNELS ? COL_BIT(COL_NAME) : 0;
		const uint32_t joined = joinable_kinds(t) & 1u << kind ? launches_columns(t) : 0;

		if (trace_load(t, (enum trace_kind)kind, columns | more | joined, e) < 0)
			return -1;
	}
	return 0;
}

int iterations_search(struct trace *t, const struct scope *p, const struct device_map *devices,
		      const struct launches *l, struct iterations *ret, struct err *e)
{
	const struct search asked = {t, p, devices, l, {0}, {0}};
	struct search s = asked;
	int found = find_by_ranges(&s, p->marker ? MARKED_MIN : STEPS_MIN, ret, e);
	int result;

	if (!found && !e->code && p->marker && p->once_will_do) {
		close_search(&s);
		s = asked;
		found = find_by_ranges(&s, 1, ret, e);
	}
	if (found)
		result = found < 0 ? -1 : 0;
	else if (p->marker)
		result = e->code ? -1 : refuse_marker(t, p, e);
	else
		result = find_by_kernels(&s, ret, e);
	close_search(&s);
	return result;
}
