/*
 * Numbers for the pairs of process and GPU that ops belong to, and which of them the user asked
 * for.
 */
#ifndef ANALYSIS_PLACES_H
#define ANALYSIS_PLACES_H

#include "analysis/analysis.h"
#include "trace/devices.h"

struct place {
	uint32_t process; /* trace->process_keys; ID_NONE: the export does not say */
	uint32_t device;  /* see trace/devices.h; ID_NONE: the export does not say */
	bool wanted;	  /* passes p->pid and p->device */
};

struct places {
	const struct trace *trace;
	const struct params *p;
	struct device_map devices;
	struct idmap numbers; /* process, device */
	struct place *all;
	size_t count, cap;
	uint32_t last_process, last_ordinal, last; /* most ops are where the one before was */
};

/* Reads the devices; COL_PROCESS and COL_DEVICE of the ops must be loaded where they are there. */
int places_open(struct places *x, struct trace *t, const struct params *p, struct err *e);
uint32_t places_number(struct places *x, const struct events *ev, uint64_t row);
void places_close(struct places *x);

/* What identifies a place. */
struct cell place_pid_cell(const struct places *x, uint32_t place);
struct cell place_device_cell(const struct places *x, uint32_t place);

#endif
