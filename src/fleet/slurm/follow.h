/* A job on its way: its tasks, what is known of each, and the Slurm jobs that they are of. */
#ifndef FLEET_SLURM_FOLLOW_H
#define FLEET_SLURM_FOLLOW_H

#include "fleet/slurm/cluster.h"
#include "fleet/slurm/fate.h"
#include "fleet/slurm/submit.h"

enum { TRIES_MAX = 3 };

/* Of one capture. */
struct task {
	bool done;	   /* its part is there */
	bool given_up;	   /* it has none, and trying again would not help */
	bool whole_memory; /* the next try may have all memory of a node */
	unsigned tries;
	enum fate seen;	    /* what Slurm said of its end; FATE_UNKNOWN: nothing, or FAILED */
	enum fate fate;	    /* what became of it, where it has no part */
	const char *reason; /* for people */
	const char *node;   /* where Slurm saw it fail; NULL: nobody says */
};

struct follow {
	struct arena arena; /* of what lives as long as it */
	const struct slurm_request *q;
	struct work *w;
	struct cluster *c;
	struct task *tasks; /* one a capture */
	size_t chunk;	    /* captures of an array */
	struct map_job *maps;
	size_t map_count, map_cap;
	uint64_t pack, reduce; /* 0: none */
	size_t told_done;      /* of the progress bar */
	const char *told_why;  /* what all of them wait for, as it was said last; or NULL */
};

/* Says a line to who follows. */
void follow_tell(const struct follow *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Which parts are there by now? Returns how many are missing that may still come. */
size_t follow_look(struct follow *f);

/* wait.c: waits until no job of ours of these names is left; failures are noted in `seen`. */
int follow_wait_maps(struct follow *f, struct err *e);
/* The same of the reduce. */
int follow_wait_reduce(struct follow *f, struct err *e);

/* judge.c: what became of tasks without a part, once all arrays are over. */
int follow_judge(struct follow *f, bool *ret_news, struct err *e);
/* Of earlier runs: captures that are known to be no use are not read again. */
void follow_recall(struct follow *f);

/* begin.c: finds arrays that still run, and ends a reduce that somebody else began. */
int follow_adopt(struct follow *f, struct err *e);
/* Arrays for all captures that have no part and are not given up. */
int follow_submit_maps(struct follow *f, struct err *e);
/* Packs, where there are many parts, and the reduce: after the arrays. Replaces an earlier one. */
int follow_submit_reduce(struct follow *f, struct err *e);

#endif
