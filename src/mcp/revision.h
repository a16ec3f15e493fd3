/* The revisions of the Model Context Protocol that are spoken, and how they differ: as data. */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include "base/str.h"

#include <stdbool.h>

struct revision {
	const char *name;
	/*
	 * Every request says its revision itself, results say what they are and how long they may
	 * be kept; there is no initialize and no ping. Else a connection begins with initialize.
	 */
	bool is_stateless;
};

/* The newest first; NULL after the last. */
const struct revision *revision_at(size_t i);
/* NULL: it is not spoken. */
const struct revision *revision_find(struct str name);
/* What initialize is answered with: the one that is asked for, or the newest that it knows. */
const struct revision *revision_for_initialize(struct str asked);

#endif
