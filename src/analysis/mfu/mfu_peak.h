/* The peak that a stage's GPUs have together, and where each figure comes from. */
#ifndef ANALYSIS_MFU_PEAK_H
#define ANALYSIS_MFU_PEAK_H

#include "analysis/mfu/mfu_rows.h"
#include "trace/system/machine.h"

struct mfu_peak {
	double flops_per_s; /* of all its devices */
	double each;	    /* of one of them; 0: they differ */
	double busy_flops;  /* that they could have done while they were busy */
};

/* What the weights are in, and who says so. */
enum dtype mfu_dtype(const struct mfu_question *q, const struct mfu_rows *rows);

/* ERR_INPUT that names the device where its peak is unknown: there is no default. */
int mfu_peak_of(const struct mfu_stage *s, const struct machine *m, const struct mfu_question *q,
		enum dtype dtype, struct mfu_peak *ret, struct err *e);
/* Notes what the peak is, and where it comes from. */
void mfu_peak_note(struct report *r, const struct mfu_stage *window, const struct machine *m,
		   const struct mfu_question *q, const struct mfu_rows *rows);

#endif
