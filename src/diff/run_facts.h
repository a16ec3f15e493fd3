/*
 * What else is known of a run: what makes two runs comparable or not, and what is compared beside
 * the time of steps. Nothing of it says who ran it, where, or with which arguments.
 */
#ifndef DIFF_RUN_FACTS_H
#define DIFF_RUN_FACTS_H

#include "analysis/scope.h"
#include "base/arena.h"

/* A cause of lost time, as `findings` has it for the steps that are compared. */
struct run_finding {
	const char *id;
	const char *place; /* "forward", "gemm", "rank 3"; "": not told */
	const char *title;
	int64_t recoverable_ns; /* of all its steps */
};

struct run_facts {
	/* Texts are never NULL; "": not said. */
	const char *gpu;     /* "NVIDIA H200"; of several models all, sorted */
	uint32_t gpus;	     /* that did any work */
	const char *gpu_ids; /* of these, a space after each; no part of a baseline; "": not said */
	uint32_t processes;  /* that did, too */
	const char *driver, *cuda, *tool, *schema;
	const char *date;     /* the day of the capture, in UTC: "2026-11-15" */
	const char *recorded; /* which kinds of events there are: "kernels copies calls ranges" */
	const char *graphs;   /* "none", "nodes" or "whole": how CUDA graphs were recorded */
	int64_t memory_bytes; /* that a GPU had in use at most; -1: not recorded */
	struct run_finding *findings;
	size_t finding_count;
	bool has_findings; /* they were looked for */
	bool lacks_places; /* an earlier gpuwhy kept them, without where they are */
	/* What answers lack, or take on trust; no part of a baseline. */
	const char **warnings;
	size_t warning_count;
};

/* Of a trace whose GPU work is loaded. */
struct op_faults;
int run_facts_read(struct run_facts *ret, struct trace *t, const struct op_faults *faults,
		   struct arena *arena, struct err *e);
/* The findings about the steps' window, as far as they lie in the steps, in place of those that it
 * has. What cannot be told is left out. */
struct step_parts;
int run_facts_add_findings(struct run_facts *f, struct trace *t, const struct scope *steps,
			   const struct step_parts *parts, struct arena *arena, struct err *e);

/*
 * A finding as those of several runs are compared: by its id and where it is. One that is in
 * several ranges is one in each, as what is new in a range is news though the rest is as it was.
 */
struct finding;
/* How many run_findings_add() adds at most. */
size_t run_findings_most(const struct finding *f);
/* Texts are in the arena; to->findings has room. */
void run_findings_add(struct run_facts *to, const struct finding *f, struct arena *arena);

#endif
