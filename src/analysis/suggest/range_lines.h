/* Lines of source code that add a range, in the language that a program is written in. */
#ifndef ANALYSIS_RANGE_LINES_H
#define ANALYSIS_RANGE_LINES_H

#include "analysis/suggest/launched.h"

enum language { LANGUAGE_PYTORCH, LANGUAGE_PYTHON, LANGUAGE_JULIA, LANGUAGE_C };

/* "python", "julia", "c" */
const char *language_name(enum language l);
/* By the names of the process and its threads, and by its kernels. */
enum language language_of(const struct launched *l, uint32_t thread);

/* The range in one line, and all lines with what they need; `name` is safe in any language. */
void range_lines_short(struct buf *b, enum language l, const char *name);
void range_lines_all(struct buf *b, enum language l, const char *name);
/* The same for what PyTorch's autograd thread launches: a range of another thread does not hold. */
const char *autograd_lines_short(void);
const char *autograd_lines_all(void);
/* The same around each step of a loop. */
const char *step_lines_short(enum language l);
const char *step_lines_all(enum language l);

#endif
