/*
 * An analysis that is asked by its name and its parameters by who has no command line: a page, an
 * agent. Nothing that comes so names a file or a program.
 */
#ifndef CLI_NAMED_ANALYSIS_H
#define CLI_NAMED_ANALYSIS_H

#include "cli/command.h"

/* Sets one of the options of inv->analysis, by its long name. The value outlives the invocation. */
int named_analysis_set(struct invocation *inv, const char *name, const char *value, struct err *e);
/* Answers into inv->report as machines are told. The trace stays the caller's. */
int named_analysis_run(struct invocation *inv, struct trace *t, struct err *e);
/* Which trace an answer is about; `path` is what it is called there. */
void named_analysis_head(struct report *r, const struct trace *t, const char *path);

struct style;
/* The JSON that the command has, of the answer or, where `result` is -1, of the failure. */
int report_add_json(struct buf *b, const struct report *r, int result, const struct err *failure,
		    const struct style *style, struct err *e);

#endif
