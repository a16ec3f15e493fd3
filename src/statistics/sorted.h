/* Doubles in ascending order. */
#ifndef STATISTICS_SORTED_H
#define STATISTICS_SORTED_H

#include <stddef.h>

/* No NAN is among them. The caller frees what it gets. */
double *sorted_copy(const double *values, size_t n);

#endif
