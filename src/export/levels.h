/*
 * A counter that is the sum of what lasts: launches that wait, copies at their rates. What lasts
 * comes in any order, but whoever adds it says from time to time what will not come any more.
 */
#ifndef EXPORT_LEVELS_H
#define EXPORT_LEVELS_H

#include "export/walk.h"

struct level_change {
	int64_t at_ns;
	int64_t amount;
};

/* Changes that are not told yet. */
struct level_changes {
	struct level_change *all;
	size_t count, cap;
};

struct level {
	uint32_t device;
	struct str name;
	enum timeline_unit unit;
	uint32_t track; /* 0: not told yet */
	struct level_changes up, down;
	size_t kept; /* of both, when they were last told */
	uint64_t value;
};

void level_add(struct level *l, int64_t from_ns, int64_t to_ns, int64_t amount);
/* Tells what happens before a time: nothing that begins earlier will be added. */
int level_pass(struct level *l, struct walk *w, int64_t before_ns, struct err *e);
/* Tells all. */
int level_end(struct level *l, struct walk *w, struct err *e);
void level_free(struct level *l);

/* A value of a counter, shifted and counted. */
int level_tell(struct walk *w, uint32_t track, int64_t at_ns, int64_t value, struct err *e);

#endif
