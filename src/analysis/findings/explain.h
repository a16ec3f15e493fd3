/*
 * What a run's findings are made from: the warm part of the run, what every device did in it,
 * whose fault its gaps are, which copies and kernels had nothing beside them. Collected once; then
 * each rule (explain_*.c) looks at it and adds what it finds.
 */
#ifndef ANALYSIS_EXPLAIN_H
#define ANALYSIS_EXPLAIN_H

#include "analysis/gpu/gaps.h"
#include "analysis/host/file_reads.h"
#include "analysis/numbers/time_sums.h"
#include "analysis/steps/phases.h"
#include "analysis/workload/program.h"
#include "analysis/workload/range_roles.h"
#include "base/span.h"
#include "report/finding.h"
#include "trace/calls/cpu_events.h"
#include "trace/calls/os_waits.h"
#include "trace/code/places.h"
#include "trace/code/samples.h"
#include "trace/ops/op_class.h"

/* Time of one kernel's launches in the window. */
struct kernel_time {
	uint32_t name;
	uint64_t count, tiny; /* tiny: of at most TINY_NS */
	int64_t total_ns;     /* on all devices */
	/* Launches with few threads in a block: see explain_blocks.c. */
	struct few_threads {
		uint64_t count;
		int64_t total_ns, empty_ns; /* empty: of lanes without a thread, as if alone */
		int64_t longest_ns, longest_at_ns;
		struct block_shape blocks; /* of the longest */
	} few;
};

enum { TINY_NS = 5000, SHORT_NS = 20000 /* too short to be worth spreading over the device */ };

/* Copies of one direction between two kinds of memory. */
struct copy_time {
	uint32_t copy_kind, src_kind, dst_kind;
	uint64_t count;
	int64_t total_ns, bytes;
	bool one_by_one; /* many small ones, which could be one */
};

/* There are a dozen sorts of copies at most in a real trace; more are put together as the last. */
enum { COPY_SORTS = 64, COPY_UNSORTED };

/* Idle time that copies cost, by what would bring it back. */
enum copy_gap {
	GAP_IN_CALLS, /* the host was in a copy call */
	GAP_BETWEEN,  /* from one small copy to the next, which would be part of it */
	COPY_GAPS,
};

/* Idle time by another measure than the causes' cost. */
enum waits_group {
	WAITS_SYNC,    /* waits in gaps of other causes */
	WAITS_TOUCHED, /* the gaps they are in */
	WAITS_PAUSED,  /* from one op to the next, both launched in time */
	WAITS_KERNELS, /* between kernels, after a wait for the first: what a queue would hide */
};

/* Times that are summed up by two numbers, a group and a name, and by device. */
enum explain_sum {
	SUM_CAUSES,	   /* of gaps. Group: enum gap_cause, name: folded range */
	SUM_SLOW_LAUNCHES, /* group: folded range of the gap, name: the kernel's that ended it */
	SUM_ENDERS,	   /* of launch-bound gaps. Group: folded range, name: the stem of the tiny
			      kernel that ended it, NAME_NONE for others */
	SUM_SLOW_CALLS,	   /* group: 0, name: the function that a gap's other calls are most of */
	SUM_ALLOC_CALLS,   /* group: 0, name: the function that allocates, frees or loads code */
	SUM_EXPOSED,	   /* group: slice_kind COMM or NARROW, name: kernel's; narrow: lost time */
	SUM_WAITS,	   /* group: enum waits_group */
	SUM_COPIES,	   /* exposed time. Group: index into copy_times, name: folded range */
	SUM_COPY_GAPS,	   /* + enum copy_gap: idle time, by the same; COPY_UNSORTED: the calls
			      copied nothing there */
	EXPLAIN_SUMS = SUM_COPY_GAPS + COPY_GAPS,
};

/* A gap in which a thread ran host code for long. */
struct stall {
	int64_t start_ns, end_ns;
	uint32_t thread, device; /* index into timeline.devices */
	uint32_t range;		 /* folded; NAME_NONE */
	bool loads;		 /* it loads code in it, too, which was there before */
};

