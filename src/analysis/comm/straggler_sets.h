/*
 * The collectives of several ranks put together from their kernels: the k-th of a class on one rank
 * belongs with the k-th on each other. See straggler_classes.h.
 */
#ifndef ANALYSIS_STRAGGLER_SETS_H
#define ANALYSIS_STRAGGLER_SETS_H

#include "analysis/comm/straggler_classes.h"
#include "analysis/numbers/summary.h"
#include "analysis/processes/rank_map.h"

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
	uint32_t last;		   /* the member that came last; ID_NONE: all at once */
	int64_t first_ns, last_ns; /* starts */
	int64_t wait_ns;	   /* of all others for the last */
	int64_t late_ns[LATES];	   /* sum up to last_ns − first_ns */
};

/* A rank on a GPU. */
struct member {
	uint32_t place;
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
