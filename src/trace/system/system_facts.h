/*
 * What an export says about the host and its software. Of all that it holds only these: the rest
 * may be somebody's secret.
 */
#ifndef TRACE_SYSTEM_FACTS_H
#define TRACE_SYSTEM_FACTS_H

#include "trace/trace.h"

/* Texts live as long as the trace; empty: not said. */
struct system_facts {
	struct str driver, os, cpu;
	char cuda[32];		/* what the driver speaks: "13.0" */
	int64_t cores;		/* -1: not said */
	struct str captured_at; /* UTC: "2026-11-15T00:02:01" */
};

/* Whether an export was made on Windows, which has other ways to capture. */
int system_is_windows(struct trace *t, bool *ret, struct err *e);
int system_facts_read(struct trace *t, struct system_facts *ret, struct err *e);

#endif
