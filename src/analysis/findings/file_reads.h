/* Which of the calls that may wait for input read files. */
#ifndef ANALYSIS_FILE_READS_H
#define ANALYSIS_FILE_READS_H

#include "analysis/findings/explain.h"

/* A call that reads: a file, or what a person or a peer sends. */
struct read_call {
	struct span time;
	uint32_t name, thread;
	int64_t ns; /* of it in stalls */
	bool is_file;
};

struct read_calls {
	struct read_call *all;
	size_t count, cap;
};

/* Whether the function may read a file; else what it waits for is never one. */
bool may_read_file(struct str function);
/*
 * Tells the calls apart by who makes them, where there are backtraces of OS calls, else by their
 * lengths: x->waits.files has which, and where the program reads.
 */
int file_reads_find(struct explain *x, struct read_calls *r, struct err *e);

#endif
