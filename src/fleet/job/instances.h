/*
 * Collectives put together from the kernels of all ranks: the k-th of a class on one rank belongs
 * with the k-th on the others, where k counts from the first that the rank of reference has. A
 * capture may begin or end between those of others: which k its first one has is what agrees best
 * with the clocks.
 */
#ifndef FLEET_INSTANCES_H
#define FLEET_INSTANCES_H

#include "fleet/job/job.h"

#define INSTANCE_MISSING UINT32_MAX

/* Collectives of one type in one communicator, or of one kernel name where that is not known. */
struct instance_class {
	const struct part_collective_class *is; /* of its first member */
	size_t first_queue, queue_count;
	size_t first, count; /* instances */
	bool leaves_early;   /* some may leave before others come */
	bool is_group;	     /* others have such kernels too, but not together with these */
};

/* The kernels of a class on one member, in order of time. */
struct instance_queue {
	uint32_t class, member;
	uint32_t *kernels; /* of the member's collectives */
	size_t count;
	int64_t first_k; /* which instance its first is of; below 0: it is before the reference's */
	bool matched;	 /* some first_k agrees with the clocks */
};

struct instance {
	uint32_t class;
	uint32_t present;	 /* of the class's members that have it */
	const uint32_t *kernels; /* by queue of the class: of its member's collectives, or
				    INSTANCE_MISSING */
};

struct instances {
	struct instance_class *classes;
	size_t class_count;
	struct instance_queue *queues; /* by class, then by member */
	size_t queue_count;
	struct instance *all; /* by class, then by k */
	size_t count;
	uint32_t *kernels, *queue_kernels; /* what instances and queues point to */
	uint64_t alone;			   /* kernels of classes that one rank alone has */
	uint64_t unmatched;		   /* kernels that nobody else has a counterpart for */
};

void instances_make(const struct job *j, struct instances *ret);
void instances_free(struct instances *x);

/* The kernel of an instance on the member of its q-th queue; NULL: it is not there. */
static inline const struct part_collective *
instance_kernel(const struct job *j, const struct instances *x, const struct instance *i, size_t q)
{
	const struct instance_class *c = &x->classes[i->class];
	const struct part_member *m = j->members[x->queues[c->first_queue + q].member].is;

	return i->kernels[q] == INSTANCE_MISSING ? NULL : &m->collectives[i->kernels[q]];
}

#endif
