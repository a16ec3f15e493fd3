/* What happened in the steady part of the run, as far as a finding may need it? */
#include "analysis/explain.h"

#include "analysis/whole_run.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/fold.h"
#include "trace/shared_joins.h"

#include <stdlib.h>

enum { LOADS = 2 }; /* slow launches of a kernel that may be the loading of its code */

/* Collects while a piece of the timeline is walked; attribution to ranges comes after. */
struct collector {
	const struct explain *x;
	struct gap_cursor *cursor;
	/* As those of struct explain; enders by the kernel's whole name. */
	struct tally causes, enders, slow_launches, slow_calls, waits, exposed,
		copy_gaps[COPY_GAPS];
	int64_t beside_ns; /* as that of struct explain */
	/* Of all pieces, each of which has copies of its own. */
	int64_t *copy_exposed_ns; /* by memcpy: exposed time */
	uint32_t *copy_device;
};

/* What is known of copies once all pieces are walked. */
struct copy_facts {
	int64_t *exposed_ns;
	uint32_t *device;
};

static uint32_t kernel_name(const struct trace *t, const struct op *op)
{
	const struct events *ev = &t->events[TRACE_KERNELS];

	return op->kind == TRACE_KERNELS && ev->name ? ev->name[op->row] : NAME_NONE;
}

static uint32_t folded_range(const struct explain *x, uint32_t range)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	uint32_t name = range == RANGE_NONE
				? NAME_NONE
				: ev->name[x->judge.attribution.forest.ranges[range].row];

	return name == NAME_NONE ? NAME_NONE : x->folded[name];
}

/* Template arguments tell apart what is one kernel to the person who launches it. */
static struct str stem(struct str name)
{
	const char *end = memchr(name.s, '<', name.len);

	return end ? (struct str){name.s, (size_t)(end - name.s)} : name;
}

static void add_ender(struct collector *c, uint32_t range, const struct gap *gap)
{
	const struct events *ev = &c->x->trace->events[TRACE_KERNELS];
	uint32_t name = ev->duration_ns[gap->row] <= TINY_NS ? ev->name[gap->row] : NAME_NONE;

	tally_add(&c->enders, range, name, gap->device, gap->start_ns, gap_ns(gap));
}

static uint32_t ender_name(const struct trace *t, const struct gap *gap)
{
	const struct events *ev = &t->events[TRACE_KERNELS];

	return gap->kind == TRACE_KERNELS && ev->name ? ev->name[gap->row] : NAME_NONE;
}

/* A gap that has another cause may begin with a wait all the same. */
static void add_sync_part(struct collector *c, const struct gap *gap)
{
	if (!gap->ns[BLAME_SYNC])
		return;
	tally_add(&c->waits, WAITS_SYNC, 0, gap->device, gap->start_ns, gap->ns[BLAME_SYNC]);
	tally_add(&c->waits, WAITS_TOUCHED, 0, gap->device, gap->start_ns, gap_ns(gap));
}

/* Without the wait the thread would have been that much earlier, and no more. */
static int64_t sync_cost(const struct gap *gap)
{
	int64_t waited = sat_add(gap->waited_ns, gap->ns[BLAME_SYNC]);

	return waited < gap_ns(gap) ? waited : gap_ns(gap);
}

/* What would go away with the cause. What the profiler took goes away without it. */
static int64_t gap_cost(const struct gap *gap)
{
	int64_t ns = gap->cause == CAUSE_SYNC	       ? sync_cost(gap)
		     : gap->cause == CAUSE_SLOW_LAUNCH ? gap->ns[BLAME_LAUNCH]
						       : gap_ns(gap);
	int64_t most = gap_ns(gap) - gap->profiler_ns - gap_held_ns(gap);

	/* From one kernel to the next takes a GPU its time: that much is no loss. */
	if (gap->cause == CAUSE_QUEUED)
		return gap_held_ns(gap);
	ns = ns < most ? ns : most;
	return ns > 0 ? ns : 0;
}

