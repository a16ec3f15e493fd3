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

static inline const char *hindrance_value(const struct hindrance *h, enum side side)
{
	return h->value[side][0] ? h->value[side] : "none";
}

/* Whether steps of one side are not the same work as those of the other, or one has none. */
bool steps_are_unlike(const struct sides *s);
/* What a step of the run is: "ranges 'step N'", "repetitions of kernels". */
const char *step_definition_of(const struct account *a);
/* The range that is the step of a run, "step N", by how its steps were told; empty: none is. */
struct str step_range_of(const struct account *a);

/*
 * The range inside the steps of the first run before that takes most of them, of those that the
 * first run after has there, too; empty: they share none.
 */
struct str range_in_common(const struct sides *s);

/* What is known of two sides once they are matched. */
struct likeness {
	double other_launches; /* the share of GPU ops that came, went or were replaced */
	double common_kernels; /* see diff_common_kernels(); NAN: not known */
	double tolerance;      /* of a step: less of it between steps is no difference */
};

/* For hindrances_find(): one more, as long as there is room; and whether it is the same program. */
void hindrances_add(struct hindrances *h, struct hindrance x);
void hindrances_add_programs(struct hindrances *h, const struct sides *s,
			     const struct likeness *like, struct arena *arena);

void hindrances_find(struct hindrances *ret, const struct sides *s, const struct likeness *like,
		     struct arena *arena);

#endif
