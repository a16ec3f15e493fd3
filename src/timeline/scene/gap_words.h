/* Why a GPU is idle in a gap, in words. */
#ifndef TIMELINE_SCENE_GAP_WORDS_H
#define TIMELINE_SCENE_GAP_WORDS_H

#include "timeline/scene/scene.h"

/*
 * Appends a line for each thing that is known: what it is, a tab, and the value. The gap is one of
 * the track's; `around` is that with the ops before and after it: see lane_gap_around().
 */
int gap_words_add(struct buf *b, struct scene *s, size_t track, struct span gap, struct span around,
		  struct err *e);
/* The same of the longest call of the operating system in it, of lanes that it may have to make. */
void gap_words_add_os_call(struct buf *b, struct scene *s, size_t track, struct span gap);
/* The same of the findings about it. */
void gap_words_add_findings(struct buf *b, const struct track_part *part, struct span gap);
/* Whether a place of a finding is about a gap: those about all of the time are about none.
 * Both are on the clock of their capture. */
bool gap_words_is_about(const struct derived_span *place, struct span own);

#endif
