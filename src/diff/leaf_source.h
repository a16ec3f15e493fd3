/*
 * For diff/account.c: what leaves are told from, while the trace is open, and the walks over it
 * that sum them up.
 */
#ifndef DIFF_LEAF_SOURCE_H
#define DIFF_LEAF_SOURCE_H

#include "diff/compared_steps.h"
#include "diff/host_ranges.h"
#include "diff/leaf_table.h"
#include "diff/op_groups.h"
#include "diff/step_paths.h"

struct leaf_source {
	struct trace *trace;
	struct ops ops;
	struct gap_judge judge;
	struct compared_steps steps;
	struct op_groups groups;
	struct step_paths paths;
	struct host_ranges host;
	size_t kinds; /* of steps */
};

/* The range that an op was launched in; `c` is near where the one before was. */
uint32_t leaf_range_of_op(const struct leaf_source *s, enum trace_kind kind, uint64_t row,
			  struct innermost_cursor *c);
/* The path of a range; `between`: of what lies after the end of a step. */
uint32_t leaf_path_of(const struct leaf_source *s, uint32_t range, bool between);
/* The leaf of a key of a leaf_table, without its sums. */
struct leaf leaf_of_key(const struct leaf_source *s, uint64_t key);

/* Whose time each instant of the steps is. */
int leaf_walk_slices(const struct leaf_source *s, struct leaf_table *ret, struct err *e);
/* How many calls launch what begins in the steps: counted by several workers, each in sums of its
 * own. */
struct launch_sums {
	int64_t calls, graphs;
	uint64_t found, lost; /* kernels and graphs, with their call and without */
};

struct launch_count {
	const struct leaf_source *src;
	bool *is_graph; /* by origin of the launches */
	bool *seen;	/* by launch; NULL: nobody knows who launches what */
	struct launch_sums sums;
};

void launch_count_open(struct launch_count *c, const struct leaf_source *s);
void launch_count_op(const struct launch_count *c, struct launch_sums *sums, enum trace_kind kind,
		     uint64_t row);
void launch_count_add(struct launch_count *c, const struct launch_sums *sums);
void launch_count_close(struct launch_count *c, struct account *a);

/* How often, and for how long, each op ran that begins in a step, hidden by others or not; who
 * launched it is counted where that is asked for. */
void leaf_walk_ops(const struct leaf_source *s, struct leaf_table *ret,
		   struct launch_count *launches);

#endif
