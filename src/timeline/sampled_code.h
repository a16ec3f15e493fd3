/* Where sampled threads were: for each the stretches of time that it spent in a line of code. */
#ifndef TIMELINE_SAMPLED_CODE_H
#define TIMELINE_SAMPLED_CODE_H

#include "timeline/span_source.h"
#include "trace/code/samples.h"

struct sampled_code {
	struct code code;
	struct arena arena;
	const char **names; /* by frame of code.stacks: "write_metrics (hostwork.py:10)" */
	uint8_t *classes;   /* by frame */
	struct span_source *of_thread; /* by number of the thread; `of` is a frame */
	size_t thread_count;
};

/*
 * NULL: no thread was sampled. `calls` are all of the trace: a sample stands for no time beyond the
 * long call that its thread is in, as `gpuwhy code` has it.
 */
int sampled_code_read(struct trace *t, const struct calls *calls, struct sampled_code **ret,
		      struct err *e);
void sampled_code_free(struct sampled_code *c);

#endif
