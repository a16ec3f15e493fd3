/* Whose leaf is each instant of the steps, and each op in them? */
#include "base/mem.h"
#include "base/parallel.h"
#include "diff/leaf_source.h"

#include <stdlib.h>

/* Slices of the steps' device as they come by, in one piece of the walk. */
struct leaf_walk {
	MEM_APART const struct leaf_source *src;
	struct gap_cursor *cursor;
	struct innermost_cursor range; /* of the steps' thread, where launches are */
	struct innermost_cursor host;  /* of the thread that ends a gap, where it is in that */
	struct innermost_cursor steps; /* … and of the steps' */
	size_t at;		       /* the step of the slice before */
	struct leaf_table leaves;
	struct launch_sums launches;
};

static void add_blames(struct leaf_walk *w, const struct slice *part, uint32_t path, uint32_t kind,
		       bool between)
{
	const struct leaf_source *s = w->src;
	const struct gap *gap = gap_judge_slice(&s->judge, w->cursor, part);

	for (uint32_t b = 0; b < BLAMES; b++) {
		uint32_t of = path;

		if (!gap->ns[b])
			continue;
		/* What is on its way waits as part of what it is, wherever the host is by then. */
		if (b == BLAME_QUEUED && part->op)
			of = leaf_path_of(s,
					  leaf_range_of_op(s, (enum trace_kind)part->op->kind,
							   part->op->row, &w->range),
					  between);
		leaf_sum_add(leaf_table_sum(&w->leaves, of, (uint32_t)s->groups.count + b, kind),
			     &(struct leaf_sum){.ns = gap->ns[b],
						.longest_ns = gap->ns[b],
						.longest_at_ns = part->start_ns});
	}
}

/* The range that a thread is in, and at most until when; `end_ns` may come closer. */
static uint32_t range_until(const struct leaf_source *s, uint32_t thread, int64_t at_ns,
			    struct innermost_cursor *c, int64_t *end_ns)
{
	uint32_t range;

	if (thread >= s->judge.innermost.thread_count)
		return RANGE_NONE;
	range = innermost_follow(&s->judge.innermost, thread, at_ns, c);
	if (c->to_ns >= at_ns && c->to_ns < *end_ns)
		*end_ns = c->to_ns + 1;
	return range;
}

/*
 * The host goes from range to range while the GPU is idle: each gets its part. The thread that ends
 * the gap says where it was, or else that of the steps.
 */
static void add_idle(struct leaf_walk *w, const struct slice *part, uint32_t kind, bool between)
{
	const struct leaf_source *s = w->src;
	struct slice piece = *part;
	uint32_t thread;

	if (!s->judge.joined || !s->judge.attribution.forest.count) {
		add_blames(w, part, leaf_path_of(s, RANGE_NONE, between), kind, between);
		return;
	}
	thread = gap_judge_thread(&s->judge, NULL, part);
	while (piece.start_ns < part->end_ns) {
		uint32_t range;

		piece.end_ns = part->end_ns;
		range = range_until(s, thread, piece.start_ns, &w->host, &piece.end_ns);
		if (range == RANGE_NONE)
			range = range_until(s, s->steps.thread, piece.start_ns, &w->steps,
					    &piece.end_ns);
		add_blames(w, &piece, leaf_path_of(s, range, between), kind, between);
		piece.start_ns = piece.end_ns;
	}
}

static void add_part(struct leaf_walk *w, const struct slice *part, uint32_t kind, bool between)
{
	const struct leaf_source *s = w->src;
	enum trace_kind of;

	if (part->kind == SLICE_IDLE || !part->op) {
		add_idle(w, part, kind, between);
		return;
	}
	of = (enum trace_kind)part->op->kind;
	leaf_sum_add(
		leaf_table_sum(
			&w->leaves,
			leaf_path_of(s, leaf_range_of_op(s, of, part->op->row, &w->range), between),
			s->groups.of_op[of][part->op->row], kind),
		&(struct leaf_sum){.ns = part->end_ns - part->start_ns,
				   .longest_ns = part->end_ns - part->start_ns,
				   .longest_at_ns = part->start_ns});
}

static void add_clipped(struct leaf_walk *w, const struct slice *s, struct span of, uint32_t kind,
			bool between)
{
	struct slice part = *s;

	part.start_ns = s->start_ns > of.start_ns ? s->start_ns : of.start_ns;
	part.end_ns = s->end_ns < of.end_ns ? s->end_ns : of.end_ns;
	if (part.end_ns > part.start_ns)
		add_part(w, &part, kind, between);
}

/* A slice may lie in several steps, and after them: each gets its part. */
static void take_slice(void *ctx, const struct slice *s)
{
	struct leaf_walk *w = ctx;
	const struct compared_steps *c = &w->src->steps;

	for (size_t i = compared_steps_at(c, s->start_ns, w->at);
	     i < c->count && c->all[i].from_ns < s->end_ns; i++) {
		const struct compared_step *step = &c->all[i];

		w->at = i;
		add_clipped(w, s, (struct span){step->from_ns, step->own_end_ns}, step->kind,
			    false);
		add_clipped(w, s, (struct span){step->own_end_ns, step->to_ns}, step->kind, true);
	}
}