/* The sort of a copy right before the gap, or else of the one that ends it. */
static uint32_t gap_sort(const struct explain *x, const struct gap *gap)
{
	if (gap->before_kind == TRACE_MEMCPYS)
		return x->copy_sort[gap->before_row];
	return gap->kind == TRACE_MEMCPYS ? x->copy_sort[gap->row] : COPY_UNSORTED;
}

/*
 * Whether the gap would not be there if the copies around it were one: whatever the host did to
 * get from the one to the next, unless that is worth a word of its own.
 */
static bool is_between_copies(const struct explain *x, const struct gap *gap)
{
	uint32_t sort;

	if (gap->before_kind != TRACE_MEMCPYS || gap->kind != TRACE_MEMCPYS ||
	    gap->cause == CAUSE_STALL || gap->cause == CAUSE_ALLOC ||
	    gap->cause == CAUSE_SLOW_LAUNCH || gap->cause == CAUSE_CALLS || gap_held_ns(gap))
		return false;
	sort = x->copy_sort[gap->row];
	return sort != COPY_UNSORTED && sort == x->copy_sort[gap->before_row] &&
	       x->copy_times[sort].one_by_one;
}

static void add_cause(struct collector *c, const struct gap *gap, uint32_t range)
{
	const struct explain *x = c->x;

	if (gap->cause != CAUSE_SYNC)
		add_sync_part(c, gap);
	if (gap->cause == CAUSE_QUEUED && !gap_held_ns(gap))
		tally_add(&c->waits, WAITS_PAUSED, 0, gap->device, gap->start_ns, gap_ns(gap));
	if (gap->cause == CAUSE_SLOW_LAUNCH) {
		tally_add(&c->slow_launches, range, ender_name(x->trace, gap), gap->device,
			  gap->start_ns, gap_cost(gap));
		return;
	}
	tally_add(&c->causes, gap->cause, range, gap->device, gap->start_ns, gap_cost(gap));
	if (gap->cause == CAUSE_LAUNCH_BOUND && gap->kind == TRACE_KERNELS &&
	    x->trace->events[TRACE_KERNELS].name)
		add_ender(c, range, gap);
	if (gap->cause == CAUSE_ALLOC)
		c->beside_ns = sat_add(c->beside_ns, gap->ns[BLAME_LAUNCH]);
	if (gap->cause == CAUSE_CALLS)
		tally_add(&c->slow_calls, 0, x->judge.calls.origins[gap->slow_call].name,
			  gap->device, gap->start_ns, gap_cost(gap));
	if (gap->cause == CAUSE_COPY)
		tally_add(&c->copy_gaps[GAP_IN_CALLS], gap_sort(x, gap), range, gap->device,
			  gap->start_ns, gap_ns(gap) - gap->profiler_ns);
}

static void take_gap(struct collector *c, const struct slice *s)
{
	const struct explain *x = c->x;
	const struct gap *gap = gap_judge_slice(&x->judge, c->cursor, s);
	uint32_t range = folded_range(x, gap->range);

	if (gap->ns[BLAME_OVERHEAD])
		tally_add(&c->causes, CAUSE_OVERHEAD, range, gap->device, gap->start_ns,
			  gap->ns[BLAME_OVERHEAD]);
	if (gap->cause == CAUSE_OVERHEAD)
		return;
	if (is_between_copies(x, gap))
		tally_add(&c->copy_gaps[GAP_BETWEEN], x->copy_sort[gap->row], range, gap->device,
			  gap->start_ns, gap_ns(gap) - gap->profiler_ns);
	else
		add_cause(c, gap, range);
}