struct stalls {
	struct stall *all;
	size_t count, cap;
};

/* What OS_LOCK is about. */
enum waits_for { WAITS_LOCK, WAITS_INTERPRETER, WAITS_QUEUE };

/* What a thread may wait for besides: files that it reads, which the name of a call alone does not
 * tell. */
enum { OS_FILE = OS_WAITS, HOST_WAITS };

enum { INPUTS = 3 }; /* functions that wait for input, as many as are told of */

/* What threads do in a place, by their switches. */
enum place_time {
	PLACE_ALL,
	PLACE_ON_CPU,
	PLACE_READY, /* to run, but others have the CPU */
	PLACE_TIMES,
};

enum { RIVALS = 3 }; /* threads that have the launching thread's CPU, as many as are told of */

/* Of the stalls: time in which the launching thread could run, but is off its CPU. */
struct descheduled {
	int64_t ns, sure_ns; /* sure: the system recorded that it could run */
	int64_t others_ns;   /* in which captured threads are on that CPU */
	struct rival {
		uint64_t key; /* globalTid */
		int64_t ns;
		bool same_process; /* as the thread that it keeps off */
	} rivals[RIVALS];	   /* most first; 0 ns: there are no more */
	size_t rival_count;	   /* of all */
};

/* Of the stalls of the GPU that has most of them, by what the thread waited for. */
struct host_waits {
	bool known;			  /* the trace has such calls */
	int64_t stall_ns, ns[HOST_WAITS]; /* by enum os_wait, or OS_FILE */
	struct longest_parts
		where[HOST_WAITS]; /* the time in such calls; empty: samples tell of them */
	enum waits_for lock;
	uint32_t function[HOST_WAITS]; /* in which most of it is: number in trace->names */
	int64_t function_ns[HOST_WAITS];
	struct os_function {
		uint32_t name;
		int64_t ns;
	} inputs[INPUTS]; /* OS_INPUT and OS_EVENT, most first; 0 ns: there are no more */
	struct file_reads files;
	/* OS_SLEEP at a fixed period, from wake to wake, and awake in it; 0: there is none. */
	int64_t period_ns, awake_ns, longest_awake_ns, longest_at_ns;
	size_t periods;
	/* Stalls in which a module is loaded, in ranges that are about compiling, and samples of
	 * stalls, in a compiler or not. */
	int64_t loads_ns, named_ns;
	struct longest_parts named; /* where these are */
	size_t loads, samples, compiling;
	size_t collecting; /* of the samples, in Python's garbage collector */
	struct place_samples {
		size_t all, in_function;
		size_t faulting;   /* of all, in page faults */
		uint32_t function; /* that most of them are in: number in trace->names */
	} * places; /* by folded range, the last outside any; NULL: there are no samples */
	struct place_cpu {
		int64_t ns[PLACE_TIMES]; /* of threads whose switches are known */
	} * on_cpu;			 /* by the same; NULL: there are no context switches */
	struct descheduled descheduled;
	bool kept_off; /* that is what the stalls are */
};

/* --nvtx-coverage-warn-threshold */
struct coverage_args {
	double warn; /* share of kernel time in NVTX ranges below which to warn */
};
extern const struct option_group coverage_options;

/* --price */
struct price_args {
	double usd_per_gpu_hour; /* 0: nobody said */
};
extern const struct option_group price_options;

/* What findings are asked about. */
struct explain_args {
	struct scope scope;
	struct comm_args comm;
	struct coverage_args coverage;
	struct price_args price;
};
/* Of `overview`; `findings` takes --phase-map as well. */
extern const struct option_group explain_options;

/* Idle time by what the launching thread ran: of each cause and folded range, and stack. */
struct code_group {
	uint32_t cause, range;
};

enum { CODE_RECENT = 64 };

struct code_sums {
	struct idmap groups, pairs;
	struct code_group *keys; /* by group */
	struct code_time {
		uint32_t group, stack;
		int64_t ns;
	} * times; /* by pair of group and stack */
	size_t key_cap, cap;
	struct {
		uint32_t cause, range, stack;
		uint32_t number; /* of times, and one more; 0: none yet */
	} recent[CODE_RECENT];	 /* the next is one of these, as a rule */
};

