/* From when to when do the steps go that a question means? */
#include "ask/step_window.h"

#include "analysis/analysis.h"
#include "options/args.h"

static struct span span_of(const struct table *t, uint64_t row)
{
	return (struct span){table_cell(t, row, "from_ns").i, table_cell(t, row, "to_ns").i};
}

static bool is_meant(const struct table *t, uint64_t row, const struct question *q)
{
	return question_means_step(q, table_cell(t, row, "iteration").i);
}

/* From the first to the last of them; false: there is none. */
static bool join_meant(const struct table *t, const struct question *q, struct span *ret)
{
	bool any = false;

	for (uint64_t i = 0; i < t->rows; i++) {
		const struct span s = span_of(t, i);

		if (!is_meant(t, i, q))
			continue;
		ret->start_ns = !any || s.start_ns < ret->start_ns ? s.start_ns : ret->start_ns;
		ret->end_ns = !any || s.end_ns > ret->end_ns ? s.end_ns : ret->end_ns;
		any = true;
	}
	return any;
}

/* Whether a step that is not meant lies in it. */
static bool has_other(const struct table *t, const struct question *q, struct span window)
{
	for (uint64_t i = 0; i < t->rows; i++) {
		const struct span s = span_of(t, i);

		if (!is_meant(t, i, q) && s.start_ns < window.end_ns && s.end_ns > window.start_ns)
			return true;
	}
	return false;
}

static int find_in(const struct table *t, const struct question *q, void *ret, struct err *e)
{
	struct span *window = ret;

	if (!join_meant(t, q, window)) {
		err_set(e, ERR_INPUT, "there is no such step in it");
		e->absent = true;
		return -1;
	}
	return has_other(t, q, *window);
}

/* What is made of the table of steps. */
typedef int steps_fn(const struct table *t, const struct question *q, void *ret, struct err *e);

/* 1: the trace has no steps. */
static int with_steps(struct trace *t, steps_fn *fn, const struct question *q, void *ret,
		      struct err *e)
{
	const struct analysis *iters = analysis_find("iters", false);
	struct report r = {.command = iters->name};
	void *args = arena_zalloc(&r.arena, 1, iters->options->size);
	struct err failure = {0};
	const struct table *steps = NULL;
	int result;

	args_init(iters->options, args);
	result = analysis_run(iters, t, args, &r, &failure);
	if (result == 0)
		steps = report_find_table(&r, "iterations");
	if (result < 0 && failure.code == ERR_SYSTEM)
		*e = failure;
	else
		result = steps && steps->rows ? fn(steps, q, ret, e) : 1;
	report_free(&r);
	args_free(iters->options, args);
	return result;
}

int step_window_find(struct trace *t, const struct question *q, struct span *ret, struct err *e)
{
	return with_steps(t, find_in, q, ret, e);
}

static int find_bounds(const struct table *t, const struct question *q, void *ret, struct err *e)
{
	struct step_bounds *b = ret;

	(void)q;
	(void)e;
	for (uint64_t i = 0; i < t->rows; i++) {
		const int64_t step = table_cell(t, i, "iteration").i;

		if (step < 0 || step >= UINT32_MAX)
			return 1;
		b->first = !i || (uint32_t)step < b->first ? (uint32_t)step : b->first;
		b->last = !i || (uint32_t)step > b->last ? (uint32_t)step : b->last;
	}
	return 0;
}

int step_window_bounds(struct trace *t, struct step_bounds *ret, struct err *e)
{
	return with_steps(t, find_bounds, NULL, ret, e);
}
