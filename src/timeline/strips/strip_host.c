/* What did the launching thread do around a place? */
#include "timeline/strips/strip_plan.h"
#include "timeline/strips/strip_row.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "trace/calls/os_waits.h"
#include "trace/system/labels.h"

enum {
	LEVELS = 64,  /* of ranges in one another; deeper ones have no row */
	DEPTHS = 3,   /* of ranges that are shown */
	OS_SHARE = 5, /* of a place that OS calls take at least where they say something of it */
};

static const uint8_t class_of_call[CALL_CLASSES] = {
	[CALL_OTHER] = STRIP_OTHER,    [CALL_LAUNCH] = STRIP_LAUNCH,
	[CALL_COPY_SYNC] = STRIP_COPY, [CALL_COPY_ASYNC] = STRIP_COPY,
	[CALL_SYNC] = STRIP_WAIT,      [CALL_WAIT_FREE] = STRIP_OTHER,
	[CALL_ALLOC] = STRIP_MEMORY,   [CALL_MODULE] = STRIP_CODE,
};

static uint32_t name_of_call(const struct strip_maker *m, uint32_t row)
{
	return m->calls.origins[calls_origin(&m->calls, row)].name;
}

static struct str call_name(const void *maker, uint32_t row)
{
	const struct strip_maker *m = maker;
	const uint32_t name = name_of_call(m, row);

	return name == NAME_NONE ? STR_LIT("") : label_api(trace_name(m->trace, name));
}

static struct strip_row *new_row(struct strip_plan *p, enum strip_kind kind, const char *label)
{
	struct strip_row *row = &p->strip->rows[p->strip->row_count++];

	row->kind = kind;
	row->label = label;
	return row;
}

static void add_calls(struct strip_maker *m, struct strip_plan *p)
{
	struct strip_line line;

	if (!p->near[NEAR_CALLS].count)
		return;
	strip_line_begin(&line, p->window);
	for (size_t i = 0; i < p->near[NEAR_CALLS].count; i++) {
		const struct strip_item *c = &p->near[NEAR_CALLS].all[i];
		const enum call_class class = call_class_of(&m->classes, name_of_call(m, c->of));

		if (c->thread == p->thread)
			strip_line_add(&line, (struct span){c->start_ns, c->end_ns},
				       class_of_call[class], c->of);
	}
	strip_line_end(&line, new_row(p, STRIP_CALLS, "CUDA calls"), call_name, m);
}

static struct str os_name(const void *trace, uint32_t row)
{
	const struct trace *t = trace;
	const uint32_t name = t->events[TRACE_OSRT].name[row];

	return name == NAME_NONE ? STR_LIT("") : trace_name(t, name);
}

static uint8_t class_of_os(const struct trace *t, uint32_t row)
{
	const enum os_wait wait = os_wait_of(os_name(t, row));

	return wait == OS_WRITE || wait == OS_WAITS ? STRIP_OTHER : STRIP_WAIT;
}

/* Whether the thread was in the operating system for a part of the place that is worth a row. */
static bool os_explains(const struct strip_plan *p)
{
	int64_t ns = 0, reached_ns = p->place.start_ns;

	for (size_t i = 0; i < p->near[NEAR_OS_CALLS].count; i++) {
		const struct strip_item *c = &p->near[NEAR_OS_CALLS].all[i];
		const struct span here =
			span_common((struct span){c->start_ns, c->end_ns}, p->place);

		if (c->thread == p->thread && here.start_ns < here.end_ns)
			ns = sat_add(ns, span_beyond(here, &reached_ns));
	}
	return ns && ns >= span_ns(p->place) / OS_SHARE;
}

static void add_os_calls(struct strip_maker *m, struct strip_plan *p)
{
	struct strip_line line;

	if (!os_explains(p))
		return;
	strip_line_begin(&line, p->window);
	for (size_t i = 0; i < p->near[NEAR_OS_CALLS].count; i++) {
		const struct strip_item *c = &p->near[NEAR_OS_CALLS].all[i];

		if (c->thread == p->thread)
			strip_line_add(&line, (struct span){c->start_ns, c->end_ns},
				       class_of_os(m->trace, c->of), c->of);
	}
	strip_line_end(&line, new_row(p, STRIP_OS, "OS calls"), os_name, m->trace);
}

