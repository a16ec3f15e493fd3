/*
 * Ranks of the GPUs of processes that drive several: launchers, names of files and labels number
 * processes, and each GPU that takes part in a communicator is a rank of its own.
 */
#ifndef FLEET_PROCESS_RANKS_H
#define FLEET_PROCESS_RANKS_H

#include "fleet/part.h"

/*
 * Of all captures of a job, after file_ranks_apply(): the GPUs of a process are ranks that follow
 * one another. A process of which NCCL says which rank each GPU is keeps these; so does one whose
 * GPUs do not communicate: it is one rank that uses several.
 */
void process_ranks_apply(struct part *parts, size_t count);

#endif