/*
 * What calls cost is kept by the stack that makes them, be it known or not, and by cause; of late
 * and slow launches and of waits by folded range, too. And as these further causes.
 */
enum {
	CALLS_BETWEEN = GAP_CAUSES, /* waits, each before the next launch: WAITS_KERNELS */
	CALLS_COPIES,		    /* + index into copy_times, or COPY_UNSORTED */
	CALLS_LAST = CALLS_COPIES + COPY_UNSORTED,
};

/* Gaps of allocation that are spent on loading modules, and what they cost. */
struct module_loads {
	uint64_t gaps;
	int64_t ns;
};

/* The longest start of the driver in a process, before the first GPU work. */
struct driver_start {
	int64_t ns, at_ns;  /* 0 ns: there is none in the capture, or not worth a word */
	size_t call, next;  /* in this call, or between these two, which are no more than that */
	bool between;	    /* the call that starts it is not recorded, the profiler's mark is */
	bool told;	    /* a finding about time in the window is about it */
	uint64_t processes; /* that start */
};

/* Page faults of the host on managed memory: ids of StringIds, and lines. */
struct managed_faults {
	struct cpu_events function, file, line; /* file, line: without rows where nobody knows */
};

struct counted;
struct metric_average;

struct explain {
	struct trace *trace;
	struct report *report; /* findings live in its arena */
	const struct explain_args *args;
	struct scope scope; /* with the window */
	struct ops ops;
	struct timeline timeline;
	struct gap_judge judge;
	int64_t window_ns;
	uint32_t *folded; /* name → folded name */
	struct strtab folded_names;
	bool *compiles; /* by folded name: a range of that name is about compiling */

	struct time_sums sums[EXPLAIN_SUMS];
	const char *warm_up;	       /* a sentence, where much of the window is one; NULL */
	int64_t run_ns;		       /* of a one-shot program, all of it; 0: it is none */
	int64_t late_ns;	       /* that findings about late ranks have: what of the exposed
					  communication is more than that is communication */
	int64_t input_ns;	       /* of the window, that is waiting for input */
	const char *input_call;	       /* "`getc`", where most of it is; NULL: nobody knows */
	struct stalls stalls, managed; /* managed: beside pages of managed memory that move */
	struct code code;	       /* empty: there are no samples */
	struct long_calls long_calls;  /* of the launching threads, where there are */
	struct places places;
	struct counted *counted; /* NULL: the GPUs' counters were not sampled */
	struct code_sums code_sums, call_sums;
	struct code_sums slow_call_sums; /* of slow launches, by folded range and kernel */
	struct host_waits waits;
	struct cpu_events switches; /* of all threads, where somebody asked */
	bool switches_read;
	struct managed_faults faults;
	int64_t loading_ns; /* of slow launches, what loads code */
	int64_t beside_ns;  /* launches in gaps that allocations made, which would be hidden */
	struct module_loads loads;
	struct driver_start start;
	int64_t *first_run_ns; /* by name of a kernel */
	struct strtab stems;   /* kernels' names without template arguments */
	struct copy_time *copy_times;
	size_t copy_count, copy_cap;
	double link_bytes_per_s; /* that host and GPU usually reach; 0: nobody knows */
	uint8_t *copy_sort; /* by memcpy: index into copy_times, or COPY_UNSORTED: it is not asked
			       for */
	struct kernel_time *kernels; /* by total, most first */
	size_t kernel_count;
	int64_t kernel_ns;	/* sum of all */
	struct program program; /* advice is in its words */
	bool on_windows;	/* which has other ways to capture */
	bool has_samples;	/* of the CPU or of Python: nobody needs to capture them */
	struct coverage {
		int64_t all_ns, in_ranges_ns;
	} covered;	      /* kernels of all that was asked for */
	struct phases phases; /* empty: there are none, or nobody asks */
	int64_t wait_ns;      /* time that threads spent waiting for the GPU */
	int64_t alloc_ns;     /* … allocating or loading code */
	int64_t slack_ns;     /* the window without what the busiest device computes */
	int64_t graph_ns;     /* sum of whole-graph launches */

