/*
 * The registry: an analysis is a constant that names itself, says which parameters it takes, and
 * has a run(). From its one line in list.def it becomes a subcommand (or a report of `gpuwhy
 * stats`) with its options, its help and every output format.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/mfu/mfu_question.h"
#include "report/report.h"
#include "trace/trace.h"

/* Parameters that an analysis may take: bits of struct analysis.params. */
enum param {
	PARAM_TRIM = 1 << 0,
	PARAM_DEVICE = 1 << 1,
	PARAM_PID = 1 << 2,
	PARAM_BY_DEVICE = 1 << 3,
	PARAM_BY_PROCESS = 1 << 4,
	PARAM_BY_STREAM = 1 << 5,
	PARAM_LIMIT = 1 << 6,
	PARAM_SORT = 1 << 7,
	PARAM_ALL_ROWS = 1 << 9,  /* people, too, see all rows unless they set a limit */
	PARAM_NAMING = 1 << 8,	  /* :base and :mangled, as nsys writes them */
	PARAM_TREE = 1 << 10,	  /* a row per path of names */
	PARAM_COVERAGE = 1 << 13, /* when to warn of kernels outside NVTX ranges */
	PARAM_PHASES = 1 << 12,	  /* a file that says which ranges are which phase */
	PARAM_FOLD = 1 << 11, /* names that differ only by a counter are one, unless told not to */
	PARAM_NVTX_NAME = 1 << 14, /* :nvtx-name */
	PARAM_RANK = 1 << 20,	   /* the ranks of a program: --label, --rank */
	PARAM_MARKER = 1 << 15,	   /* --marker, also without --iteration */
	PARAM_COMM = 1 << 26,	   /* tells communication from compute: --comm */
	PARAM_BY_RANK = 1 << 27,
	PARAM_BY_NVTX = 1 << 28,
	PARAM_BY_ITERATION = 1 << 29,
	PARAM_ANCHOR = 1 << 21, /* a window for each rank: --anchor, --start, --end */
	PARAM_WINDOW = 1 << 22, /* whose clock that window is on: --window */
	PARAM_PRESET = 1 << 23, /* what the names of ranges mean */
};

/* Further ones: an enum's are ints. */
#define PARAM_PATTERN  (UINT64_C(1) << 32) /* a second operand: what is looked for */
#define PARAM_FILTER   (UINT64_C(1) << 33) /* which events: --filter */
#define PARAM_COLUMNS  (UINT64_C(1) << 34) /* what of them: --columns, --summary */
#define PARAM_SEARCH   (UINT64_C(1) << 35) /* --type, --parent */
#define PARAM_SHAPE    (UINT64_C(1) << 36) /* of a tree: --depth, --min-ms, --merge and so on */
#define PARAM_EXPLORER (UINT64_C(1) << 37) /* a page to look around in: --html */
#define PARAM_NCU      (UINT64_C(1) << 38) /* what Nsight Compute measured of the run: --ncu */
#define PARAM_MFU      (UINT64_C(1) << 39) /* FLOPs, the time they took, the peak */
#define PARAM_HFU      (UINT64_C(1) << 40) /* FLOPs that ncu counted, and peaks by themselves */

#define PARAM_BY (PARAM_BY_DEVICE | PARAM_BY_PROCESS | PARAM_BY_STREAM)
/* Every way to group that a command may take. */
#define PARAM_BY_ANY (PARAM_BY | PARAM_BY_RANK | PARAM_BY_NVTX | PARAM_BY_ITERATION)

enum naming { NAMING_DEMANGLED, NAMING_BASE, NAMING_MANGLED };

struct params {
	bool has_trim;
	int64_t from_ns, to_ns;
	bool has_device;
	uint32_t device;
	bool has_pid;
	uint32_t pid;
	bool has_process; /* one by its number: two hosts may have processes of one pid */
	uint32_t process;
	enum param by;	  /* one of PARAM_BY_ANY, or 0 */
	uint64_t limit;	  /* 0: all rows */
	const char *sort; /* a column's key, or NULL */
	enum naming naming;
	bool nvtx_name;
	double coverage_warn; /* share of kernel time in NVTX ranges below which to warn */
	bool tree;
	bool no_fold;
	const char *phase_map; /* a file, or NULL */
	const char *label;     /* a pattern of the ranges that name ranks, or NULL */
	bool has_rank;
	uint32_t rank;
	bool no_kernel_map; /* ranges and phases have time on the host alone */
	bool has_iteration; /* analysis_run() makes it a trim, unless each rank has its own */
	uint64_t iteration;
	bool in_iteration;  /* has_trim is the time of step `iteration` */
	const char *marker; /* a pattern that names steps, or NULL */
	const char *comm;   /* a pattern of kernels that communicate, or NULL */
	const char *anchor; /* a pattern of the ranges that are windows, or NULL */
	bool has_start, has_end;
	int64_t start_ns, end_ns; /* bounds of the window, each by itself */
	bool gpu_window;	  /* where the GPU did what the CPU asked for in the window */
	const char *preset;	  /* a name or a file, or NULL */
	const char *pattern;	  /* the second operand, or NULL */
	const char *filter;	  /* see analysis/events/event_filter.h; or NULL */
	const char *columns;	  /* keys of event_columns, with commas; or NULL */
	bool summary;		  /* events summed up by name */
	const char *types;	  /* of events, with commas; or NULL */
	const char *parent;	  /* a pattern of ranges that events are under, or NULL */
	uint64_t depth;		  /* of a tree; 0: any */
	int64_t min_ns;		  /* what is shorter, on host and GPU, is not shown */
	bool merge, instances;	  /* sum up equal paths, or show every range */
	bool kernels, no_ops;	  /* GPU ops as leaves, or none */
	bool by_start;		  /* --sort start */
	const char *thread;	  /* a number or a pattern of names, or NULL */
	struct mfu_question mfu;
};

struct analysis {
	const char *name;
	const char *title;   /* heading of its answer */
	const char *order;   /* what it sorts by unless told otherwise: "total time"; may be NULL */
	const char *summary; /* one line of help */
	const char *detail;  /* paragraphs of help; may be NULL */
	const char *least;   /* what must be said, as a skill is told: "-p pattern=gemm"; or NULL */
	bool nsys;	     /* a report of `gpuwhy stats`: NVIDIA's columns, NVIDIA's text */
	bool host;	     /* about what the host did alone: the window of a step is the host's */
	unsigned needs;	     /* NEEDS() of the kinds of events without which there is no answer */
	unsigned needs_any;  /* of these one is enough */
	uint64_t params;
	uint64_t people_rows; /* that people see unless they set a limit; 0: as everywhere */
	/* Not to be called directly: analysis_run() first looks for what is needed. */
	int (*run)(const struct analysis *self, struct trace *t, const struct params *p,
		   struct report *r, struct err *e);
};

#define NEEDS(kind) (1u << (kind))

/*
 * Answers the question into the report. A trace without what the analysis needs is ERR_INPUT,
 * marked absent, with the capture flag that would bring it.
 */
int analysis_run(const struct analysis *a, struct trace *t, const struct params *p,
		 struct report *r, struct err *e);

/* In the order of list.def; NULL after the last. */
const struct analysis *analysis_at(size_t i);
const struct analysis *analysis_find(const char *name, bool nsys);

#endif
