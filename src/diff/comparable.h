/* What stands in the way of a comparison: another GPU, another way to capture. */
#ifndef DIFF_COMPARABLE_H
#define DIFF_COMPARABLE_H

#include "diff/sides.h"

enum { HINDRANCES_MAX = 16 };

struct hindrance {
	const char *what;	  /* "GPU model" */
	const char *value[SIDES]; /* for people; in the arena that was given */
	const char *means;	  /* what follows from it */
	bool forbids;		  /* what is compared is not the same thing */
};

struct hindrances {
	struct hindrance all[HINDRANCES_MAX];
	size_t count;
	bool forbids; /* one of them does */
};

void hindrances_find(struct hindrances *ret, const struct sides *s, struct arena *arena);

#endif
