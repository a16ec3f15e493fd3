/* For fleet/part_make.c: a part on its way, and what its fields are told from. */
#ifndef FLEET_PART_MAKING_H
#define FLEET_PART_MAKING_H

#include "analysis/comm/collectives.h"
#include "analysis/processes/rank_map.h"
#include "analysis/steps/iterations.h"
#include "base/pairs.h"
#include "fleet/part_make.h"

/* What is known of a member beside its fields. */
struct making_member {
	uint32_t pair; /* of the walk: the process, and the GPU that most of its work is on */
	uint32_t process, device;
	const struct iteration_lane *lane; /* its steps; NULL: it has none */
	size_t first_step;		   /* of the lane: that the part begins with */
	struct scope place;		   /* its process, GPU and window */
};

struct part_making {
	struct trace *trace;
	const struct part_question *q;
	struct part *part;
	struct rank_map ranks;
	struct iterations steps;
	bool has_steps;
	size_t cold;		  /* steps of the warm-up */
	size_t steps_each;	  /* that a lane may have: the last ones */
	struct comm_marks *marks; /* by lane: where each step begins and ends */
	struct collectives comm;  /* of the whole capture */
	struct making_member *members;
	size_t count;
	uint32_t *member_of_pair; /* by pair of the walk */
};

/* A text as a part keeps it: valid UTF-8, no longer than it may be, and still told from others. */
const char *part_text(struct arena *arena, struct str s);
void part_note(struct part_making *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A time as a part may have it. */
static inline int64_t part_time(int64_t ns)
{
	return ns > PART_TIME_MAX ? PART_TIME_MAX : ns < -PART_TIME_MAX ? -PART_TIME_MAX : ns;
}

/* The steps of all processes, and marks for the walk. Absent steps are none. */
int part_find_steps(struct part_making *x, struct err *e);
/* Who the members are; after the walk. */
int part_find_members(struct part_making *x, struct err *e);
/* By pair of the walk its rank, as NCCL's set-up has it of each GPU; ID_NONE. The caller frees it.
 */
uint32_t *part_find_device_ranks(const struct part_making *x);
/* Host, versions, GPUs, UTC. */
int part_read_facts(struct part_making *x, struct err *e);
void part_take_steps(struct part_making *x, size_t member);
int part_take_collectives(struct part_making *x, struct err *e);
/* After the collectives: for how long their hosts were held up. */
int part_take_blocked(struct part_making *x, struct err *e);
/* After the collectives. */
int part_take_ends(struct part_making *x, struct err *e);
/*
 * By member the start of the last launch of a kernel that began after a moment, which is INT64_MAX
 * for a member that is not asked about; INT64_MIN: it ran none, or its launch is not known.
 * `streams`: pairs of members and streams that count alone; NULL: all do.
 */
int part_find_later(struct part_making *x, const int64_t *after_ns, const struct pairs *streams,
		    int64_t *ret_ns, struct err *e);

/* What a member's host launched. */
struct part_launches {
	bool is_asked;
	int64_t ran_ns;	  /* kernels came of what was launched until then */
	uint64_t count;	  /* all of them */
	int64_t first_ns; /* the first after ran_ns; INT64_MAX: there is none */
	int64_t wait_ns;  /* after ran_ns a stream was first told to wait; INT64_MAX: none was */
	int64_t last_ns;  /* the last of all; INT64_MIN: there is none */
	uint32_t thread;  /* of that; ID_NONE */
};

/* Of those that are asked about; of_process: members. */
int part_find_launches(struct part_making *x, const struct idmap *of_process,
		       struct part_launches *of, struct err *e);
/* By member the thread, or ID_NONE, whose last call of CUDA is told. */
int part_take_last_calls(struct part_making *x, const uint32_t *threads, struct err *e);
/* By kind the rows of each member's ops one after another; NULL where one has all. */
struct part_own_ops {
	uint32_t *rows[TRACE_GPU_KINDS];
	uint64_t *begin[TRACE_GPU_KINDS]; /* by member, and the end of the last */
};

/* After the walk. */
void part_own_ops_find(const struct part_making *x, const struct ops *o, struct part_own_ops *ret);
/* Those in the place of a member, as long as these and `o` are there. */
struct ops part_own_ops_of(const struct part_own_ops *own, const struct part_making *x,
			   size_t member, const struct ops *o);
void part_own_ops_free(struct part_own_ops *own);
/* By member the thread, or ID_NONE, whose ranges say where its host was at the end; within that. */
void part_take_places(struct part_making *x, const uint32_t *threads);
int part_take_kernels(struct part_making *x, struct err *e);
/* Ranges and what idle time is blamed on. */
int part_take_causes(struct part_making *x, struct err *e);
int part_take_findings(struct part_making *x, struct err *e);

#endif
