/*
 * The collectives of several ranks put together from their kernels: the k-th of a class on one rank
 * belongs with the k-th on each other rank.
 */
#ifndef ANALYSIS_STRAGGLER_SETS_H
#define ANALYSIS_STRAGGLER_SETS_H

#include "analysis/comm/collectives.h"
#include "analysis/numbers/summary.h"
#include "analysis/processes/rank_map.h"

/*
 * Which kernels of different ranks are compared with each other. A class is a type in a
 * communicator, where NCCL's ranges tell, else a kernel's name, and a stream where all ranks use
 * the same ones for it; the kernels of a class on one rank are a queue, in order of time.
 */
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

/* `member_of_gpu` has a number for each GPU that communicates. */
void straggler_classes_make(const struct collectives *c, const uint32_t *member_of_gpu,
			    struct straggler_classes *ret);
void straggler_classes_free(struct straggler_classes *x);

/* Why the last one came late: what it did from the first one's start to its own. */
enum late {
	LATE_HOST,    /* its launch call had not returned */
	LATE_EARLIER, /* launched, but still in an earlier collective */
	LATE_COMPUTE, /* launched, but other work before it was not done */
	LATE_IDLE,    /* launched, and nothing ran: it waited for an event, or for the GPU */
	LATE_UNKNOWN, /* the launch call is not in the trace */
	LATES,
};

/* One collective. */
struct straggler_set {
	uint32_t class;
	uint32_t k;		   /* counts from 0 in its class */
	uint32_t last;		   /* the member that came last; ID_NONE: all at once, or: */
	bool in_doubt;		   /* by less than the clocks of several traces are right */
	int64_t first_ns, last_ns; /* starts */
	int64_t wait_ns;	   /* of all others for the last */
	int64_t late_ns[LATES];	   /* sum up to last_ns − first_ns */
};

/* A rank on a GPU. */
struct member {
	uint32_t gpu;
	uint64_t sets, last;
	int64_t imposed_ns;	/* wait of the others */
	int64_t waited_ns;	/* for others */
	int64_t worst_ns;	/* the latest that it came */
	int64_t late_ns[LATES]; /* when it was last */
};

struct straggler_sets {
	struct straggler_classes classes;
	struct straggler_set *sets;
	size_t count;
	struct member *members; /* by rank */
	size_t member_count;
	uint64_t unmatched; /* kernels that some rank has no counterpart for */
	uint64_t apart;	    /* sets whose kernels did not all run at once: they are none */
	uint64_t alone;	    /* kernels of classes that one rank alone has */
};

/* `p` says which sets are wanted: those whose last one began in the window. */
int straggler_sets_make(struct trace *t, const struct scope *p, struct collectives *c,
			const struct rank_map *ranks, struct straggler_sets *ret, struct err *e);
void straggler_sets_free(struct straggler_sets *s);

#endif
