/* Which rank is each GPU of a process that drives several, as NCCL's set-up says? */
#include "fleet/part_making.h"

#include "base/mem.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

/* What the largest communicator of a pair says. */
struct seat {
	uint64_t ranks; /* 0: nothing */
	uint32_t rank;
};

static uint32_t find_pair(const struct comm_walk *w, uint32_t process, uint32_t device)
{
	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (w->gpus.all[i].process == process && w->gpus.all[i].device == device)
			return i;
	}
	return ID_NONE;
}

static void hear(const struct part_making *x, uint64_t row, struct seat *seats)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	const struct comm_walk *w = &x->comm.walk;
	const struct str json = trace_name(x->trace, ev->payload[row]);
	const uint32_t process = trace_thread_process(x->trace, ev->thread[row]);
	uint64_t rank, ranks, device;
	uint32_t pair;

	if (!payload_number(json, "Rank", &rank) || !payload_number(json, "No. of ranks", &ranks) ||
	    !payload_number(json, "CUDA device", &device) || rank >= ranks ||
	    ranks > PART_PEERS_MAX || device >= ID_NONE)
		return;
	pair = find_pair(w, process, device_map_gpu(&w->gpus.devices, process, (uint32_t)device));
	if (pair != ID_NONE && ranks > seats[pair].ranks)
		seats[pair] = (struct seat){ranks, (uint32_t)rank};
}

/* Whether it is of another GPU of the process as well: then nothing is known of these. */
static bool is_disputed(const struct comm_walk *w, const struct seat *seats, uint32_t pair)
{
	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (i != pair && w->gpus.all[i].process == w->gpus.all[pair].process &&
		    seats[i].ranks && seats[i].rank == seats[pair].rank)
			return true;
	}
	return false;
}

uint32_t *part_find_device_ranks(const struct part_making *x)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	const struct comm_walk *w = &x->comm.walk;
	uint32_t *ranks = new_ids(w->gpus.count);
	struct seat *seats = mem_zalloc(w->gpus.count, sizeof(*seats));

	for (uint64_t i = 0; ev->payload && ev->name && ev->thread && i < ev->count; i++) {
		if (ev->payload[i] != NAME_NONE && ev->name[i] != NAME_NONE &&
		    ev->thread[i] != ID_NONE &&
		    str_starts(trace_name(x->trace, ev->name[i]), "ncclCommInit"))
			hear(x, i, seats);
	}
	for (uint32_t i = 0; i < w->gpus.count; i++) {
		if (seats[i].ranks && !is_disputed(w, seats, i))
			ranks[i] = seats[i].rank;
	}
	free(seats);
	return ranks;
}
