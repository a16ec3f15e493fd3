/* To which process and GPU does an op belong? */
#include "analysis/gpu/places.h"

#include "analysis/cell_values.h"
#include "base/mem.h"

#include <stdlib.h>

int places_open(struct places *x, struct trace *t, const struct scope *p, struct err *e)
{
	*x = (struct places){.trace = t, .p = p};
	for (int i = 0; i < PLACES_RECENT; i++)
		x->recent[i] = PLACE_CURSOR_START;
	return device_map_read(t, &x->devices, e);
}

static uint32_t gpu_of(const struct places *x, uint32_t process, uint32_t ordinal)
{
	return ordinal == ID_NONE ? ID_NONE : device_map_gpu(&x->devices, process, ordinal);
}

void places_add(struct places *x, struct place_cursor *c, uint32_t process, uint32_t ordinal)
{
	uint32_t device = gpu_of(x, process, ordinal);
	uint32_t number = idmap_number_pair(&x->numbers, process, device);

	if (number == x->count) {
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count++] = (struct place){
			process, device, scope_has_place(x->p, x->trace, process, device)};
	}
	*c = (struct place_cursor){process, ordinal, number};
}

void places_seek(const struct places *x, struct place_cursor *c, uint32_t process, uint32_t ordinal)
{
	uint64_t key = (uint64_t)process << 32 | gpu_of(x, process, ordinal);

	*c = (struct place_cursor){process, ordinal, idmap_get(&x->numbers, key)};
}

void places_close(struct places *x)
{
	device_map_free(&x->devices);
	idmap_free(&x->numbers);
	free(x->all);
	*x = (struct places){0};
}

struct cell place_pid_cell(const struct places *x, uint32_t place)
{
	uint32_t process = x->all[place].process;

	return process == ID_NONE ? cell_null()
				  : cell_int(process_pid(x->trace->process_keys.keys[process]));
}

struct cell place_device_cell(const struct places *x, uint32_t place)
{
	return id_cell(x->all[place].device);
}
