/*
 * Which process is which rank of the program. Where nothing says, each process with kernels is
 * taken for one, and whoever prints that says so.
 */
#ifndef ANALYSIS_RANK_MAP_H
#define ANALYSIS_RANK_MAP_H

#include "analysis/analysis.h"
#include "analysis/processes/rank_label.h"

enum rank_source {
	RANKS_LABELLED, /* a range says so: see rank_label.h, or --label */
	RANKS_OF_NCCL,	/* from what ncclCommInit… carries */
	RANKS_NAMED,	/* ranges are called "rank 3" */
	RANKS_GIVEN,	/* of several exports: their files' names say so */
	RANKS_ASSUMED,	/* one for each process with kernels, by device and pid */
};

struct rank {
	uint32_t number;
	uint32_t process; /* trace->process_keys */
	uint32_t device;  /* the one that most of its kernels ran on; see trace/system/devices.h */
	struct str label; /* the range's name; empty */
	struct rank_setup setup;
};

/* Two processes that claim one number. */
struct rank_clash {
	bool found;
	uint32_t number;
	uint32_t pids[2];
};

struct rank_map {
	struct rank *all; /* by number */
	size_t count;
	enum rank_source source;
	uint32_t *of_process; /* index into `all`, or ID_NONE; by number of process */
	size_t process_count;
	size_t unnamed;		    /* processes with kernels that are no rank, though others are */
	uint64_t kernels, homeless; /* of all processes; those that name none */
	struct rank_clash clash;    /* the first: the names that led to it were not believed */
	uint32_t asked;	    /* process of the rank that p->rank asks for; ID_NONE: nobody asked */
	const char *label;  /* --label, or NULL */
	bool label_unheard; /* no range that it matches says a number */
	bool no_ranges;	    /* there are none in the trace */
};

/*
 * Loads what it needs. A trace without kernels has no ranks. ERR_INPUT, naming those there are,
 * when the one that was asked for is none.
 */
int rank_map_read(struct trace *t, const struct scope *p, struct rank_map *ret, struct err *e);
void rank_map_free(struct rank_map *m);

static inline const struct rank *rank_of_process(const struct rank_map *m, uint32_t process)
{
	uint32_t i = process < m->process_count ? m->of_process[process] : ID_NONE;

	return i == ID_NONE ? NULL : &m->all[i];
}

/* Whether the question is about a rank: --rank and --pid leave others out. */
static inline bool rank_is_asked(const struct trace *t, const struct scope *p,
				 const struct rank *rank)
{
	return (!p->has_rank || rank->number == p->rank) && scope_has_process(p, t, rank->process);
}

/* The same question about the process of the rank that was asked for, where one was. */
struct scope rank_asked_alone(const struct rank_map *m, const struct trace *t,
			      const struct scope *p);

/* Says in the report where the ranks come from, and what is odd about them. */
void rank_map_tell(const struct rank_map *m, struct report *r);

#endif
