/*
 * Gaps: the idle stretches of each device, and whose fault they are. A gap is ended by an op; the
 * thread that launched it did something meanwhile. That is the gap's blame, by time.
 */
#ifndef ANALYSIS_GAPS_H
#define ANALYSIS_GAPS_H

#include "analysis/gpu/timeline.h"
#include "base/mem.h"
#include "trace/calls/thread_calls.h"
#include "trace/ranges/attribution.h"
#include "trace/ranges/innermost.h"
#include "trace/system/overhead.h"

/* What the launching thread did during a gap. */
enum blame {
	BLAME_SYNC,	/* waited for the GPU: cuda*Synchronize */
	BLAME_COPY,	/* was in a copy or set call */
	BLAME_ALLOC,	/* allocated, freed, or loaded code */
	BLAME_LAUNCH,	/* was in a launch call */
	BLAME_CUDA,	/* was in another CUDA call */
	BLAME_HOST,	/* ran host code outside CUDA */
	BLAME_OVERHEAD, /* was the profiler's, in a call or not: the program did nothing */
	BLAME_QUEUED,	/* had launched already: the device or a dependency held the op back */
	BLAME_UNKNOWN,	/* the trace does not have the launch */
	BLAME_END,	/* nothing more was launched before the window ended */
	BLAMES,
};

/* For people: "in launch calls"; and stable: "launch". */
extern const char *const blame_names[BLAMES], *const blame_keys[BLAMES];

enum { GAP_CALLS = BLAME_CUDA + 1 }; /* blames that are calls: looked up in the API table */

/*
 * Why a gap is there, told from its pieces: the time would not come back if only the largest piece
 * went away. See find_cause().
 */
enum gap_cause {
	CAUSE_SYNC,	    /* the host waited until the GPU had run dry */
	CAUSE_COPY,	    /* a copy that blocks the host */
	CAUSE_ALLOC,	    /* or code is loaded */
	CAUSE_SLOW_LAUNCH,  /* one launch took most of it: the first of a kernel loads its code */
	CAUSE_CALLS,	    /* CUDA calls that neither launch, copy, wait nor allocate */
	CAUSE_STALL,	    /* host code, long at a time */
	CAUSE_MANAGED,	    /* the same beside pages of managed memory that come or go for it */
	CAUSE_LAUNCH_BOUND, /* the host launches, but more slowly than the GPU executes */
	CAUSE_OVERHEAD,	    /* without the profiler there would be none */
	CAUSE_QUEUED,
	CAUSE_UNKNOWN,
	CAUSE_END,
	GAP_CAUSES,
};

struct gap {
	int64_t start_ns, end_ns;
	uint32_t device;	   /* index into timeline.devices */
	uint32_t row;		   /* of the op that ends it */
	uint32_t before_row;	   /* of the op before it */
	uint32_t range;		   /* the innermost one, where it is most telling; RANGE_NONE */
	uint8_t kind, before_kind; /* of those ops; TRACE_KINDS: there is none */
	uint8_t cause;		   /* enum gap_cause */
	bool waited_for_copy;	   /* the wait below was a copy's */
	bool loads_code;	   /* the thread loads a module in it */
	int64_t loads_ns;	   /* … for so long */
	uint32_t slow_call;	   /* the longest of those others: index into calls.origins */
	uint32_t calls;		   /* that the launching thread made in it */
	int64_t host_piece_ns;	   /* the longest time that it was outside of them */
	int64_t slowest_launch_ns; /* the longest piece of it in one launch */
	int64_t submit_ns;  /* the piece in an asynchronous copy or set that put it on its stream */
	int64_t queue_ns;   /* from the end of the call that launched what ends it to its start */
	int64_t waited_ns;  /* how long a wait that ends in the gap had lasted before it */
	uint32_t caller;    /* the thread of that call; ID_NONE: it is not in the trace */
	struct span called; /* … all of it, be it before the gap */
	int64_t profiler_ns; /* how much shorter it would be without the profiler, at least */
	int64_t ns[BLAMES];  /* they sum up to the gap */
};

static inline int64_t gap_ns(const struct gap *g)
{
	return g->end_ns - g->start_ns;
}

/* The part of a gap that had been launched: whatever the host does, it would still be there. */
int64_t gap_held_ns(const struct gap *g);

