/*
 * The registry: an analysis is a constant that names itself, says which parameters it takes, and
 * has a run(). From its one line in list.def it becomes a subcommand (or a report of `gpuwhy
 * stats`) with its options, its help and every output format.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/scope.h"
#include "analysis/topic.h"
#include "report/report.h"
#include "trace/trace.h"

struct analysis;
/* `args` are of the struct that the analysis's options set, and live as long as the report. */
typedef int analysis_answer(const struct analysis *self, struct trace *t, const void *args,
			    struct report *r, struct err *e);

struct analysis {
	const char *name;
	const char *title;   /* heading of its answer */
	const char *order;   /* what it sorts by unless told otherwise: "total time"; may be NULL */
	const char *summary; /* one line of help */
	const char *example; /* a command line with values as people have them */
	const char *detail;  /* paragraphs of help; may be NULL */
	const struct topic *topics; /* what people ask; one without questions ends them */
	const char *least;  /* what must be said, as a skill is told: "-p pattern=gemm"; or NULL */
	bool nsys;	    /* a report of `gpuwhy stats`: NVIDIA's columns, NVIDIA's text */
	bool steps_by_rank; /* --iteration is each rank's own step */
	enum span_choice span; /* its window unless told otherwise; SPAN_DEFAULT: SPAN_WARM */
	bool host;	    /* about what the host did alone: the window of a step is the host's */
	unsigned needs;	    /* NEEDS() of the kinds of events without which there is no answer */
	unsigned needs_any; /* of these one is enough */
	/* Asks who launched what: that is joined once, for its window as for its answer. */
	bool joins;
	/* Before its window is looked for: what it will read, so that a table is read once. */
	int (*prepare)(struct trace *t, struct err *e); /* may be NULL */
	const struct option_group *options;		/* may be NULL */
	uint64_t human_rows; /* that people see unless they set a limit; 0: as everywhere */
	bool all_rows;	     /* people, too, see all rows unless they set a limit */
	bool is_tree;	     /* its rows are nested: --format folded */
	/* Not to be called directly: analysis_run() first looks for what is needed. */
	analysis_answer *run;
	analysis_answer *otherwise; /* where needs_any has none; NULL: that is an error */
};

#define NEEDS(kind)	     (1u << (kind))
#define NEEDS_COPIES_OR_SETS (NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS))
/* Any work on GPUs: that, kernels, and graphs that were recorded as a whole. */
#define NEEDS_GPU_WORK (NEEDS(TRACE_GPU_KINDS) - 1)

/*
 * Answers the question into the report. A trace without what the analysis needs is ERR_INPUT,
 * marked absent, with the capture flag that would bring it.
 */
int analysis_run(const struct analysis *a, struct trace *t, const void *args, struct report *r,
		 struct err *e);

/* In the order of list.def; NULL after the last. */
const struct analysis *analysis_at(size_t i);
const struct analysis *analysis_find(const char *name, bool nsys);

#endif
