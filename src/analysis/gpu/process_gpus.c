/* To which process and GPU does an op belong? */
#include "analysis/gpu/process_gpus.h"

#include "analysis/cell_values.h"
#include "base/mem.h"

#include <stdlib.h>

int process_gpus_load(struct trace *t, enum trace_kind kind, uint32_t columns,
		      const struct scope *p, struct err *e)
{
	if (trace_load(t, kind, columns, e) < 0 ||
	    trace_require_column(t, kind, COL_DURATION, e) < 0 ||
	    (p->has_device && trace_require_column(t, kind, COL_DEVICE, e) < 0) ||
	    (p->has_pid && trace_require_column(t, kind, COL_PROCESS, e) < 0))
		return -1;
	return 0;
}

int process_gpus_open(struct process_gpus *x, struct trace *t, const struct scope *p, struct err *e)
{
	*x = (struct process_gpus){.trace = t, .p = p};
	for (int i = 0; i < PROCESS_GPUS_RECENT; i++)
		x->recent[i] = PROCESS_GPU_CURSOR_START;
	return device_map_read(t, &x->devices, e);
}

static uint32_t gpu_of(const struct process_gpus *x, uint32_t process, uint32_t ordinal)
{
	return ordinal == ID_NONE ? ID_NONE : device_map_gpu(&x->devices, process, ordinal);
}

void process_gpus_add(struct process_gpus *x, struct process_gpu_cursor *c, uint32_t process,
		      uint32_t ordinal)
{
	uint32_t device = gpu_of(x, process, ordinal);
	uint32_t number = idmap_number_pair(&x->numbers, process, device);

	if (number == x->count) {
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count++] = (struct process_gpu){
			process, device, scope_has_place(x->p, x->trace, process, device)};
	}
	*c = (struct process_gpu_cursor){process, ordinal, number};
}

void process_gpus_seek(const struct process_gpus *x, struct process_gpu_cursor *c, uint32_t process,
		       uint32_t ordinal)
{
	uint64_t key = (uint64_t)process << 32 | gpu_of(x, process, ordinal);

	*c = (struct process_gpu_cursor){process, ordinal, idmap_get(&x->numbers, key)};
}

void process_gpus_close(struct process_gpus *x)
{
	device_map_free(&x->devices);
	idmap_free(&x->numbers);
	free(x->all);
	*x = (struct process_gpus){0};
}

struct cell process_gpu_pid_cell(const struct process_gpus *x, uint32_t pair)
{
	return process_pid_cell(x->trace, x->all[pair].process);
}

struct cell process_gpu_device_cell(const struct process_gpus *x, uint32_t pair)
{
	return id_cell(x->all[pair].device);
}
