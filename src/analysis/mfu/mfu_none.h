/* What is said where nothing of what was asked for can be measured. */
#ifndef ANALYSIS_MFU_NONE_H
#define ANALYSIS_MFU_NONE_H

#include "analysis/mfu/mfu_rows.h"

/* Of the ranges or the phase that is named; `s` has what was left out. */
int mfu_no_range(const struct mfu_stage *s, const struct trace *t, const struct scope *p,
		 const struct mfu_question *q, struct err *e);
/* No prefill and no decode, or no step of a run that trains. A window is one of them then, and it
 * is ERR_USAGE not to say which. */
int mfu_no_stages(const struct mfu_rows *rows, const struct trace *t, const struct scope *p,
		  const struct mfu_question *q, struct err *e);

#endif
