/*
 * The launches of kernels and graphs: one for each call and GPU, however many kernels a graph
 * holds. A launch belongs to a window when its call begins in it.
 */
#ifndef ANALYSIS_LAUNCH_LIST_H
#define ANALYSIS_LAUNCH_LIST_H

#include "analysis/gpu/process_gpus.h"
#include "trace/calls/launch.h"

enum { LAUNCH_LIST_COLUMNS = COLS_TIMES | COLS_PROCESS_DEVICE };

struct one_launch {
	int64_t called_ns; /* the call's start */
	int64_t began_ns;  /* the start of the first op on that GPU */
	uint32_t launch;   /* in the join */
	uint32_t pair;
};

/* The launches of one process on one GPU, counted. */
struct launch_counts {
	uint64_t launches, graphs;
	int64_t first_ns, last_ns; /* calls */
	int64_t began_ns;	   /* the last that began on the GPU, nearly always: see add_op() */
};

/* Launches by number are nearly in order of time: pieces of them are worth looking at in turn. */
enum { LAUNCH_PIECES = 64 };

struct launch_list {
	const struct trace *trace;
	const struct launches *joined;
	struct process_gpus pairs;
	bool *graph_origin; /* by origin of the join: it launches whole graphs */
	/*
	 * By launch, the first op of the process and GPU that were met first. ID_NONE: no launch,
	 * or not in the window, or not asked for. A graph on several GPUs has the others in `more`.
	 */
	uint32_t *op;
	struct launch_counts *at; /* by pair */
	size_t at_count, at_cap;
	uint64_t *single; /* a bit for each kernel: in the list, and not of a graph */
	struct one_launch *more;
	size_t more_count, more_cap;
	struct idmap more_of; /* launch, pair → index */
	int piece_bits;	      /* 2^piece_bits launches are a piece; the last has the rest */
	/* By piece: no call of this one or a later one begins before. */
	int64_t earliest_ns[LAUNCH_PIECES + 1];
};

/*
 * `joined` holds kernels and graphs, and must live on, as must LAUNCH_LIST_COLUMNS of both, which
 * are loaded here.
 */
int launch_list_make(struct trace *t, const struct launches *joined, const struct scope *p,
		     struct launch_list *ret, struct err *e);
void launch_list_free(struct launch_list *l);

/* Launch i of launch_list_size(); false: there is none under that number. */
bool launch_list_at(const struct launch_list *l, size_t i, struct process_gpu_cursor *c,
		    struct one_launch *ret);

static inline size_t launch_list_size(const struct launch_list *l)
{
	return l->joined->launch_count + l->more_count;
}

static inline size_t launch_list_piece(const struct launch_list *l, size_t i)
{
	size_t piece = i >> l->piece_bits;

	return piece < LAUNCH_PIECES ? piece : LAUNCH_PIECES - 1;
}

/* The pair of a kernel that was launched by itself, in the list; ID_NONE for all others. */
static inline uint32_t launch_list_single(const struct launch_list *l, struct process_gpu_cursor *c,
					  uint64_t row)
{
	if (!(l->single[row / 64] >> row % 64 & 1))
		return ID_NONE;
	return process_gpus_find(&l->pairs, c, &l->trace->events[TRACE_KERNELS], row);
}

#endif
