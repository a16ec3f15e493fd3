/* What does each instant of the window cost, and whose fault is it? */
#include "analysis/findings/collect.h"

#include "analysis/code/code_times.h"
#include "analysis/gpu/whole_run.h"
#include "analysis/steps/iteration_times.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

uint32_t collect_kernel_name(const struct trace *t, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &t->events[TRACE_KERNELS];

	return kind == TRACE_KERNELS && ev->name ? ev->name[row] : NAME_NONE;
}

uint32_t explain_folded_range(const struct explain *x, uint32_t range)
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

/* Time of a kernel that nothing else overlaps, or what is lost of it. */
static void take_exposed(struct collector *c, const struct slice *s, int64_t ns)
{
	struct time_sums *sums = &c->sums[SUM_EXPOSED];
	const uint32_t row = time_sums_add(
		sums, s->kind, collect_kernel_name(c->x->trace, s->op->kind, s->op->row), s->device,
		ns);

	time_sums_add_place(
		sums, row, s->device,
		(struct time_part){{s->start_ns, s->end_ns}, {s->op->start_ns, s->op->end_ns}});
}

static void take_slice(void *ctx, const struct slice *s)
{
	struct collector *c = ctx;
	int64_t ns = s->end_ns - s->start_ns;

	switch (s->kind) {
	case SLICE_IDLE:
		collect_take_gap(c, s);
		break;
	case SLICE_NARROW: /* only the part of the device that lies idle is lost */
		if (s->op->end_ns - s->op->start_ns < SHORT_NS)
			break;
		take_exposed(c, s, ns / FILL_ALL * (FILL_ALL - s->op->fill));
		break;
	case SLICE_COMM:
		take_exposed(c, s, ns);
		break;
	case SLICE_COPY:
		if (s->op->kind == TRACE_MEMCPYS) {
			c->copies->exposed_ns[s->op->row] += ns;
			c->copies->device[s->op->row] = s->device;
		}
		break;
	default:
		break;
	}
}

/* The stem's number in x->stems of each kernel that ended a gap. */
static uint32_t *find_stems(struct explain *x, const struct time_sums *enders)
{
	uint32_t *stems = mem_alloc(x->trace->names.count, sizeof(*stems));

	for (size_t i = 0; i < enders->count; i++) {
		uint32_t name = enders->rows[i].name;

		if (name != NAME_NONE)
			stems[name] = strtab_add(&x->stems, stem(x->trace->names.items[name]));
	}
	return stems;
}

static void move_stalls(struct stalls *to, struct stalls *from)
{
	for (size_t i = 0; i < from->count; i++) {
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = from->all[i];
	}
	free(from->all);
}

static void end_piece(struct explain *x, struct collector *c)
{
	uint32_t *stems = find_stems(x, &c->sums[SUM_ENDERS]);

	for (int i = 0; i < EXPLAIN_SUMS; i++) {
		time_sums_add_all(&x->sums[i], &c->sums[i], i == SUM_ENDERS ? stems : NULL);
		time_sums_free(&c->sums[i]);
	}
	x->beside_ns = sat_add(x->beside_ns, c->beside_ns);
	x->loads.gaps += c->loads.gaps;
	x->loads.ns = sat_add(x->loads.ns, c->loads.ns);
	move_stalls(&x->stalls, &c->stalls);
	move_stalls(&x->managed, &c->managed);
	charges_free(&c->charges);
	free(c->leads);
	code_sums_add_all(&x->code_sums, &c->code);
	code_sums_add_all(&x->call_sums, &c->calls);
	code_sums_add_all(&x->slow_call_sums, &c->slow_calls);
	code_sums_free(&c->code);
	code_sums_free(&c->calls);
	code_sums_free(&c->slow_calls);
	free(stems);
}

static void begin_sums(struct time_sums *sums, const struct explain *x)
{
	for (int i = 0; i < EXPLAIN_SUMS; i++)
		sums[i].devices = x->timeline.count;
}

static struct collector *begin_pieces(const struct explain *x, struct copy_facts *copies,
				      struct gap_cursor *cursors, size_t pieces)
{
	const uint64_t count = x->trace->events[TRACE_MEMCPYS].count;
	struct collector *all = mem_zalloc_apart(pieces, sizeof(*all));

