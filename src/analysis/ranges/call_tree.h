/*
 * The program as a tree: each thread's ranges and, as leaves, the GPU ops that calls inside them
 * launched. Merged, ranges of one thread with the same names above them are one node, and ops
 * of one name one leaf; without it every range and every op is a node.
 */
#ifndef ANALYSIS_CALL_TREE_H
#define ANALYSIS_CALL_TREE_H

#include "analysis/ranges/range_work.h"

#define NODE_NONE UINT32_MAX

/* What people can follow, and what programs that read nested objects can. */
enum { CALL_TREE_DEEPEST = 200 };

enum call_node_kind {
	CALL_NODE_THREAD,  /* `name` is its number */
	CALL_NODE_RANGE,   /* in call_tree.names */
	CALL_NODE_OUTSIDE, /* what the thread launched outside every range */
	CALL_NODE_NO_CALL, /* a root: work whose launch call is not in the trace */
	CALL_NODE_OP,	   /* `name` is the row of an op so called, of kind `op_kind` */
};

struct call_node {
	enum call_node_kind kind;
	uint8_t op_kind;
	uint32_t parent; /* parents come before their children; NODE_NONE: a root */
	uint32_t name;
	uint32_t whole; /* of a range: its name with counters; NAME_NONE: several are merged */
	uint32_t depth;
	uint64_t instances;
	int64_t start_ns; /* of the first */
	int64_t wall_ns, self_wall_ns;
	int64_t self_ns; /* GPU time of ops launched in it and in no inner range */
	uint64_t self_ops;
	int64_t gpu_ns; /* and of inner ranges */
	uint64_t gpu_ops;
};

struct call_tree {
	struct trace *trace;
	struct call_node *nodes;
	size_t count, cap;
	struct range_names range_names;
	struct folded_names folded;
	struct strtab names; /* one of the two */
	size_t range_count;  /* in the window, of the threads asked for */
	size_t op_count;     /* in the window; 0 where they are not asked for */
	bool merged;
	bool has_gpu;
	int64_t gpu_ns; /* of all ops that the filters leave */
};

/* What of a tree is asked for. */
struct tree_args {
	struct table_args table;
	struct fold_args fold;
	uint64_t depth;	       /* 0: any */
	int64_t min_ns;	       /* what is shorter, on host and GPU, is not shown */
	bool merge, instances; /* sum up equal paths, or show every range */
	bool kernels, no_ops;  /* GPU ops as leaves, or none */
	enum tree_order { TREE_BY_TIME, TREE_BY_START } order;
	const char *thread; /* a number or a pattern of names, or NULL */
};

/* `threads`: by number, which are wanted; NULL: all. Is freed whether this fails or not. */
int call_tree_make(struct trace *t, const struct tree_args *a, const bool *threads,
		   struct report *r, struct call_tree *ret, struct err *e);
void call_tree_free(struct call_tree *tree);

struct call_tree_shown {
	size_t count; /* nodes */
	size_t all;   /* before the limit cut them */
	size_t small; /* left out before, as min_ns asks */
	size_t deep;  /* left out: nobody can follow so far */
	bool *more;   /* by place: the limit cut siblings after it; for the caller to free */
};

/* The nodes that are shown, each after its parent: see depth, min_ns, order, no_ops. */
uint32_t *call_tree_order(const struct call_tree *tree, const struct tree_args *a,
			  struct call_tree_shown *ret);

#endif
