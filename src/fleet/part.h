/*
 * A part: what one capture says about its ranks, small enough that the parts of a job fit into one
 * machine's memory whatever the captures' sizes. Made from a trace by part_make(), kept as a file
 * by part_write(), and all that fleet_reduce() knows. Nothing of it is a path, a host's name or a
 * user's: texts are names of kernels, ranges and GPUs, and the last part of the capture's file
 * name.
 *
 * Times are in ns on the capture's own clock, unless they say otherwise. Texts are never NULL.
 */
#ifndef FLEET_PART_H
#define FLEET_PART_H

#include "analysis/comm/collective_name.h"
#include "analysis/numbers/summary.h"
#include "base/arena.h"
#include "base/span.h"
#include "report/finding.h"

enum {
	PART_VERSION = 6,
	PART_MEMBERS_MAX = 4096,
	PART_STEPS_MAX = 100000,      /* of a member; more: the last ones, see steps_left_out */
	PART_COLLECTIVES_MAX = 50000, /* of a member; more: those of its window, then the first */
	PART_RANGES_MAX = 256,	      /* of a member; more: those with most time */
	PART_CAUSES_MAX = 64,	      /* the same */
	PART_FINDINGS_MAX = 64,
	PART_TEXT_BYTES = 1 << 16, /* of a text; longer ones are cut */
	PART_PEERS_MAX = 1 << 20,  /* ranks of a communicator that are told apart */
};

/* No time, and no difference of two, is beyond it, so that none of these overflows. */
#define PART_TIME_MAX  (INT64_MAX / 4)
#define PART_UNKNOWN   INT64_MIN  /* a time or a size that the capture does not have */
#define PART_NO_NUMBER UINT32_MAX /* the same of a number */
/* A rank that does nothing on its GPU for so long before its capture's end is held up. */
#define PART_STUCK_NS INT64_C(100000000)

/* How a rank's number is known; what comes first is believed first. */
enum part_rank_source {
	PART_RANK_GIVEN,     /* --ranks FILE */
	PART_RANK_LABEL,     /* a range says so: "rank=3; dp=3/4" */
	PART_RANK_NCCL,	     /* what ncclCommInit… carries */
	PART_RANK_RANGE,     /* ranges are called "rank 3" */
	PART_RANK_VARIABLE,  /* RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK, PMI_RANK */
	PART_RANK_FILE_NAME, /* "job_rank3.sqlite" */
	PART_RANK_ASSUMED,   /* nothing says; `rank` counts within the file */
	PART_RANK_SOURCES,
};

/* Where time went on the member's GPU: compute, exposed communication, exposed copies, idle. */
enum member_time { MEMBER_COMPUTE, MEMBER_COMM, MEMBER_COPY, MEMBER_IDLE, MEMBER_TIMES };

struct part_step {
	uint32_t number;		  /* counts from 0 in its process */
	int64_t from_ns, to_ns;		  /* its own time: see analysis/steps/iterations.h */
	int64_t start_ns, end_ns;	  /* on the host */
	int64_t gpu_start_ns, gpu_end_ns; /* first to last op; PART_UNKNOWN: it launched none */
	uint64_t kernels;		  /* that were launched inside */
	int64_t ns[MEMBER_TIMES];	  /* of [from_ns, to_ns), which they sum up to */
};

/* Collectives that belong together: the k-th of a class on one rank is the k-th on the others. */
struct part_collective_class {
	enum collective_type type;
	bool has_communicator;
	uint64_t communicator; /* as NCCL has it: the same number on all ranks of a job */
	uint32_t ranks;	       /* of the communicator; 0: not known */
	const char *kernel;    /* its name, where there is no communicator; else "" */
	uint32_t stream;   /* of those that this member communicates on, in order of first use; 0
			      where there is a communicator */
	uint64_t left_out; /* of it before the first that the part has: that one is the k-th */
	/* Of sends and receives that name whom they are with: that rank of the communicator, and
	   which one the member is, as far as its set-up says; from 1 on, 0: not known. See
	   fleet/peers.h. */
	uint32_t peer, own;
};