	struct finding *found;
	size_t found_count, found_cap;
	struct sign_found signs[SIGNS];
};

/* Collects, and finds what the rules find. */
int explain_prepare(struct trace *t, struct err *e);
/* The option of nsys that samples what its host code does. */
const char *find_to_sample(const struct explain *x);
int explain_make(struct explain *x, struct trace *t, const struct explain_args *a, struct report *r,
		 struct err *e);
void explain_free(struct explain *x);

/* Whether a part is at least that share of the whole; sums of a bad file may be anything. */
static inline bool is_share(int64_t part, int64_t whole, double share)
{
	return (double)part >= share * (double)whole;
}

/* Ops of a kind in the window, as far as they are asked for; NAME_NONE: of any name. */
struct ops_found {
	uint64_t count, longest_row;
	int64_t longest_ns, longest_at_ns; /* the part in the window; -1: there is none */
};

/* The part of an op that lies in the window; 0 when none does, or it is not asked for. */
int64_t explain_op_ns(const struct explain *x, enum trace_kind kind, uint64_t i);
/* Where that part begins, and all of it. */
int64_t explain_op_start(const struct explain *x, enum trace_kind kind, uint64_t i);
struct span explain_op_span(const struct explain *x, enum trace_kind kind, uint64_t i);
/* Walks the window: causes of gaps, exposed copies and kernels, the timeline itself. */
int explain_walk(struct explain *x, struct err *e);
/* After the walk: kernels by name, and how much of their time lies in ranges. */
void explain_add_kernels(struct explain *x);
/* Finds x->phases, of the window as it is now. */
int explain_phases(struct explain *x, struct err *e);
/* `where`, unless NULL: and where they are. */
struct ops_found explain_find_ops(const struct explain *x, enum trace_kind kind, uint32_t name,
				  struct longest_parts *where);
/* The same of a finding, whose places they are. */
struct ops_found find_ops(const struct explain *x, struct finding *f, enum trace_kind kind,
			  uint32_t name);

enum { EXPLAIN_SAMPLES_MIN = 10 }; /* that say what a thread did */
/* What samples of threads say, where they are in stalls. */
void explain_samples(struct explain *x);
/* The index of a folded range, or of NAME_NONE, into what is known by place. */
size_t explain_place(const struct explain *x, uint32_t folded);
/*
 * What the thread does where these stalls are, or most of them, as evidence: whether it is on a
 * CPU, and the function that it is sampled in most. A thread that is busy waits for nothing.
 */
void explain_add_function(struct explain *x, struct finding *f, const struct time_total *stalls);
/* The folded name of a range of the judge's forest; NAME_NONE: it has none, or there is none. */
uint32_t explain_folded_range(const struct explain *x, uint32_t range);
/* Of x->stalls: the first of the thread that ends after a time. */
size_t explain_stall_after(const struct explain *x, uint32_t thread, int64_t at_ns);
/* How much of a time lies in stalls of its thread; and where, unless `where` is NULL. */
int64_t explain_in_stalls(const struct explain *x, uint32_t thread, struct span time,
			  struct longest_parts *where);
/* Before the walk: the samples, where there are any. */
int explain_code_read(struct explain *x, struct err *e);
void explain_code_free(struct explain *x);
void code_sums_add(struct code_sums *s, uint32_t cause, uint32_t range, uint32_t stack, int64_t ns);
void code_sums_add_all(struct code_sums *to, const struct code_sums *from);
void code_sums_free(struct code_sums *s);
/* " in `flush` (metrics_log.py:8)", where half of these gaps passes there; NULL: nobody knows. */
const char *explain_code_where(struct explain *x, const struct time_total *t);
/* The functions in which these gaps pass, as evidence; whether there are any. */
bool explain_code_add(struct explain *x, struct finding *f, const struct time_total *t);
/* What helps against the code in which most of these gaps passes; whether anything is known. */
bool explain_code_help(struct explain *x, struct finding *f, const struct time_total *t);
/*
 * The lines of your code that make the calls which a finding's cost lies in: of some gaps, or of
 * all of some causes.
 */
