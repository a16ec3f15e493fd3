/*
 * The line of your code that a range would have to go around: the innermost that nearly all of a
 * row's launches are below. Backtraces of CUDA calls show it, or else samples of the thread; where
 * it is not in your code at all, as PyTorch's autograd threads, those of the process's main thread.
 */
#ifndef ANALYSIS_ROW_CODE_H
#define ANALYSIS_ROW_CODE_H

#include "analysis/suggest/stretches.h"
#include "trace/code/call_lines.h"

enum line_source { LINE_UNKNOWN, LINE_BACKTRACES, LINE_SAMPLES, LINE_SAMPLES_OF_MAIN };

struct row_line {
	enum line_source source;
	uint32_t frame;
};

struct row_code {
	struct call_lines lines;
	struct row_line *of_row;
};

/* To be freed whether this fails or not. */
int row_code_read(const struct launched *l, const struct stretches *s, struct row_code *ret,
		  struct err *e);
void row_code_free(struct row_code *c);

#endif
