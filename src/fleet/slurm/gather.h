/* What a job's folder holds, for who makes one answer of it: parts, and why some are missing. */
#ifndef FLEET_SLURM_GATHER_H
#define FLEET_SLURM_GATHER_H

#include "fleet/answer/reduce.h"

/* Both arrays are the heap's. */
struct gathered {
	struct part *parts;
	size_t part_count;
	struct fleet_loss *losses;
	size_t loss_count;
	struct arena arena; /* of the texts of losses */
};

/* Whether a folder is that of a job, rather than one with captures. */
bool gather_is_folder(const char *path);
/* ERR_INPUT where it is none. For gather_free() whether this fails or not. */
int gather_read(struct gathered *ret, const char *folder, struct err *e);
void gather_free(struct gathered *g);

#endif
