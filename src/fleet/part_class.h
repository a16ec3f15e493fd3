/* Which collectives belong together: classes are the same whatever rank has them. */
#ifndef FLEET_PART_CLASS_H
#define FLEET_PART_CLASS_H

#include "fleet/part.h"

/* An order of classes; 0: collectives of both belong together. */
int part_class_compare(const struct part_collective_class *a,
		       const struct part_collective_class *b);
/* Whether one of them is there twice. */
bool part_classes_repeat(const struct part_collective_class *all, size_t count);

#endif
