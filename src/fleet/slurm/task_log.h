/* What Slurm itself writes into the log of a task that it ends. */
#ifndef FLEET_SLURM_TASK_LOG_H
#define FLEET_SLURM_TASK_LOG_H

#include "fleet/slurm/submit.h"

/* Whether it was ended for its memory: Slurm's state tells that only where it uses cgroups. */
bool task_log_tells_memory(const struct work *w, const struct map_job *m, size_t item);

/* The same of its text. */
bool task_log_text_tells_memory(struct str text);

#endif
