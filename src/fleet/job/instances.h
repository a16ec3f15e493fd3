/*
 * Collectives put together from the kernels of all ranks: the k-th of a class on one rank belongs
 * with the k-th on the others, where k counts from the first that any of them has. A capture may
 * begin or end between those of others, and may lack some in between: which k a kernel has is what
 * agrees best with the clocks.
 */
#ifndef FLEET_INSTANCES_H
#define FLEET_INSTANCES_H

#include "fleet/job/job.h"

/* Collectives of one type in one communicator, or of one kernel name where that is not known. */
struct instance_class {
	const struct part_collective_class *is; /* of its first member */
	size_t first_queue, queue_count;
	size_t first, count; /* instances */
	bool leaves_early;   /* some may leave before others come */
	double apart_ns;     /* who leaves before others come does so by no more; sends alone */
	bool is_group;	     /* others have such kernels too, but not together with these */
	uint32_t axes;	     /* that is guessed: its ranks differ in these axes of the mesh alone, a
				bit for each; 0: no guess */
};

/* Kernels of a queue, from `first` on, that are of one instance after another. */
struct instance_run {
	uint32_t first;
	int64_t k; /* the instance that its first is of */
};

/* The kernels of a class on one member, in order of time. */
struct instance_queue {
	uint32_t class, member;
	uint32_t *kernels; /* of the member's collectives */
	size_t count;
	int64_t left_out;	   /* before its first, as the part says */
	struct instance_run *runs; /* NULL: its kernels agree with no clock */
	size_t run_count;	   /* more than one: kernels are missing between them */
	bool matched;
	/* By that much, whole steps, clocks may be farther apart from those of the queue that
	   others are held against: where it is matched is a guess. */
	double doubt_ns;
};

struct instance {
	uint32_t class;
	uint32_t present;	 /* of the class's queues that have it */
	const uint32_t *kernels; /* by these, in order: of the member's collectives */
	const uint32_t *queues;	 /* which of the class's queues they are; NULL: all */
};

struct instances {
	struct instance_class *classes;
	size_t class_count;
	struct instance_queue *queues; /* by class, then by member */
	size_t queue_count;
	struct instance *all; /* by class, then by k */
	size_t count;
	uint32_t *kernels, *present_queues, *queue_kernels; /* what instances and queues point to */
	uint64_t alone;	    /* kernels of classes that one rank alone has */
	uint64_t unmatched; /* kernels that nobody else has a counterpart for */
	uint64_t untried;   /* queues without a communicator that were not held against all */
};

/*
 * `sure`: queues are matched where they are expected, or not at all. Otherwise they are looked for;
 * clocks that are known by now are believed then.
 */
void instances_make(const struct job *j, bool sure, struct instances *ret);
void instances_free(struct instances *x);

/* The instance behind a queue's last. */
static inline int64_t queue_end_k(const struct instance_queue *q)
{
	const struct instance_run *last = &q->runs[q->run_count - 1];

	return last->k + (int64_t)(q->count - last->first);
}

/* Kernels that a queue lacks between its first and its last. */
static inline uint64_t queue_lost(const struct instance_queue *q)
{
	return q->run_count ? (uint64_t)(queue_end_k(q) - q->runs[0].k) - q->count : 0;
}

/* The queue whose kernel is the n-th of those that an instance has. */
static inline const struct instance_queue *instance_queue_of(const struct instances *x,
							     const struct instance *i, size_t n)
{
	return &x->queues[x->classes[i->class].first_queue + (i->queues ? i->queues[n] : n)];
}

/* Its member. */
static inline uint32_t instance_member(const struct instances *x, const struct instance *i,
				       size_t n)
{
	return instance_queue_of(x, i, n)->member;
}

/* That kernel. */
static inline const struct part_collective *
instance_kernel(const struct job *j, const struct instances *x, const struct instance *i, size_t n)
{
	return &j->members[instance_member(x, i, n)].is->collectives[i->kernels[n]];
}

#endif