/* Knows who launched what, and what every thread was doing. */
struct gap_judge {
	struct trace *trace;
	bool joined; /* what follows is known */
	bool shares; /* see attribution_begin_sharing() */
	struct attribution attribution;
	struct calls calls;
	struct thread_calls threads;
	struct innermost innermost;
	struct overheads overheads;
	uint8_t *blame_of_origin; /* by origin of the calls */
	uint8_t *blame_of_launch; /* by origin of the launches */
	bool *call_blocks;	  /* by origin of the calls; see call_blocks() */
	bool *call_loads;	  /* by origin of the calls: it loads code that was not there */
	bool *launch_blocks;	  /* by origin of the launches */
	bool *launch_loads;
	uint32_t *main_thread; /* by process: which makes the most calls; ID_NONE: none does */
	/* By process: of those that are in ranges which makes the most calls; ID_NONE: none. */
	uint32_t *ranging_thread;
};

/* Where the last search for a range ended; a zeroed one has not asked yet. */
struct range_cursor {
	struct innermost_cursor own, beside;
	int64_t to_ns; /* until when the answer holds */
};

/* A stretch of one blame. */
struct gap_piece {
	int64_t start_ns, end_ns;
	int64_t call_ns; /* when the call began that it is a part of */
};

/* Of one who asks about gaps one after another. A zeroed one has not asked yet. */
struct gap_cursor {
	MEM_APART struct range_cursor range; /* where the last searches ended */
	size_t *near_call;		     /* by thread */
	uint64_t looks;			     /* at calls */
	uint32_t thread;		     /* that launched what ends the gap */
	bool profiled;			     /* the profiler was at work in it during the gap */
	int64_t until_ns;		     /* what it did was looked at until it launched */
	int64_t returns_ns; /* … and was in that call until then, as far as the gap goes */
	uint32_t launch;    /* origin of the launches: of that call */
	int64_t free_ns;    /* since when it has been in no call, as far as was looked */
	unsigned has_piece; /* bits of the blames that have one */
	struct gap_piece longest[GAP_CALLS + 1]; /* of each blame up to BLAME_HOST, in the gap */
	struct overhead_pause pause;		 /* of the profiler, around the last gap */
	struct gap gap; /* judged last: several views of one walk ask for it in turn */
};

/* Joins GPU work with launches and ranges, where the trace has them. */
int gap_judge_open(struct gap_judge *j, struct trace *t, struct err *e);
/*
 * What an idle slice is, and whose fault; it lives until the cursor's next one. Many may ask at
 * once, each with a cursor.
 */
const struct gap *gap_judge_slice(const struct gap_judge *j, struct gap_cursor *c,
				  const struct slice *s);
/*
 * The thread that launched what ends an idle slice, or where nothing does, what was before it; its
 * process's main one where pages of managed memory end it. ID_NONE: nobody knows. A cursor that has
 * just judged the slice knows it; there may be none.
 */
uint32_t gap_judge_thread(const struct gap_judge *j, const struct gap_cursor *c,
			  const struct slice *s);
/*
 * The calls of one blame in the gap judged last, each with its name in trace->names, all of its
 * time, and the part of that in the gap which is the thread's own.
 */
typedef void gap_call_fn(void *ctx, uint32_t name, struct span call, int64_t ns);
void gap_judge_calls(const struct gap_judge *j, struct gap_cursor *c, enum blame blame,
		     gap_call_fn *take, void *ctx);
/*
 * The call that the gap judged last is blamed on, up to where it is told from: of waits that which
 * the gap begins in, else the longest of its sort; where the host launches too slowly, the launch.
 */
bool gap_judge_blamed(const struct gap_cursor *c, enum gap_cause cause, struct span *ret);
/*
 * The innermost range that a thread is in. Of one that is in none, as PyTorch's for the backward
 * pass never is: the one that its process's main thread is in, of those with ranges, which waits
 * for it there. RANGE_NONE: that is in none, either.
 */
uint32_t gap_range_at(const struct gap_judge *j, uint32_t thread, int64_t at_ns,
		      struct range_cursor *c);
/* For gap_judge_open(). */
void gap_ranges_make(struct gap_judge *j);
/* After the last slice of all cursors: ERR_INPUT when calls and GPUs are many beyond reason. */
int gap_judge_check(const struct gap_judge *j, const struct gap_cursor *cursors, size_t count,
		    struct err *e);
void gap_cursor_free(struct gap_cursor *c);
/*
 * What threads wait for in calls. A launch that finds the queue full waits for the GPU; so does
 * what frees memory, which counts as both.
 */
enum thread_wait { WAIT_GPU, WAIT_ALLOC, WAITS };
/* The time of all threads in such calls, in a window. */
void gap_judge_threads(const struct gap_judge *j, int64_t from_ns, int64_t to_ns,
		       int64_t ns[WAITS]);
/* How long the window goes on after the last call: the host waits for the GPU, or is done. */
int64_t gap_judge_tail(const struct gap_judge *j, int64_t from_ns, int64_t to_ns);
void gap_judge_close(struct gap_judge *j);

#endif