struct code_choice;
struct code_choice calls_of_total(const struct explain *x, const struct time_total *t);
struct code_choice calls_of_causes(const struct explain *x, uint32_t first, uint32_t last);
/* " in `step` (train.py:24)", which has half of the cost; NULL: none has, or nobody knows. */
const char *explain_calls_where(struct explain *x, const struct code_choice *c);
/* ", mostly in `step` (train.py:24)", else that range: see find_place(). */
const char *explain_calls_place(struct explain *x, const struct code_choice *c,
				const struct time_total *t);
/*
 * Up to three, as evidence; `calls` is what they are: "waits". Where a line is the place, the range
 * that has most of `ranges`, too; NULL: they have none.
 */
void explain_calls_add(struct explain *x, struct finding *f, const struct code_choice *c,
		       const char *calls, const struct time_total *ranges);
/* Slow launches are the cost of loading code or their own, by name of their kernel; the last entry
 * is that of ops without a name. */
void explain_sort_slow_calls(struct explain *x, const bool *loads);
/* What sort of work a stack is, from its innermost frame up to the one that is yours. */
enum { CODE_KINDS = 7 }; /* and none of these */
size_t code_kind_of(const struct explain *x, uint32_t stack);
bool code_kind_advise(struct explain *x, struct finding *f, size_t kind);
bool code_is_collector(struct str function);
/* "`write_metrics` (hostwork.py:10)"; machine code has no line. */
const char *explain_frame_code(struct explain *x, uint32_t frame);
/* Whether the samples are of a Python program, but not of its lines. */
bool explain_lacks_python(const struct explain *x);
/* The line of your code that makes a CUDA call; NULL: its backtrace was not captured. */
const char *explain_call_code(struct explain *x, uint32_t thread, struct span call);
/* What a thread that is in locks in most of x->stalls waits for, and that in words. */
int explain_waits_for(struct explain *x, enum waits_for *ret, struct err *e);
const char *explain_waited_for(enum waits_for sort);
/* What another thread of the process does meanwhile, where one is known: as evidence and advice. */
bool explain_code_holder(struct explain *x, struct finding *f, enum waits_for sort);
/* Where a thread is for most of x->stalls of others, by its samples; NULL: nobody knows. */
const char *explain_code_meanwhile(struct explain *x, uint64_t key);
/* A process of the capture that is at work in most of x->stalls, and where. */
struct sender {
	uint32_t pid;
	const char *code;
	int64_t ns;
};
bool explain_other_process(struct explain *x, struct sender *ret);
/* Without OS calls: what Python's frames say of waits in x->stalls. */
void explain_sampled_waits(struct explain *x);
/* Without OS calls: that code which is sampled may only wait, and for whom. */
void explain_add_rival(struct explain *x, struct finding *f);
/* By frame, in a block of its own: whether it is what a kernel runs at a page fault. */
bool *explain_find_faulting(const struct explain *x);
/* Whether most samples of one place are in page faults. */
bool explain_takes_faults(const struct explain *x, const struct time_total *stalls);
/* What is known of page faults where these stalls are, as evidence, and what helps. */
void explain_add_faults(struct explain *x, struct finding *f, const struct time_total *stalls);
/* Those on managed memory in some gaps, with the place that has most; whether there are any. */
bool explain_add_managed_faults(struct explain *x, struct finding *f, const struct stalls *gaps,
				const struct time_total *s);
