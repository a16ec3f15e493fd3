/* What did the GPUs do, from beginning to end? */
#include "analysis/gpu/whole_run.h"

#include "analysis/kept_answers.h"
#include "base/mem.h"
#include "base/sort.h"
#include "report/chart.h"

#include <stdatomic.h>
#include <stdlib.h>

static void utilisation_begin(struct utilisation *u, const struct timeline *l)
{
	u->timeline = l;
	u->width_ns = (double)(l->to_ns - l->from_ns) / UTILISATION_BUCKETS;
	u->busy_ns = mem_zalloc(l->count * UTILISATION_BUCKETS, sizeof(*u->busy_ns));
	u->last = mem_zalloc_apart(l->count, sizeof(*u->last));
}

/* A long slice fills many buckets, a short one a part of one. */
static void fill_buckets(const struct utilisation *u, double *busy, struct bucket *last, double at,
			 double end)
{
	for (size_t i = (size_t)(at / u->width_ns); i < UTILISATION_BUCKETS && at < end; i++) {
		double edge = (double)(i + 1) * u->width_ns, until = edge < end ? edge : end;

		busy[i] += until > at ? until - at : 0;
		at = until > at ? until : at;
		*last = (struct bucket){i, (double)i * u->width_ns, edge};
	}
}

/* Takes each slice of the walk in which the device is busy. */
static void utilisation_take(struct utilisation *u, const struct slice *s)
{
	double *busy = u->busy_ns + (size_t)s->device * UTILISATION_BUCKETS;
	struct bucket *last = &u->last[s->device];
	double at = (double)(s->start_ns - u->timeline->from_ns);
	double end = (double)(s->end_ns - u->timeline->from_ns);

	/* Nearly every slice lies in the bucket of the one before. */
	if (at > last->from && end <= last->to)
		busy[last->number] += end - at;
	else if (u->width_ns > 0)
		fill_buckets(u, busy, last, at, end);
}

/* What another has taken of the same timeline. */
static void utilisation_add_all(struct utilisation *u, const struct utilisation *more)
{
	for (size_t i = 0; i < u->timeline->count * UTILISATION_BUCKETS; i++)
		u->busy_ns[i] += more->busy_ns[i];
}

static struct chart_part *name_devices(const struct timeline *l, struct report *r)
{
	struct chart_part *parts = arena_alloc(&r->arena, l->count, sizeof(*parts));

	for (size_t d = 0; d < l->count; d++)
		parts[d] = (struct chart_part){device_label(&r->arena, &l->devices[d]), HUE_NEXT};
	return parts;
}

void utilisation_report(const struct utilisation *u, struct report *r)
{
	const struct timeline *l = u->timeline;
	double width = u->width_ns;
	struct chart *c;

	if (l->count && width > 0) {
		c = report_new_chart(r, CHART_SERIES, "GPU busy over time", UNIT_PERCENT,
				     UTILISATION_BUCKETS, name_devices(l, r), l->count);
		c->from = (double)l->from_ns;
		c->to = (double)l->to_ns;
		c->top = 100;
		for (size_t d = 0; d < l->count; d++) {
			for (size_t i = 0; i < UTILISATION_BUCKETS; i++)
				chart_item(c, i)[d] =
					100 * u->busy_ns[d * UTILISATION_BUCKETS + i] / width;
		}
	}
}

static void utilisation_free(struct utilisation *u)
{
	free(u->busy_ns);
	free(u->last);
	*u = (struct utilisation){0};
}

