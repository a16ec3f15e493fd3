/* Places (a process on a GPU) by the rank that the process is. */
#ifndef ANALYSIS_GPUS_BY_RANK_H
#define ANALYSIS_GPUS_BY_RANK_H

#include "analysis/gpu/process_gpus.h"
#include "analysis/processes/rank_map.h"

/* Numbers of GPUs by rank, those of no rank last; then by process and device. The caller frees
 * it.
 */
uint32_t *gpus_by_rank(const struct rank_map *m, const struct process_gpus *x);
/* The rank's number; null for a process that is none. */
struct cell gpu_rank_cell(const struct rank_map *m, const struct process_gpus *x, uint32_t gpu);
/* "1/4": which of how many along an axis of the mesh; null: unknown. */
struct cell mesh_place_cell(struct report *r, const struct mesh_place *gpu);

#endif
