/* What would overturn a change, or settle it? Of runs that each side has. */
#ifndef STATISTICS_OUTLOOK_H
#define STATISTICS_OUTLOOK_H

#include "statistics/side.h"

#define OUTLOOK_NONE                                                                   \
	(struct outlook)                                                               \
	{                                                                              \
		.overturned_by = NAN, .overturned_by_three = NAN, .settled_below = NAN \
	}

/* Both spreads, by the very methods that would be used if they were known. */
void outlook_overturn(struct outlook *ret, const struct side *a, const struct side *b,
		      bool of_windows, double margin);
/* `run_sd`: NAN where it is not known, of pairs that of their differences; `gap`: how far the shift
 * is from the margin. */
void outlook_settle(struct outlook *ret, const struct side *a, const struct side *b, double run_sd,
		    bool of_pairs, double gap);

#endif
