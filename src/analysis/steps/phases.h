/*
 * What the phases of a program (prefill and decode, forward and backward) cost. A phase is a set of
 * ranges, push/pop and start/end, told by their names. Wall time is the union of its ranges on each
 * thread; a GPU op belongs to the phase of the innermost range with a phase around its launch call:
 * of the push/pop ranges of the calling thread and the start/end ranges of its process the one
 * that began last.
 */
#ifndef ANALYSIS_PHASES_H
#define ANALYSIS_PHASES_H

#include "analysis/analysis.h"

struct phase {
	struct str name;
	int64_t gpu_ns;
	uint64_t gpu_ops;
	int64_t wall_ns;     /* per thread each instant once, summed over threads */
	uint64_t ranges;     /* in the window */
	struct str examples; /* names of its ranges, those that took longest first */
};

struct phases {
	struct arena arena;
	struct phase *items; /* in the order of the map; the last is what no phase took */
	size_t count;	     /* with the last */
	bool guessed;	     /* from common names: there was no map */
	bool found;	     /* some range has a phase */
	bool has_gpu;	     /* GPU work and the calls that launched it are there, and wanted */
	int64_t gpu_ns;	     /* all of them */
	int64_t outside_ns;  /* unmapped, launched by threads that have no range of any phase */
	bool shared;	     /* all of it is the trace's */
};

/*
 * p->phase_map is the file, NULL to guess. Filters and the window of p apply. Made once where the
 * trace shares its joins and is asked the same again.
 */
int phases_read(struct trace *t, const struct scope *p, struct phases *ret, struct err *e);
void phases_free(struct phases *ph);

#endif