static void take_slice(void *ctx, const struct slice *s)
{
	struct collector *c = ctx;
	const struct trace *t = c->x->trace;
	int64_t ns = s->end_ns - s->start_ns;

	switch (s->kind) {
	case SLICE_IDLE:
		take_gap(c, s);
		break;
	case SLICE_NARROW: /* only the part of the device that lies idle is lost */
		if (s->op->end_ns - s->op->start_ns < SHORT_NS)
			break;
		tally_add(&c->exposed, s->kind, kernel_name(t, s->op), s->device, s->start_ns,
			  ns / FILL_ALL * (FILL_ALL - s->op->fill));
		break;
	case SLICE_COMM:
		tally_add(&c->exposed, s->kind, kernel_name(t, s->op), s->device, s->start_ns, ns);
		break;
	case SLICE_COPY:
		if (s->op->kind == TRACE_MEMCPYS) {
			c->copy_exposed_ns[s->op->row] += ns;
			c->copy_device[s->op->row] = s->device;
		}
		break;
	default:
		break;
	}
}

static size_t copy_index(struct explain *x, uint32_t kind, uint32_t src, uint32_t dst)
{
	for (size_t i = 0; i < x->copy_count; i++) {
		const struct copy_time *c = &x->copy_times[i];

		if (c->copy_kind == kind && c->src_kind == src && c->dst_kind == dst)
			return i;
	}
	MEM_GROW(x->copy_times, x->copy_cap, x->copy_count + 1);
	x->copy_times[x->copy_count] =
		(struct copy_time){.copy_kind = kind, .src_kind = src, .dst_kind = dst};
	return x->copy_count++;
}

/* Before the walk: what a gap beside a copy means depends on how many of its sort there are. */
static void sort_copies(struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_MEMCPYS];

	x->copy_count = 0;
	free(x->copy_sort);
	x->copy_sort = mem_alloc(ev->count, sizeof(*x->copy_sort));
	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t ns = explain_op_ns(x, TRACE_MEMCPYS, i);
		bool known =
			ev->copy_kind && ev->src_kind && ev->dst_kind && x->copy_count < COPY_SORTS;
		size_t sort;

		x->copy_sort[i] = COPY_UNSORTED;
		if (!ns)
			continue;
		sort = copy_index(x, known ? ev->copy_kind[i] : ID_NONE,
				  known ? ev->src_kind[i] : ID_NONE,
				  known ? ev->dst_kind[i] : ID_NONE);
		x->copy_sort[i] = (uint8_t)sort;
		x->copy_times[sort].count++;
		x->copy_times[sort].total_ns = sat_add(x->copy_times[sort].total_ns, ns);
		if (ev->bytes && ev->bytes[i] > 0)
			x->copy_times[sort].bytes =
				sat_add(x->copy_times[sort].bytes, ev->bytes[i]);
	}
	for (size_t i = 0; i < x->copy_count; i++)
		x->copy_times[i].one_by_one = copies_are_small(&x->copy_times[i]);
}

static void add_exposed_copies(struct explain *x, const struct copy_facts *c)
{
	const struct events *ev = &x->trace->events[TRACE_MEMCPYS];

	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t range = RANGE_NONE;

		if (!c->exposed_ns[i])
			continue;
		if (x->judge.joined)
			range = attribution_range(&x->judge.attribution, TRACE_MEMCPYS, i);
		tally_add(&x->copies, x->copy_sort[i], folded_range(x, range), c->device[i],
			  ev->start_ns[i], c->exposed_ns[i]);
	}
}

static void add_thread_times(struct explain *x)
{
	int64_t ns[WAITS];

	gap_judge_threads(&x->judge, x->timeline.from_ns, x->timeline.to_ns, ns);
	x->wait_ns = sat_add(ns[WAIT_GPU],
			     gap_judge_tail(&x->judge, x->timeline.from_ns, x->timeline.to_ns));
	x->alloc_ns = sat_add(x->alloc_ns, ns[WAIT_ALLOC]);
}

static void add_graphs(struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_GRAPHS];

	for (uint64_t i = 0; i < ev->count; i++)
		x->graph_ns = sat_add(x->graph_ns, explain_op_ns(x, TRACE_GRAPHS, i));
}

