/* Units as ncu prints them: byte, Kbyte/s, usecond, Ghz, cycle/nsecond, inst/cycle, %. */
#ifndef NCU_UNIT_H
#define NCU_UNIT_H

#include "base/str.h"

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
