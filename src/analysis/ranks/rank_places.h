/* Places (a process on a GPU) by the rank that the process is. */
#ifndef ANALYSIS_RANK_PLACES_H
#define ANALYSIS_RANK_PLACES_H

#include "analysis/gpu/process_gpus.h"
#include "analysis/processes/rank_map.h"

/* Numbers of places by rank, those of no rank last; then by process and device. The caller frees
 * it.
 */
uint32_t *rank_places_order(const struct rank_map *m, const struct process_gpus *x);
/* The rank's number; null for a process that is none. */
struct cell rank_place_cell(const struct rank_map *m, const struct process_gpus *x, uint32_t place);

#endif
