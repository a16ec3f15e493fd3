/* How much memory is in use changes with each allocation and free. */
#ifndef ANALYSIS_MEMORY_SERIES_H
#define ANALYSIS_MEMORY_SERIES_H

#include "analysis/scope.h"

/* One allocation or free. */
struct memory_change {
	int64_t at_ns;
	int64_t bytes; /* of what is in use: negative when given back */
	bool freed;
};

/* The changes of one kind of memory of one GPU, by time. */
struct memory_series {
	uint32_t device, memory;
	struct memory_change *changes;
	size_t count, cap;
};

struct memory_changes {
	struct memory_series *all;
	size_t count, cap;
	struct err missing; /* what the export lacks, and then there are none; else no error */
};

/* All that the scope's GPUs and processes did, whatever its window. */
int memory_changes_read(struct trace *t, const struct scope *p, struct memory_changes *ret,
			struct err *e);
void memory_changes_free(struct memory_changes *c);

#endif
