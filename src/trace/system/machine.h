/* What the export says of the machine and the processes. Never the captured environment. */
#ifndef TRACE_MACHINE_H
#define TRACE_MACHINE_H

#include "trace/trace.h"

struct gpu {
	int64_t id;	     /* in the export */
	int64_t cuda_device; /* its CUDA ordinal; -1 when the export does not say */
	struct str name;
	int64_t sm_count, memory_bytes, bandwidth_bytes_per_s; /* -1: not said */
	int64_t compute_major, compute_minor;
	int64_t sm_warps, sm_blocks;	     /* that an SM holds at most; -1: not said */
	int64_t sm_registers, sm_smem_bytes; /* of an SM; -1: not said */
	bool worked;			     /* something ran on it: see machine_find_work() */
};

/* A process's CUDA ordinal and the GPU behind it. */
struct device_binding {
	uint64_t process; /* its key, where several exports are one trace; else its pid */
	int64_t cuda_device;
	int64_t gpu_id;
};

struct machine {
	struct gpu *gpus;
	size_t gpu_count;
	struct device_binding *bindings;
	size_t binding_count;
};

/* GPUs that CUDA can use: Windows lists every display adapter. */
int machine_read(struct trace *t, struct machine *ret, struct err *e);
/* Which of its GPUs anything ran on. Loads whose and where each op is. */
int machine_find_work(struct trace *t, struct machine *m, struct err *e);
/* The GPU that `device` is for the process of that key (0: not known), or NULL. */
const struct gpu *machine_gpu(const struct machine *m, uint64_t process, uint32_t device);

/*
 * Which GPU an op ran on. The number in an event is the CUDA ordinal of its process: two processes
 * that see one GPU each both call theirs 0. Where an export says so, its own numbers of the GPUs
 * tell them apart; where ordinals do not clash they are the better known names.
 */
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

/* The GPU that an op ran on; ID_NONE: the export does not say. */
static inline uint32_t device_map_of(const struct device_map *m, const struct events *ev,
				     uint64_t row)
{
	uint32_t ordinal = ev->device ? ev->device[row] : ID_NONE;

	return ordinal == ID_NONE ? ID_NONE : device_map_gpu(m, event_process(ev, row), ordinal);
}

struct process_name {
	uint64_t key; /* globalPid >> 24 */
	struct str name;
};

struct thread_name {
	uint64_t key; /* globalTid */
	struct str name;
	bool has_priority;
	int64_t priority;
};

struct host_names {
	struct process_name *processes;
	size_t process_count;
	struct thread_name *threads;
	size_t thread_count;
	struct idmap thread_by_key, process_by_key;
};

/* Names of processes and threads, each in the order of the export; the first name of a thread
 * counts. */
int host_names_read(struct trace *t, struct host_names *ret, struct err *e);
void host_names_free(struct host_names *p);
/* NULL when the export does not name it. */
const struct thread_name *host_names_thread(const struct host_names *p, uint64_t key);
struct str host_names_process(const struct host_names *p, uint64_t key);
/* Whether it is a thread that the profiler started in the program. */
bool thread_is_profilers(const struct thread_name *t);

#endif
