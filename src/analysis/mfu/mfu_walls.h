/* How the own times of a stage's instances are spread, and what is said about that. */
#ifndef ANALYSIS_MFU_WALLS_H
#define ANALYSIS_MFU_WALLS_H

#include "analysis/mfu/mfu_stage.h"
#include "base/buf.h"

struct mfu_walls {
	double mean, p50, stddev;
	int64_t min, max;
};

/* Of a stage that has one instance at least; the deviation of one is 0. */
struct mfu_walls mfu_walls_of(const struct mfu_stage *s);

/*
 * Notes which ranges are not counted: those that the window cuts, never closed ones, those on other
 * devices, and those inside others.
 */
void mfu_note_counted(struct report *r, const struct mfu_stage *s, struct str name,
		      const struct scope *p);
/*
 * Looks for an instance that took many times as long as the median, or, of two, the other: the
 * first one often does, and says little of the steady state. Where there is one it goes on with the
 * sentence in `found`, which begins empty. The stage has one instance at least.
 */
void mfu_add_warm_up(struct buf *found, const struct mfu_stage *s, struct str name);
/* Notes what was found, if anything, and frees it; `more` ends the sentence. */
void mfu_note_warm_ups(struct report *r, struct buf *found, const char *more);

#endif
