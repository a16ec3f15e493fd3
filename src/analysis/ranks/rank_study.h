/*
 * What streams and stages are told from: the ranks, the window of each, what the GPUs did in it,
 * and which ranges launched its communication.
 */
#ifndef ANALYSIS_RANK_STUDY_H
#define ANALYSIS_RANK_STUDY_H

#include "analysis/numbers/cover.h"
#include "analysis/ranks/preset.h"
#include "analysis/ranks/rank_window.h"
#include "trace/ranges/innermost.h"

/*
 * What the ranges around a moment of a thread say: the label that a preset's rules give to the
 * innermost range that they know.
 */

#define LABEL_NONE STRTAB_NONE

struct markers {
	struct trace *trace;
	struct strtab labels;
	uint32_t *label_of_name; /* by number in trace->names; of names of ranges that were asked */
	struct picked_ranges ranges; /* that have a label */
};

/*
 * What the GPUs did for each rank in its window: its streams, its communication kernel by kernel,
 * and the time it computed on each device. Work of other ranks on the same GPU is none of its.
 */

/* A device that a rank works on. */
struct rank_gpu {
	uint32_t rank; /* index in the map */
	uint32_t device;
	struct cover compute; /* by compute kernels and whole graphs */
};

struct rank_stream {
	uint32_t gpu;
	uint32_t stream;	/* ID_NONE: the export does not say */
	uint64_t comm, compute; /* kernels */
	int64_t comm_ns, compute_ns;
};

/* As far as it lies in the window of its rank. */
struct rank_comm {
	int64_t start_ns, end_ns;
	uint32_t row, stream; /* stream: index */
};

struct rank_activity {
	struct rank_gpu *gpus;
	size_t gpu_count, gpu_cap;
	struct rank_stream *streams; /* by rank, device and stream */
	size_t stream_count, stream_cap;
	struct rank_comm *comm; /* by start */
	size_t comm_count, comm_cap;
};

/*
 * A stream is for communication when nothing else runs on it. Kernels that name no stream may be of
 * several: nobody knows that their communication holds anything up.
 */
static inline bool rank_stream_is_mixed(const struct rank_stream *s)
{
	return s->comm && s->compute && s->stream != ID_NONE;
}

/* A kernel that communicates on a stream that computes, too: the rank stands still meanwhile. */
static inline bool comm_is_barrier(const struct rank_activity *a, const struct rank_comm *k)
{
	return rank_stream_is_mixed(&a->streams[k->stream]);
}

struct rank_study {
	struct trace *trace;
	struct preset preset;
	struct ops ops;
	struct rank_map map;
	struct rank_windows windows;
	struct rank_activity activity;
	struct markers markers;
	uint32_t *label;     /* by communication kernel: number in markers.labels, or LABEL_NONE */
	uint64_t unlaunched; /* communication kernels whose call the trace does not have */
};

/* Which rules of the preset label the communication. */
enum study_rules { STUDY_PURPOSES, STUDY_STAGES };

/*
 * Makes a study, heads the report with what it is about, has it answered into the report, and frees
 * it.
 */
int rank_study_answer(const struct analysis *self, struct trace *t,
		      const struct rank_window_args *a, enum study_rules rules, struct report *r,
		      int (*answer)(const struct rank_study *s, const struct row_choice *c,
				    struct report *r, struct err *e),
		      struct err *e);

/* The label's text; `otherwise` for LABEL_NONE. */
struct str rank_study_label(const struct rank_study *s, uint32_t label, const char *otherwise);

#endif
