/* Does a name of a trace fit what somebody said, who rarely writes it in full? */
#ifndef ASK_SAID_NAME_H
#define ASK_SAID_NAME_H

#include "base/idmap.h"
#include "base/str.h"

/* How well, the best last. */
enum name_fit { FIT_NONE, FIT_NEAR, FIT_PART, FIT_WORD, FIT_WHOLE };

enum name_fit name_fit(struct str name, struct str said);

/* The same of many rows, whose names come again and again: each is looked at once. */
struct name_fits {
	struct str said;
	struct idmap seen; /* what was found, by name */
};

void name_fits_begin(struct name_fits *n, struct str said);
enum name_fit name_fits_find(struct name_fits *n, struct str name);
void name_fits_end(struct name_fits *n);

#endif
