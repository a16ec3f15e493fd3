/* Whether traces that are open are still what they were. */
#ifndef TUI_WATCH_H
#define TUI_WATCH_H

#include "traces/traces.h"

#include <sys/types.h>

struct watched_trace {
	bool is_told; /* or there was nothing to watch */
	dev_t device;
	ino_t inode;
	off_t bytes;
	int64_t changed_ns;
};

/* One for each capture; for free(). */
struct watched_trace *watch_begin(const struct traces *t);
/* Says, once for each, that a trace has changed or is gone; false: there is nothing to say. */
bool watch_tell(struct watched_trace *w, const struct traces *t, struct buf *b);

#endif
