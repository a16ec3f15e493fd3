/*
 * How long launching threads were in each stack: in all, and while a GPU was idle for want of what
 * they launched next.
 */
#ifndef ANALYSIS_CODE_TIMES_H
#define ANALYSIS_CODE_TIMES_H

#include "analysis/gpu/gaps.h"
#include "trace/code/samples.h"

/* What nobody knows, in tables, trees and charts. */
#define CODE_NO_SAMPLE	    "(no sample)"
#define CODE_UNKNOWN_THREAD "(unknown thread)"

struct stack_time {
	uint32_t thread; /* number in trace->thread_keys */
	uint32_t stack;
	int64_t idle_ns; /* of gaps that the thread's next launch ended; of each GPU by itself */
	int64_t host_ns;
	int64_t gpu_ns; /* of the ops that its calls launch, by their backtraces */
};

struct code_thread {
	struct thread_samples samples;
	int64_t idle_ns, sampled_ns; /* of these gaps, and as far as samples cover them */
};

struct code_times {
	struct code code;
	struct code_thread *threads; /* by number */
	size_t thread_count;
	struct stack_time *all; /* each thread and stack once */
	size_t count;
	int64_t idle_ns;    /* of all gaps */
	int64_t unknown_ns; /* of those where nobody knows who launched what ended them */
	struct timeline timeline;
};

/*
 * They live as long as the report. Without samples and backtraces there are no times, and no gaps
 * are looked for.
 */
int code_times_read(struct trace *t, const struct scope *p, struct report *r,
		    const struct code_times **ret, struct err *e);

/*
 * For whoever walks the gaps of the trace anyway: a view of that walk, whose times are kept for
 * those who ask for them later. NULL: nobody will, or there are none. All that it is given must
 * stay until it is kept.
 */
struct code_walk;
struct code_walk *code_walk_begin(struct trace *t, const struct ops *o, const struct scope *p,
				  const struct gap_judge *judge, const struct long_calls *calls,
				  const struct gap_cursor *cursors, const struct code *code,
				  size_t pieces);
struct timeline_view code_walk_view(struct code_walk *w);
void code_walk_keep(struct code_walk *w);

#endif
