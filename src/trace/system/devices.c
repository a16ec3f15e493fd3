/* Which GPU is a process's device N? */
#include "trace/system/devices.h"

static void add_bindings(struct device_map *map, const struct machine *m, uint32_t process,
			 uint32_t pid)
{
	for (size_t i = 0; i < m->binding_count; i++) {
		const struct device_binding *b = &m->bindings[i];

		if (b->pid == pid && (uint64_t)b->cuda_device < ID_NONE &&
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
		add_bindings(ret, &m, (uint32_t)i, process_pid(t->process_keys.keys[i]));
	return 0;
}

void device_map_free(struct device_map *m)
{
	idmap_free(&m->gpus);
}
