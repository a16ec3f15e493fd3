/*
 * The parts that a question is about, each with its FLOPs. Where they come from is the source's:
 * a number that is given, a model's shape, or what counters say a program did.
 */
#ifndef ANALYSIS_MFU_ROWS_H
#define ANALYSIS_MFU_ROWS_H

#include "analysis/counters/ncu_study.h"
#include "analysis/mfu/mfu_part.h"
#include "analysis/mfu/mfu_question.h"

/*
 * FLOPs that Nsight Compute counted: what a launch of each kernel does on average, times its
 * launches in the window. That is what the program did, needed or not: HFU, never MFU. Kernels that
 * ncu did not measure, or not at a grid that they have there, are not in it.
 */

struct mfu_ncu {
	struct ncu_report report;
	struct ncu_study study;
	double flops;
	size_t kernels;		/* of the trace that are counted */
	int64_t counted_ns;	/* their time in the window */
	struct ncu_grids grids; /* the same of all that ncu has FLOPs of */
	int64_t total_ns;	/* of all kernels */
};

/*
 * Of the CSVs that q->ncu names. To be freed whether this fails or not. ERR_INPUT when nothing in
 * the window was counted.
 */
int mfu_ncu_count(struct mfu_ncu *ret, struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e);
void mfu_ncu_free(struct mfu_ncu *n);

/* FLOPs of a launch, on average over those of a group; NAN: unknown, or of other grids. */
double mfu_ncu_each(const struct mfu_ncu *n, size_t group);
/* Says what was counted, and warns of what was not. */
void mfu_ncu_note(struct report *r, const struct mfu_ncu *n);

/* What one instance of a part does. */
struct flops_source {
	const char *label;	/* for people: "prefill" */
	double model, hardware; /* FLOPs: what the model needs; what is done, where that is more */
	double tokens;		/* 0: unknown */
	uint64_t steps;		/* that decode each sequence; 0: it is no decode */
};

/* What a phase does of one batch: a step of training is a third forward, two thirds backward. */
enum mfu_share { SHARE_NONE, SHARE_ALL, SHARE_FORWARD, SHARE_BACKWARD };

struct mfu_row {
	const char *name;
	struct mfu_part part;
	double flops, hardware, tokens; /* of all instances */
	double each;			/* FLOPs of an instance; 0: they differ */
	uint64_t steps;			/* that an instance was said to decode; 0: none */
	size_t sharers;			/* processes that do them together, asked for or not */
	uint32_t devices; /* that an instance works on, at most; 0: all of them are asked for */
};

enum { MFU_ROWS = 4, MFU_WORKS = 2 };

struct mfu_rows {
	struct arena arena;
	struct mfu_row rows[MFU_ROWS];
	size_t count;
	struct mfu_row missed[MFU_WORKS]; /* parts without an instance that could be measured */
	size_t missed_count;
	struct mfu_part window; /* what all of it lies in */
	bool has_ncu;
	struct mfu_ncu ncu;
	bool has_model;
	struct model model;
	struct model_flops works[MFU_WORKS]; /* by what is counted: prefill and decode, or one */
	const char *work_names[MFU_WORKS];
	size_t work_count;
	bool has_hardware; /* hardware FLOPs are other than the model's */
	const char *steps; /* what the steps are, where they are a part */
	bool of_instances; /* one part was asked for: its instances are worth listing */
	const char *told;  /* the phase that the names of all --range's instances tell, or NULL */
	enum mfu_share share;	/* that the phase which was asked for does of one work */
	size_t in_window;	/* of what --mode takes the window for, so many lie whole in it */
	bool is_training_found; /* nobody said that it is training: names tell */
	size_t inference; /* prefills and decodes of a run said to train that has no backward */
};

/* ERR_USAGE: the options do not make a question; says exactly what is missing. */
int mfu_question_check(const struct mfu_question *q, const struct scope *p, struct err *e);

/* To be freed whether this fails or not. */
int mfu_rows_make(struct mfu_rows *ret, struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e);
void mfu_rows_free(struct mfu_rows *r);

/* Which time a question is about. */
enum mfu_time { TIME_RANGES, TIME_PHASE, TIME_STEPS, TIME_WINDOW, TIME_STAGES };

enum mfu_time mfu_time_of(const struct mfu_question *q, const struct scope *p);
/* Whether the window is a step, which each process that has it does by itself, or all together. */
bool mfu_window_is_step(const struct mfu_question *q, const struct scope *p);
/* Phases of other names than are known do all of it. */
enum mfu_share mfu_share_of(const char *phase, enum model_mode mode);
/* Tokens are the step's: a pass of it has none. */
struct flops_source mfu_take_share(struct flops_source s, enum mfu_share share);

/* What is to be counted: as is said, or as the phase is called; MODE_NONE: as names tell. */
enum model_mode mfu_mode_of(const struct mfu_question *q);

/*
 * The error where nothing of what was asked for can be measured: none of the ranges or the phase
 * that is named. `s` has what was left out.
 */
int mfu_no_range(const struct mfu_part *s, const struct trace *t, const struct scope *p,
		 const struct mfu_question *q, struct err *e);
/*
 * The same where there is no prefill and no decode, or no step of a run that trains. A window is
 * one of them then, and it is ERR_USAGE not to say which.
 */
int mfu_no_parts(const struct mfu_rows *rows, const struct trace *t, const struct scope *p,
		 const struct mfu_question *q, struct err *e);

#endif
