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

static int find_in(const struct table *t, const struct question *q, struct span *ret, struct err *e)
{
	if (!t || !t->rows)
		return 1;
	if (!join_meant(t, q, ret)) {
		err_set(e, ERR_INPUT, "there is no such step in it");
		e->absent = true;
		return -1;
	}
	return has_other(t, q, *ret);
}

int step_window_find(struct trace *t, const struct question *q, struct span *ret, struct err *e)
{
	const struct analysis *iters = analysis_find("iters", false);
	struct report r = {.command = iters->name};
	void *args = arena_zalloc(&r.arena, 1, iters->options->size);
	struct err failure = {0};
	int result;

	args_init(iters->options, args);
	result = analysis_run(iters, t, args, &r, &failure);
	if (result == 0)
		result = find_in(report_find_table(&r, "iterations"), q, ret, e);
	else if (failure.code == ERR_SYSTEM)
		*e = failure;
	else
		result = 1;
	report_free(&r);
	args_free(iters->options, args);
	return result;
}
