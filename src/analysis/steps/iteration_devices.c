/* On which device is the work of each process's steps done? */
#include "analysis/steps/iteration_devices.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

/* Time of one process on one device. */
struct work {
	size_t lane;
	uint32_t device;
	int64_t ns;
};

static size_t lane_of(const struct iterations *it, uint32_t process)
{
	for (size_t i = 0; i < it->lane_count; i++) {
		if (it->lanes[i].process == process || (process == ID_NONE && it->lane_count == 1))
			return i;
	}
	return it->lane_count;
}

/* The lane of each process, the last entry being that of work of nobody. */
static size_t *lanes_of_processes(const struct iterations *it, const struct trace *t)
{
	size_t count = t->process_keys.count, *lanes = mem_alloc(count + 1, sizeof(*lanes));

	for (size_t i = 0; i < count; i++)
		lanes[i] = lane_of(it, (uint32_t)i);
	lanes[count] = lane_of(it, ID_NONE);
	return lanes;
}

/* Work of a thread that has steps of its own says nothing of where the lane's are done. */
static bool is_apart(const struct iterations *it, const struct launches *l, int kind, uint64_t row)
{
	struct api_call call;

	return l && it->apart_count && l->kinds & 1u << kind &&
	       launches_call(l, l->begin[kind] + row, &call) &&
	       iterations_is_apart(it, launches_origin(l, &call).thread);
}

static struct work *sum_work(const struct ops *o, const struct iterations *it,
			     const struct launches *l, size_t *ret_count)
{
	size_t *lanes = lanes_of_processes(it, o->trace), count = 0, cap = 0;
	struct idmap numbers = {0};
	struct work *all = NULL;
	uint32_t number = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = o->lanes[kind].ev;

		for (uint64_t i = 0; i < ev->count; i++) {
			uint32_t process, device;
			size_t lane;

			ops_place(o, (enum trace_kind)kind, i, &process, &device);
			lane = lanes[process == ID_NONE ? o->trace->process_keys.count : process];
			if (lane == it->lane_count || ev->duration_ns[i] < 0 ||
			    is_apart(it, l, kind, i))
				continue;
			/* Nearly always where the one before was. */
			if (!all || all[number].lane != lane || all[number].device != device)
				number = idmap_number_pair(&numbers, (uint32_t)lane, device);
			if (number == count) {
				MEM_GROW(all, cap, count + 1);
				all[count++] = (struct work){lane, device, 0};
			}
			if (all)
				all[number].ns = sat_add(all[number].ns, ev->duration_ns[i]);
		}
	}
	idmap_free(&numbers);
	free(lanes);
	*ret_count = count;
	return all;
}

void iteration_devices_choose(const struct ops *o, const struct scope *p,
			      const struct iterations *it, const struct launches *l,
			      uint32_t *device_of_lane, bool *busy)
{
	int64_t *most = mem_zalloc(it->lane_count, sizeof(*most));
	size_t count;
	struct work *all = sum_work(o, it, l, &count);

	for (size_t i = 0; i < it->lane_count; i++)
		device_of_lane[i] = ID_NONE;
	for (size_t i = 0; i < count; i++) {
		const struct work *w = &all[i];

		if ((p->has_device && w->device != p->device) ||
		    (busy[w->lane] &&
		     (w->ns < most[w->lane] ||
		      (w->ns == most[w->lane] && w->device > device_of_lane[w->lane]))))
			continue;
		busy[w->lane] = true;
		most[w->lane] = w->ns;
		device_of_lane[w->lane] = w->device;
	}
	free(all);
	free(most);
}
