/*
 * Numbers as people's settings write them: 1,234.5 or 1.234,5 or 1 234,5. What 1.234 means is
 * decided for a whole file, by its numbers that can be read in one way only.
 */
#ifndef NCU_NUMBER_H
#define NCU_NUMBER_H

#include "base/arena.h"

/* A number of the file that can have a decimal point, or comma, alone. */
struct number_evidence {
	struct str point, comma; /* s is NULL while there is none */
};

/* What the text says about the file's way of writing. What is seen is copied into the arena. */
void number_look(struct number_evidence *seen, struct str text, struct arena *a);
/*
 * Reads a number with this decimal mark, '.' or ','; the other one, spaces and apostrophes may
 * stand before each three digits. False: it is none (n/a, text, infinity, too long).
 */
bool number_read(struct str text, char mark, double *ret);

/* Units as ncu prints them: byte, Kbyte/s, usecond, Ghz, cycle/nsecond, inst/cycle, %. */
enum dimension {
	DIM_PLAIN, /* counts, ratios and whatever is not known here */
	DIM_TIME,  /* in ns */
	DIM_BYTES, /* in bytes, also per second or cycle */
	DIM_HZ,	   /* also cycles by any time */
	DIM_PERCENT,
	DIM_ANY, /* no unit is said: taken for the base unit */
};

struct unit_scale {
	enum dimension dimension;
	double factor; /* makes it the base unit */
};

/* Powers of 1000, as ncu means them: its Kbyte is 1,000 bytes. */
struct unit_scale unit_read(struct str unit);

#endif
