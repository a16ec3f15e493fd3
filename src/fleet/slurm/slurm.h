/*
 * The captures of a job read on a cluster: an array of tasks, one a capture, and a job that makes
 * the answer of their parts. Whoever calls follows it to its end; if he is killed the cluster goes
 * on, and the next call with the same folder goes on with it.
 *
 * Nothing of ours listens or ships files: a file system that all nodes have, and sbatch.
 */
#ifndef FLEET_SLURM_SLURM_H
#define FLEET_SLURM_SLURM_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdint.h>

struct slurm_request {
	const char *gpuwhy; /* this program, as nodes find it: a path */
	const char *folder; /* to work in: see work.h */
	const char *const *files;
	size_t count;
	struct string_list map_words;	 /* what `fleet map` is told besides file and part */
	struct string_list reduce_words; /* the same of `fleet reduce` */
	bool wants_folder;		 /* --out of it */
	size_t columns;			 /* of the terminal that its answer is for; 0: of none */
	struct string_list sbatch_words; /* the user's own */
	uint64_t at_once;		 /* tasks that run at the same time, at most */
	/* What happens, in a line; may be NULL. */
	void (*tell)(void *ctx, const char *text);
	void *ctx;
};

/* A capture that has no part, and why. */
struct slurm_loss {
	const char *file;   /* as it is listed */
	const char *reason; /* for people */
};

struct slurm_outcome {
	struct arena arena; /* of all that it points to */
	const char *answer; /* the file with what reduce printed */
	const char *folder; /* what its --out has become; NULL: not asked for */
	struct slurm_loss *losses;
	size_t loss_count;
};

/*
 * ERR_INPUT where there is no answer. A held interrupt (input/interrupt.h) ends the waiting, with
 * ERR_SYSTEM, but no job. For slurm_outcome_free() whether this fails or not.
 */
int slurm_run(const struct slurm_request *q, struct slurm_outcome *ret, struct err *e);
void slurm_outcome_free(struct slurm_outcome *o);

/* The scripts and command lines that this would be, without Slurm and with nothing written. */
int slurm_add_plan(struct buf *b, const struct slurm_request *q, struct err *e);

#endif
