/*
 * The stretch of time that speaks for each rank: one step of the steady state, the same whenever
 * it is asked for, so that two captures can be compared. Ranks run apart from one another: each
 * has a window of its own.
 */
#ifndef ANALYSIS_RANK_WINDOW_H
#define ANALYSIS_RANK_WINDOW_H

#include "analysis/processes/rank_map.h"
#include "analysis/ranks/preset.h"
#include "analysis/window.h"
#include "trace/ops/ops.h"

enum window_source {
	WINDOW_ANCHOR, /* the median instance of a range */
	WINDOW_GIVEN,  /* --trim, --start, --end */
	WINDOW_STEP,   /* the median one of its steps; see analysis/steps/iterations.h */
	WINDOW_WHOLE,  /* all that was captured, and nothing is clipped */
};

struct rank_window {
	bool found; /* what follows is known; a rank that is not asked for has none */
	int64_t cpu_from_ns, cpu_to_ns;
	bool ends_before; /* what is launched at its very end is the next one's */
	/* First start to last end of the GPU work that the rank launched meanwhile. */
	bool has_gpu;
	int64_t gpu_from_ns, gpu_to_ns;
	struct str anchor;	 /* the range's name, or that of all steps; may be empty */
	size_t instances, index; /* how many there are; which one it is, by start, from 0 */
	bool is_step; /* others have an anchor; it has none, and this is its median step */
};

/* What an answer about ranks is told. */
struct rank_window_args {
	struct table_args table;
	struct comm_args comm;
	const char *anchor; /* a pattern of the ranges that are windows, or NULL */
	bool has_start, has_end;
	int64_t start_ns, end_ns; /* bounds of the window, each by itself */
	bool gpu_window;	  /* where the GPU did what the CPU asked for in the window */
	const char *preset;	  /* a name or a file, or NULL */
};
/* Of `window`; `streams` and `stages` take --window and --comm as well. */
extern const struct option_group anchor_options, rank_window_options;

struct rank_windows {
	struct arena arena;
	struct rank_window *of_rank; /* one for each of the map */
	size_t count;
	enum window_source source;
	const char *pattern;   /* that anchors were looked for with, or NULL */
	uint64_t open_anchors; /* ranges that match it and never closed: they are no windows */
	const char *steps;     /* WINDOW_STEP: what the steps are, for people */
	bool gpu;	       /* --window gpu: questions are about the GPU's bounds */
};

/*
 * Finds the windows of the ranks that are asked for. `gpu`: GPU bounds are wanted, where the trace
 * has them; with --window gpu it is an error where it has not. An --anchor that matches no
 * range, and bounds beyond the capture or all of its GPU work, are errors too.
 */
int rank_windows_find(struct ops *o, const struct rank_window_args *a, const struct preset *preset,
		      const struct rank_map *m, bool gpu, struct rank_windows *ret, struct err *e);
void rank_windows_free(struct rank_windows *w);

/* The bounds that a question is about; false where the rank has none. */
bool rank_window_bounds(const struct rank_windows *w, size_t rank, struct span *ret);

/* Heads the report with what all windows together span, and says what they are. */
int rank_windows_report(const struct rank_windows *w, const struct rank_map *m, struct report *r,
			const struct analysis *self, struct trace *t, const struct table_args *a,
			struct err *e);

#endif
