/*
 * Numbers as people's settings write them: 1,234.5 or 1.234,5 or 1 234,5. What 1.234 means is
 * decided for a whole file, by its numbers that can be read in one way only.
 */
#ifndef NCU_NUMBER_H
#define NCU_NUMBER_H

#include "base/str.h"

/* A number of the file that can have a decimal point, or comma, alone. */
struct number_evidence {
	struct str point, comma; /* s is NULL while there is none; views of the file's fields */
};

/* What the text says about the file's way of writing. Views are kept by `keep`. */
void number_look(struct number_evidence *seen, struct str text,
		 struct str (*keep)(void *ctx, struct str s), void *ctx);
/*
 * Reads a number with this decimal mark, '.' or ','; the other one, spaces and apostrophes may
 * stand before each three digits. False: it is none (n/a, text, infinity, too long).
 */
bool number_read(struct str text, char mark, double *ret);

#endif