	*copies = (struct copy_facts){
		.exposed_ns = mem_zalloc(count, sizeof(*copies->exposed_ns)),
		.device = mem_zalloc(count, sizeof(*copies->device)),
	};
	for (size_t i = 0; i < pieces; i++) {
		struct collector *c = &all[i];

		*c = (struct collector){.x = x, .cursor = &cursors[i], .copies = copies};
		c->leads = mem_zalloc_apart(x->timeline.count, sizeof(*c->leads));
		begin_sums(c->sums, x);
	}
	return all;
}

/* By name of a kernel: when it first ran. */
static int64_t *find_first_runs(const struct trace *t)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	int64_t *first = mem_alloc(t->names.count, sizeof(*first));

	for (size_t i = 0; i < t->names.count; i++)
		first[i] = INT64_MAX;
	for (uint64_t i = 0; ev->name && ev->start_ns && i < ev->count; i++) {
		if (ev->name[i] != NAME_NONE && ev->start_ns[i] < first[ev->name[i]])
			first[ev->name[i]] = ev->start_ns[i];
	}
	return first;
}

/* Others will ask about the whole run, each step and lines of code: all in the same walk. */
struct guests {
	struct whole_walk *whole;
	struct step_walk *steps;
	struct code_walk *code;
};

static struct guests begin_guests(const struct explain *x, struct gap_cursor *cursors,
				  size_t pieces)
{
	struct guests g = {0};

	if (!x->trace->keeps_answers)
		return g;
	g.whole = whole_walk_begin(x->trace, &x->ops, &x->scope, &x->judge, cursors, pieces);
	g.steps = step_walk_begin(&x->ops, &x->scope, &x->judge, cursors, pieces);
	g.code = code_walk_begin(x->trace, &x->ops, &x->scope, &x->judge, &x->long_calls, cursors,
				 &x->code, pieces);
	return g;
}

static void end_guests(const struct guests *g)
{
	if (g->whole)
		whole_walk_keep(g->whole);
	if (g->steps)
		step_walk_keep(g->steps);
	if (g->code)
		code_walk_keep(g->code);
}

static void walk_views(const struct explain *x, const struct timeline_view *mine,
		       const struct guests *g, size_t pieces)
{
	const size_t steps = g->steps ? step_walk_views(g->steps, NULL) : 0;
	struct timeline_view *views = mem_alloc(3 + steps, sizeof(*views));
	size_t count = 0;

	views[count++] = *mine;
	if (g->whole)
		views[count++] = whole_walk_view(g->whole);
	if (g->code)
		views[count++] = code_walk_view(g->code);
	if (g->steps)
		count += step_walk_views(g->steps, &views[count]);
	timeline_walk_views(&x->ops, views, count, pieces);
	free(views);
}

int explain_walk(struct explain *x, struct err *e)
{
	struct timeline_view mine;
	size_t pieces = timeline_pieces(&x->ops);
	struct gap_cursor *cursors = mem_zalloc_apart(pieces, sizeof(*cursors));
	struct guests guests;
	struct copy_facts copies;
	struct collector *all;
	int result;

	x->first_run_ns = find_first_runs(x->trace);
	timeline_begin(&x->ops, &x->scope, &x->timeline);
	begin_sums(x->sums, x);
	copies_sort(x);
	all = begin_pieces(x, &copies, cursors, pieces);
	mine = (struct timeline_view){x->trace,	  &x->scope, &x->timeline,
				      take_slice, all,	     sizeof(*all)};
	guests = begin_guests(x, cursors, pieces);
	walk_views(x, &mine, &guests, pieces);
	end_guests(&guests);
	result = gap_judge_check(&x->judge, cursors, pieces, e);
	for (size_t i = 0; i < pieces; i++) {
		end_piece(x, &all[i]);
		gap_cursor_free(&cursors[i]);
	}
	copies_add_exposed(x, &copies);
	free(copies.exposed_ns);
	free(copies.device);
	free(all);
	free(cursors);
	return result;
}