/* Nothing runs on a device that anybody knows: all of it is idle. */
static void leave_idle(const struct leaf_source *s, struct leaf_table *ret)
{
	for (size_t i = 0; i < s->steps.count; i++) {
		const struct compared_step *step = &s->steps.all[i];

		leaf_table_sum(ret, step_path_none(&s->paths),
			       (uint32_t)s->groups.count + BLAME_END, step->kind)
			->ns += step->to_ns - step->from_ns;
	}
}

int leaf_walk_slices(const struct leaf_source *s, struct leaf_table *ret, struct err *e)
{
	const size_t pieces = timeline_pieces(&s->ops);
	struct gap_cursor *cursors = mem_zalloc_apart(pieces, sizeof(*cursors));
	struct leaf_walk *walks = mem_zalloc_apart(pieces, sizeof(*walks));
	struct timeline timeline;
	struct timeline_view view = {s->trace,	 &s->steps.place, &timeline,
				     take_slice, walks,		  sizeof(*walks)};
	int result;

	for (size_t i = 0; i < pieces; i++)
		walks[i] = (struct leaf_walk){
			.src = s, .cursor = &cursors[i], .leaves.kinds = s->kinds};
	timeline_begin(&s->ops, &s->steps.place, &timeline);
	timeline_walk_views(&s->ops, &view, 1, pieces);
	if (!timeline.count)
		leave_idle(s, ret);
	result = gap_judge_check(&s->judge, cursors, pieces, e);
	for (size_t i = 0; i < pieces; i++) {
		leaf_table_add(ret, &walks[i].leaves);
		leaf_table_free(&walks[i].leaves);
		gap_cursor_free(&cursors[i]);
	}
	timeline_free(&timeline);
	free(walks);
	free(cursors);
	return result;
}

/* Ops of one kind, counted by several workers. */
struct counting {
	const struct leaf_source *src;
	struct launch_count *launches; /* or NULL */
	enum trace_kind kind;
	struct leaf_walk *workers;
};

static void count_op(const struct counting *c, struct leaf_walk *w, uint64_t row)
{
	const enum trace_kind kind = c->kind;
	const struct leaf_source *s = w->src;
	const struct events *ev = s->ops.lanes[kind].ev;
	const int64_t start_ns = ev->start_ns[row];
	uint32_t process, device;
	const struct compared_step *step;
	struct leaf_sum *sum;

	if (start_ns < s->steps.place.from_ns || start_ns >= s->steps.place.to_ns ||
	    ev->duration_ns[row] < 0)
		return;
	ops_place(&s->ops, kind, row, &process, &device);
	if (!scope_has_place(&s->steps.place, s->trace, process, device))
		return;
	w->at = compared_steps_at(&s->steps, start_ns, w->at);
	if (w->at >= s->steps.count || start_ns < s->steps.all[w->at].from_ns)
		return;
	step = &s->steps.all[w->at];
	sum = leaf_table_sum(&w->leaves,
			     leaf_path_of(s, leaf_range_of_op(s, kind, row, &w->range),
					  start_ns >= step->own_end_ns),
			     s->groups.of_op[kind][row], step->kind);
	sum->calls++;
	sum->work_ns = sat_add(sum->work_ns, ev->duration_ns[row]);
	sum->offset_ns = sat_add(sum->offset_ns, start_ns - step->from_ns);
	if (c->launches)
		launch_count_op(c->launches, &w->launches, kind, row);
}

static void count_ops(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct counting *c = ctx;
	const struct op_run all = {.lane = &c->src->ops.lanes[c->kind]};

	for (size_t i = begin; i < end; i++)
		count_op(c, &c->workers[worker], op_run_row(&all, i));
}

void leaf_walk_ops(const struct leaf_source *s, struct leaf_table *ret,
		   struct launch_count *launches)
{
	const unsigned workers = parallel_workers();
	struct counting c = {s, launches, 0, mem_zalloc_apart(workers, sizeof(*c.workers))};

	for (unsigned i = 0; i < workers; i++)
		c.workers[i] = (struct leaf_walk){.src = s, .leaves.kinds = s->kinds};
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		c.kind = (enum trace_kind)kind;
		if (s->ops.lanes[kind].ev->start_ns)
			parallel_each(s->ops.lanes[kind].count, PARALLEL_ROWS, count_ops, &c);
	}
	for (unsigned i = 0; i < workers; i++) {
		leaf_table_add(ret, &c.workers[i].leaves);
		if (launches)
			launch_count_add(launches, &c.workers[i].launches);
		leaf_table_free(&c.workers[i].leaves);
	}
	free(c.workers);
}