static int choose_window(struct explain *x, const struct params *p, struct err *e)
{
	x->params = *p;
	if (p->has_trim)
		return 0;
	if (steady_find(x->trace, p, &x->report->arena, &x->steady, e) < 0)
		return -1;
	if (!x->steady.found)
		return 0;
	x->params.has_trim = true;
	x->params.from_ns = x->steady.from_ns;
	x->params.to_ns = x->steady.to_ns;
	return 0;
}

/*
 * The steps' work on the GPU lasts longer than the steps on the host, which runs ahead. False where
 * they launched so little of all work that the run is something else.
 */
static bool extend_window(struct explain *x)
{
	int64_t all_ns = 0, theirs_ns = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS && x->judge.joined; kind++) {
		const struct events *ev = &x->trace->events[kind];

		for (uint64_t i = 0; i < ev->count; i++) {
			struct api_call call;
			int64_t end;

			if (!attribution_call(&x->judge.attribution, kind, i, &call) ||
			    ev->duration_ns[i] == DURATION_NONE || ev->duration_ns[i] < 0)
				continue;
			all_ns = sat_add(all_ns, ev->duration_ns[i]);
			if (call.start_ns > x->steady.to_ns)
				continue;
			if (call.start_ns >= x->steady.from_ns)
				theirs_ns = sat_add(theirs_ns, ev->duration_ns[i]);
			end = sat_add(ev->start_ns[i], ev->duration_ns[i]);
			x->params.to_ns = end > x->params.to_ns ? end : x->params.to_ns;
		}
	}
	return all_ns == 0 || is_share(theirs_ns, all_ns, 0.1);
}

/* The whole run instead. */
static void forget_steady(struct explain *x)
{
	x->steady.found = false;
	x->params = *x->asked;
}

static bool has_ops(const struct timeline *l)
{
	for (size_t d = 0; d < l->count; d++) {
		if (l->devices[d].ops)
			return true;
	}
	return false;
}

/* The stem's number in x->stems of each kernel that ended a gap. */
static uint32_t *find_stems(struct explain *x, const struct tally *enders)
{
	uint32_t *stems = mem_alloc(x->trace->names.count, sizeof(*stems));

	for (size_t i = 0; i < enders->count; i++) {
		uint32_t name = enders->rows[i].name;

		if (name != NAME_NONE)
			stems[name] = strtab_add(&x->stems, stem(x->trace->names.items[name]));
	}
	return stems;
}

static void end_piece(struct explain *x, struct collector *c)
{
	uint32_t *stems = find_stems(x, &c->enders);

	tally_add_all(&x->causes, &c->causes, NULL);
	tally_add_all(&x->enders, &c->enders, stems);
	tally_add_all(&x->slow_launches, &c->slow_launches, NULL);
	tally_add_all(&x->slow_calls, &c->slow_calls, NULL);
	tally_add_all(&x->waits, &c->waits, NULL);
	tally_add_all(&x->exposed, &c->exposed, NULL);
	x->beside_ns = sat_add(x->beside_ns, c->beside_ns);
	for (int i = 0; i < COPY_GAPS; i++) {
		tally_add_all(&x->copy_gaps[i], &c->copy_gaps[i], NULL);
		tally_free(&c->copy_gaps[i]);
	}
	free(stems);
	tally_free(&c->causes);
	tally_free(&c->enders);
	tally_free(&c->slow_launches);
	tally_free(&c->slow_calls);
	tally_free(&c->waits);
	tally_free(&c->exposed);
}

static struct collector *begin_pieces(const struct explain *x, struct copy_facts *copies,
				      struct gap_cursor *cursors, size_t pieces)
{
	const uint64_t count = x->trace->events[TRACE_MEMCPYS].count;
	struct collector *all = mem_zalloc(pieces, sizeof(*all));