int explain_read_faults(struct explain *x, struct err *e);
void explain_faults_free(struct explain *x);
/* By thread, then by start. */
void stalls_sort(struct stalls *s);
/* Whether the GPU waits long enough for host code that it is worth asking why. */
bool explain_stalls_matter(const struct explain *x);
bool explain_is_most_of_stalls(const struct explain *x, int64_t ns);
/* What the thread waited for in x->stalls. */
int explain_host_waits(struct explain *x, struct err *e);
void explain_waits_free(struct host_waits *w);
/* Reads x->switches, once; only who needs them does: there may be millions. */
int explain_read_switches(struct explain *x, struct err *e);
/* How long threads are on a CPU in x->stalls. */
int explain_stalls_on_cpu(struct explain *x, struct err *e);
void explain_add_on_cpu(struct explain *x, struct finding *f, const struct time_total *stalls);
/* What a thread does in a time, in the places that it is in then. */
void explain_add_to_places(struct explain *x, uint32_t thread, struct span time,
			   enum place_time what);
/* After that: how long threads are off their CPU in x->stalls though they could run. */
int explain_find_descheduled(struct explain *x, struct err *e);
void explain_advise_descheduled(const struct explain *x, struct finding *f);
/* Whether that is most of the stalls: then it is the finding. */
bool explain_descheduled(struct explain *x, const struct time_total *stalls, const char *where);
/* How long another thread, by its key, is on a CPU in x->stalls. */
int64_t explain_busy_in_stalls(const struct explain *x, uint64_t key);
/* How long a thread is on a CPU in a time, by x->switches; false: it has none. */
bool explain_thread_on_cpu(const struct explain *x, uint32_t thread, struct span time,
			   int64_t *ret_ns);

/* The rules. */
/* Whether what the host waits for leaves nothing to recover in stalls: then that is the finding. */
bool explain_waiting(struct explain *x);
/* How much of the stalls lies in ranges about compiling; where is kept, too. */
int64_t explain_sum_compiling(struct explain *x);
/* Whether kernels are compiled in most of the stalls: then that is the finding. */
bool explain_compilation(struct explain *x);
/* Whether ranges say that most of the host's stalls are for compiling. */
bool explain_compiles_in_ranges(const struct explain *x);
/* Whether gaps of allocation are modules that are loaded again and again: then that is the finding.
 */
bool explain_loading(struct explain *x, const struct time_total *s);
/* By folded name, in a block of its own: whether ranges of that name are about compiling. */
bool *explain_find_compiling(const struct strtab *names);
/* What the ranges about compiling have of the stalls. */
void explain_compiling(struct explain *x, const struct time_total *s);
int explain_launches(struct explain *x, struct err *e);
void explain_gaps(struct explain *x);
/* Whether the host waits after nearly every launch: no queue hides what launching takes then. */
bool explain_syncs_each(const struct explain *x);
void explain_launch_bound(struct explain *x);
/* Of all gaps in which the host allocates, frees or loads code. */
void explain_alloc(struct explain *x, const struct time_total *gaps);
int explain_copies(struct explain *x, struct err *e);
/* Whether the copies are so many and so small that it is their number that costs. */
bool copies_are_small(const struct copy_time *c);
/* After all other rules: where the window is mostly a warm-up, nothing is sure. */
void explain_warm_up(struct explain *x);
int explain_tensor_cores(struct explain *x, struct err *e);
/* What a kernel does, by its name; the user's --comm has the first word. */
enum kernel_kind explain_kernel_kind(const struct explain *x, uint32_t name);
void explain_add_longest_launch(const struct explain *x, struct finding *f, uint32_t name);
int explain_kernels(struct explain *x, struct err *e);
/* After the walk: the GPUs' counters, where they were sampled. */
int explain_counters_read(struct explain *x, struct err *e);
void explain_counters_free(struct explain *x);
/* Whether there are enough samples of a kernel's counters, and their averages. */
bool explain_kernel_counters(struct explain *x, uint32_t kernel, struct metric_average *ret);
void explain_add_counter(struct finding *f, const char *label, double pct); /* NAN: none is */
/* What copies use of their link, as evidence; NAN: nobody knows. */
double explain_add_link(struct explain *x, struct finding *f, const struct copy_time *c);
/* Kernels at the limit of memory or with few SMs, unless `told`, by name; and falling clocks. */
void explain_counters(struct explain *x, bool *told);
/* Adds a launch to those with few threads in a block, if it is one. */
void few_threads_add(struct few_threads *few, const struct explain *x, uint64_t row, int64_t ns);
void few_threads_add_all(struct few_threads *few, const struct few_threads *more);
/* Kernels whose blocks have too few threads; by name of a kernel, which are told of is set. */
void explain_blocks(struct explain *x, bool *told);
void explain_devices(struct explain *x);
/* Before the kernels: communication that waits for a rank is not communication. */
int explain_ranks(struct explain *x, struct err *e);
/* The GPU that exposes most communication, and how much: whatever is told of it is of this one. */
size_t explain_comm_device(const struct explain *x);
int64_t explain_comm_ns(const struct explain *x);
/* Managed memory: kernels that wait for pages, and host code that works on them. */
int explain_managed(struct explain *x, struct err *e);
void explain_managed_host(struct explain *x, const struct time_total *s);
int explain_capture(struct explain *x, struct err *e);
/* Graphs that hide their kernels; where the verdict does not tell of them. */
void explain_graphs(struct explain *x);

