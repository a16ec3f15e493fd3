/* What does a capture hold that no filter touches: tables, the machine, who shares a GPU? */
#include "analysis/capture/capture.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "trace/system/machine.h"
#include "trace/system/system_facts.h"

#include <stdlib.h>

static int look_for_tables(struct trace *t, struct capture *c, struct err *e)
{
	bool has_osrt;
	const struct {
		const char *table;
		bool *has;
	} wanted[] = {
		{"CUDA_GPU_MEMORY_USAGE_EVENTS", &c->has_memory_usage},
		{"GPU_METRICS", &c->has_gpu_metrics},
		{"COMPOSITE_EVENTS", &c->has_cpu_samples},
		{"SCHED_EVENTS", &c->has_schedule},
		{"OSRT_API", &has_osrt},
	};

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		if (trace_has_rows(t, wanted[i].table, wanted[i].has, e) < 0)
			return -1;
	}
	c->count[TRACE_OSRT] = has_osrt;
	return 0;
}

static int look_at_machine(struct trace *t, struct capture *c, struct err *e)
{
	const struct sqlite_table *copies = t->events[TRACE_MEMCPYS].table;
	struct machine m;

	if (machine_read(t, &m, e) < 0 || system_is_windows(t, &c->on_windows, e) < 0)
		return -1;
	for (size_t i = 0; i < m.gpu_count; i++)
		c->has_gpu_info |= m.gpus[i].sm_count > 0;
	c->has_memory_kinds = copies && sqlite_table_find_column(copies, "srcKind") >= 0;
	if (!t->meta.schema)
		c->old_schema = "it has no version number, so it was made before 2021.5";
	else if (!sqlitefile_find_table(t->file, "META_DATA_EXPORT"))
		c->old_schema = "it was made before 2023.3";
	return 0;
}

int capture_look_at_export(struct trace *t, struct capture *c, struct err *e)
{
	return look_for_tables(t, c, e) < 0 ? -1 : look_at_machine(t, c, e);
}

/* Which processes worked on which GPUs. */
struct sharing {
	struct device_map gpus;
	struct idmap seen;	/* gpu, process */
	struct idmap processes; /* gpu → how many */
	uint32_t *per_gpu;	/* by value of `processes` */
	size_t gpu_count;
	bool *has_gpu_work; /* by process */
};

static void note_process(struct sharing *s, uint32_t process, uint32_t device)
{
	uint32_t gpu = device_map_gpu(&s->gpus, process, device);
	size_t before = s->seen.count;
	uint32_t number;

	s->has_gpu_work[process] = true;
	idmap_number_pair(&s->seen, gpu, process);
	if (s->seen.count == before)
		return;
	number = idmap_add(&s->processes, gpu, (uint32_t)s->gpu_count);
	if (number == s->gpu_count) {
		s->per_gpu = mem_resize(s->per_gpu, ++s->gpu_count, sizeof(*s->per_gpu));
		s->per_gpu[number] = 0;
	}
	s->per_gpu[number]++;
}

static void note_processes(const struct trace *t, enum trace_kind kind, struct sharing *s)
{
	const struct events *ev = &t->events[kind];
	uint32_t process = ID_NONE, device = ID_NONE;

	if (!ev->process)
		return;
	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t on = ev->device ? ev->device[i] : 0;

		/* Nearly every op is of the same process and GPU as the one before. */
		if (ev->process[i] == ID_NONE || (ev->process[i] == process && on == device))
			continue;
		process = ev->process[i];
		device = on;
		note_process(s, process, device);
	}
}

int capture_find_sharing(struct trace *t, struct capture *c, struct err *e)
{
	struct sharing s = {0};
	int status;

	if (device_map_read(t, &s.gpus, e) < 0)
		return -1;
	s.has_gpu_work = mem_zalloc(t->process_keys.count, sizeof(*s.has_gpu_work));
	for (int k = 0; k < TRACE_GPU_KINDS; k++)
		note_processes(t, (enum trace_kind)k, &s);
	for (size_t i = 0; i < s.gpu_count; i++) {
		c->shared_gpus += s.per_gpu[i] > 1;
		if (s.per_gpu[i] > c->most_sharing)
			c->most_sharing = s.per_gpu[i];
	}
	status = diagnostics_read(t, s.gpu_count ? s.has_gpu_work : NULL, &c->said, e);
	free(s.has_gpu_work);
	free(s.per_gpu);
	idmap_free(&s.seen);
	idmap_free(&s.processes);
	device_map_free(&s.gpus);
	return status;
}
