/*
 * Which GPU an op ran on. The number in an event is the CUDA ordinal of its process: two processes
 * that see one GPU each both call theirs 0. Where an export says so, its own numbers of the GPUs
 * tell them apart; where ordinals do not clash they are the better known names.
 */
#ifndef TRACE_DEVICES_H
#define TRACE_DEVICES_H

#include "trace/system/machine.h"

struct device_map {
	struct idmap gpus; /* process << 32 | ordinal → GPU */
};

int device_map_read(struct trace *t, struct device_map *ret, struct err *e);
void device_map_free(struct device_map *m);

/* The GPU's id in the export where ordinals clash, else the ordinal. */
static inline uint32_t device_map_gpu(const struct device_map *m, uint32_t process,
				      uint32_t ordinal)
{
	uint32_t gpu;

	if (!m->gpus.count || process == ID_NONE)
		return ordinal;
	gpu = idmap_get(&m->gpus, (uint64_t)process << 32 | ordinal);
	return gpu == IDMAP_NONE ? ordinal : gpu;
}

#endif
