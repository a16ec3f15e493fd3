/* Whether what happens now and then happens at one distance. */
#ifndef ANALYSIS_RHYTHM_H
#define ANALYSIS_RHYTHM_H

#include <stdbool.h>
#include <stddef.h>

enum { RHYTHM_LEAST = 3 }; /* times that something has to happen to have one */

/*
 * Of `n` places in order some are hit: how likely it is that, were they any, as many would lie at
 * one distance from each other, whatever the distance and the first. 1: they have none.
 */
double rhythm_chance(const bool *hit, size_t n);
/* Whether all hits lie at one distance, and none is missing between them. */
bool rhythm_is_perfect(const bool *hit, size_t n);

#endif