/* One communication kernel of a member. */
struct part_collective {
	uint32_t class;		  /* of the member's classes */
	int64_t start_ns, end_ns; /* on the GPU */
	int64_t exposed_ns;	  /* of it, with no compute beside it on this GPU */
	int64_t idle_ns;	  /* before it, with neither compute nor a copy on this GPU */
	int64_t stall_ns; /* by its end, since this GPU computed, which it did again at once then;
			     else 0 */
	int64_t launched_ns; /* when the launch call returned; PART_UNKNOWN */
	int64_t blocked_ns;  /* its host was held up by a full queue until then, summed up */
	int64_t bytes;	     /* of the call; PART_UNKNOWN */
};

/*
 * What a member was in when its capture ended. A kernel that never ended is in no capture: of a
 * collective that hangs the host's call is all there is.
 */
struct part_end {
	/* The last that the capture has of anybody's host: it may be cut. With ranges that were
	   never closed, its end. */
	int64_t seen_ns;
	int64_t gpu_ns;	  /* when its last GPU op ended; PART_UNKNOWN */
	uint64_t calls;	  /* of NCCL, by its host; 0: whether one of them is pending is not known */
	bool by_launches; /* these are launches of kernels: the capture has no calls of NCCL */
	bool lacks_kernels; /* none came either of what was launched before the first pending call:
			       the capture is cut, or lost them */
	bool is_pending;    /* no kernel came of some of them; of the first of these: */
	enum collective_type type;
	bool has_communicator;
	uint64_t communicator;
	uint32_t peer;	   /* as that of a class */
	int64_t bytes;	   /* PART_UNKNOWN */
	int64_t called_ns; /* PART_UNKNOWN: there is none */
	const char *path;  /* "step 12 / load": ranges that the thread of these calls was in; "" */
	int64_t path_ns;   /* when it entered the innermost; PART_UNKNOWN */
	const char *last_call; /* of CUDA, by that thread; "": not known */
	int64_t last_call_ns;  /* when it began; PART_UNKNOWN */
};

/* A kernel by name, in the member's window (clipped to it, as `kernels` does). */
struct part_kernel {
	const char *name; /* as `kernels` groups them */
	bool communicates;
	uint64_t count;
	__int128 total_ns;
	unsigned __int128 squares; /* of the durations */
	struct counted_value
		*values; /* all durations, ascending, each once: min and max are its ends */
	size_t value_count;
};

/* What of the window lies in a range path, outside the ranges inside it. Counters are folded. */
struct part_range {
	const char *path;   /* "forward / attn", inside the step; "": outside any */
	int64_t host_ns;    /* of the thread of the steps, outside of waits for the GPU */
	int64_t wait_ns;    /* of that thread, in calls that wait for the GPU */
	int64_t compute_ns; /* of compute kernels launched there, summed up */
	uint64_t kernels;   /* these */
};

/* What the GPU's idle time is blamed on: the largest of the window. */
struct part_cause {
	const char *activity; /* key of `gaps`: "sync", "outside_cuda", … */
	const char *path;     /* of ranges of the launching thread; "": outside any */
	const char *code;     /* "load_batch train.py:31": file without its folders; "" */
	int64_t ns;
};

struct part_finding {
	uint32_t member; /* whose; PART_NO_NUMBER: of the whole capture */
	const char *id;	 /* "host_stall" */
	const char *title;
	const char *place;  /* "forward", "gemm"; "" */
	const char *advice; /* the first; "" */
	enum severity severity;
	enum confidence confidence;
	enum owner owner;
	int64_t recoverable_ns;
	double recoverable_pct; /* of the window */
};

enum part_window_kind { PART_WARM_STEPS, PART_GPU_WORK, PART_WHOLE, PART_WINDOW_KINDS };

