/*
 * Findings are told of a window. Where steps are a part of a loop, such as `forward`, other parts
 * lie between them, and what costs time there is none of theirs.
 */
#ifndef DIFF_PART_FINDINGS_H
#define DIFF_PART_FINDINGS_H

#include "diff/compared_steps.h"
#include "diff/step_paths.h"
#include "report/finding.h"

/* The time of steps that are parts, and the ranges in them. */
struct step_parts {
	bool are_parts; /* no: all of a finding is theirs */
	const struct span *steps;
	size_t step_count;
	const char **paths; /* of ranges in them */
	size_t path_count;
	const char *name; /* of the steps' ranges, or NULL */
};

/* All of it is in the arena. */
struct step_parts step_parts_make(const struct compared_steps *c, const struct step_paths *paths,
				  const struct range_forest *f, struct arena *arena);
/* Leaves of a finding what lies in the steps; false: hardly any of it does. */
bool step_parts_clip(const struct step_parts *p, struct finding *f);

#endif
