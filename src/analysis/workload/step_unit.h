/* What the steps of a run are, told by the name of their ranges: whole steps, or parts of one. */
#ifndef ANALYSIS_STEP_UNIT_H
#define ANALYSIS_STEP_UNIT_H

struct step_unit {
	const char *one, *many; /* "step", "steps" */
	const char *title;	/* "Steps" */
};

/* `name` is without its counters; NULL: they have none, or several. */
const struct step_unit *step_unit_of(const char *name);

#endif
