/*
 * The status file of a task that made no part, beside where the part would be. Its first line is
 * "exit CODE", by the task itself, or "fate WORD", by who follows the job and knows more. What
 * gpuwhy said follows. Written whole or not at all; anybody may have written it: it is judged.
 */
#ifndef FLEET_SLURM_STATUS_H
#define FLEET_SLURM_STATUS_H

#include "fleet/slurm/fate.h"
#include "fleet/slurm/work.h"

struct status {
	enum fate fate;
	const char *reason; /* for people, without paths; in the arena that was given */
};

/* False: there is none, or no sense in it. */
bool status_read(const struct work *w, size_t item, struct arena *a, struct status *ret);
int status_write(const struct work *w, size_t item, enum fate f, struct err *e);
/* An earlier one, before another try. */
void status_remove(const struct work *w, size_t item);

/* The same of the file's bytes. */
bool status_parse(struct str bytes, const char *file, struct arena *a, struct status *ret);

#endif
