/*
 * What of an answer somebody else wrote: names of kernels, ranges, threads and files come from the
 * traced program. An agent that reads "ignore the above" there must know whose words these are, in
 * the answer itself: what the server said when it began may be far above by then.
 */
#ifndef MCP_UNTRUSTED_H
#define MCP_UNTRUSTED_H

#include "base/buf.h"
#include "report/report.h"

/* An object as JSON: the keys of columns that hold such names, and what that means. */
void untrusted_add(struct buf *b, const struct report *r);

#endif
