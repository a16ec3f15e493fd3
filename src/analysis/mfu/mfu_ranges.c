/* Which ranges are the instances of a part, and how long did each take? */
#include "analysis/mfu/mfu_ranges.h"

#include "analysis/ranges/phase_map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "text/name_pattern.h"

#include <stdlib.h>

struct finder {
	struct trace *trace;
	const struct scope *p;
	struct range_names names;
	uint32_t *part_of_name; /* PHASE_NONE: of no part */
	struct part_ranges *parts;
	size_t count, found; /* of parts; of those that have ranges, which then come first */
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
		f->part_of_name[i] = found > 0 ? 0 : PHASE_NONE;
	}
	pattern_free(pattern);
	return found < 0 ? -1 : 0;
}

/* Parts are the phases of the map, in its order. */
static int want_phases(struct finder *f, const struct phase_map *map, struct err *e)
{
	const struct strtab *names = &f->names.names;

	for (size_t i = 0; i < names->count; i++) {
		if (phase_map_find(map, shown_name(names->items[i]), &f->part_of_name[i], e) < 0)
			return -1;
	}
	return 0;
}

static int want_one_phase(struct finder *f, const struct phase_map *map, const char *phase,
			  struct err *e)
{
	uint32_t number = 0;

	if (phase_map_number(map, phase, &number, e) < 0 || want_phases(f, map, e) < 0)
		return -1;
	for (size_t i = 0; i < f->names.names.count; i++)
		f->part_of_name[i] = f->part_of_name[i] == number ? 0 : PHASE_NONE;
	return 0;
}

static bool is_asked(const struct finder *f, const struct range *r)
{
	return r->thread != ID_NONE && trace_thread_process(f->trace, r->thread) != ID_NONE &&
	       scope_has_thread(f->p, f->trace, r->thread);
}

/* A range that ends on another thread than it began on is nobody's stack. */
static bool is_of_one_thread(const struct trace *t, const struct range *r)
{
	const struct events *ev = &t->events[TRACE_NVTX];

	return !ev->end_thread || ev->end_thread[r->row] == ID_NONE ||
	       nvtx_is_push_pop(ev->event_type[r->row]);
}

static void add_range(struct range_forest *to, size_t *cap, const struct range *r)
{
	MEM_GROW(to->ranges, *cap, to->count + 1);
	to->ranges[to->count++] = *r;
}

/* The ranges of each part, in no order. */
static int collect(struct finder *f, enum forest_kind kind, size_t *caps, struct err *e)
{
	struct range_forest all;

	if (range_forest_build(f->trace, kind, &all, e) < 0)
		return -1;
	for (size_t i = 0; i < all.count; i++) {
		const struct range *r = &all.ranges[i];
		uint32_t part = f->part_of_name[f->names.of_row[r->row]];
		struct part_ranges *s = &f->parts[part == PHASE_NONE ? 0 : part];

		if (part == PHASE_NONE || !is_asked(f, r) || !is_of_one_thread(f->trace, r))
			continue;
		if (range_never_closed(f->trace, r->row))
			s->out->open++;
		else
			add_range(&s->of_thread, &caps[part], r);
	}
	range_forest_free(&all);
	return 0;
}

/* Of ranges inside one another the outermost; by thread and start these come first. */
static void keep_outermost(struct part_ranges *s)
{
	struct range_forest *f = &s->of_thread;
	size_t count = 0, cap = 0;
	int64_t reach_ns = INT64_MIN; /* of what is inside the last */

	range_forest_sort(f);
	for (size_t i = 0; i < f->count; i++) {
		const struct range r = f->ranges[i];
		const struct range *last = count ? &f->ranges[count - 1] : NULL;

		if (!last || last->thread != r.thread || r.end_ns > last->end_ns) {
			f->ranges[count++] = r;
			reach_ns = INT64_MIN;
		} else if (r.end_ns > reach_ns) {
			add_range(&s->inside, &cap, &r);
			reach_ns = r.end_ns;
		}
	}
	f->count = count;
}

