/* What the tables and the notes of mfu are made from. */
#ifndef ANALYSIS_MFU_ANSWER_H
#define ANALYSIS_MFU_ANSWER_H

#include "analysis/mfu/mfu_rows.h"
#include "trace/system/machine.h"

/* The peak that a part's GPUs have together, and where each figure comes from. */

struct mfu_peak {
	double flops_per_s; /* of all its devices */
	double each;	    /* of one of them; 0: they differ */
	double busy_flops;  /* that they could have done while they were busy */
};

/* The highest utilisation that the tables have of a part. */
struct mfu_highest {
	double pct;
	const char *figure; /* which it is: "MFU busy" */
};

struct mfu_answer {
	const struct mfu_question *q;
	const struct scope *p;
	const struct row_choice *sorted; /* which rows, by what */
	struct trace *trace;
	struct report *report;
	struct mfu_rows rows;
	struct machine machine;
	struct mfu_peak peaks[MFU_ROWS]; /* by row, as are the highest */
	struct mfu_highest highest[MFU_ROWS];
};

/* A row for each part; ERR_USAGE when p->sort is none of its columns. */
int mfu_add_parts(struct mfu_answer *a, struct err *e);
/* One for each instance, where one part was asked for. */
void mfu_add_instances(struct mfu_answer *a);
/* Kernels that were counted. */
void mfu_add_kernels(const struct mfu_answer *a);
/* The formula, a row for each term. */
void mfu_add_terms(const struct mfu_answer *a);

/* Notes and warnings where what was said of the work does not fit the model or the trace. */
void mfu_doubt_said(const struct mfu_answer *a);
/*
 * Warns of parts that reach more than the peak, when the tables are made; at this place of the
 * report, before all that is not worth reading then.
 */
void mfu_doubt_reached(const struct mfu_answer *a, size_t place);

#endif
