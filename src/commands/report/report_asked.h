/*
 * What a report is asked beyond the trace: a model's utilisation (--model, --flops), and what
 * Nsight Compute measured (--ncu). Both are parts like the others, made only where they are asked
 * for.
 */
#ifndef CLI_REPORT_ASKED_H
#define CLI_REPORT_ASKED_H

#include "commands/report/report_parts.h"

/* Reads the files, and says what is wrong with them or with the question. */
int asked_read(struct parts *p, struct err *e);
/*
 * What may be refused, when events are there and before the other parts are made: who waits should
 * not wait in vain. What was asked for and cannot be answered is an error.
 */
int asked_make_first(struct parts *p, struct err *e);
/* The rest, after the other parts. */
int asked_make_last(struct parts *p, struct err *e);

#endif