/*
 * Heads the report with the title and the window, and says how the window was chosen and what the
 * export lacks.
 */
int explain_window(struct explain *x, const struct analysis *self, struct err *e);
/* Adds what was found to the report: the most severe first, and of these what costs most. */
void explain_report(struct explain *x);
/* After the rules, before the report: what leads where nothing costs much, and what severity means
 * for the run. */
int explain_run(struct explain *x, struct err *e);
int64_t explain_busiest_ns(const struct explain *x); /* of the window, of the busiest GPU */
/* From the first CUDA call that is asked about to the end of the last, and whose these are. */
struct program_calls {
	struct span time;
	uint32_t first_thread, last_thread;
};
/* Whether there are any. */
bool explain_find_calls(const struct explain *x, struct program_calls *ret);
/* Whether it is a program with a moment of GPU work: then that is the verdict. */
int explain_one_shot(struct explain *x, bool *ret, struct err *e);
/* What the cold steps before the window take longer, and what they do in that time. */
void explain_cold(struct explain *x);
/* Before the rules: x->start, where the window is not that of warm steps. */
int explain_find_start(struct explain *x, struct err *e);
/* "in `cudaMalloc`", or between which calls; and what helps. */
const char *explain_start_place(struct explain *x);
void explain_advise_start(const struct explain *x, struct finding *f);
/* What starting costs, where no other finding has told it. */
void explain_start(struct explain *x);
void explain_rank(struct explain *x);
/* What lost time costs, where the price of a GPU is known, into the report. */
void explain_price(struct explain *x);
/* The word that a finding is a verdict by; NULL: it is a remark. */
const char *verdict_word(const char *id);
/* The command that looks closer at it, as a shell takes it: "idle trace.sqlite". */
const char *verdict_next(struct explain *x);
const char *verdict_command(struct explain *x, const char *look);
/* The same for advice, about this window. */
const char *verdict_advised(struct explain *x, const char *look, enum span_choice span);
/* The answer of findings and overview where no GPU work was recorded: what was, and why that is. */
int no_gpu_work_answer(const struct analysis *self, struct trace *t, const void *args,
		       struct report *r, struct err *e);
/* Of the findings in their order: the word and the sentence, into the report. */
void explain_verdict(struct explain *x);

/*
 * What sort of program it is, and its figures in the words of its trade: x->report->workload, and
 * x->signs, the names that show it. To be called after the rules.
 */
int explain_workload(struct explain *x, struct err *e);
/* "4.51 ms per token (p99 6.02)": a unit that both have is written once. */
void workload_add_time(struct buf *b, const char *per, double p50_ns, double p99_ns);
/* The figures of training, as columns of x->report->workload; in the report's arena. */
void workload_train(struct explain *x, const struct warm_steps *steps, struct report_workload *w,
		    struct buf *text);
/* Those of serving. */
int workload_serve(struct explain *x, const struct warm_steps *steps, struct range_roles *roles,
		   struct report_workload *w, struct buf *text, struct err *e);