/* A process on a GPU that does GPU work: mostly a rank. */
struct part_member {
	uint32_t rank;
	enum part_rank_source rank_source;
	uint32_t world;	      /* ranks of the job; 0: not known */
	uint32_t local_rank;  /* as LOCAL_RANK or SLURM_LOCALID; PART_NO_NUMBER */
	uint32_t pid, device; /* device: its number in the capture; PART_NO_NUMBER */
	uint32_t host;	      /* of several captures read as one: which machine's; a file is of one,
				 and does not keep it */
	const char *label;    /* "rank=3; dp=3/4"; "" */
	const char *gpu;      /* model; "" */
	uint64_t gpu_id;      /* a hash of its UUID; 0: not known */

	enum part_window_kind window_kind;
	struct span window;
	const char *window_words;	 /* for people: "warm steps 2 to 10 of 10 'iter N'"; "" */
	int64_t window_ns[MEMBER_TIMES]; /* of the window, which they sum up to */

	struct part_step *steps; /* in order of time: all of the capture, warm or not */
	size_t step_count;
	size_t first_warm;	 /* of steps: the window's first; step_count where none is in it */
	size_t warm_count;	 /* that lie in the window */
	uint64_t steps_left_out; /* before the first */
	const char *steps_name;	 /* "step N"; "": told by kernels */
	uint32_t steps_said;	 /* what the name of the first counts, 17 of "step 17", and those of
				    the others one more each; PART_NO_NUMBER */

	struct part_collective_class *classes;
	size_t class_count;
	struct part_collective *collectives; /* by start, then by end */
	size_t collective_count;
	uint64_t collectives_before; /* left out before the first that is here */
	uint64_t collectives_after;  /* … and after the last */
	struct part_end end;

	struct part_kernel *kernels; /* by name */
	size_t kernel_count;
	uint64_t kernels_without_times;

	struct part_range *ranges; /* by path */
	size_t range_count;
	struct part_cause *causes; /* the largest first */
	size_t cause_count;
};

struct part {
	struct arena arena;			   /* of all that it points to */
	const char *file;			   /* last part of the capture's name */
	const char *tool, *schema, *cuda, *driver; /* "": not said */
	uint64_t node;				   /* a hash of the host's name; 0: not known */
	int64_t utc_ns;				   /* UTC of the capture's time 0; PART_UNKNOWN */
	struct span captured;			   /* SPAN_NONE: not known */
	struct part_member *members;		   /* by rank, then by pid and device */
	size_t member_count;
	struct part_finding *findings; /* the largest first */
	size_t finding_count;
	const char **notes; /* what is odd or left out, for people */
	size_t note_count;
};

void part_free(struct part *p);

/* Whether any of its ranks does, as far as was recorded. */
static inline bool part_communicates(const struct part *p)
{
	for (size_t i = 0; i < p->member_count; i++) {
		if (p->members[i].collective_count)
			return true;
	}
	return false;
}

/* Whether any of its collectives say of which communicator they are. */
static inline bool part_names_communicators(const struct part *p)
{
	for (size_t i = 0; i < p->member_count; i++) {
		for (size_t k = 0; k < p->members[i].class_count; k++) {
			if (p->members[i].classes[k].has_communicator)
				return true;
		}
	}
	return false;
}

/* Whether its members are the GPUs of one process, which all have been set up alike. */
static inline bool part_is_one_process(const struct part *p)
{
	for (size_t i = 1; i < p->member_count; i++) {
		if (p->members[i].pid != p->members[0].pid ||
		    p->members[i].host != p->members[0].host ||
		    p->members[i].rank_source != p->members[0].rank_source)
			return false;
	}
	return p->member_count > 0;
}

/* What time a member's step or window is made of. */
static inline int64_t part_step_ns(const struct part_step *s)
{
	return s->to_ns - s->from_ns;
}

#endif
