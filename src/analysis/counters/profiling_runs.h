/*
 * The profiling runs of a choice: runs of the program under Nsight Compute, as few as show all the
 * chosen kernels. It counts launches by patterns of names, which do not tell all kernels apart; so
 * the launches of a trace are counted in the same way.
 */
#ifndef ANALYSIS_PROFILING_RUNS_H
#define ANALYSIS_PROFILING_RUNS_H

#include "analysis/counters/kernel_choice.h"
#include "analysis/events/event_list.h"

/* What the name of a kernel is in the choice. */
struct planned_name {
	size_t chosen; /* which of the chosen ones, from 1 on; 0: none */
	bool *like;    /* by chosen kernel: whose pattern finds it; NULL: no one's */
};

struct run_planning {
	const struct kernel_question *q;
	struct kernel_choice *out; /* what is chosen; is given its runs */
	const struct events *kernels;
	const struct event_list *all; /* all kernels, as they were launched */
	const struct event_joins *joins;
	const bool *meant;	      /* by path of ranges: was asked for; NULL: none was */
	struct planned_name *by_name; /* numbers of the trace's names */
	uint32_t *first; /* by chosen kernel: the row of the launch to profile; a run moves it */
};

/* Which of the chosen ones a launch is of; out->count: none. */
static inline size_t run_planning_index(const struct run_planning *x, uint32_t row)
{
	const uint32_t name = x->kernels->name[row];
	const size_t number = name == NAME_NONE ? 0 : x->by_name[name].chosen;

	return number ? number - 1 : x->out->count;
}

/* Makes out's runs, and numbers the launches that are profiled. */
void profiling_runs_plan(const struct run_planning *x);

#endif
