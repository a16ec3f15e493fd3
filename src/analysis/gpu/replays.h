/*
 * The launches of CUDA graphs, told node by node or as a whole: which graph each one replayed, and
 * what of it lies in the window.
 */
#ifndef ANALYSIS_REPLAYS_H
#define ANALYSIS_REPLAYS_H

#include "analysis/gpu/places.h"
#include "trace/calls/launch.h"

struct replay {
	uint32_t graph;		  /* replays.graphs */
	uint64_t ops;		  /* recorded: its nodes, or 1 for a graph as a whole */
	int64_t gpu_ns;		  /* of all ops */
	int64_t start_ns, end_ns; /* from the first op's start to the last one's end */
	int64_t call_ns;	  /* duration of the call; DURATION_NONE: it is not in the trace */
};

struct graph {
	uint32_t process; /* trace->process_keys, or ID_NONE */
	uint32_t id;	  /* in the export; ID_NONE: it does not say, and `thread` launched it */
	uint32_t thread;  /* trace->thread_keys, or ID_NONE */
	bool whole;	  /* its nodes were not recorded */
};

struct replays {
	struct replay *items;
	size_t count, cap;
	struct graph *graphs;
	size_t graph_count, graph_cap;
	int64_t all_ns;		 /* time of all GPU work in the window, graphs or not */
	uint64_t without_launch; /* ops of graphs that do not say which launch they belong to */
	uint64_t without_times;
};

/* p->trim clips, p->device and p->pid filter. */
int replays_read(struct trace *t, const struct scope *p, struct replays *ret, struct err *e);
void replays_free(struct replays *x);

#endif
