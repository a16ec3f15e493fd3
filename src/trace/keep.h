/*
 * What analyses made of a trace and will be asked for again: the trace keeps it, and frees it when
 * it is closed. Only worth it where several analyses ask (shares_joins).
 */
#ifndef TRACE_KEEP_H
#define TRACE_KEEP_H

#include "trace/trace.h"

/* What is kept under a key, the address of something constant of the keeper's; NULL: nothing. */
void *trace_kept(struct trace *t, const void *key);
/* Two may have made the same thing at once: either is found from then on, and both are freed. */
void trace_keep(struct trace *t, const void *key, void *made, void (*free_made)(void *));
void trace_free_kept(struct trace *t);

#endif