/* Of equal ones the earliest comes first, and then that of the first device. */
static int compare_gaps(const void *a, const void *b, void *ctx)
{
	const struct gap *x = a, *y = b;

	(void)ctx;
	if (gap_ns(x) != gap_ns(y))
		return gap_ns(x) > gap_ns(y) ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

/* After the last one: the longest first, of equal ones the earliest. */
static void longest_gaps_sort(struct longest_gaps *l)
{
	sort_stable(l->gaps, l->count, sizeof(*l->gaps), compare_gaps, NULL);
	if (l->limit && l->count > l->limit)
		l->count = l->limit;
}

/* As many as are wanted are at least that long. */
static void raise_floor(_Atomic int64_t *floor, int64_t ns)
{
	int64_t known = atomic_load_explicit(floor, memory_order_relaxed);

	while (known < ns && !atomic_compare_exchange_weak_explicit(
				     floor, &known, ns, memory_order_relaxed, memory_order_relaxed))
		;
}

static bool is_too_short(const struct longest_gaps *l, const struct gap *gap)
{
	return l->limit && gap_ns(gap) < atomic_load_explicit(l->floor, memory_order_relaxed);
}

/* Twice as many as are wanted are collected before the shorter half is forgotten. */
static void longest_gaps_add(struct longest_gaps *l, const struct gap *gap)
{
	if (is_too_short(l, gap) || (l->has_least && compare_gaps(gap, &l->least, NULL) > 0))
		return;
	MEM_GROW(l->gaps, l->cap, l->count + 1);
	l->gaps[l->count++] = *gap;
	if (!l->limit || l->count / 2 < l->limit)
		return;
	longest_gaps_sort(l);
	l->least = l->gaps[l->count - 1];
	l->has_least = true;
	raise_floor(l->floor, gap_ns(&l->least));
}

const int64_t gap_class_limits_ns[GAP_CLASSES] = {
	1000, 2000, 5000, 10000, 20000, 50000, 100000, 1000000, 10000000, 100000000, INT64_MAX};

/* `limit` of the longest gaps are kept; 0: all. Those that become one share the floor. */
static void gap_study_begin(struct gap_study *s, size_t devices, uint64_t limit,
			    _Atomic int64_t *floor)
{
	*s = (struct gap_study){.longest = {.limit = limit, .floor = floor}};
	s->devices = mem_zalloc(devices, sizeof(*s->devices));
}

/* Counted, not searched for: where a search of millions ends nothing can foretell. */
static int class_of(int64_t ns)
{
	int c = 0;

	for (int i = 0; i + 1 < GAP_CLASSES; i++)
		c += ns >= gap_class_limits_ns[i];
	return c;
}

static void gap_study_take(struct gap_study *s, const struct gap *gap)
{
	struct device_gaps *d = &s->devices[gap->device];
	int class = class_of(gap_ns(gap));

	for (int b = 0; b < BLAMES; b++)
		d->total_ns[b] += gap->ns[b];
	d->count++;
	d->in_class[class]++;
	d->class_ns[class] += gap_ns(gap);
	if (gap_ns(gap) > d->longest_ns)
		d->longest_ns = gap_ns(gap);
	s->count++;
	longest_gaps_add(&s->longest, gap);
}

static void add_devices(struct device_gaps *to, const struct device_gaps *from)
{
	to->count += from->count;
	for (int c = 0; c < GAP_CLASSES; c++) {
		to->in_class[c] += from->in_class[c];
		to->class_ns[c] += from->class_ns[c];
	}
	for (int b = 0; b < BLAMES; b++)
		to->total_ns[b] += from->total_ns[b];
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
}

/* What another has taken after this one, of the same devices. */
static void gap_study_add_all(struct gap_study *s, const struct gap_study *more, size_t devices)
{
	for (size_t i = 0; i < devices; i++)
		add_devices(&s->devices[i], &more->devices[i]);
	s->count += more->count;
	for (size_t i = 0; i < more->longest.count; i++)
		longest_gaps_add(&s->longest, &more->longest.gaps[i]);
}

/* After the last one, while its judge still knows the ranges. */
static void gap_study_end(struct gap_study *s, const struct gap_judge *j)
{
	const struct events *ev = &j->trace->events[TRACE_NVTX];
	const struct range *ranges = j->attribution.forest.ranges;

	longest_gaps_sort(&s->longest);
	s->range_names = mem_alloc(s->longest.count, sizeof(*s->range_names));
	for (size_t i = 0; i < s->longest.count; i++) {
		uint32_t range = s->longest.gaps[i].range;

		s->range_names[i] = range == RANGE_NONE ? NAME_NONE : ev->name[ranges[range].row];
	}
}

static void gap_study_free(struct gap_study *s)
{
	free(s->longest.gaps);
	free(s->devices);
	free(s->range_names);
	*s = (struct gap_study){0};
}

static void free_run(void *p)
{
	struct whole_run *w = p;

	if (!w)
		return;
	gap_study_free(&w->gaps);
	utilisation_free(&w->utilisation);
	timeline_free(&w->timeline);
	free(w);
}

static void free_answer(void *run)
{
	free_run(*(struct whole_run **)run);
}

static const struct kept_answers kept = {sizeof(struct whole_run *), NULL, free_answer};

/* What is collected in one piece of the walk. */
struct piece {
	MEM_APART const struct gap_judge *judge; /* NULL: gaps are not looked at */
	struct gap_cursor *cursor;
	struct utilisation utilisation;
	struct gap_study gaps;
};

struct whole_walk {
	struct trace *trace;
	const struct scope *p;
	const struct gap_judge *judge;
	struct whole_run *run;
	struct piece *pieces;
	size_t count;
	_Atomic int64_t gap_floor;
};

static struct whole_walk *begin_walk(struct trace *t, const struct ops *o, const struct scope *p,
				     const struct gap_judge *judge, struct gap_cursor *cursors,
				     size_t pieces, uint64_t gap_limit)
{
	struct whole_walk *w = mem_alloc(1, sizeof(*w));
	struct whole_run *run = mem_zalloc(1, sizeof(*run));

	*w = (struct whole_walk){.trace = t, .p = p, .judge = judge, .run = run, .count = pieces};
	run->faults = o->times.faults;
	timeline_begin(o, p, &run->timeline);
	w->pieces = mem_zalloc_apart(pieces, sizeof(*w->pieces));
	for (size_t i = 0; i < pieces; i++) {
		struct piece *piece = &w->pieces[i];

		utilisation_begin(&piece->utilisation, &run->timeline);
		piece->judge = judge;
		if (!judge)
			continue;
		piece->cursor = &cursors[i];
		gap_study_begin(&piece->gaps, run->timeline.count, gap_limit, &w->gap_floor);
	}
	return w;
}

static void take_slice(void *ctx, const struct slice *s)
{
	struct piece *p = ctx;

	if (s->kind != SLICE_IDLE)
		utilisation_take(&p->utilisation, s);
	else if (p->judge)
		gap_study_take(&p->gaps, gap_judge_slice(p->judge, p->cursor, s));
}

struct timeline_view whole_walk_view(struct whole_walk *w)
{
	return (struct timeline_view){w->trace,	  w->p,	     &w->run->timeline,
				      take_slice, w->pieces, sizeof(*w->pieces)};
}

/* The first piece takes what the others have. */
static struct whole_run *end_walk(struct whole_walk *w)
{
	struct whole_run *run = w->run;

	run->utilisation = w->pieces[0].utilisation;
	run->gaps = w->pieces[0].gaps;
	for (size_t i = 1; i < w->count; i++) {
		struct piece *piece = &w->pieces[i];

		utilisation_add_all(&run->utilisation, &piece->utilisation);
		utilisation_free(&piece->utilisation);
		if (!w->judge)
			continue;
		gap_study_add_all(&run->gaps, &piece->gaps, run->timeline.count);
		gap_study_free(&piece->gaps);
	}
	run->gaps.longest.floor = NULL;
	if (w->judge)
		gap_study_end(&run->gaps, w->judge);
	free(w->pieces);
	free(w);
	return run;
}

struct whole_walk *whole_walk_begin(struct trace *t, const struct ops *o, const struct scope *p,
				    const struct gap_judge *judge, struct gap_cursor *cursors,
				    size_t pieces)
{
	return kept_answers_any(&kept, t)
		       ? NULL
		       : begin_walk(t, o, p, judge, cursors, pieces, WHOLE_RUN_GAPS);
}

void whole_walk_keep(struct whole_walk *w)
{
	const struct scope *p = w->p;
	struct trace *t = w->trace;
	struct whole_run *run = end_walk(w);

	if (!kept_answers_add(&kept, t, p, &run))
		free_run(run);
}

static int walk_ops(struct trace *t, const struct scope *p, const struct gap_judge *judge,
		    uint64_t gap_limit, struct whole_run **ret, struct err *e)
{
	struct timeline_view view;
	struct gap_cursor *cursors;
	struct whole_walk *w;
	struct ops o;
	size_t pieces;
	int result;

	if (ops_open(&o, t, e) < 0)
		return -1;
	pieces = timeline_pieces(&o);
	cursors = mem_zalloc_apart(pieces, sizeof(*cursors));
	w = begin_walk(t, &o, p, judge, cursors, pieces, gap_limit);
	view = whole_walk_view(w);
	timeline_walk_views(&o, &view, 1, pieces);
	ops_close(&o);
	*ret = end_walk(w);
	result = judge ? gap_judge_check(judge, cursors, pieces, e) : 0;
	for (size_t i = 0; i < pieces; i++)
		gap_cursor_free(&cursors[i]);
	free(cursors);
	return result;
}

static int make_run(struct trace *t, const struct scope *p, bool with_gaps, uint64_t gap_limit,
		    struct whole_run **ret, struct err *e)
{
	struct gap_judge judge;
	int result;

	if (!with_gaps)
		return walk_ops(t, p, NULL, 0, ret, e);
	result = gap_judge_open(&judge, t, e);
	if (result == 0)
		result = walk_ops(t, p, &judge, gap_limit, ret, e);
	gap_judge_close(&judge);
	return result;
}

int whole_run_read(struct trace *t, const struct scope *p, bool with_gaps, uint64_t gap_limit,
		   struct report *r, const struct whole_run **ret, struct err *e)
{
	const bool keeps_enough = !with_gaps || (gap_limit && gap_limit <= WHOLE_RUN_GAPS);
	struct whole_run *made = NULL;
	int result;

	if (keeps_enough && kept_answers_find(&kept, t, p, ret))
		return 0;
	result = make_run(t, p, with_gaps, gap_limit, &made, e);
	report_on_free(r, free_run, made);
	*ret = made;
	return result;
}
