/*
 * GPU ops that are the same as far as a comparison is concerned: kernels of one name and grid,
 * copies of one direction and kind of memory, sets, and whole graphs in the order in which they
 * were first launched (their ids mean nothing in another run).
 */
#ifndef DIFF_OP_GROUPS_H
#define DIFF_OP_GROUPS_H

#include "diff/account.h"
#include "trace/ops/ops.h"

struct op_group {
	enum leaf_class class;
	uint32_t kernel; /* number of its name in trace->names; NAME_NONE: it is no kernel */
	const char *name, *grid;
};

struct op_groups {
	struct op_group *all;
	size_t count, cap;
	uint32_t *of_op[TRACE_GPU_KINDS]; /* by row; NULL: there are none */
};

/* Of kernels, beside their names. */
#define OP_GROUP_COLUMNS (COL_BIT(COL_GRID_X) | COL_BIT(COL_GRID_Y) | COL_BIT(COL_GRID_Z))

/* Loads what it needs. Texts are in the arena. For op_groups_free() whether this fails or not. */
int op_groups_make(struct op_groups *ret, struct trace *t, const struct ops *o, struct arena *arena,
		   struct err *e);
void op_groups_free(struct op_groups *g);

#endif
