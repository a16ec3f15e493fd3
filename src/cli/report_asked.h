/*
 * What a report is asked beyond the trace: a model's utilisation (--model, --flops), and what
 * Nsight Compute measured (--ncu). Both are parts like the others, made only where they are asked
 * for.
 */
#ifndef CLI_REPORT_ASKED_H
#define CLI_REPORT_ASKED_H

#include "cli/report_parts.h"

/* Reads the files, and says what is wrong with them or with the question. */
int asked_read(struct parts *p, struct err *e);
/* After the other parts. What was asked for and cannot be answered is an error. */
int asked_make(struct parts *p, struct err *e);

#endif