/* The ranges of a thread by depth, as far as they lie in the window. */
struct levels {
	struct strip_line lines[LEVELS];
	size_t count;
};

static void add_range(const struct strip_maker *m, const struct strip_plan *p, struct levels *l,
		      uint32_t i)
{
	const struct range *r = &m->forest.ranges[i];
	const uint32_t *names = m->trace->events[TRACE_NVTX].name;
	const uint32_t name = names ? names[r->row] : NAME_NONE;

	if (r->level >= LEVELS)
		return;
	for (; l->count <= r->level; l->count++)
		strip_line_begin(&l->lines[l->count], p->window);
	strip_line_add(&l->lines[r->level], (struct span){r->start_ns, r->end_ns},
		       (uint8_t)(name % STRIP_TINTS), i);
}

/* Those that are open already come from outside in; a range's number is above its parent's. */
static void add_open(const struct strip_maker *m, const struct strip_plan *p, struct levels *l,
		     uint32_t last)
{
	uint32_t chain[LEVELS];
	size_t count = 0;

	for (uint32_t i = last; i != RANGE_NONE && count < LEVELS; i = m->forest.ranges[i].parent)
		chain[count++] = i;
	while (count)
		add_range(m, p, l, chain[--count]);
}

static void find_ranges(const struct strip_maker *m, const struct strip_plan *p, struct levels *l)
{
	const struct range *all = m->forest.ranges;
	const size_t begin = BISECT(0, m->forest.count, at, all[at].thread < p->thread);
	const size_t end = BISECT(begin, m->forest.count, at, all[at].thread <= p->thread);
	const size_t first = BISECT(begin, end, at, all[at].start_ns < p->window.start_ns);

	if (first > begin)
		add_open(m, p, l, (uint32_t)first - 1);
	for (size_t i = first; i < end && all[i].start_ns < p->window.end_ns; i++)
		add_range(m, p, l, (uint32_t)i);
}

uint32_t strip_find_ranges_thread(const struct strip_maker *m, const struct strip_plan *p)
{
	const struct range *all = m->forest.ranges;
	uint32_t best = ID_NONE;
	size_t most = 0;

	for (size_t begin = 0, end; begin < m->forest.count; begin = end) {
		const uint32_t thread = all[begin].thread;
		size_t from, to;

		end = BISECT(begin, m->forest.count, at, all[at].thread <= thread);
		from = BISECT(begin, end, at, all[at].start_ns < p->window.start_ns);
		to = BISECT(from, end, at, all[at].start_ns < p->window.end_ns);
		if (thread != ID_NONE && to - from > most) {
			most = to - from;
			best = thread;
		}
	}
	return best;
}

static bool fills_window(const struct strip_line *l)
{
	return l->spans.count == 1 && strip_line_busy(l) == span_ns(l->window);
}

static struct str range_name(const void *maker, uint32_t i)
{
	const struct strip_maker *m = maker;
	const uint32_t *names = m->trace->events[TRACE_NVTX].name;
	const uint32_t name = names ? names[m->forest.ranges[i].row] : NAME_NONE;

	return name == NAME_NONE ? STR_LIT("") : trace_name(m->trace, name);
}

/* Of ranges that are the same all along the window, the innermost says all. */
static void add_ranges(struct strip_maker *m, struct strip_plan *p)
{
	struct levels levels = {.count = 0};
	size_t from = 0;

	if (!m->forest.count)
		return;
	find_ranges(m, p, &levels);
	while (from + 1 < levels.count && fills_window(&levels.lines[from]) &&
	       levels.lines[from + 1].spans.count)
		from++;
	if (from && !fills_window(&levels.lines[from]))
		from--;
	for (size_t i = 0; i < levels.count; i++) {
		if (i < from || i >= from + DEPTHS || !levels.lines[i].spans.count)
			span_source_free(&levels.lines[i].spans);
		else
			strip_line_end(&levels.lines[i],
				       new_row(p, STRIP_RANGES, i == from ? "ranges" : ""),
				       range_name, m);
	}
}

void strip_add_host(struct strip_maker *m, struct strip_plan *p)
{
	if (p->thread == ID_NONE)
		return;
	add_ranges(m, p);
	add_calls(m, p);
	add_os_calls(m, p);
}
