/* `fleet --slurm`: the same, on a cluster's nodes. */
#ifndef COMMANDS_FLEET_FLEET_SLURM_H
#define COMMANDS_FLEET_FLEET_SLURM_H

#include "options/option.h"

struct slurm_args {
	bool slurm, dry_run;
	struct string_list sbatch_args;
	const char *parts; /* the folder to work in, or NULL */
	uint64_t at_once;
};
extern const struct option_group slurm_options;

struct invocation;

/* The words are captures and folders of them. */
int fleet_slurm_run(struct invocation *inv, const char *const *words, size_t count, struct err *e);
/* `fleet pack FOLDER N`, which the scripts call: the N-th pack of a job's parts. */
int fleet_slurm_pack(const char *const *words, size_t count, struct err *e);

#endif
