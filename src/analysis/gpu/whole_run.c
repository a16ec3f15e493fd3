/* What did the GPUs do, from beginning to end? */
#include "analysis/gpu/whole_run.h"

#include "analysis/kept_answers.h"
#include "base/mem.h"

#include <stdlib.h>

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
	const struct gap_judge *judge; /* NULL: gaps are not looked at */
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
	gap_floor gap_floor;
};

static struct whole_walk *begin(struct trace *t, const struct ops *o, const struct scope *p,
				const struct gap_judge *judge, struct gap_cursor *cursors,
				size_t pieces, uint64_t gap_limit)
{
	struct whole_walk *w = mem_alloc(1, sizeof(*w));
	struct whole_run *run = mem_zalloc(1, sizeof(*run));

	*w = (struct whole_walk){.trace = t, .p = p, .judge = judge, .run = run, .count = pieces};
	run->faults = o->times.faults;
	timeline_begin(o, p, &run->timeline);
	w->pieces = mem_zalloc(pieces, sizeof(*w->pieces));
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
static struct whole_run *end(struct whole_walk *w)
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
	return kept_answers_any(&kept, t) ? NULL
					  : begin(t, o, p, judge, cursors, pieces, WHOLE_RUN_GAPS);
}

void whole_walk_keep(struct whole_walk *w)
{
	const struct scope *p = w->p;
	struct trace *t = w->trace;
	struct whole_run *run = end(w);

	if (!kept_answers_add(&kept, t, p, &run))
		free_run(run);
}

static int make(struct trace *t, const struct scope *p, const struct gap_judge *judge,
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
	cursors = mem_zalloc(pieces, sizeof(*cursors));
	w = begin(t, &o, p, judge, cursors, pieces, gap_limit);
	view = whole_walk_view(w);
	timeline_walk_views(&o, &view, 1, pieces);
	ops_close(&o);
	*ret = end(w);
	result = judge ? gap_judge_check(judge, cursors, pieces, e) : 0;
	for (size_t i = 0; i < pieces; i++)
		gap_cursor_free(&cursors[i]);
	free(cursors);
	return result;
}

static int make_for(struct trace *t, const struct scope *p, bool with_gaps, uint64_t gap_limit,
		    struct whole_run **ret, struct err *e)
{
	struct gap_judge judge;
	int result;

	if (!with_gaps)
		return make(t, p, NULL, 0, ret, e);
	result = gap_judge_open(&judge, t, e);
	if (result == 0)
		result = make(t, p, &judge, gap_limit, ret, e);
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
	result = make_for(t, p, with_gaps, gap_limit, &made, e);
	report_on_free(r, free_run, made);
	*ret = made;
	return result;
}
