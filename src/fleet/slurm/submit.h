/* Jobs as sbatch takes them: their names, which tell whose they are, and its command lines. */
#ifndef FLEET_SLURM_SUBMIT_H
#define FLEET_SLURM_SUBMIT_H

#include "fleet/slurm/slurm.h"
#include "fleet/slurm/work.h"

enum {
	ARRAY_MOST = 1000, /* tasks of one array; clusters may allow fewer */
	PACK_PARTS = 256,  /* of one pack; that many captures, and no more, need none */
};

/* An array of tasks that read captures `first` and following. */
struct map_job {
	uint64_t id;
	size_t first;
};

static inline size_t submit_packs(size_t captures)
{
	return captures > PACK_PARTS ? (captures + PACK_PARTS - 1) / PACK_PARTS : 0;
}

/* "gpuwhy-0123456789-map-1000" */
const char *submit_map_name(struct arena *a, const struct work *w, size_t first);
const char *submit_pack_name(struct arena *a, const struct work *w);
const char *submit_reduce_name(struct arena *a, const struct work *w);

/*
 * `wanted` of the captures from `first` on, at most `chunk`; false: none is. `words` gets what
 * sbatch is told. `whole_memory`: the task may have all that its node has.
 */
struct map_choice {
	const bool *wanted; /* of all captures */
	size_t first, chunk;
	uint64_t at_once; /* of this array */
	bool whole_memory;
};
bool submit_map_words(struct string_list *words, struct arena *a, const struct work *w,
		      const struct slurm_request *q, const struct map_choice *c);
/* Both begin when the jobs of `after` ("afterany:7:9"; "": none) are over, however they ended. */
void submit_pack_words(struct string_list *words, struct arena *a, const struct work *w,
		       const struct slurm_request *q, size_t packs, const char *after);
void submit_reduce_words(struct string_list *words, struct arena *a, const struct work *w,
			 const struct slurm_request *q, const char *after);

/* "0-3,7%16": those that are wanted, as sbatch takes them; false: none is. */
bool submit_add_indices(struct buf *b, const bool *wanted, size_t count, uint64_t at_once);

#endif