	*copies = (struct copy_facts){
		.exposed_ns = mem_zalloc(count, sizeof(*copies->exposed_ns)),
		.device = mem_zalloc(count, sizeof(*copies->device)),
	};
	for (size_t i = 0; i < pieces; i++) {
		struct collector *c = &all[i];

		*c = (struct collector){.x = x, .cursor = &cursors[i]};
		c->copy_exposed_ns = copies->exposed_ns;
		c->copy_device = copies->device;
		c->causes.devices = c->enders.devices = c->slow_launches.devices =
			c->slow_calls.devices = c->waits.devices = c->exposed.devices =
				x->timeline.count;
		for (int k = 0; k < COPY_GAPS; k++)
			c->copy_gaps[k].devices = x->timeline.count;
	}
	return all;
}

static void begin_tallies(struct explain *x)
{
	x->causes.devices = x->enders.devices = x->slow_launches.devices = x->slow_calls.devices =
		x->waits.devices = x->exposed.devices = x->copies.devices = x->timeline.count;
	for (int i = 0; i < COPY_GAPS; i++)
		x->copy_gaps[i].devices = x->timeline.count;
}

static void free_tallies(struct explain *x)
{
	tally_free(&x->causes);
	tally_free(&x->enders);
	tally_free(&x->exposed);
	tally_free(&x->copies);
	tally_free(&x->slow_launches);
	tally_free(&x->slow_calls);
	tally_free(&x->waits);
	for (int i = 0; i < COPY_GAPS; i++)
		tally_free(&x->copy_gaps[i]);
}

/* Others will ask about the whole run: it is looked at in the same walk. */
static int walk(struct explain *x, struct copy_facts *copies, struct err *e)
{
	struct timeline_view views[2];
	size_t pieces = timeline_pieces(&x->ops);
	struct gap_cursor *cursors = mem_zalloc(pieces, sizeof(*cursors));
	struct whole_walk *whole = NULL;
	struct collector *all;
	int result;

	timeline_begin(&x->ops, &x->params, &x->timeline);
	begin_tallies(x);
	sort_copies(x);
	all = begin_pieces(x, copies, cursors, pieces);
	views[0] = (struct timeline_view){x->trace,   &x->params, &x->timeline,
					  take_slice, all,	  sizeof(*all)};
	if (x->shares)
		whole = whole_walk_begin(x->trace, &x->ops, x->asked, &x->judge, cursors, pieces);
	if (whole)
		views[1] = whole_walk_view(whole);
	timeline_walk_views(&x->ops, views, whole ? 2 : 1, pieces);
	if (whole)
		whole_walk_keep(whole);
	result = gap_judge_check(&x->judge, cursors, pieces, e);
	for (size_t i = 0; i < pieces; i++) {
		end_piece(x, &all[i]);
		gap_cursor_free(&cursors[i]);
	}
	free(all);
	free(cursors);
	return result;
}

/* Devices run side by side: the run cannot get shorter than what the busiest computes. */
static int64_t find_slack(const struct explain *x)
{
	int64_t most_ns = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		int64_t ns = device_compute_ns(&x->timeline.devices[d]);

		most_ns = ns > most_ns ? ns : most_ns;
	}
	return x->window_ns - most_ns;
}

/* Steps that no GPU takes part in are not the run that was asked about. */
static int walk_all(struct explain *x, struct copy_facts *copies, struct err *e)
{
	free(copies->exposed_ns);
	free(copies->device);
	timeline_free(&x->timeline);
	free_tallies(x);
	x->beside_ns = 0;
	forget_steady(x);
	return walk(x, copies, e);
}

/* How often each kernel's launch was slow; the last is of ops without a name. */
static uint64_t *count_slow_launches(const struct explain *x)
{
	uint64_t *counts = mem_zalloc(x->trace->names.count + 1, sizeof(*counts));

	for (size_t i = 0; i < x->slow_launches.count; i++) {
		const struct tally_row *row = &x->slow_launches.rows[i];

		counts[row->name == NAME_NONE ? x->trace->names.count : row->name] += row->count;
	}
	return counts;
}

