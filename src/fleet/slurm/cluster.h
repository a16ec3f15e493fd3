/*
 * Slurm, by its programs: sbatch, squeue, scontrol and scancel of PATH. Nothing of its accounting
 * is needed, which many clusters do not have.
 */
#ifndef FLEET_SLURM_CLUSTER_H
#define FLEET_SLURM_CLUSTER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdint.h>

struct cluster {
	char *sbatch, *squeue, *scontrol, *scancel;
};

#define CLUSTER_NO_TASK UINT32_MAX

/* What squeue says of a job, or of a task of an array. */
struct cluster_job {
	uint64_t id;	   /* of the job; of all tasks of an array */
	uint32_t task;	   /* CLUSTER_NO_TASK: it is no array, or several that wait */
	struct str state;  /* "RUNNING" */
	struct str name;   /* of the job */
	struct str nodes;  /* may be empty */
	struct str reason; /* "None" */
};

struct cluster_jobs {
	struct arena arena;
	struct cluster_job *all;
	size_t count;
};

/* What scontrol says of the end of a task, or of several that had not begun. */
struct cluster_end {
	uint32_t first, last;
	struct str state;
	int exit_code, signal;
};

struct cluster_ends {
	struct arena arena;
	struct cluster_end *all;
	size_t count;
};

/* ERR_USAGE where one of them is not in PATH. For cluster_close() whether this fails or not. */
int cluster_open(struct cluster *c, struct err *e);
void cluster_close(struct cluster *c);

/* How many tasks an array may have. */
uint32_t cluster_array_max(const struct cluster *c);
/* What `words` are to sbatch; *ret_id is the job's. */
int cluster_submit(const struct cluster *c, const struct string_list *words, uint64_t *ret_id,
		   struct err *e);
/*
 * Jobs of ours with one of the names: those that wait or run; or `failed`, the ones that ended
 * badly, which Slurm forgets after some minutes. -1: the controller does not answer.
 */
int cluster_find_jobs(const struct cluster *c, const struct string_list *names, bool failed,
		      struct cluster_jobs *ret, struct err *e);
/* How the tasks of a job ended, as far as Slurm still knows. */
void cluster_find_ends(const struct cluster *c, uint64_t id, struct cluster_ends *ret);
/*
 * Slurm waits two minutes before it begins a task again whose node was lost, so that none is at
 * work twice. Ours may be: it begins at once.
 */
void cluster_begin_now(const struct cluster *c, const struct cluster_job *j);
/* Ends what waits or runs; one that is over is none the worse. */
void cluster_cancel(const struct cluster *c, uint64_t id);

/* What the programs print. Views of `text`, which must live as long. */
bool cluster_parse_id(struct str text, uint64_t *ret);
uint32_t cluster_parse_array_max(struct str text);
void cluster_parse_jobs(struct cluster_jobs *ret, struct str text);
void cluster_parse_ends(struct cluster_ends *ret, struct str text);

#endif
