/* Which GPUs, processes and threads does the export describe? */
#include "trace/system/machine.h"

#include "base/mem.h"
#include "trace/small_table.h"
#include "trace/strings.h"

enum gpu_column {
	GPU_ID,
	GPU_NAME,
	GPU_SMS,
	GPU_MEMORY,
	GPU_BANDWIDTH,
	GPU_CUDA_DEVICE,
	GPU_COMPUTE_MAJOR,
	GPU_COMPUTE_MINOR,
	GPU_SM_WARPS,
	GPU_SM_BLOCKS,
	GPU_SM_REGISTERS,
	GPU_SM_SMEM,
	GPU_OLD_ID, /* before exports called it id */
	GPU_COLUMNS,
};

static const char *const gpu_columns[GPU_COLUMNS + 1] = {
	[GPU_ID] = "id",
	[GPU_NAME] = "name",
	[GPU_SMS] = "smCount",
	[GPU_MEMORY] = "totalMemory",
	[GPU_BANDWIDTH] = "memoryBandwidth",
	[GPU_CUDA_DEVICE] = "cuDevice",
	[GPU_COMPUTE_MAJOR] = "computeMajor",
	[GPU_COMPUTE_MINOR] = "computeMinor",
	[GPU_SM_WARPS] = "maxWarpsPerSm",
	[GPU_SM_BLOCKS] = "maxBlocksPerSm",
	[GPU_SM_REGISTERS] = "maxRegistersPerSm",
	[GPU_SM_SMEM] = "maxShmemPerSm",
	[GPU_OLD_ID] = "deviceId",
};

static struct gpu make_gpu(const struct small_table *s, size_t row)
{
	int64_t old_id = value_int(small_value(s, row, GPU_OLD_ID), (int64_t)row);

	return (struct gpu){
		.id = value_int(small_value(s, row, GPU_ID), old_id),
		.name = small_value(s, row, GPU_NAME)->s,
		.sm_count = value_int(small_value(s, row, GPU_SMS), -1),
		.memory_bytes = value_int(small_value(s, row, GPU_MEMORY), -1),
		.bandwidth_bytes_per_s = value_int(small_value(s, row, GPU_BANDWIDTH), -1),
		.cuda_device = value_int(small_value(s, row, GPU_CUDA_DEVICE), -1),
		.compute_major = value_int(small_value(s, row, GPU_COMPUTE_MAJOR), -1),
		.compute_minor = value_int(small_value(s, row, GPU_COMPUTE_MINOR), -1),
		.sm_warps = value_int(small_value(s, row, GPU_SM_WARPS), -1),
		.sm_blocks = value_int(small_value(s, row, GPU_SM_BLOCKS), -1),
		.sm_registers = value_int(small_value(s, row, GPU_SM_REGISTERS), -1),
		.sm_smem_bytes = value_int(small_value(s, row, GPU_SM_SMEM), -1),
	};
}

/* An adapter of another maker has no SMs, where the export counts them, or tells by its name. */
static bool runs_cuda(const struct gpu *g)
{
	static const char *const others[] = {"Intel", "Microsoft", "AMD ", "Radeon", "ATI "};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (str_starts(g->name, others[i]))
			return false;
	}
	return g->sm_count != 0;
}

static int read_gpus(struct trace *t, struct machine *m, struct err *e)
{
	static const char *const tables[] = {"TARGET_INFO_GPU", "TARGET_INFO_CUDA_GPU"};
	struct small_table s = {0};
	struct idmap known = {0};

	for (size_t i = 0; i < ARRAY_LEN(tables) && !s.rows; i++) {
		if (trace_read_small(t, tables[i], gpu_columns, &s, e) < 0)
			return -1;
	}
	m->gpus = arena_zalloc(&t->arena, s.rows, sizeof(*m->gpus));
	for (size_t i = 0; i < s.rows; i++) {
		const struct gpu gpu = make_gpu(&s, i);

		/* Of several exports that are one trace each lists the GPUs of its machine. */
		if (runs_cuda(&gpu) && idmap_add(&known, (uint64_t)gpu.id, (uint32_t)i) == i)
			m->gpus[m->gpu_count++] = gpu;
	}
	idmap_free(&known);
	return 0;
}

