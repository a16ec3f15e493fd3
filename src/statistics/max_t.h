/*
 * Which rows of a table changed, all judged at once? Westfall and Young's step-down max-T: labels
 * of whole runs are dealt anew, and a row counts by how often the largest t of all rows that are no
 * more telling than it is as large. Rows that move together cost no more than one; of twenty rows
 * one can be found with four runs a side, where Holm's correction needs six.
 */
#ifndef STATISTICS_MAX_T_H
#define STATISTICS_MAX_T_H

#include <stddef.h>
#include <stdint.h>

/*
 * A row has `before` + `after` run means. ret_p: by row, adjusted for all rows, two-sided; 1 where
 * all of a row is the same, NAN where a value is no number (such a row is not judged).
 */
void max_t(const double *const *rows, size_t row_count, size_t before, size_t after, uint64_t seed,
	   double *ret_p);

/* The same of runs in pairs, whose signs are dealt: a row has the difference of each pair. */
void max_t_pairs(const double *const *differences, size_t row_count, size_t pairs, uint64_t seed,
		 double *ret_p);

#endif
