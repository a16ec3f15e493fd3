/*
 * Clocks, power and boost of a GPU before a run, as nvidia-smi prints them. Runs compare only where
 * the settings among these are the same.
 */
#ifndef CAPTURE_GPU_STATE_H
#define CAPTURE_GPU_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "text/json_write.h"

enum gpu_field {
	GPU_SM_CLOCK,
	GPU_MEMORY_CLOCK,
	GPU_MAX_SM_CLOCK,
	GPU_MAX_MEMORY_CLOCK,
	GPU_APPLICATION_CLOCK,
	GPU_POWER,
	GPU_POWER_LIMIT,
	GPU_ENFORCED_LIMIT,
	GPU_TEMPERATURE,
	GPU_PERSISTENCE,
	GPU_CLOCK_LIMITS,
	GPU_BOOST,
	GPU_MAX_BOOST,
	GPU_FIELDS,
};

struct gpu_state {
	const char *values[GPU_FIELDS]; /* NULL: not said */
};

/* Fills those of so many GPUs, in the order of nvidia-smi. Texts live in the arena. */
void gpu_states_ask(struct gpu_state *all, size_t count, struct arena *a);
struct gpu_state gpu_state_copy(const struct gpu_state *s, struct arena *a);

/* "state": {…}, with what is known of it; nothing where nothing is. */
void gpu_state_write(struct json_writer *w, const struct gpu_state *s);

/* Appends the settings in which the two differ: "power_limit_w 700 and 500, …". */
void gpu_state_add_differences(struct buf *b, const struct gpu_state *x, const struct gpu_state *y);

#endif