static int pick(struct finder *f, struct err *e)
{
	size_t *caps = mem_zalloc(f->count, sizeof(*caps));
	int result = collect(f, FOREST_PUSH_POP, caps, e);

	if (result == 0)
		result = collect(f, FOREST_START_END, caps, e);
	for (size_t i = 0; i < f->count; i++)
		keep_outermost(&f->parts[i]);
	free(caps);
	return result;
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
static void number_instances(const struct finder *f, struct part_ranges *s)
{
	struct range_forest *by_process = &s->of_process;
	struct mfu_part *out = s->out;

	by_process->count = out->count = s->of_thread.count;
	by_process->ranges = mem_alloc(out->count, sizeof(*by_process->ranges));
	for (size_t i = 0; i < out->count; i++)
		by_process->ranges[i] = s->of_thread.ranges[i];
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
static void index_instances(const struct trace *t, struct part_ranges *s)
{
	const size_t threads = t->thread_keys.count;

	s->has_own = mem_zalloc(threads, sizeof(*s->has_own));
	for (size_t i = 0; i < s->of_process.count; i++)
		s->of_thread.ranges[i] = s->of_process.ranges[i];
	range_forest_sort(&s->of_thread);
	for (size_t i = 0; i < s->of_process.count; i++) {
		struct range *r = &s->of_process.ranges[i];

		s->has_own[r->thread] = true;
		r->thread = s->out->instances[r->row].process;
	}
	range_forest_sort(&s->of_process);
	innermost_make(&s->of_thread, threads, &s->in_thread);
	innermost_make(&s->of_process, t->process_keys.count, &s->in_process);
}

static void count_inside(struct part_ranges *s)
{
	struct innermost_cursor cursor = {0};

	for (size_t i = 0; i < s->inside.count; i++) {
		const struct range *r = &s->inside.ranges[i];
		uint32_t around = innermost_follow(&s->in_thread, r->thread, r->start_ns, &cursor);

		if (around != RANGE_NONE)
			s->out->instances[s->of_thread.ranges[around].row].inside++;
	}
}

/* Where the host runs ahead, an instance begins when the one before is done. */
static void find_own_times(struct mfu_part *s)
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
static bool leave_out_cut(struct mfu_part *s, const struct scope *p)
{
	bool any = false;

	for (size_t i = 0; i < s->count && p->has_trim; i++) {
		struct mfu_instance *x = &s->instances[i];

		x->left_out = x->from_ns < p->from_ns || x->to_ns > p->to_ns;
		s->cut += x->left_out && x->to_ns > p->from_ns && x->from_ns < p->to_ns;
		any |= x->left_out;
	}
	return any;
}

/* Nor is one that left the device alone that is asked about. */
static void keep_rest(struct mfu_part *s, const struct scope *p)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->instances[i].left_out)
			continue;
		if (p->has_device && !s->instances[i].devices)
			s->on_other_devices++;
		else
			s->instances[count++] = s->instances[i];
	}
	s->count = count;
}

/* When an instance ends is known after a first walk; what the others did without it, then. */
static int measure_work(struct finder *f, struct err *e)
{
	struct mfu_walk *walk;
	bool again = false;

	if (mfu_walk_open(&walk, f->trace, f->p, e) < 0)
		return -1;
	for (size_t i = 0; i < f->found; i++) {
		number_instances(f, &f->parts[i]);
		index_instances(f->trace, &f->parts[i]);
		count_inside(&f->parts[i]);
	}
	mfu_walk(walk, f->parts, f->found);
	for (size_t i = 0; i < f->found; i++) {
		find_own_times(f->parts[i].out);
		again |= leave_out_cut(f->parts[i].out, f->p);
	}
	if (again)
		mfu_walk(walk, f->parts, f->found);
	mfu_walk_close(walk);
	for (size_t i = 0; i < f->found; i++) {
		keep_rest(f->parts[i].out, f->p);
		mfu_part_sum(f->parts[i].out, &f->parts[i].devices);
	}
	return 0;
}

static void swap_parts(struct part_ranges *a, struct part_ranges *b)
{
	struct part_ranges other = *a;

	*a = *b;
	*b = other;
}

