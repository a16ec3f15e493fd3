/* Which ranges are the instances of a stage, and what did each launch? */
#include "analysis/mfu_stage.h"
#include "analysis/phase_map.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/name_pattern.h"
#include "base/sort.h"
#include "trace/innermost.h"
#include "trace/ops.h"

#include <stdlib.h>

enum { GPU_KINDS = (1 << TRACE_GPU_KINDS) - 1 };

struct finder {
	struct trace *trace;
	const struct params *p;
	struct mfu_stage *out;
	struct range_names names;
	bool *wanted; /* by name */
	/* The instances as ranges, whose row is an instance's number: by thread, by process. */
	struct range_forest of_thread, of_process;
	struct innermost in_thread, in_process;
	bool *has_own; /* by thread: it has instances */
	struct launches launches;
	struct mfu_places places; /* owners are instances */
	struct mfu_places devices;
};

static struct str shown_name(struct str full)
{
	return full.len && full.s[0] == ':' ? (struct str){full.s + 1, full.len - 1} : full;
}

static int want_pattern(struct finder *f, const char *text, struct err *e)
{
	const struct strtab *names = &f->names.names;
	struct pattern *pattern;
	int found = 0;

	if (name_pattern_compile(&pattern, str_of(text), e) < 0)
		return -1;
	for (size_t i = 0; i < names->count && found >= 0; i++) {
		found = pattern_match(pattern, shown_name(names->items[i]), e);
		f->wanted[i] = found > 0;
	}
	pattern_free(pattern);
	return found < 0 ? -1 : 0;
}

static int no_such_phase(const struct finder *f, const struct phase_map *map, const char *phase,
			 struct err *e)
{
	struct buf names = {0};

	for (size_t i = 0; i < map->count && i < 20; i++)
		buf_addf(&names, "%s%.*s", i ? ", " : "", STR_FMT(map->names[i]));
	err_set(e, ERR_USAGE, "there is no phase '%s': %s %.600s", phase,
		f->p->phase_map ? "the map has" : "those told by names are", names.s);
	buf_free(&names);
	return err_hint(e,
			"--phase-map FILE names phases of your own, --range NAME takes ranges by "
			"their name");
}

static int match_phase(struct finder *f, const struct phase_map *map, const char *phase,
		       struct err *e)
{
	const struct strtab *names = &f->names.names;
	uint32_t number = PHASE_NONE, found;

	for (size_t i = 0; i < map->count; i++) {
		if (str_eq(map->names[i], str_of(phase)))
			number = (uint32_t)i;
	}
	if (number == PHASE_NONE)
		return no_such_phase(f, map, phase, e);
	for (size_t i = 0; i < names->count; i++) {
		if (phase_map_find(map, shown_name(names->items[i]), &found, e) < 0)
			return -1;
		f->wanted[i] = found == number;
	}
	return 0;
}

static int want_phase(struct finder *f, const char *phase, struct err *e)
{
	struct phase_map map;
	int result;

	if (phase_map_read(&map, f->p->phase_map, e) < 0)
		return -1;
	result = match_phase(f, &map, phase, e);
	phase_map_free(&map);
	return result;
}

static bool is_asked(const struct finder *f, const struct range *r)
{
	return r->thread != ID_NONE && f->wanted[f->names.of_row[r->row]] &&
	       trace_thread_process(f->trace, r->thread) != ID_NONE &&
	       (!f->p->has_pid ||
		process_pid(f->trace->thread_keys.keys[r->thread] >> 24) == f->p->pid);
}

/* Of ranges inside one another the outermost; a forest has them by thread and start. */
static void pick(struct finder *f, const struct range_forest *all)
{
	const struct range *last = NULL;
	struct range *out = mem_alloc_large(all->count * sizeof(*out));
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct range *r = &all->ranges[i];

		if (!is_asked(f, r))
			continue;
		if (range_never_closed(f->trace, r->row)) {
			f->out->open++;
			continue;
		}
		if (last && last->thread == r->thread && r->end_ns <= last->end_ns)
			continue;
		last = r;
		out[count++] = *r;
	}
	f->of_thread = (struct range_forest){out, count, false};
}

