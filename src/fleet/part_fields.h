/* The fields of a part in the order of its file: for fleet/part_write.c and fleet/part_read.c. */
#ifndef FLEET_PART_FIELDS_H
#define FLEET_PART_FIELDS_H

#include "fleet/part.h"
#include "fleet/part_code.h"

/* Writes what `p` holds, or reads it into `p`, which is empty: see c->wrong. */
void part_fields(struct part_code *c, struct part *p);

#endif