static int read_bindings(struct trace *t, struct machine *m, struct err *e)
{
	static const char *const columns[] = {"pid", "cudaId", "gpuId", NULL};
	struct small_table s;

	if (trace_read_small(t, "TARGET_INFO_CUDA_DEVICE", columns, &s, e) < 0)
		return -1;
	m->bindings = arena_alloc(&t->arena, s.rows, sizeof(*m->bindings));
	m->binding_count = s.rows;
	for (size_t i = 0; i < s.rows; i++) {
		m->bindings[i] = (struct device_binding){
			.process = (uint64_t)value_int(small_value(&s, i, 0), -1),
			.cuda_device = value_int(small_value(&s, i, 1), -1),
			.gpu_id = value_int(small_value(&s, i, 2), -1),
		};
	}
	return 0;
}

int machine_read(struct trace *t, struct machine *ret, struct err *e)
{
	TRACE_LOCK_SCOPE(t);

	*ret = (struct machine){0};
	return read_gpus(t, ret, e) < 0 ? -1 : read_bindings(t, ret, e);
}

static const struct gpu *gpu_by_id(const struct machine *m, int64_t id)
{
	for (size_t i = 0; i < m->gpu_count; i++) {
		if (m->gpus[i].id == id)
			return &m->gpus[i];
	}
	return NULL;
}

/* Exports say a pid alone; of several that are one trace the host is in it as well. */
static bool binds(const struct device_binding *b, uint64_t process)
{
	return b->process == (process_host(b->process) ? process : process_pid(process));
}

const struct gpu *machine_gpu(const struct machine *m, uint64_t process, uint32_t device)
{
	for (size_t i = 0; i < m->binding_count; i++) {
		const struct device_binding *b = &m->bindings[i];

		if (binds(b, process) && b->cuda_device == device)
			return gpu_by_id(m, b->gpu_id);
	}
	for (size_t i = 0; i < m->gpu_count; i++) {
		if (m->gpus[i].cuda_device == device)
			return &m->gpus[i];
	}
	return gpu_by_id(m, device);
}

static void note_work(const struct trace *t, struct machine *m, uint32_t process, uint32_t device)
{
	const bool known = process < t->process_keys.count;
	const struct gpu *gpu = machine_gpu(m, known ? t->process_keys.keys[process] : 0, device);

	if (gpu)
		m->gpus[gpu - m->gpus].worked = true;
}

int machine_find_work(struct trace *t, struct machine *m, struct err *e)
{
	struct idmap seen = {0};
	int result = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++) {
		const struct events *ev = &t->events[kind];
		uint64_t last = UINT64_MAX;

		result = trace_load(t, (enum trace_kind)kind, COLS_PROCESS_DEVICE, e);
		for (uint64_t i = 0; result == 0 && ev->device && i < ev->count; i++) {
			const uint64_t place = (uint64_t)event_process(ev, i) << 32 | ev->device[i];

			/* Most are where the one before was. */
			if (place == last || ev->device[i] == ID_NONE)
				continue;
			last = place;
			if (idmap_get(&seen, place) != IDMAP_NONE)
				continue;
			idmap_add(&seen, place, 0);
			note_work(t, m, event_process(ev, i), ev->device[i]);
		}
	}
	idmap_free(&seen);
	return result;
}

static void add_bindings(struct device_map *map, const struct machine *m, uint32_t process,
			 uint64_t key)
{
	for (size_t i = 0; i < m->binding_count; i++) {
		const struct device_binding *b = &m->bindings[i];

		if (binds(b, key) && (uint64_t)b->cuda_device < ID_NONE &&
		    (uint64_t)b->gpu_id < ID_NONE)
			idmap_add(&map->gpus, (uint64_t)process << 32 | (uint32_t)b->cuda_device,
				  (uint32_t)b->gpu_id);
	}
}