/* Parts without ranges have nothing to look for. */
static int measure(struct finder *f, struct err *e)
{
	if (pick(f, e) < 0)
		return -1;
	for (size_t i = 0; i < f->count; i++) {
		if (!f->parts[i].of_thread.count)
			continue;
		if (i > f->found)
			swap_parts(&f->parts[i], &f->parts[f->found]);
		f->found++;
	}
	return f->found ? measure_work(f, e) : 0;
}

static int begin_finding(struct finder *f, size_t parts, struct err *e)
{
	f->count = parts;
	f->parts = mem_zalloc(parts, sizeof(*f->parts));
	if (trace_require(f->trace, TRACE_NVTX, e) < 0 ||
	    range_names_read(f->trace, &f->names, e) < 0)
		return -1;
	f->part_of_name = mem_alloc(f->names.names.count, sizeof(*f->part_of_name));
	return 0;
}

static void end_finding(struct finder *f)
{
	for (size_t i = 0; i < f->count; i++) {
		struct part_ranges *s = &f->parts[i];

		innermost_free(&s->in_thread);
		innermost_free(&s->in_process);
		range_forest_free(&s->of_thread);
		range_forest_free(&s->of_process);
		range_forest_free(&s->inside);
		mfu_gpu_times_free(&s->devices);
		free(s->has_own);
	}
	free(f->parts);
	free(f->part_of_name);
	range_names_free(&f->names);
}

/* The ranges that match, or with a map those of its phase. */
static int measure_one(struct mfu_part *ret, struct trace *t, const struct scope *p,
		       const char *name, const struct phase_map *map, struct err *e)
{
	struct finder f = {.trace = t, .p = p};
	int result;

	*ret = (struct mfu_part){0};
	result = begin_finding(&f, 1, e);
	f.parts[0].out = ret;
	if (result == 0)
		result = map ? want_one_phase(&f, map, name, e) : want_pattern(&f, name, e);
	if (result == 0)
		result = measure(&f, e);
	end_finding(&f);
	if (result < 0)
		mfu_part_free(ret);
	return result;
}

int mfu_part_of_phase(struct mfu_part *ret, struct trace *t, const struct scope *p,
		      const char *phase, struct err *e)
{
	struct phase_map map;
	int result;

	*ret = (struct mfu_part){0};
	if (phase_map_read(&map, p->phase_map, e) < 0)
		return -1;
	result = measure_one(ret, t, p, phase, &map, e);
	phase_map_free(&map);
	return result;
}

int mfu_part_of_pattern(struct mfu_part *ret, struct trace *t, const struct scope *p,
			const char *pattern, struct err *e)
{
	return measure_one(ret, t, p, pattern, NULL, e);
}

static void name_phases(struct mfu_phases *ret, const struct phase_map *map)
{
	ret->guessed = map->guessed;
	ret->count = map->count;
	ret->all = arena_zalloc(&ret->arena, map->count, sizeof(*ret->all));
	for (size_t i = 0; i < map->count; i++)
		ret->all[i].name = arena_str(&ret->arena, map->names[i]);
}

int mfu_phases_measure(struct mfu_phases *ret, struct trace *t, const struct scope *p,
		       struct err *e)
{
	struct finder f = {.trace = t, .p = p};
	struct phase_map map;
	int result;

	*ret = (struct mfu_phases){0};
	if (phase_map_read(&map, p->phase_map, e) < 0)
		return -1;
	name_phases(ret, &map);
	result = begin_finding(&f, map.count, e);
	for (size_t i = 0; i < map.count; i++)
		f.parts[i].out = &ret->all[i].part;
	if (result == 0)
		result = want_phases(&f, &map, e);
	if (result == 0)
		result = measure(&f, e);
	end_finding(&f);
	phase_map_free(&map);
	if (result < 0)
		mfu_phases_free(ret);
	return result;
}

void mfu_phases_free(struct mfu_phases *p)
{
	for (size_t i = 0; i < p->count; i++)
		mfu_part_free(&p->all[i].part);
	arena_free(&p->arena);
	*p = (struct mfu_phases){0};
}
