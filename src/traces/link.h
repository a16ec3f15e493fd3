/*
 * A place in a trace as text, to be sent to somebody: "w=19254062825,19308138000&row=GPU%200".
 * Times are in ns, on the clock that the captures share; bytes of names that are no letters or
 * digits are written as in a URL.
 */
#ifndef TRACES_LINK_H
#define TRACES_LINK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct link {
	struct span window;
	bool has_selection;
	struct span selection;
	bool has_step; /* of two runs: that at which they are aligned */
	uint32_t step;
	char *row;     /* the names of the row and what it belongs to; NULL: none */
	char *unknown; /* the first name that is none of a place's; NULL: there is none */
};

/* As bytes of names are written. */
void link_add_escaped(struct buf *b, const char *text);
void link_add(struct buf *b, const struct link *l);
/* For link_free() whether this fails or not. A # before it, as in a URL, is passed over. */
int link_parse(struct link *ret, const char *text, struct err *e);
void link_free(struct link *l);

#endif
