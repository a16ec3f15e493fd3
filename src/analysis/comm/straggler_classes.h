/*
 * Which kernels of different ranks are compared with each other. A class is a type in a
 * communicator, where NCCL's ranges tell, else a kernel's name, and a stream where all ranks use
 * the same ones for it; the kernels of a class on one rank are a queue, in order of time.
 */
#ifndef ANALYSIS_STRAGGLER_CLASSES_H
#define ANALYSIS_STRAGGLER_CLASSES_H

#include "analysis/comm/collectives.h"

struct set_class {
	enum collective_type type;
	uint32_t communicator; /* or ID_NONE: told by name */
	uint32_t name;	       /* trace->names; NAME_NONE: told by communicator */
	uint32_t stream;       /* ID_NONE: all of that name */
	uint32_t members;      /* ranks that take part: as many queues, from first_queue on */
	size_t first_queue;
	bool is_group; /* others have such kernels too, at other times: see straggler_classes.c */
	uint32_t matched;  /* the sets that all of them have */
	bool from_the_end; /* the last of each belong together, not the first */
	size_t first_set;
};

struct queue {
	uint32_t class, member;
	uint32_t count;
	uint32_t *kernels; /* of the walk, by start */
};

struct straggler_classes {
	struct set_class *all;
	size_t count, cap;
	struct queue *queues; /* by class */
	size_t queue_count, queue_cap;
	uint32_t *kernels; /* what queues point into */
};

/* The k-th kernel of a queue that has a counterpart in the others of its class. */
static inline uint32_t queue_kernel(const struct set_class *class, const struct queue *q,
				    uint32_t k)
{
	return q->kernels[class->from_the_end ? q->count - class->matched + k : k];
}

/* Some ranks may leave these before others come; from all others nobody does. */
static inline bool set_class_leaves_early(const struct set_class *class)
{
	return class->type == COLL_BROADCAST || class->type == COLL_REDUCE;
}

/* `member_of_place` has a number for each place that communicates. */
void straggler_classes_make(const struct collectives *c, const uint32_t *member_of_place,
			    struct straggler_classes *ret);
void straggler_classes_free(struct straggler_classes *x);

#endif