/* A kernel's code is loaded once, on each device: launches that are slow again do something else.
 */
static void sort_slow_launches(struct explain *x)
{
	uint64_t *counts = count_slow_launches(x);

	for (size_t i = 0; i < x->slow_launches.count; i++) {
		const struct tally_row *row = &x->slow_launches.rows[i];
		uint32_t name =
			row->name == NAME_NONE ? (uint32_t)x->trace->names.count : row->name;
		bool loads = counts[name] <= LOADS || counts[name] <= x->timeline.count;

		tally_add_row(&x->causes, loads ? CAUSE_ALLOC : CAUSE_SLOW_LAUNCH, row->group,
			      &x->slow_launches, i);
		if (loads)
			x->loading_ns = sat_add(x->loading_ns, row->total_ns);
	}
	x->alloc_ns = sat_add(x->alloc_ns, x->loading_ns);
	free(counts);
}

static int collect(struct explain *x, struct copy_facts *copies, struct err *e)
{
	const uint32_t copy_columns = COL_BIT(COL_COPY_KIND) | COL_BIT(COL_SRC_KIND) |
				      COL_BIT(COL_DST_KIND) | COL_BIT(COL_BYTES);

	if (ops_open(&x->ops, x->trace, e) < 0 || ops_find_fill(&x->ops, e) < 0 ||
	    trace_load(x->trace, TRACE_MEMCPYS, copy_columns, e) < 0 ||
	    gap_judge_open(&x->judge, x->trace, e) < 0)
		return -1;
	if (x->steady.found && !extend_window(x))
		forget_steady(x);
	x->folded = fold_names(&x->trace->names, &x->report->arena, &x->folded_names);
	/* Before the walk, which all cores share: while this one does it others have other work. */
	if (explain_phases(x, e) < 0 || walk(x, copies, e) < 0)
		return -1;
	if (x->steady.found && !has_ops(&x->timeline) &&
	    (walk_all(x, copies, e) < 0 || explain_phases(x, e) < 0))
		return -1;
	if (timeline_require(&x->timeline, x->trace, &x->params, e) < 0)
		return -1;
	x->window_ns = x->timeline.to_ns - x->timeline.from_ns;
	x->slack_ns = find_slack(x);
	sort_slow_launches(x);
	explain_add_kernels(x);
	add_exposed_copies(x, copies);
	add_thread_times(x);
	add_graphs(x);
	return 0;
}

static int find_all(struct explain *x, struct err *e)
{
	explain_gaps(x);
	if (explain_launches(x, e) < 0)
		return -1;
	explain_copies(x);
	explain_kernels(x);
	explain_devices(x);
	return explain_capture(x, e);
}

int explain_make(struct explain *x, struct trace *t, const struct params *p, struct report *r,
		 struct err *e)
{
	struct copy_facts copies = {0};
	int result;

	/* Gaps, launches and phases all ask who launched what. */
	*x = (struct explain){.trace = t, .report = r, .asked = p, .shares = shared_joins_lend(t)};
	result = choose_window(x, p, e);
	if (result == 0)
		result = collect(x, &copies, e);
	if (result == 0)
		result = find_all(x, e);
	free(copies.exposed_ns);
	free(copies.device);
	if (result < 0)
		explain_free(x);
	return result;
}

void explain_free(struct explain *x)
{
	gap_judge_close(&x->judge);
	timeline_free(&x->timeline);
	ops_close(&x->ops);
	free_tallies(x);
	strtab_free(&x->folded_names);
	strtab_free(&x->stems);
	free(x->folded);
	free(x->copy_times);
	free(x->copy_sort);
	free(x->kernels);
	free(x->found);
	phases_free(&x->phases);
	shared_joins_return(x->trace, x->shares);
	*x = (struct explain){0};
}
