/* Numbers in running text, with their units, and whether a value could have been shown so. */
#ifndef LLM_TOLD_NUMBER_H
#define LLM_TOLD_NUMBER_H

#include "report/report.h"

enum dimension {
	DIMENSION_NONE, /* a plain number */
	DIMENSION_TIME, /* in nanoseconds */
	DIMENSION_BYTES,
	DIMENSION_BYTES_PER_S,
	DIMENSION_FLOPS,
	DIMENSION_FLOPS_PER_S,
	DIMENSION_PERCENT,
	DIMENSION_TIMES, /* "2.4×" */
};

struct told_number {
	size_t len;   /* of the text, with its unit */
	double value; /* without the unit's factor */
	double factor;
	int decimals, digits; /* after the point; significant ones */
	enum dimension dimension;
	bool is_version;  /* "3.20.4": no number */
	bool is_negative; /* as who reads what stands before it says */
};

/* The number that the text begins with; false: it begins with none. */
bool told_number_read(struct str text, struct told_number *ret);
/* The unit that value × factor has. */
enum unit told_number_unit(const struct told_number *n);
/* How long the unit is that the text begins with, with the space before it; 0: it begins with none.
 */
size_t told_unit_length(struct str text);
/* Whether a value of that unit is the number: exactly, rounded as displayed, or converted. */
bool told_number_is(const struct told_number *n, double value, bool has_unit, enum unit unit);

#endif