/* For rules: a new finding. Below 1 % of the window nothing costs anything: NULL then. */
struct finding *find_cost(struct explain *x, const char *id, int64_t recoverable_ns,
			  const char *title, ...) __attribute__((format(printf, 4, 5)));
/* The same for time in which a device does not compute: no more than the busiest has of it. */
struct finding *find_lost(struct explain *x, const char *id, int64_t recoverable_ns,
			  const char *title, ...) __attribute__((format(printf, 4, 5)));
/* How severe it is to lose that share of the window: the same for every cause. */
enum severity find_severity(double pct);
/* Whether that share is worth a word at all. */
bool find_costs(double pct);
/*
 * One whose cost cannot be told: no share of the window says how severe it is, the rule does. It is
 * a warning where other answers mislead for it, or a whole device is at stake.
 */
struct finding *find_fact(struct explain *x, const char *id, enum severity severity,
			  const char *title, ...) __attribute__((format(printf, 4, 5)));
void find_evidence(struct finding *f, const char *label, enum unit unit, struct cell value);
/* The same of a number of things, a time, part of a whole in percent, or a kernel by its name. */
void find_count(struct finding *f, const char *label, uint64_t count);
void find_time(struct finding *f, const char *label, int64_t ns);
void find_share(struct finding *f, const char *label, int64_t part, int64_t whole);
void find_kernel(const struct explain *x, struct finding *f, const char *label, uint32_t name);
void find_evidence_at(struct finding *f, const char *label, int64_t ns, int64_t at_ns);
/* The same of a time, unless it is none. */
void find_evidence_in(struct finding *f, const char *label, struct span time);
/* A figure of a stretch of time, which one can ask about with --trim. */
void find_evidence_over(struct finding *f, const char *label, enum unit unit, struct cell value,
			int64_t from_ns, int64_t to_ns);
void find_advice(struct finding *f, const char *advice);
/* The same in the words of PyTorch where the program uses it, else for CUDA programs of any
 * language. */
void find_advice_for(const struct explain *x, struct finding *f, const char *torch,
		     const char *plain);
/* What a GPU-side cause costs is limited by how long the host had to wait for the GPU at all. */
int64_t find_within_waits(const struct explain *x, int64_t ns);
/* A name as code, "`fwd`", in the report's arena. */
const char *find_code(struct explain *x, struct str name);
/* A kernel as a person calls it: "`add`". */
const char *find_kernel_code(struct explain *x, uint32_t name);
/* Where a range is, " in `fwd`", or " outside any NVTX range"; "": the program has none. */
const char *find_range(struct explain *x, uint32_t folded);
/* " in `fwd`" where that range has most of the rows' time, or how many places there are; "". */
const char *find_where(struct explain *x, const struct time_total *s);
/* The same as an afterthought: ", mostly in `fwd`". */
const char *find_place(struct explain *x, const struct time_total *s);
/* "finer NVTX ranges", or "NVTX ranges" where the program has none. */
const char *find_more_ranges(const struct explain *x);
/* Advice to profile this with Nsight Compute, with the command that does. */
void find_inspect(struct explain *x, struct finding *f, const char *what);
/*
 * Where its time is, in the place of what was said before: some parts, those of rows, those of
 * all rows of a group. The longest is returned. What says nothing is where its most exact evidence
 * is.
 */
struct time_part find_places(struct finding *f, const struct longest_parts *s);
struct time_part find_places_of(struct finding *f, const struct time_total *s);
struct time_part find_places_of_group(struct finding *f, const struct time_sums *sums,
				      uint32_t group);
/*
 * How many gaps there are, and the longest, which is returned; they are its places. Where they are
 * told by range, what each range has of its cost, too.
 */
struct time_part find_gaps(struct explain *x, struct finding *f, const struct time_total *s);
/* The range that has most of these rows' time is the finding's; find_gaps() says so itself. */
void find_main_range(struct explain *x, struct finding *f, const struct time_total *s);
/* How the cost of gaps is computed: removing the cause removes the gap, as far as we can tell. */
extern const char find_idle_how[];

#endif
