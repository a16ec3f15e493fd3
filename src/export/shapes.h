/*
 * How kernels were launched: grid, block, registers, shared memory. Few launches differ in it, so
 * that a number takes the place of nine columns, and a writer words each shape once.
 */
#ifndef EXPORT_SHAPES_H
#define EXPORT_SHAPES_H

#include "export/timeline.h"
#include "text/strtab.h"
#include "trace/trace.h"

enum { SHAPE_VALUES = 9 }; /* grid, block, registers, static and dynamic shared memory */

struct shape {
	uint32_t values[SHAPE_VALUES]; /* ID_NONE: the export does not say */
};

struct shapes {
	uint32_t *of_kernel;
	struct strtab all; /* the bytes of each */
	struct arena arena;
	struct timeline_arg args[SHAPE_VALUES]; /* of the one that was asked for */
};

/* Loads the columns, and gives them back. */
int shapes_read(struct shapes *s, struct trace *t, struct err *e);
/* A shape as args, until the next is asked for. */
struct timeline_block shapes_block(void *shapes, uint32_t number);
void shapes_free(struct shapes *s);

#endif
