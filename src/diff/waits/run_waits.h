/* Who waits for whom in the steps of a run of several ranks, as `gpuwhy stragglers` has it. */
#ifndef DIFF_WAITS_RUN_WAITS_H
#define DIFF_WAITS_RUN_WAITS_H

#include "analysis/scope.h"
#include "base/arena.h"

enum wait_figure {
	WAIT_NS, /* that others waited for a rank; that all ranks waited in collectives of a type */
	WAIT_COUNT,   /* collectives in which a rank was the last; those of a type */
	WAIT_LATE_NS, /* that a rank came later than the one before it, where it was the last */
	WAIT_OWN_NS,  /* that it waited for others */
	WAIT_FIGURES,
};

/* Of all steps. */
struct wait {
	const char *name; /* "rank 3", or "device 1" where nobody says which; "AllReduce" */
	int64_t figures[WAIT_FIGURES];
};

struct wait_list {
	struct wait *all; /* by name, each once */
	size_t count;
};

struct run_waits {
	bool known; /* it has collectives of several ranks */
	struct wait_list ranks;
	struct wait_list collectives; /* by type, whatever communicator or stream they are of */
};

/* Of a trace with all ranks, in the window of the steps. What cannot be told is left out. */
int run_waits_read(struct run_waits *ret, struct trace *t, const struct scope *steps,
		   struct arena *arena, struct err *e);
/* By name, each once. */
void wait_list_sort(struct wait_list *l);
/* That of a name; NULL: there is none. */
const struct wait *wait_list_find(const struct wait_list *l, const char *name);

#endif
