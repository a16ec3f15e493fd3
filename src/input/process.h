/* Another program, run to its end, with what it says kept in memory. */
#ifndef INPUT_PROCESS_H
#define INPUT_PROCESS_H

#include "base/buf.h"
#include "base/err.h"

struct process {
	char *const *argv;	 /* argv[0] is the program's path; no shell, no PATH search */
	void (*tick)(void *ctx); /* called about ten times a second while it runs */
	void *ctx;
};

/*
 * Returns 0 once the program has ended, whatever its fate, with *ret_status as from waitpid and
 * the last 4 KB of its stdout and stderr together, raw, in ret_said (buf_free it in any case).
 * Returns -1 when it could not be started, or when a held interrupt came: then the program and
 * the processes it started are killed first.
 */
int process_run(const struct process *p, int *ret_status, struct buf *ret_said, struct err *e);

#endif
