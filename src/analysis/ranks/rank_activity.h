/*
 * What the GPUs did for each rank in its window: its streams, its communication kernel by kernel,
 * and the time it computed on each device. Work of other ranks on the same GPU is none of its.
 */
#ifndef ANALYSIS_RANK_ACTIVITY_H
#define ANALYSIS_RANK_ACTIVITY_H

#include "analysis/numbers/cover.h"
#include "analysis/ranks/rank_window.h"

/* A device that a rank works on. */
struct rank_place {
	uint32_t rank; /* index in the map */
	uint32_t device;
	struct cover compute; /* by compute kernels and whole graphs */
};

struct rank_stream {
	uint32_t place;
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
	struct rank_place *places;
	size_t place_count, place_cap;
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

int rank_activity_read(struct ops *o, const struct scope *p, const struct rank_map *m,
		       const struct rank_windows *w, struct rank_activity *ret, struct err *e);
void rank_activity_free(struct rank_activity *a);

/* The rank, by index, of a communication kernel. */
static inline uint32_t rank_of_comm(const struct rank_activity *a, const struct rank_comm *k)
{
	return a->places[a->streams[k->stream].place].rank;
}

/* A kernel that communicates on a stream that computes, too: the rank stands still meanwhile. */
static inline bool comm_is_barrier(const struct rank_activity *a, const struct rank_comm *k)
{
	return rank_stream_is_mixed(&a->streams[k->stream]);
}

#endif
