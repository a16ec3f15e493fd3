/* For commands/diff/gate_run.c: where the answer of a gate goes. */
#ifndef COMMANDS_DIFF_GATE_OUTPUT_H
#define COMMANDS_DIFF_GATE_OUTPUT_H

#include "commands/diff/gate_run.h"
#include "gate/gate_report.h"

/* Whether the format is one that people read as it is: text, Markdown. */
bool gate_is_words(const struct invocation *inv);
/* ERR_USAGE where a file of the answer is one that is read, or two answers share an output. */
int gate_output_check(const struct invocation *inv, const struct gate_args *a,
		      const struct gate_question *q, struct err *e);
/* The report that is in the invocation, and the files that were asked for. */
int gate_output(struct invocation *inv, const struct gate_args *a, const struct gate *g,
		const struct gate_words *w, struct err *e);

#endif
