/* Texts of a column that were cut to fit: those that came out alike get a number. */
#ifndef REPORT_ELISIONS_H
#define REPORT_ELISIONS_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/strtab.h"

/* A zeroed one is empty and valid. */
struct elisions {
	struct arena arena;
	struct strtab whole, cut;
	uint32_t *number; /* by whole text: among those that are cut to the same, from 1 */
	uint32_t *alike;  /* by cut text */
	size_t number_cap, alike_cap;
};

/* Adds safe text, cut to `room` columns, otherwise than other texts before it were. */
void elisions_add(struct elisions *x, struct buf *b, struct str safe, size_t room);
void elisions_free(struct elisions *x);

#endif