static int compare_processes(const void *a, const void *b, void *ctx)
{
	const struct trace *t = ctx;
	const struct range *x = a, *y = b;
	uint32_t p = trace_thread_process(t, x->thread), q = trace_thread_process(t, y->thread);

	if (p != q)
		return p < q ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Instances by process and start; ranges know them by number from here on. */
static void number_instances(struct finder *f)
{
	struct range_forest *by_process = &f->of_process;
	struct mfu_stage *out = f->out;

	by_process->count = out->count = f->of_thread.count;
	by_process->ranges = mem_alloc_large(out->count * sizeof(*by_process->ranges));
	for (size_t i = 0; i < out->count; i++)
		by_process->ranges[i] = f->of_thread.ranges[i];
	sort_stable(by_process->ranges, out->count, sizeof(*by_process->ranges), compare_processes,
		    f->trace);
	out->instances = mem_zalloc(out->count, sizeof(*out->instances));
	for (size_t i = 0; i < out->count; i++) {
		struct range *r = &by_process->ranges[i];
		uint32_t name = f->names.of_row[r->row];

		out->instances[i] = (struct mfu_instance){
			.process = trace_thread_process(f->trace, r->thread),
			.thread = r->thread,
			.number = i,
			.name = arena_str(&out->arena, shown_name(f->names.names.items[name])),
			.start_ns = r->start_ns,
			.end_ns = r->end_ns,
			.from_ns = r->start_ns,
			.to_ns = r->end_ns};
		r->row = (uint32_t)i;
	}
}

/* So that the innermost at a moment can be asked for, by thread and by process. */
static void index_instances(struct finder *f)
{
	const size_t threads = f->trace->thread_keys.count;

	f->has_own = mem_zalloc(threads, sizeof(*f->has_own));
	memcpy(f->of_thread.ranges, f->of_process.ranges,
	       f->of_process.count * sizeof(*f->of_process.ranges));
	range_forest_sort(&f->of_thread);
	for (size_t i = 0; i < f->of_process.count; i++) {
		struct range *r = &f->of_process.ranges[i];

		f->has_own[r->thread] = true;
		r->thread = f->out->instances[r->row].process;
	}
	range_forest_sort(&f->of_process);
	innermost_make(&f->of_thread, threads, &f->in_thread);
	innermost_make(&f->of_process, f->trace->process_keys.count, &f->in_process);
}

/* The instance that launched an op, or NULL. */
static struct mfu_instance *find_instance(const struct finder *f, const struct op *op,
					  struct innermost_cursor *in_thread,
					  struct innermost_cursor *in_process)
{
	const struct launches *l = &f->launches;
	struct api_call call;
	uint32_t thread, process, range;

	if (!(l->kinds & 1u << op->kind) || !launches_call(l, l->begin[op->kind] + op->row, &call))
		return NULL;
	thread = launches_origin(l, &call).thread;
	process = thread == ID_NONE ? ID_NONE : trace_thread_process(f->trace, thread);
	if (process == ID_NONE)
		return NULL;
	if (f->has_own[thread]) {
		range = innermost_follow(&f->in_thread, thread, call.start_ns, in_thread);
		return range == RANGE_NONE ? NULL
					   : &f->out->instances[f->of_thread.ranges[range].row];
	}
	range = innermost_follow(&f->in_process, process, call.start_ns, in_process);
	return range == RANGE_NONE ? NULL : &f->out->instances[f->of_process.ranges[range].row];
}

static void stretch(struct finder *f, struct mfu_instance *x, const struct op *op)
{
	(void)f;
	if (op->end_ns > x->to_ns)
		x->to_ns = op->end_ns;
}

static void add_op(struct finder *f, struct mfu_instance *x, const struct op *op)
{
	struct mfu_place *place;
	int64_t from_ns;

	if (x->left_out)
		return;
	place = mfu_place_of(&f->places, (uint32_t)(x - f->out->instances), op->device);
	x->devices += place->last == SIZE_MAX;
	place->last = 0;
	if (mfu_place_take(place, op->start_ns, op->end_ns, &from_ns))
		x->busy_ns = sat_add(x->busy_ns, sat_sub(op->end_ns, from_ns));
	place = mfu_place_of(&f->devices, 0, op->device);
	if (mfu_place_take(place, op->start_ns, op->end_ns, &from_ns))
		place->busy_ns = sat_add(place->busy_ns, sat_sub(op->end_ns, from_ns));
}

static void walk(struct finder *f, struct ops *ops,
		 void (*take)(struct finder *f, struct mfu_instance *x, const struct op *op))
{
	struct innermost_cursor in_thread = {0}, in_process = {0};
	struct op op;

	ops_rewind(ops);
	while (ops_next(ops, &op)) {
		struct mfu_instance *x;

		if (f->p->has_device && op.device != f->p->device)
			continue;
		x = find_instance(f, &op, &in_thread, &in_process);
		if (x)
			take(f, x, &op);
	}
}

/* Where the host runs ahead, an instance begins when the one before is done. */
static void find_own_times(struct mfu_stage *s)
{
	int64_t done_ns = INT64_MIN;

	for (size_t i = 0; i < s->count; i++) {
		struct mfu_instance *x = &s->instances[i];

		if (!i || s->instances[i - 1].process != x->process)
			done_ns = INT64_MIN;
		if (x->from_ns < done_ns)
			x->from_ns = done_ns < x->to_ns ? done_ns : x->to_ns;
		if (x->to_ns > done_ns)
			done_ns = x->to_ns;
	}
}

/* An instance that the window cuts is none. */
static void leave_out_cut(struct mfu_stage *s, const struct params *p)
{
	for (size_t i = 0; i < s->count && p->has_trim; i++) {
		struct mfu_instance *x = &s->instances[i];

		x->left_out = x->from_ns < p->from_ns || x->to_ns > p->to_ns;
		s->cut += x->left_out && x->to_ns > p->from_ns && x->from_ns < p->to_ns;
	}
}

/* Nor is one that left the device alone that is asked about. */
static void keep_rest(struct mfu_stage *s, const struct params *p)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (!s->instances[i].left_out && (s->instances[i].devices || !p->has_device))
			s->instances[count++] = s->instances[i];
	}
	s->count = count;
}

