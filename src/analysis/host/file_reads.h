/* Which of the calls that may wait for input read files. */
#ifndef ANALYSIS_FILE_READS_H
#define ANALYSIS_FILE_READS_H

#include "base/span.h"
#include "trace/trace.h"

/* A call that reads: a file, or what a person or a peer sends. */
struct read_call {
	struct span time;
	uint32_t name, thread;
	int64_t ns; /* of it that counts */
	bool is_file;
};

struct read_calls {
	struct read_call *all;
	size_t count, cap;
};

/* What is known of those that read files. */
struct file_reads {
	bool by_length;	     /* nothing but that says that they do */
	struct str function; /* of the program, where most of them are made; empty: nobody knows */
};

/* Whether the function may read a file; else what it waits for is never one. */
bool may_read_file(struct str function);
/*
 * Tells the calls apart by who makes them, where there are backtraces of OS calls, else by their
 * lengths.
 */
int file_reads_find(struct trace *t, struct read_calls *r, struct file_reads *ret, struct err *e);

#endif
