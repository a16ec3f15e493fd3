/* Which calls launched work on which GPU, and when did that begin? */
#include "analysis/launch_list.h"

#include "base/mem.h"
#include "trace/call_class.h"

#include <stdlib.h>

static bool is_in_window(const struct params *p, int64_t ns)
{
	return !p->has_trim || (ns >= p->from_ns && ns < p->to_ns);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t called_ns(const struct launch_list *l, uint32_t slot)
{
	struct api_call call = {0};

	launches_slot_call(l->joined, slot, &call);
	return call.start_ns;
}

/* A graph that runs on several GPUs is a launch on each. */
static void add_elsewhere(struct launch_list *l, uint32_t slot, uint32_t place, int64_t start_ns)
{
	uint32_t i = idmap_number_pair(&l->more_of, slot, place);

	if (i == l->more_count) {
		MEM_GROW(l->more, l->more_cap, l->more_count + 1);
		l->more[l->more_count++] =
			(struct one_launch){called_ns(l, slot), start_ns, slot, place};
	}
	l->more[i].began_ns = earlier(l->more[i].began_ns, start_ns);
}

static void add_op(struct launch_list *l, uint32_t slot, uint32_t place, int64_t start_ns)
{
	if (l->place[slot] == ID_NONE) {
		l->place[slot] = place;
		l->began_ns[slot] = start_ns;
	} else if (l->place[slot] == place) {
		l->began_ns[slot] = earlier(l->began_ns[slot], start_ns);
	} else {
		add_elsewhere(l, slot, place, start_ns);
	}
}

/* The place of an op whose launch is in the list; ID_NONE for another. */
static uint32_t listed_place(struct launch_list *l, const struct events *ev, enum trace_kind kind,
			     uint64_t row)
{
	struct api_call call;
	uint32_t place;

	if (!launches_call(l->joined, l->joined->begin[kind] + row, &call) ||
	    ev->duration_ns[row] == DURATION_NONE || !is_in_window(l->places.p, call.start_ns))
		return ID_NONE;
	place = places_number(&l->places, ev, row);
	return l->places.all[place].wanted ? place : ID_NONE;
}

static void add_kind(struct launch_list *l, const struct events *ev, enum trace_kind kind)
{
	for (uint64_t i = 0; l->joined->kinds & 1u << kind && i < ev->count; i++) {
		uint32_t place = listed_place(l, ev, kind, i);

		if (place != ID_NONE)
			add_op(l, l->joined->slot_of_op[l->joined->begin[kind] + i], place,
			       ev->start_ns[i]);
	}
}

static void find_graph_origins(struct launch_list *l, const struct trace *t)
{
	l->graph_origin = mem_alloc(l->joined->calls.origin_count, sizeof(*l->graph_origin));
	for (size_t i = 0; i < l->joined->calls.origin_count; i++)
		l->graph_origin[i] =
			call_launches_graph(trace_name(t, l->joined->calls.origins[i].name));
}

static int load(struct trace *t, enum trace_kind kind, const struct params *p, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_PROCESS) |
				 COL_BIT(COL_DEVICE);

	if (trace_load(t, kind, columns, e) < 0 ||
	    trace_require_column(t, kind, COL_DURATION, e) < 0)
		return -1;
	if ((p->has_device && trace_require_column(t, kind, COL_DEVICE, e) < 0) ||
	    (p->has_pid && trace_require_column(t, kind, COL_PROCESS, e) < 0))
		return -1;
	return 0;
}

int launch_list_make(struct trace *t, const struct launches *joined, const struct params *p,
		     struct launch_list *ret, struct err *e)
{
	static const enum trace_kind kinds[] = {TRACE_KERNELS, TRACE_GRAPHS};

	*ret = (struct launch_list){.joined = joined};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (load(t, kinds[i], p, e) < 0)
			return -1;
	}
	if (places_open(&ret->places, t, p, e) < 0)
		return -1;
	ret->place = mem_alloc_large(joined->slot_count * sizeof(*ret->place));
	memset(ret->place, 0xff, joined->slot_count * sizeof(*ret->place));
	ret->began_ns = mem_alloc_large(joined->slot_count * sizeof(*ret->began_ns));
	find_graph_origins(ret, t);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		add_kind(ret, &t->events[kinds[i]], kinds[i]);
	return 0;
}

void launch_list_free(struct launch_list *l)
{
	places_close(&l->places);
	free(l->graph_origin);
	free(l->place);
	free(l->began_ns);
	free(l->more);
	idmap_free(&l->more_of);
	*l = (struct launch_list){0};
}

bool launch_list_at(const struct launch_list *l, size_t i, struct one_launch *ret)
{
	if (i >= l->joined->slot_count) {
		*ret = l->more[i - l->joined->slot_count];
		return true;
	}
	if (l->place[i] == ID_NONE)
		return false;
	*ret = (struct one_launch){called_ns(l, (uint32_t)i), l->began_ns[i], (uint32_t)i,
				   l->place[i]};
	return true;
}

uint32_t launch_list_single(struct launch_list *l, const struct events *kernels, uint64_t row)
{
	uint32_t place = listed_place(l, kernels, TRACE_KERNELS, row);
	struct api_call call;

	if (place == ID_NONE ||
	    !launches_call(l->joined, l->joined->begin[TRACE_KERNELS] + row, &call) ||
	    l->graph_origin[call.origin])
		return ID_NONE;
	return place;
}