/* When an instance ends is known after a first walk; whether it counts, and what for, then. */
static void measure_work(struct finder *f, struct ops *ops)
{
	number_instances(f);
	index_instances(f);
	walk(f, ops, stretch);
	find_own_times(f->out);
	leave_out_cut(f->out, f->p);
	walk(f, ops, add_op);
	keep_rest(f->out, f->p);
	mfu_stage_sum(f->out, &f->devices);
}

static int measure(struct finder *f, struct err *e)
{
	struct range_forest all;
	struct ops ops;

	if (range_forest_build(f->trace, FOREST_ALL, &all, e) < 0)
		return -1;
	pick(f, &all);
	range_forest_free(&all);
	if (!f->of_thread.count)
		return 0;
	if (trace_require(f->trace, TRACE_API, e) < 0 || ops_open(&ops, f->trace, e) < 0)
		return -1;
	if (launches_join_kinds(f->trace, GPU_KINDS, &f->launches, e) < 0) {
		ops_close(&ops);
		return -1;
	}
	measure_work(f, &ops);
	ops_close(&ops);
	return 0;
}

static int find(struct finder *f, const char *pattern, const char *phase, struct err *e)
{
	if (trace_require(f->trace, TRACE_NVTX, e) < 0 ||
	    range_names_read(f->trace, &f->names, e) < 0)
		return -1;
	f->wanted = mem_zalloc(f->names.names.count, sizeof(*f->wanted));
	if ((pattern ? want_pattern(f, pattern, e) : want_phase(f, phase, e)) < 0)
		return -1;
	return measure(f, e);
}

static int make(struct mfu_stage *ret, struct trace *t, const struct params *p, const char *pattern,
		const char *phase, struct err *e)
{
	struct finder f = {.trace = t, .p = p, .out = ret};
	int result;

	*ret = (struct mfu_stage){0};
	result = find(&f, pattern, phase, e);
	innermost_free(&f.in_thread);
	innermost_free(&f.in_process);
	range_forest_free(&f.of_thread);
	range_forest_free(&f.of_process);
	range_names_free(&f.names);
	launches_free(&f.launches);
	mfu_places_free(&f.places);
	mfu_places_free(&f.devices);
	free(f.wanted);
	free(f.has_own);
	if (result < 0)
		mfu_stage_free(ret);
	return result;
}

int mfu_stage_of_phase(struct mfu_stage *ret, struct trace *t, const struct params *p,
		       const char *phase, struct err *e)
{
	return make(ret, t, p, NULL, phase, e);
}

int mfu_stage_of_pattern(struct mfu_stage *ret, struct trace *t, const struct params *p,
			 const char *pattern, struct err *e)
{
	return make(ret, t, p, pattern, NULL, e);
}
