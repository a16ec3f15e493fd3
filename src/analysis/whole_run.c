/* What did the GPUs do, from beginning to end? */
#include "analysis/whole_run.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "trace/keep.h"

#include <stdlib.h>

/* What the trace keeps, and the question that it answers. */
struct kept_run {
	struct whole_run *run;
	struct params asked;
};

static const char kept_key;

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

static void free_kept(void *p)
{
	struct kept_run *k = p;

	free_run(k->run);
	free(k);
}

static struct whole_run *begin(struct ops *o, const struct params *p, struct gap_judge *judge,
			       uint64_t gap_limit)
{
	struct whole_run *w = mem_zalloc(1, sizeof(*w));

	w->judge = judge;
	w->faults = o->faults;
	timeline_begin(o, p, &w->timeline);
	utilisation_begin(&w->utilisation, &w->timeline);
	if (judge)
		gap_study_begin(&w->gaps, w->timeline.count, gap_limit);
	return w;
}

static void take_slice(void *ctx, const struct slice *s)
{
	struct whole_run *w = ctx;

	if (s->kind != SLICE_IDLE)
		utilisation_take(&w->utilisation, s);
	else if (w->judge)
		gap_study_take(&w->gaps, gap_judge_slice(w->judge, s));
}

struct timeline_view whole_run_view(struct whole_run *w, const struct params *p)
{
	return (struct timeline_view){p, &w->timeline, take_slice, w};
}

struct whole_run *whole_run_begin(struct trace *t, struct ops *o, const struct params *p,
				  struct gap_judge *judge)
{
	struct whole_run *w = NULL;

	trace_lock(t);
	if (!trace_kept(t, &kept_key))
		w = begin(o, p, judge, WHOLE_RUN_GAPS);
	trace_unlock(t);
	return w;
}

void whole_run_keep(struct trace *t, const struct params *p, struct whole_run *w)
{
	struct kept_run *k = mem_alloc(1, sizeof(*k));

	gap_study_end(&w->gaps, w->judge);
	*k = (struct kept_run){w, *p};
	trace_lock(t);
	trace_keep(t, &kept_key, k, free_kept);
	trace_unlock(t);
}

static bool has_answer(const struct kept_run *k, const struct params *p, bool with_gaps,
		       uint64_t gap_limit)
{
	if (!k || !window_same_work(&k->asked, p) || k->asked.has_pid != p->has_pid ||
	    (p->has_pid && k->asked.pid != p->pid))
		return false;
	return !with_gaps || (gap_limit && gap_limit <= WHOLE_RUN_GAPS);
}

static int make(struct trace *t, const struct params *p, struct gap_judge *judge,
		uint64_t gap_limit, struct whole_run **ret, struct err *e)
{
	struct timeline_view view;
	struct ops o;

	if (ops_open(&o, t, e) < 0)
		return -1;
	*ret = begin(&o, p, judge, gap_limit);
	view = whole_run_view(*ret, p);
	timeline_walk_views(&o, &view, 1);
	ops_close(&o);
	if (!judge)
		return 0;
	gap_study_end(&(*ret)->gaps, judge);
	return gap_judge_check(judge, e);
}

static int make_for(struct trace *t, const struct params *p, bool with_gaps, uint64_t gap_limit,
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

int whole_run_read(struct trace *t, const struct params *p, bool with_gaps, uint64_t gap_limit,
		   struct report *r, const struct whole_run **ret, struct err *e)
{
	struct whole_run *made = NULL;
	const struct kept_run *kept;
	int result;

	trace_lock(t);
	kept = trace_kept(t, &kept_key);
	trace_unlock(t);
	if (has_answer(kept, p, with_gaps, gap_limit)) {
		*ret = kept->run;
		return 0;
	}
	result = make_for(t, p, with_gaps, gap_limit, &made, e);
	report_on_free(r, free_run, made);
	*ret = made;
	return result;
}
