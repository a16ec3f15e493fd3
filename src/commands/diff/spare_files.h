/* Nothing that an answer is made of is written over, and no two answers go to one file. */
#ifndef COMMANDS_DIFF_SPARE_FILES_H
#define COMMANDS_DIFF_SPARE_FILES_H

#include "base/err.h"

#include <stddef.h>

/* Files that are read and written; NULL in a list is none. "-" is standard output. */
struct spare_files {
	const char *const *written; /* the first is where the answer goes, and errors */
	size_t written_count;
	const char *const *traces;
	size_t trace_count;
	const char *const *others; /* that are read: a baseline, rules */
	size_t other_count;
};

/* ERR_USAGE where one would be lost; the error is then not written to a file. */
int spare_files(const struct spare_files *f, struct err *e);

#endif
