/* Stacks of launching threads as a tree, by the GPU idle time that passes in each. */
#ifndef ANALYSIS_CODE_TREE_H
#define ANALYSIS_CODE_TREE_H

#include "analysis/code/code_times.h"
#include "base/buf.h"
#include "trace/code/places.h"
#include "trace/system/machine.h"

#define NODE_NONE UINT32_MAX

enum code_node_kind {
	CODE_NODE_THREAD,
	CODE_NODE_FRAME,
	CODE_NODE_NO_SAMPLE, /* what no sample of the thread stands for */
};

struct code_node {
	enum code_node_kind kind;
	uint32_t thread; /* ID_NONE: nobody knows */
	uint32_t stack;	 /* of a frame: up to it */
	uint32_t parent;
	unsigned depth;
	int64_t idle_ns, self_ns, host_ns;
	int64_t gpu_ns; /* launched in it and below, by backtraces */
};

struct code_tree {
	const struct trace *trace;
	const struct stacks *stacks;
	int64_t idle_ns; /* of all gaps */
	bool has_calls;	 /* some have a backtrace: it is known what they launch */
	bool by_gpu;	 /* by GPU time launched, else by idle time */
	struct idmap numbers;
	struct code_node *nodes;
	size_t cap;
	uint32_t *order; /* rows, parents first, the largest of siblings first */
	size_t count;
	struct str *names; /* by node */
	struct buf path;
};

/*
 * The times must live as long as the report. By GPU time launched: as far as that is known, and
 * always where no thread was sampled.
 */
struct code_tree *code_tree_make(struct report *r, const struct trace *trace,
				 const struct code_times *c, const struct host_names *names,
				 bool by_gpu);
/* Its table; `limit` of its nodes, 0: all. */
void code_tree_table(struct report *r, const struct code_tree *t, uint64_t limit);
/* Its picture, which is left out where no sample says anything about a gap. */
void code_tree_chart(struct report *r, const struct code_tree *t);

#endif
