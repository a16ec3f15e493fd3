/*
 * Numbers for the pairs of process and GPU that ops belong to, and which of them the user asked
 * for.
 */
#ifndef ANALYSIS_PROCESS_GPUS_H
#define ANALYSIS_PROCESS_GPUS_H

#include "analysis/analysis.h"
#include "trace/system/machine.h"

struct process_gpu {
	uint32_t process; /* trace->process_keys; ID_NONE: the export does not say */
	uint32_t device;  /* see trace/system/machine.h; ID_NONE: the export does not say */
	bool wanted;	  /* passes p->pid and p->device */
};

/* Where the last op was found, for a walk over ops: most are where the one before was. */
struct process_gpu_cursor {
	uint32_t process, ordinal;
	uint32_t pair; /* ID_NONE: nothing has been found yet */
};

#define PROCESS_GPU_CURSOR_START ((struct process_gpu_cursor){.pair = ID_NONE})

enum { PROCESS_GPUS_RECENT = 16 };

struct process_gpus {
	const struct trace *trace;
	const struct scope *p;
	struct device_map devices;
	struct idmap numbers; /* process, device */
	struct process_gpu *all;
	size_t count, cap;
	struct process_gpu_cursor recent[PROCESS_GPUS_RECENT]; /* by process: they take turns */
};

/*
 * Loads columns of a kind of ops, and refuses a trace that lacks their times, or what p->device and
 * p->pid need.
 */
int process_gpus_load(struct trace *t, enum trace_kind kind, uint32_t columns,
		      const struct scope *p, struct err *e);
/* Reads the devices; COL_PROCESS and COL_DEVICE of the ops must be loaded where they are there. */
int process_gpus_open(struct process_gpus *x, struct trace *t, const struct scope *p,
		      struct err *e);
void process_gpus_close(struct process_gpus *x);
/* Moves the cursor; process_gpus_number() and process_gpus_find() are what others call. */
void process_gpus_add(struct process_gpus *x, struct process_gpu_cursor *c, uint32_t process,
		      uint32_t ordinal);
void process_gpus_seek(const struct process_gpus *x, struct process_gpu_cursor *c, uint32_t process,
		       uint32_t ordinal);

static inline bool process_gpu_cursor_is_at(const struct process_gpu_cursor *c, uint32_t process,
					    uint32_t ordinal)
{
	return c->pair != ID_NONE && c->process == process && c->ordinal == ordinal;
}

/* The pair of an op, numbered when it is met first. */
static inline uint32_t process_gpus_number(struct process_gpus *x, const struct events *ev,
					   uint64_t row)
{
	uint32_t process = event_process(ev, row);
	uint32_t ordinal = ev->device ? ev->device[row] : ID_NONE;
	struct process_gpu_cursor *c = &x->recent[process % PROCESS_GPUS_RECENT];

	if (!process_gpu_cursor_is_at(c, process, ordinal))
		process_gpus_add(x, c, process, ordinal);
	return c->pair;
}

/* The same for an op whose pair has its number; each thread has a cursor of its own. */
static inline uint32_t process_gpus_find(const struct process_gpus *x, struct process_gpu_cursor *c,
					 const struct events *ev, uint64_t row)
{
	uint32_t process = event_process(ev, row);
	uint32_t ordinal = ev->device ? ev->device[row] : ID_NONE;

	if (!process_gpu_cursor_is_at(c, process, ordinal))
		process_gpus_seek(x, c, process, ordinal);
	return c->pair;
}

/* What identifies a pair. */
struct cell process_gpu_pid_cell(const struct process_gpus *x, uint32_t pair);
struct cell process_gpu_device_cell(const struct process_gpus *x, uint32_t pair);

#endif
