/* This program, run again as a child, until it ends or nobody waits for it any more. */
#ifndef MCP_TOOLS_RUN_SELF_H
#define MCP_TOOLS_RUN_SELF_H

#include "base/buf.h"
#include "base/err.h"

struct self_end {
	int exit_code;	 /* as a shell has it */
	struct buf said; /* the end of what it wrote to either output, made safe */
};

/*
 * In a folder, with nothing to read. Given up, it gets SIGTERM, and ends what it runs; -1 then, or
 * where it cannot be started. The said text is for buf_free() in any case.
 */
int run_self(char *const *argv, const char *folder, struct self_end *ret, struct err *e);

#endif
