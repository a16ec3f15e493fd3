/*
 * The launches of kernels and graphs: one for each call and GPU, however many kernels a graph
 * holds. A launch belongs to a window when its call begins in it.
 */
#ifndef ANALYSIS_LAUNCH_LIST_H
#define ANALYSIS_LAUNCH_LIST_H

#include "analysis/places.h"
#include "trace/launch.h"

struct one_launch {
	int64_t called_ns; /* the call's start */
	int64_t began_ns;  /* the start of the first op on that GPU */
	uint32_t slot;	   /* in the join */
	uint32_t place;
};

struct launch_list {
	const struct launches *joined;
	struct places places;
	bool *graph_origin; /* by origin of the join: it launches whole graphs */
	/* By slot, for its first place; a graph on several GPUs has the others in `more`. */
	uint32_t *place; /* ID_NONE: no launch, or not in the window, or not asked for */
	int64_t *began_ns;
	struct one_launch *more;
	size_t more_count, more_cap;
	struct idmap more_of; /* slot, place → index */
};

/* `joined` holds kernels and graphs, and must live on. Loads the columns it needs. */
int launch_list_make(struct trace *t, const struct launches *joined, const struct params *p,
		     struct launch_list *ret, struct err *e);
void launch_list_free(struct launch_list *l);

/* Launch i of launch_list_size(); false: there is none under that number. */
bool launch_list_at(const struct launch_list *l, size_t i, struct one_launch *ret);

static inline size_t launch_list_size(const struct launch_list *l)
{
	return l->joined->slot_count + l->more_count;
}

/* The place of a kernel that was launched by itself, in the list; ID_NONE for all others. */
uint32_t launch_list_single(struct launch_list *l, const struct events *kernels, uint64_t row);

#endif
