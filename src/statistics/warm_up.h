/*
 * Where does a series of steps become steady? MSER-5 (White 1997): of means of five steps each, as
 * many are cut off as make the mean of the rest look best known.
 */
#ifndef STATISTICS_WARM_UP_H
#define STATISTICS_WARM_UP_H

#include <stdbool.h>
#include <stddef.h>

/* How many steps to cut off. False: the best cut is past the middle, so no steady part was seen. */
bool warm_up_find(const double *steps, size_t n, size_t *ret_cut);

#endif