/* Whether two processes mean different GPUs by the same ordinal. */
static bool is_ambiguous(const struct machine *m)
{
	struct idmap gpu_of = {0};
	bool ambiguous = false;

	for (size_t i = 0; i < m->binding_count && !ambiguous; i++) {
		const struct device_binding *b = &m->bindings[i];
		uint32_t gpu = (uint32_t)b->gpu_id & INT32_MAX;

		ambiguous = idmap_add(&gpu_of, (uint64_t)b->cuda_device, gpu) != gpu;
	}
	idmap_free(&gpu_of);
	return ambiguous;
}

int device_map_read(struct trace *t, struct device_map *ret, struct err *e)
{
	struct machine m;

	*ret = (struct device_map){0};
	if (machine_read(t, &m, e) < 0)
		return -1;
	if (!is_ambiguous(&m))
		return 0;
	for (size_t i = 0; i < t->process_keys.count; i++)
		add_bindings(ret, &m, (uint32_t)i, t->process_keys.keys[i]);
	return 0;
}

void device_map_free(struct device_map *m)
{
	idmap_free(&m->gpus);
}

static int read_processes(struct trace *t, struct host_names *p, struct err *e)
{
	static const char *const columns[] = {"globalPid", "name", NULL};
	struct small_table s;

	if (trace_read_small(t, "PROCESSES", columns, &s, e) < 0)
		return -1;
	p->processes = arena_alloc(&t->arena, s.rows, sizeof(*p->processes));
	for (size_t i = 0; i < s.rows; i++) {
		const struct value *key = small_value(&s, i, 0), *name = small_value(&s, i, 1);

		if (key->type != SQLITE_IS_INT)
			continue;
		idmap_add(&p->process_by_key, (uint64_t)key->i >> 24, (uint32_t)p->process_count);
		p->processes[p->process_count++] =
			(struct process_name){(uint64_t)key->i >> 24, name->s};
	}
	return 0;
}

static int read_threads(struct trace *t, struct host_names *p, struct err *e)
{
	static const char *const columns[] = {"globalTid", "nameId", "priority", NULL};
	struct small_table s;

	if (strings_load(t, e) < 0 || trace_read_small(t, "ThreadNames", columns, &s, e) < 0)
		return -1;
	p->threads = arena_alloc(&t->arena, s.rows, sizeof(*p->threads));
	for (size_t i = 0; i < s.rows; i++) {
		const struct value *key = small_value(&s, i, 0), *name = small_value(&s, i, 1),
				   *priority = small_value(&s, i, 2);

		if (key->type != SQLITE_IS_INT ||
		    idmap_get(&p->thread_by_key, (uint64_t)key->i) != IDMAP_NONE)
			continue;
		idmap_add(&p->thread_by_key, (uint64_t)key->i, (uint32_t)p->thread_count);
		p->threads[p->thread_count++] = (struct thread_name){
			.key = (uint64_t)key->i,
			.name = name->type == SQLITE_IS_INT
					? trace_name(t, strings_number(t, name->i))
					: STR_LIT(""),
			.has_priority = priority->type == SQLITE_IS_INT,
			.priority = priority->i,
		};
	}
	return 0;
}

int host_names_read(struct trace *t, struct host_names *ret, struct err *e)
{
	TRACE_LOCK_SCOPE(t);

	*ret = (struct host_names){0};
	if (read_processes(t, ret, e) == 0 && read_threads(t, ret, e) == 0)
		return 0;
	host_names_free(ret);
	return -1;
}

void host_names_free(struct host_names *p)
{
	idmap_free(&p->thread_by_key);
	idmap_free(&p->process_by_key);
}

const struct thread_name *host_names_thread(const struct host_names *p, uint64_t key)
{
	uint32_t i = idmap_get(&p->thread_by_key, key);

	return i == IDMAP_NONE ? NULL : &p->threads[i];
}

/* The system cuts names after 15 characters: the last is that of its processor of messages. */
bool thread_is_profilers(const struct thread_name *t)
{
	return str_starts(t->name, "[NSys") || str_starts(t->name, "NSys ") ||
	       str_starts(t->name, "CUPTI ") || str_starts(t->name, "*2CommsProcesso");
}

struct str host_names_process(const struct host_names *p, uint64_t key)
{
	uint32_t i = idmap_get(&p->process_by_key, key);

	return i == IDMAP_NONE ? STR_LIT("") : p->processes[i].name;
}
